// SPDX-License-Identifier: GPL-2.0
/* Policies: the share of each path, and who moves when the paths change. */

#include <lb/policy.h>

#include "tap.h"

#define BUCKETS		1024	/* of the flow policy */
#define WINDOW		1000
#define PACKETS		100000

/* struct weights - weights of @n paths: @w, over and over */
struct weights {
	const char *what;
	u32 n;
	u16 w[10];
};

static const struct weights sets[] = {
	{ "one path", 1, { 1 } },
	{ "one heavy path", 1, { 65535 } },
	{ "1:1", 2, { 1, 1 } },
	{ "1:2", 2, { 1, 2 } },
	{ "1:100", 2, { 1, 100 } },
	{ "100:1", 2, { 100, 1 } },
	{ "1:65535", 2, { 1, 65535 } },
	{ "5:8, near the golden ratio", 2, { 5, 8 } },
	{ "377:610, nearer", 2, { 377, 610 } },
	{ "1:1:1", 3, { 1, 1, 1 } },
	{ "1:2:3:4", 4, { 1, 2, 3, 4 } },
	{ "4:3:2:1", 4, { 4, 3, 2, 1 } },
	{ "10:1:10:1", 4, { 10, 1, 10, 1 } },
	{ "7 alike", 7, { 1 } },
	{ "8 alike", 8, { 100 } },
	{ "10:25:40:100 twice", 8, { 10, 25, 40, 100 } },
	{ "64 alike", 64, { 1 } },
	{ "255 alike", 255, { 1 } },
	{ "255 of 1 to 10", 255, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 } },
	{ "256 alike", 256, { 1 } },
	{ "1024 alike", 1024, { 1 } },
	{ "2000 heavy", 2000, { 65535 } },
};

static u16 weight_of(const struct weights *w, u32 i)
{
	u32 n = 0;

	while (n < ARRAY_SIZE(w->w) && w->w[n])
		n++;
	return w->w[i % n];
}

/* A set of the paths for which @skip is not the index; ids are not indices. */
static struct lb_choices *new_set(const struct lb_policy_ops *ops,
				  const struct weights *w, u32 skip,
				  const struct lb_choices *old)
{
	struct lb_choices *set = tap_alloc(sizeof(*set));
	u32 n = w->n - (skip < w->n);

	lb_choices_init(set, tap_alloc(lb_choices_size(ops, n)), n);
	for (u32 i = 0; i < w->n; i++)
		if (i != skip)
			lb_choices_add(set, (u16)(i * 7 + 3), weight_of(w, i));
	if (ops->path_event)
		ops->path_event(NULL, set, old);
	return set;
}

static void free_set(struct lb_choices *set)
{
	free(set->path);
	free(set);
}

static void test_list(void)
{
	static const char * const names[] = { "rr", "weighted", "random", "flow" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const struct lb_policy_ops *ops = lb_policy_find(names[i]);

		ok(ops && !strcmp(ops->name, names[i]), "there is %s", names[i]);
		ok(ops && ops->doc && *ops->doc, "  with a line about it");
		ok(ops && ops->select, "  and it selects");
	}
	ok(!lb_policy_find(""), "there is none without a name");
	ok(!lb_policy_find("r"), "a beginning of a name is none");
	ok(!lb_policy_find("RR"), "capitals are another name");
	for (i = 0; i < lb_policies_count; i++)
		ok(lb_policy_find(lb_policies[i]->name) == lb_policies[i],
		   "the name %s is used once", lb_policies[i]->name);
}

