// SPDX-License-Identifier: GPL-2.0
/*
 * Probes: each path is asked in turn, one round an interval. The answer gives
 * the round trip and what the receiver has seen of the path.
 */

#include <linux/skbuff.h>
#include <linux/ktime.h>
#include <lb/rxpath.h>

#include "device.h"
#include "peer.h"
#include "probe.h"
#include "rx.h"
#include "session.h"
#include "tx.h"

/* Probes go out evenly, but the timer fires no more often than this. */
#define LB_PROBE_TICK	max_t(unsigned long, HZ / 250, 1)
#define LB_PROBE_BURST	64UL

/**
 * struct lb_answer - body of PROBE_REPLY
 * @head: with one report
 * @report: on the path of the probe
 */
struct lb_answer {
	struct lb_feedback head;
	struct lb_report report;
};

static void lb_probe_send(struct lb_peer *peer, struct lb_path *path, u32 id)
{
	struct lb_wire w = {
		.type		= LB_WIRE_PROBE,
		.session	= id,
		.path		= path->id,
	};

	spin_lock_bh(&peer->lock);
	w.path_seq = ++path->probe_seq;
	path->probe_seen <<= 1;
	path->probes++;
	spin_unlock_bh(&peer->lock);
	w.stamp = lb_stamp(ktime_get_ns());
	lb_send_control(path->group, path->sport, &w, NULL, 0);
}

/*
 * Whether the answer to a probe is one that is waited for. The answers to the
 * last probes are noted in a word, the last one in bit 0.
 */
static bool lb_probe_answered(struct lb_path *path, u32 seq)
{
	u32 age = path->probe_seq - seq;

	if (age >= 64 || path->probe_seen >> age & 1)
		return false;
	path->probe_seen |= 1ULL << age;
	return true;
}

/* The next path at or after @id that can be probed, NULL if there is none. */
static struct lb_path *lb_probe_find(struct lb_peer *peer, unsigned long *id)
{
	struct lb_path *path;

	xa_for_each_start(&peer->paths, *id, path, *id)
		if (path->state != LB_PATH_STATE_DENIED && lb_path_up(path) &&
		    READ_ONCE(path->group->seen.route))
			return path;
	return NULL;
}

/**
 * lb_probe_timer() - send the probes that are due
 * @t: lb_peer.probe
 *
 * Context: softirq.
 */
void lb_probe_timer(struct timer_list *t)
{
	struct lb_peer *peer = from_timer(peer, t, probe);
	u32 interval = READ_ONCE(peer->lb->config.probe_interval);
	unsigned long round = msecs_to_jiffies(interval);
	unsigned long tick = LB_PROBE_TICK, id;
	struct lb_tx_session *tx;
	struct lb_path *path;
	u32 n;

	if (!interval)
		return;
	rcu_read_lock();
	tx = rcu_dereference(peer->tx);
	if (!tx)
		goto out;
	n = max(READ_ONCE(peer->n_paths), 1U);
	if (round / n > tick)
		tick = round / n;
	/* As many in a tick as make one round an interval, within reason. */
	n = min(DIV_ROUND_UP(n * tick, max(round, 1UL)), LB_PROBE_BURST);
	for (id = peer->probe_next; n; n--, id++) {
		path = lb_probe_find(peer, &id);
		if (!path)
			break;
		lb_probe_send(peer, path, tx->id);
	}
	/* The end of the round: the next tick begins anew. */
	peer->probe_next = n ? 0 : id;
	mod_timer(&peer->probe, jiffies + tick);
out:
	rcu_read_unlock();
}

/**
 * lb_probe_start() - begin a round of probes
 * @peer: the peer
 *
 * Context: any but hard irq.
 */
void lb_probe_start(struct lb_peer *peer)
{
	if (READ_ONCE(peer->lb->config.probe_interval) &&
	    !READ_ONCE(peer->dying))
		mod_timer(&peer->probe, jiffies + 1);
}

