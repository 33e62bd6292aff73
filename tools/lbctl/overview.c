// SPDX-License-Identifier: GPL-2.0
/* All devices, peers and path groups at one time, for show and top */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lbctl.h"
#include "nl.h"
#include "obj.h"
#include "overview.h"

/* @array with room for one more than @n, which is zeroed; NULL after an error message */
static void *grow(void *array, size_t n, size_t size)
{
	/* When the number is a power of two it is full */
	if (!(n & (n - 1)))
		array = realloc(array, size * (n ? n * 2 : 1));
	if (array)
		memset((char *)array + n * size, 0, size);
	else
		nl_refused(-ENOMEM);
	return array;
}

static u64 drops_of(const struct nlmsghdr *nlh)
{
	const struct nlattr *tb[LB_A_DROP_COUNT_MAX + 1], *a;
	u64 sum = 0;
	size_t len;

	for (a = nl_first(nlh, &len); nl_whole(a, len); a = nl_attr_next(a, &len)) {
		if (mnl_attr_get_type(a) != LB_A_DEV_DROP)
			continue;
		nl_nested(a, tb, LB_A_DROP_COUNT_MAX);
		sum += nl_uint(tb[LB_A_DROP_COUNT_PACKETS]);
	}
	return sum;
}

static int take_dev(const struct nlmsghdr *nlh, struct overview *ov)
{
	const struct nlattr *tb[LB_A_DEV_MAX + 1], *config[LB_A_CONFIG_MAX + 1];
	struct dev_info *d = grow(ov->devs, ov->n_devs, sizeof(*d));

	if (!d)
		return EX_REFUSED;
	ov->devs = d;
	d += ov->n_devs++;
	nl_attrs(nlh, tb, LB_A_DEV_MAX);
	nl_nested(tb[LB_A_DEV_CONFIG], config, LB_A_CONFIG_MAX);
	nl_str(tb[LB_A_DEV_IFNAME], d->name, sizeof(d->name));
	nl_str(config[LB_A_CONFIG_POLICY], d->policy, sizeof(d->policy));
	d->port = nl_uint(config[LB_A_CONFIG_PORT]);
	d->peers = nl_uint(tb[LB_A_DEV_PEERS]);
	d->paths = nl_uint(tb[LB_A_DEV_PATHS]);
	d->drops = drops_of(nlh);
	return EX_OK;
}

static int take_peer(const struct nlmsghdr *nlh, struct overview *ov)
{
	const struct nlattr *tb[LB_A_PEER_MAX + 1];
	struct peer_info *p = grow(ov->peers, ov->n_peers, sizeof(*p));

	if (!p)
		return EX_REFUSED;
	ov->peers = p;
	p += ov->n_peers++;
	nl_attrs(nlh, tb, LB_A_PEER_MAX);
	nl_str(tb[LB_A_PEER_IFNAME], p->dev, sizeof(p->dev));
	nl_addr(tb[LB_A_PEER_ADDR], p->addr, sizeof(p->addr));
	p->state = nl_uint(tb[LB_A_PEER_STATE]);
	p->age = nl_uint(tb[LB_A_PEER_AGE]);
	p->paths = nl_uint(tb[LB_A_PEER_PATHS]);
	p->good = nl_uint(tb[LB_A_PEER_PATHS_GOOD]);
	return EX_OK;
}

static bool same_group(const struct group *a, const struct group *b)
{
	return a->id == b->id && !strcmp(a->dev, b->dev) && !strcmp(a->peer, b->peer) &&
	       !strcmp(a->local, b->local) && !strcmp(a->remote, b->remote);
}

/* Most often it is the one at @hint */
static struct group *find(struct group *groups, size_t n, size_t hint, const struct group *key)
{
	size_t i;

	if (hint < n && same_group(&groups[hint], key))
		return &groups[hint];
	for (i = 0; i < n; i++)
		if (same_group(&groups[i], key))
			return &groups[i];
	return NULL;
}