static void test_choices(void)
{
	static const struct weights w = { "", 4, { 1, 2, 3, 2 } };
	static const struct {
		u32 x, want;
	} cases[] = {
		{ 0, 0 }, { 0x1fffffff, 0 }, { 0x20000000, 1 },
		{ 0x5fffffff, 1 }, { 0x60000000, 2 }, { 0xbfffffff, 2 },
		{ 0xc0000000, 3 }, { 0xffffffff, 3 },
	};
	struct lb_choices *set = new_set(&lb_policy_random, &w, ~0U, NULL);
	u32 i;

	is(set->n, 4, "four paths");
	is(set->weight, 8, "their weight");
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		is(lb_choices_at(set, cases[i].x), cases[i].want, "at %#x",
		   cases[i].x);
	free_set(set);

	for (i = 0; i < ARRAY_SIZE(sets); i++) {
		u32 bad = 0;

		set = new_set(&lb_policy_random, &sets[i], ~0U, NULL);
		for (u32 k = 0; k < set->n; k++) {
			u64 c = set->path[k].cum, b = c - set->path[k].weight;
			u32 lo = (u32)(((b << 32) + set->weight - 1) / set->weight);
			u32 hi = (u32)(((c << 32) - 1) / set->weight);

			bad += lb_choices_at(set, lo) != k ||
			       lb_choices_at(set, hi) != k;
		}
		is(bad, 0, "%s: both ends of each path", sets[i].what);
		free_set(set);
	}
}

/*
 * rr: in every window, each path has len / n packets, rounded down or up. The
 * counter wraps at 2^32, where a turn is cut short unless n divides 2^32: a
 * window across the wrap is two windows, each exact within one packet, so a path
 * is off by less than two.
 */
static void test_rr(void)
{
	static const u32 ns[] = { 1, 2, 3, 5, 7, 8, 64, 255, 256, 1000, 1024, 4000 };
	static const u32 lens[] = { 1, 2, 10, 100, 1000, 4096 };
	static const struct {
		u32 start;
		bool wraps;
	} starts[] = {
		{ 0, false }, { 12345, false }, { 0x7fffe000, false },
		{ 0xffffffff, false }, { 0xffffe000, true }, { 0xfffffff5, true },
	};
	const u32 total = 20000;
	u32 *path = tap_alloc(total * sizeof(*path));
	u32 *count = tap_alloc(4000 * sizeof(*count));

	is(lb_policy_rr.priv_size, sizeof(atomic_t), "the state is a counter");
	for (u32 i = 0; i < ARRAY_SIZE(ns); i++) {
		struct weights w = { "", ns[i], { 1, 5 } };
		struct lb_choices *set = new_set(&lb_policy_rr, &w, ~0U, NULL);

		for (u32 s = 0; s < ARRAY_SIZE(starts); s++) {
			bool exact = !starts[s].wraps || !(ns[i] & (ns[i] - 1));
			double worst = 0;
			atomic_t next;

			atomic_set(&next, starts[s].start);
			for (u32 k = 0; k < total; k++)
				path[k] = lb_policy_rr.select(&next, set, NULL);
			for (u32 l = 0; l < ARRAY_SIZE(lens); l++) {
				double share = (double)lens[l] / ns[i];

				memset(count, 0, ns[i] * sizeof(*count));
				for (u32 k = 0; k < total; k++) {
					double in, out = 0;

					if (k >= lens[l])
						out = share -
						      --count[path[k - lens[l]]];
					in = ++count[path[k]] - share;
					/* What left may be what came. */
					if (k >= lens[l] &&
					    path[k] == path[k - lens[l]])
						out = -in;
					if (k + 1 < lens[l])
						continue;
					worst = max_t(double, worst, in);
					worst = max_t(double, worst, out);
				}
			}
			ok(worst < (exact ? 1 : 2),
			   "rr, %u paths, counter from %#x: off by %.3f packets",
			   ns[i], starts[s].start, worst);
		}
		free_set(set);
	}
	free(count);
	free(path);
}

/* Greatest difference to a share in any window of WINDOW packets. */
static double worst_window(const struct lb_choices *set, const u32 *path)
{
	u32 *count = tap_alloc(set->n * sizeof(*count));
	double worst = 0;

	for (u32 k = 0; k < PACKETS; k++) {
		double unit = (double)WINDOW / set->weight, d;
		u32 in = path[k];

		count[in]++;
		if (k >= WINDOW) {
			u32 out = path[k - WINDOW];

			count[out]--;
			d = unit * set->path[out].weight - count[out];
			worst = max_t(double, worst, d);
			d = count[in] - unit * set->path[in].weight;
			worst = max_t(double, worst, d);
		}
		for (u32 i = 0; k == WINDOW - 1 && i < set->n; i++) {
			d = count[i] - unit * set->path[i].weight;
			worst = max_t(double, worst, d > 0 ? d : -d);
		}
	}
	free(count);
	return worst;
}

