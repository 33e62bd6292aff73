// SPDX-License-Identifier: GPL-2.0
/*
 * flow: a flow stays on one path.
 *
 * A table of buckets, as in the kernel's resilient next-hop groups: the flow's
 * hash names a bucket, the bucket names a path. When a path goes, only its
 * buckets move; when one comes, only as many as are its due.
 */

#include <lb/policy.h>

#define BUCKETS		1024
#define FREE		0xffff

/*
 * struct flow_set - which path each bucket has
 * @bucket: index into the set
 * @have: buckets of each path
 */
struct flow_set {
	u16 bucket[BUCKETS];
	u16 have[];
};

static u32 flow_set_size(u32 n)
{
	return sizeof(struct flow_set) + n * sizeof(u16);
}

/*
 * A path's share of the buckets, rounded down. No overflow: a weight has 16 bits,
 * and all of a peer's 4096 paths together 28.
 */
static u32 least(const struct lb_choices *set, u32 i)
{
	return (u32)set->path[i].weight * BUCKETS / set->weight;
}

/* Rounded up. */
static u32 most(const struct lb_choices *set, u32 i)
{
	return ((u32)set->path[i].weight * BUCKETS + set->weight - 1) /
	       set->weight;
}

/* Index in @set of the path with that id, or FREE. */
static u16 index_of(const struct lb_choices *set, u16 id)
{
	u32 lo = 0, hi = set->n;

	while (lo < hi) {
		u32 mid = (lo + hi) / 2;

		if (set->path[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < set->n && set->path[lo].id == id ? (u16)lo : FREE;
}

/* A path keeps the buckets it has, as far as its share reaches. */
static u32 keep_buckets(struct lb_choices *set, const struct lb_choices *old)
{
	const struct flow_set *ofs = old->area;
	struct flow_set *fs = set->area;
	u32 b, kept = 0;

	for (b = 0; b < BUCKETS; b++) {
		u16 i = index_of(set, old->path[ofs->bucket[b]].id);

		if (i == FREE || fs->have[i] >= most(set, i))
			continue;
		fs->bucket[b] = i;
		fs->have[i]++;
		kept++;
	}
	return kept;
}

/* Take buckets from those above their least share, till all can have theirs. */
static void take_buckets(struct lb_choices *set, u32 want)
{
	struct flow_set *fs = set->area;
	u32 b;

	for (b = 0; b < BUCKETS && want; b++) {
		u16 i = fs->bucket[b];

		if (i == FREE || fs->have[i] <= least(set, i))
			continue;
		fs->bucket[b] = FREE;
		fs->have[i]--;
		want--;
	}
}

/* Give out free buckets, from @b on, to paths that have less than @goal says. */
static u32 give_buckets(struct lb_choices *set, u32 b,
			u32 (*goal)(const struct lb_choices *set, u32 i))
{
	struct flow_set *fs = set->area;
	u32 i = 0;

	for (; b < BUCKETS; b++) {
		if (fs->bucket[b] != FREE)
			continue;
		while (i < set->n && fs->have[i] >= goal(set, i))
			i++;
		if (i == set->n)
			break;
		fs->bucket[b] = (u16)i;
		fs->have[i]++;
	}
	return b;
}

static void flow_path_event(void *priv, struct lb_choices *set,
			    const struct lb_choices *old)
{
	struct flow_set *fs = set->area;
	u32 i, missing = 0, kept = 0;

	if (!set->n)
		return;
	memset(fs->bucket, 0xff, sizeof(fs->bucket));
	memset(fs->have, 0, set->n * sizeof(fs->have[0]));
	if (old && old->n)
		kept = keep_buckets(set, old);
	for (i = 0; i < set->n; i++)
		if (fs->have[i] < least(set, i))
			missing += least(set, i) - fs->have[i];
	if (missing > BUCKETS - kept)
		take_buckets(set, missing - (BUCKETS - kept));
	give_buckets(set, give_buckets(set, 0, least), most);
}

static u32 flow_select(void *priv, const struct lb_choices *set,
		       const struct lb_pick *pick)
{
	const struct flow_set *fs = set->area;

	return fs->bucket[lb_scale(pick->hash, BUCKETS)];
}

const struct lb_policy_ops lb_policy_flow = {
	.name		= "flow",
	.doc		= "each flow on one path, flows spread by weight",
	.set_size	= flow_set_size,
	.path_event	= flow_path_event,
	.select		= flow_select,
};