static int take_path(const struct nlmsghdr *nlh, struct overview *ov)
{
	struct path_info p;
	struct group key = {}, *g;
	u64 age, rtt;
	u32 state;

	path_read(nlh, &p);
	nl_str(p.tb[LB_A_PATH_IFNAME], key.dev, sizeof(key.dev));
	nl_addr(p.tb[LB_A_PATH_PEER], key.peer, sizeof(key.peer));
	nl_addr(p.tb[LB_A_PATH_LOCAL], key.local, sizeof(key.local));
	nl_addr(p.tb[LB_A_PATH_REMOTE], key.remote, sizeof(key.remote));
	nl_str(p.tb[LB_A_PATH_DEVICE], key.member, sizeof(key.member));
	key.id = nl_uint(p.tb[LB_A_PATH_GROUP]);
	g = find(ov->groups, ov->n_groups, ov->n_groups - 1, &key);
	if (!g) {
		g = grow(ov->groups, ov->n_groups, sizeof(*g));
		if (!g)
			return EX_REFUSED;
		ov->groups = g;
		g += ov->n_groups++;
		*g = key;
	}
	state = nl_uint(p.tb[LB_A_PATH_STATE]);
	if (state < PATH_STATES)
		g->n[state]++;
	g->tx_packets += nl_uint(p.stats[LB_A_PATH_STATS_TX_PACKETS]);
	g->tx_bytes += nl_uint(p.stats[LB_A_PATH_STATS_TX_BYTES]);
	g->lost += nl_uint(p.stats[LB_A_PATH_STATS_LOST]);
	rtt = nl_uint(p.stats[LB_A_PATH_STATS_RTT]);
	g->rtt_sum += rtt;
	g->rtt_n += rtt != 0;
	age = nl_uint(p.tb[LB_A_PATH_AGE]);
	if (!p.tb[LB_A_PATH_AGE] || !nl_uint(p.stats[LB_A_PATH_STATS_TRANSITIONS]))
		return EX_OK;
	if (!g->changed || age < g->age) {
		g->changed = true;
		g->age = age;
		g->port = nl_uint(p.tb[LB_A_PATH_ENTROPY]);
		g->state = state;
		g->reason = nl_uint(p.tb[LB_A_PATH_REASON]);
	}
	return EX_OK;
}

static int take(struct nl_msgs *answer, struct overview *ov,
		int (*fn)(const struct nlmsghdr *nlh, struct overview *ov))
{
	const struct nlmsghdr *nlh;
	int ret = EX_OK;

	for (nlh = nl_next(answer, NULL); nlh && !ret; nlh = nl_next(answer, nlh))
		ret = fn(nlh, ov);
	nl_free(answer);
	return ret;
}

/* What was sent since the snapshot before; counters may have been reset */
static void rates(const struct overview *before, struct overview *ov)
{
	size_t i, k;

	for (i = 0; i < ov->n_groups; i++) {
		struct group *g = &ov->groups[i], *was = NULL;

		if (before)
			was = find(before->groups, before->n_groups, i, g);
		g->rate_packets = g->tx_packets;
		g->rate_bytes = g->tx_bytes;
		if (was && was->tx_packets <= g->tx_packets && was->tx_bytes <= g->tx_bytes) {
			g->rate_packets -= was->tx_packets;
			g->rate_bytes -= was->tx_bytes;
		}
		for (k = 0; k < ov->n_peers; k++) {
			struct peer_info *p = &ov->peers[k];

			if (strcmp(p->addr, g->peer) || strcmp(p->dev, g->dev))
				continue;
			p->rate_packets += g->rate_packets;
			p->rate_bytes += g->rate_bytes;
			break;
		}
	}
}

/**
 * overview_take - ask the kernel for all there is
 * @dev: of one device, NULL for all
 * @before: the snapshot before, for rates; NULL if there is none
 * @ov: zeroed; the caller frees it, also after an error
 *
 * Return: EX_OK or EX_REFUSED
 */
int overview_take(const char *dev, const struct overview *before, struct overview *ov)
{
	struct nl_msgs answer = {};
	struct timespec now;
	int ret;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ov->time = now.tv_sec * 1000000000ULL + now.tv_nsec;
	if (before)
		ov->span = ov->time - before->time;

	ret = dev_get(dev, &answer);
	if (!ret)
		ret = take(&answer, ov, take_dev);
	if (!ret)
		ret = peer_get(dev, &answer);
	if (!ret)
		ret = take(&answer, ov, take_peer);
	if (!ret)
		ret = path_get(dev, &answer);
	if (!ret)
		ret = take(&answer, ov, take_path);
	nl_free(&answer);
	if (!ret)
		rates(before, ov);
	return ret;
}

/**
 * overview_free - free what overview_take() took
 * @ov: the snapshot
 */
void overview_free(struct overview *ov)
{
	free(ov->devs);
	free(ov->peers);
	free(ov->groups);
	memset(ov, 0, sizeof(*ov));
}
