/* SPDX-License-Identifier: GPL-2.0 */
/* Counters per CPU. */
#ifndef _LB_STATS_H
#define _LB_STATS_H

#include <linux/u64_stats_sync.h>
#include <uapi/linux/lb.h>

/*
 * Counters are named by their netlink attributes, so that one list serves the
 * kernel and the tool. Of a device also the drops are counted, after the rest.
 */
#define LB_DEV_COUNTERS		(LB_A_DEV_STATS_MAX + 1)
#define LB_COUNT_DROP(reason)	(LB_DEV_COUNTERS + (reason))
#define LB_DEV_COUNT		LB_COUNT_DROP(LB_DROP_MAX + 1)
#define LB_PEER_COUNT		(LB_A_PEER_STATS_MAX + 1)

/**
 * struct lb_dev_counters - one CPU's counters of a device
 * @syncp: for 32 bit readers
 * @v: the counters
 */
struct lb_dev_counters {
	struct u64_stats_sync syncp;
	u64_stats_t v[LB_DEV_COUNT];
};

/**
 * struct lb_peer_counters - one CPU's counters of a peer
 * @syncp: for 32 bit readers
 * @v: the counters, indexed by LB_A_PEER_STATS_*
 */
struct lb_peer_counters {
	struct u64_stats_sync syncp;
	u64_stats_t v[LB_PEER_COUNT];
};

struct lb_dev;
struct lb_peer;
struct sk_buff;

void lb_count(struct lb_dev *lb, int counter);
void lb_peer_count(struct lb_peer *peer, int counter, u64 n);
void lb_peer_count_tx(struct lb_peer *peer, unsigned int len);
void lb_dev_counters_read(const struct lb_dev *lb, u64 *v);
void lb_peer_counters_read(const struct lb_peer *peer, u64 *v);
void lb_drop(struct lb_dev *lb, struct sk_buff *skb, enum lb_drop reason);

#endif /* _LB_STATS_H */