/**
 * lb_probe_rcv() - the peer probes one of its paths
 * @s: session that it sends in
 * @skb: at our header; consumed
 * @outer: its outer headers
 * @w: its header
 *
 * The answer goes back by the same addresses and the same port.
 *
 * Context: softirq, RCU read side.
 */
void lb_probe_rcv(struct lb_session *s, struct sk_buff *skb,
		  const struct lb_outer *outer, const struct lb_wire *w)
{
	struct lb_peer *peer = s->peer;
	u64 now = ktime_get_ns();
	struct lb_answer body = {
		.head.now	= cpu_to_be32(lb_stamp(now)),
		.head.count	= cpu_to_be16(1),
		.report.path	= cpu_to_be16(w->path),
	};
	struct lb_wire reply = {
		.type		= LB_WIRE_PROBE_REPLY,
		.session	= w->session,
		.path		= w->path,
		.path_seq	= w->path_seq,
		.stamp		= w->stamp,
	};
	struct lb_rx_path *rp;
	struct lb_group *g;

	lb_count(peer->lb, LB_A_DEV_STATS_CONTROL_RX);
	g = lb_group_by_addrs(peer, &outer->daddr, &outer->saddr, skb->dev);
	if (w->path >= LB_PATHS_MAX || !g) {
		lb_drop(peer->lb, skb, LB_DROP_RX_PATH);
		return;
	}
	rp = lb_session_path(s, w->path);
	if (!rp) {
		lb_drop(peer->lb, skb, LB_DROP_RX_MEMORY);
		return;
	}
	lb_session_heard(s);
	spin_lock(&rp->lock);
	lb_delay_add(&rp->rx.delay, lb_stamp(now) - w->stamp, now);
	body.report.highest = cpu_to_be32(rp->rx.highest);
	body.report.bytes = cpu_to_be64(rp->rx.bytes);
	body.report.packets = cpu_to_be32((u32)rp->rx.packets);
	body.report.lost = cpu_to_be32((u32)lb_rxpath_lost(&rp->rx));
	body.report.ce = cpu_to_be32((u32)rp->rx.ce);
	body.report.stamp = cpu_to_be32(rp->rx.stamp);
	body.report.rx = cpu_to_be32(lb_stamp(rp->rx.rx));
	spin_unlock(&rp->lock);
	consume_skb(skb);
	lb_send_control(g, outer->sport, &reply, &body, sizeof(body));
}

/**
 * lb_probe_reply_rcv() - the peer answers a probe
 * @peer: the peer
 * @skb: at our header; consumed
 * @w: its header
 *
 * Context: softirq, RCU read side.
 */
void lb_probe_reply_rcv(struct lb_peer *peer, struct sk_buff *skb,
			const struct lb_wire *w)
{
	struct lb_tx_session *tx = rcu_dereference(peer->tx);
	s32 rtt = lb_seq_diff(lb_stamp(ktime_get_ns()), w->stamp);
	struct lb_answer body;
	struct lb_path *path;

	path = xa_load(&peer->paths, w->path);
	if (!tx || tx->id != w->session || !path || rtt < 0 ||
	    skb_copy_bits(skb, sizeof(struct lb_hdr), &body, sizeof(body)) ||
	    be16_to_cpu(body.head.count) != 1 ||
	    be16_to_cpu(body.report.path) != w->path)
		goto drop;

	spin_lock_bh(&peer->lock);
	if (!lb_probe_answered(path, w->path_seq)) {
		spin_unlock_bh(&peer->lock);
		goto drop;
	}
	path->answers++;
	lb_path_prove(path);
	lb_rtt_add(&path->rtt, (u64)lb_stamp_ns(rtt));
	WRITE_ONCE(peer->rtt, path->rtt.mean);
	path->lost = be32_to_cpu(body.report.lost);
	path->ce = be32_to_cpu(body.report.ce);
	spin_unlock_bh(&peer->lock);
	consume_skb(skb);
	return;
drop:
	lb_drop(peer->lb, skb, LB_DROP_RX_CONTROL);
}