/* weighted: the counter's wrap at 2^32 does not show, so one bound is enough. */
static void test_weighted(void)
{
	static const u32 starts[] = { 0, 0x7fffff00, 0xffff8000, 0xfffffff5 };
	u32 *path = tap_alloc(PACKETS * sizeof(*path));

	for (u32 i = 0; i < ARRAY_SIZE(sets); i++) {
		struct lb_choices *set = new_set(&lb_policy_weighted, &sets[i],
						 ~0U, NULL);
		double worst = 0;

		for (u32 s = 0; s < ARRAY_SIZE(starts); s++) {
			atomic_t next;

			atomic_set(&next, starts[s]);
			for (u32 k = 0; k < PACKETS; k++)
				path[k] = lb_policy_weighted.select(&next, set,
								    NULL);
			worst = max_t(double, worst, worst_window(set, path));
		}
		ok(worst <= WINDOW * 2 / 100,
		   "weighted, %s: off by %.2f packets of %u", sets[i].what,
		   worst, WINDOW);
		free_set(set);
	}

	/* Random weights; the bound is the order of log N of the comment. */
	for (u32 seed = 1; seed <= 40; seed++) {
		struct lb_rnd r = { .s = seed };
		struct weights w = { "", 2 + lb_scale(lb_rnd_u32(&r), 30), { } };
		struct lb_choices *set;
		atomic_t next;
		double worst;

		for (u32 k = 0; k < ARRAY_SIZE(w.w); k++)
			w.w[k] = 1 + (lb_rnd_u32(&r) >> 16 >>
				      lb_rnd_u32(&r) % 16) % 65535;
		set = new_set(&lb_policy_weighted, &w, ~0U, NULL);
		lb_policy_weighted.init(&next, &r);
		for (u32 k = 0; k < PACKETS; k++)
			path[k] = lb_policy_weighted.select(&next, set, NULL);
		worst = worst_window(set, path);
		ok(worst <= 10, "weighted, random weights %u: off by %.2f packets",
		   seed, worst);
		free_set(set);
	}
	free(path);
}

/* Chi-square within six deviations of what is expected of random numbers. */
static void test_random(void)
{
	for (u32 i = 0; i < ARRAY_SIZE(sets); i++) {
		struct lb_choices *set = new_set(&lb_policy_random, &sets[i],
						 ~0U, NULL);
		struct lb_rnd r = { .s = 4711 };
		struct lb_pick pick = { .rnd = &r };
		u32 *count = tap_alloc(set->n * sizeof(*count));
		double chi = 0, df = set->n - 1;

		for (u32 k = 0; k < PACKETS; k++)
			count[lb_policy_random.select(NULL, set, &pick)]++;
		for (u32 k = 0; k < set->n; k++) {
			double want = (double)PACKETS * set->path[k].weight /
				      set->weight;

			chi += (count[k] - want) * (count[k] - want) / want;
		}
		ok((chi - df) * (chi - df) <= 36 * 2 * df,
		   "random, %s: chi-square %.1f of %.0f", sets[i].what, chi, df);
		free(count);
		free_set(set);
	}

	for (u32 seed = 0; seed < 5; seed++) {
		static const struct weights w = { "", 4, { 1 } };
		struct lb_choices *set = new_set(&lb_policy_random, &w, ~0U, NULL);
		struct lb_rnd r = { .s = seed };
		struct lb_pick pick = { .rnd = &r };
		u32 count[16] = { }, last = 0;
		double chi = 0;

		for (u32 k = 0; k < PACKETS; k++) {
			u32 now = lb_policy_random.select(NULL, set, &pick);

			count[last * 4 + now]++;
			last = now;
		}
		for (u32 k = 0; k < 16; k++)
			chi += (count[k] - PACKETS / 16.0) *
			       (count[k] - PACKETS / 16.0) / (PACKETS / 16.0);
		ok(chi > 1 && chi < 50, "random, pairs, seed %u: chi-square %.1f",
		   seed, chi);
		free_set(set);
	}
}

