// SPDX-License-Identifier: GPL-2.0
/* Counters per CPU, and the one place where packets are dropped. */

#include <linux/percpu.h>
#include <linux/skbuff.h>
#include <trace/events/lb.h>

#include "device.h"
#include "peer.h"
#include "stats.h"

/**
 * lb_count() - count one of something
 * @lb: the device
 * @counter: LB_A_DEV_STATS_* or LB_COUNT_DROP()
 *
 * Context: bottom halves off.
 */
void lb_count(struct lb_dev *lb, int counter)
{
	struct lb_dev_counters *c = this_cpu_ptr(lb->counters);

	u64_stats_update_begin(&c->syncp);
	u64_stats_inc(&c->v[counter]);
	u64_stats_update_end(&c->syncp);
}

/**
 * lb_peer_count() - count for a peer
 * @peer: the peer
 * @counter: LB_A_PEER_STATS_*
 * @n: how many
 *
 * Context: bottom halves off.
 */
void lb_peer_count(struct lb_peer *peer, int counter, u64 n)
{
	struct lb_peer_counters *c = this_cpu_ptr(peer->counters);

	u64_stats_update_begin(&c->syncp);
	u64_stats_add(&c->v[counter], n);
	u64_stats_update_end(&c->syncp);
}

/**
 * lb_peer_count_tx() - count a packet sent to a peer
 * @peer: the peer
 * @len: bytes of the inner packet
 *
 * Context: bottom halves off.
 */
void lb_peer_count_tx(struct lb_peer *peer, unsigned int len)
{
	struct lb_peer_counters *c = this_cpu_ptr(peer->counters);

	u64_stats_update_begin(&c->syncp);
	u64_stats_inc(&c->v[LB_A_PEER_STATS_TX_PACKETS]);
	u64_stats_add(&c->v[LB_A_PEER_STATS_TX_BYTES], len);
	u64_stats_update_end(&c->syncp);
}

/**
 * lb_dev_counters_read() - sums over all CPUs
 * @lb: the device
 * @v: LB_DEV_COUNT sums
 */
void lb_dev_counters_read(const struct lb_dev *lb, u64 *v)
{
	int cpu, i;

	memset(v, 0, LB_DEV_COUNT * sizeof(*v));
	for_each_possible_cpu(cpu) {
		const struct lb_dev_counters *c = per_cpu_ptr(lb->counters, cpu);
		unsigned int start;
		u64 n;

		for (i = 0; i < LB_DEV_COUNT; i++) {
			do {
				start = u64_stats_fetch_begin(&c->syncp);
				n = u64_stats_read(&c->v[i]);
			} while (u64_stats_fetch_retry(&c->syncp, start));
			v[i] += n;
		}
	}
}

/**
 * lb_peer_counters_read() - sums over all CPUs
 * @peer: the peer
 * @v: LB_PEER_COUNT sums
 */
void lb_peer_counters_read(const struct lb_peer *peer, u64 *v)
{
	int cpu, i;

	memset(v, 0, LB_PEER_COUNT * sizeof(*v));
	for_each_possible_cpu(cpu) {
		const struct lb_peer_counters *c = per_cpu_ptr(peer->counters, cpu);
		unsigned int start;
		u64 n;

		for (i = 0; i < LB_PEER_COUNT; i++) {
			do {
				start = u64_stats_fetch_begin(&c->syncp);
				n = u64_stats_read(&c->v[i]);
			} while (u64_stats_fetch_retry(&c->syncp, start));
			v[i] += n;
		}
	}
}

/**
 * lb_drop() - drop a packet, count it and trace it
 * @lb: the device
 * @skb: the packet
 * @reason: why
 *
 * Context: bottom halves off.
 */
void lb_drop(struct lb_dev *lb, struct sk_buff *skb, enum lb_drop reason)
{
	lb_count(lb, LB_COUNT_DROP(reason));
	trace_lb_drop(lb->dev->ifindex, skb->len, reason);
	kfree_skb(skb);
}