/* The id of the path of each bucket. */
static void flow_table(const struct lb_choices *set, u16 *id)
{
	for (u32 b = 0; b < BUCKETS; b++) {
		struct lb_pick pick = { .hash = b << 22 };
		u32 i = lb_policy_flow.select(NULL, set, &pick);

		id[b] = i < set->n ? set->path[i].id : 0xffff;
	}
}

/* Greatest difference of a path's buckets to its share. */
static double flow_worst(const struct lb_choices *set, const u16 *id)
{
	double worst = 0, d;

	for (u32 i = 0; i < set->n; i++) {
		u32 n = 0;

		for (u32 b = 0; b < BUCKETS; b++)
			n += id[b] == set->path[i].id;
		d = n - (double)BUCKETS * set->path[i].weight / set->weight;
		worst = max_t(double, worst, d > 0 ? d : -d);
	}
	return worst;
}

static void test_flow(void)
{
	u16 id[BUCKETS];

	for (u32 i = 0; i < ARRAY_SIZE(sets); i++) {
		struct lb_choices *set = new_set(&lb_policy_flow, &sets[i], ~0U,
						 NULL), *again;
		struct lb_rnd r = { .s = 99 };
		u32 bad = 0, moved = 0;
		u16 id2[BUCKETS];
		double worst;

		for (u32 k = 0; k < 20000; k++) {
			u32 h = lb_rnd_u32(&r);
			struct lb_pick a = { .hash = h, .len = 1 };
			struct lb_pick b = { .hash = h, .len = 1500, .now = k };
			u32 got = lb_policy_flow.select(NULL, set, &a);

			bad += got >= set->n ||
			       got != lb_policy_flow.select(NULL, set, &b);
		}
		is(bad, 0, "flow, %s: same hash, same path", sets[i].what);
		flow_table(set, id);
		worst = flow_worst(set, id);
		ok(worst < 1, "  shares off by %.2f buckets", worst);
		again = new_set(&lb_policy_flow, &sets[i], ~0U, set);
		flow_table(again, id2);
		for (u32 b = 0; b < BUCKETS; b++)
			moved += id[b] != id2[b];
		is(moved, 0, "  the same paths again, and none moves");
		free_set(again);
		free_set(set);
	}
}

/* Whether all weights of a set are alike. */
static bool alike(const struct weights *w)
{
	for (u32 i = 1; i < w->n; i++)
		if (weight_of(w, i) != weight_of(w, 0))
			return false;
	return true;
}

/*
 * As path @gone leaves its buckets, how many others must move all the same, so
 * that each path of @less has its share, rounded down.
 */
static u32 must_move(const struct lb_choices *less, const u16 *id, u16 gone)
{
	u32 missing = 0, free = 0;

	for (u32 b = 0; b < BUCKETS; b++)
		free += id[b] == gone;
	for (u32 i = 0; i < less->n; i++) {
		u32 n = 0, share = (u32)((u64)BUCKETS * less->path[i].weight /
					 less->weight);

		for (u32 b = 0; b < BUCKETS; b++)
			n += id[b] == less->path[i].id;
		missing += n < share ? share - n : 0;
	}
	return missing > free ? missing - free : 0;
}

/*
 * One of the paths goes and returns: nothing moves but what has to. Of the
 * others' buckets none has to if all weights are alike, and else 1 % at most.
 */
static void test_flow_moves(const struct weights *w)
{
	u32 went = 0, most = 0, came = 0, excess = 0, step = 1 + w->n / 32;
	double worst = 0;

	for (u32 gone = 0; gone < w->n; gone += step) {
		struct lb_choices *all, *less, *back;
		u16 id[3][BUCKETS], gone_id;
		u32 moved = 0, others = 0, due;

		all = new_set(&lb_policy_flow, w, ~0U, NULL);
		less = new_set(&lb_policy_flow, w, gone, all);
		back = new_set(&lb_policy_flow, w, ~0U, less);
		gone_id = all->path[gone].id;
		due = (u32)((double)BUCKETS * weight_of(w, gone) / all->weight) + 1;
		flow_table(all, id[0]);
		flow_table(less, id[1]);
		flow_table(back, id[2]);
		for (u32 b = 0; b < BUCKETS; b++) {
			others += id[0][b] != gone_id && id[0][b] != id[1][b];
			came += id[2][b] != gone_id && id[1][b] != id[2][b];
			moved += id[1][b] != id[2][b];
		}
		went += others != must_move(less, id[0], gone_id);
		most = max_t(u32, most, others);
		excess += moved > due;
		worst = max_t(double, worst, flow_worst(less, id[1]));
		worst = max_t(double, worst, flow_worst(back, id[2]));
		free_set(back);
		free_set(less);
		free_set(all);
	}
	ok(most <= (alike(w) ? 0 : BUCKETS / 100),
	   "flow, %s: a path goes, and of others' buckets move %u", w->what, most);
	is(went, 0, "  and no more than must");
	is(came, 0, "  it returns, and no bucket moves but to it");
	is(excess, 0, "  and no more than are its due");
	ok(worst < 1, "  shares off by %.2f buckets", worst);
}

/* Many changes, and the shares are still right. */
static void test_flow_churn(void)
{
	struct lb_rnd r = { .s = 5 };
	struct weights w = { "", 20, { 1, 2, 3, 4, 5 } };
	struct lb_choices *set = new_set(&lb_policy_flow, &w, ~0U, NULL), *next;
	double worst = 0;
	u16 id[BUCKETS];

	for (u32 k = 0; k < 500; k++) {
		w.n = 1 + lb_scale(lb_rnd_u32(&r), 300);
		w.w[lb_scale(lb_rnd_u32(&r), 5)] = 1 + lb_scale(lb_rnd_u32(&r), 99);
		next = new_set(&lb_policy_flow, &w, w.n > 1 ?
			       lb_scale(lb_rnd_u32(&r), 2 * w.n) : ~0U, set);
		free_set(set);
		set = next;
		flow_table(set, id);
		worst = max_t(double, worst, flow_worst(set, id));
	}
	ok(worst < 1, "flow, after each of 500 changes shares off by %.2f buckets",
	   worst);

	/* All paths go, and some come. */
	w.n = 0;
	next = new_set(&lb_policy_flow, &w, ~0U, set);
	free_set(set);
	w.n = 3;
	set = new_set(&lb_policy_flow, &w, ~0U, next);
	flow_table(set, id);
	worst = flow_worst(set, id);
	ok(worst < 1, "flow, from no path to three: shares off by %.2f buckets",
	   worst);
	free_set(next);
	free_set(set);
}

int main(void)
{
	static const struct weights moves[] = {
		{ "2 alike", 2, { 1 } },
		{ "3 alike", 3, { 1 } },
		{ "7 alike", 7, { 1 } },
		{ "10 alike", 10, { 1 } },
		{ "30 alike", 30, { 1 } },
		{ "33 alike", 33, { 1 } },
		{ "64 alike", 64, { 1 } },
		{ "100 alike", 100, { 1 } },
		{ "256 alike", 256, { 1 } },
		{ "300 alike", 300, { 1 } },
		{ "1024 alike", 1024, { 1 } },
		{ "1025 alike", 1025, { 1 } },
		{ "1500 alike", 1500, { 1 } },
		{ "1:2:3:4", 4, { 1, 2, 3, 4 } },
		{ "1:100", 2, { 1, 100 } },
		{ "16 of 1 to 4", 16, { 1, 2, 3, 4 } },
		{ "40 of 1 to 10", 40, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 } },
	};

	test_list();
	test_choices();
	test_rr();
	test_weighted();
	test_random();
	test_flow();
	for (u32 i = 0; i < ARRAY_SIZE(moves); i++)
		test_flow_moves(&moves[i]);
	test_flow_churn();
	return tap_done();
}
