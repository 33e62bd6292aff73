// SPDX-License-Identifier: GPL-2.0
/*
 * Receive, second half: the NAPI of a receive queue puts the packets of its
 * lanes in order and hands them to the stack.
 */

#include <linux/ktime.h>
#include <lb/delay.h>
#include <trace/events/lb.h>

#include "device.h"
#include "peer.h"
#include "rx.h"
#include "session.h"

#define LB_IN_MAX	4096	/* packets in a receive queue */

static struct sk_buff *lb_pkt_skb(struct lb_pkt *pkt)
{
	return container_of((void *)pkt, struct sk_buff, cb);
}

static u32 lb_lane_id(const struct lb_rx_lane *rl)
{
	return rl - rl->session->lane;
}

/**
 * lb_rxq_queue() - hand a packet to the NAPI of its lane's queue
 * @q: the queue
 * @skb: the packet
 *
 * Context: softirq, RCU read side.
 * Return: 0, or -ENOBUFS if the queue is full.
 */
int lb_rxq_queue(struct lb_rxq *q, struct sk_buff *skb)
{
	spin_lock(&q->in.lock);
	if (unlikely(skb_queue_len(&q->in) >= LB_IN_MAX)) {
		spin_unlock(&q->in.lock);
		return -ENOBUFS;
	}
	__skb_queue_tail(&q->in, skb);
	spin_unlock(&q->in.lock);
	napi_schedule(&q->napi);
	return 0;
}

/* How long the first held packet of a lane may wait, in all. */
static u64 lb_lane_wait(struct lb_rx_lane *rl, u64 now)
{
	const struct lb_config *c = &rl->session->peer->lb->config;
	const struct lb_pkt *first = rl->lane.first;
	struct lb_hold hold = {
		.min = (u64)READ_ONCE(c->hold_min) * NSEC_PER_USEC,
		.max = (u64)READ_ONCE(c->hold_max) * NSEC_PER_USEC,
		.rtt = READ_ONCE(rl->session->peer->rtt),
	};
	struct lb_spread spread;

	lb_session_spread(rl->session, now, &spread);
	return lb_hold_time(&hold, &spread, lb_stamp(first->rx) - first->stamp);
}

static void lb_unstall(struct lb_rxq *q, struct lb_rx_lane *rl)
{
	if (!rl->stalled)
		return;
	timerqueue_del(&q->stalled, &rl->due);
	rl->stalled = false;
}

/* The lane's first hole is another than before, or the same and still open. */
static void lb_stall(struct lb_rxq *q, struct lb_rx_lane *rl, u64 now)
{
	lb_unstall(q, rl);
	rl->due.expires = ns_to_ktime(rl->lane.first->rx +
				      lb_lane_wait(rl, now));
	timerqueue_add(&q->stalled, &rl->due);
	rl->stalled = true;
}

/* Packets that the lane gave out go to the stack in this order. */
static void lb_take_out(struct lb_rxq *q, struct lb_rx_lane *rl,
			struct lb_pktq *out, const struct lb_pkt *now_in,
			u64 now)
{
	struct lb_peer *peer = rl->session->peer;
	struct lb_pkt *pkt, *next;
	long held = 0;

	for (pkt = out->head; pkt; pkt = next) {
		next = pkt->next;
		if (pkt != now_in) {
			/* It may have come to another CPU after @now. */
			s64 wait = now - pkt->rx;

			held += pkt->size;
			if (wait > (s64)READ_ONCE(peer->hold_longest))
				WRITE_ONCE(peer->hold_longest, wait);
		}
		__skb_queue_tail(&q->ready, lb_pkt_skb(pkt));
	}
	if (held)
		atomic_long_sub(held, &rl->session->held_bytes);
}

static void lb_hole_closed(struct lb_rx_lane *rl, u32 missing, u64 now,
			   int counter, enum lb_hole_end how)
{
	struct lb_session *s = rl->session;

	lb_peer_count(s->peer, counter, 1);
	trace_lb_hole_close(s->peer->lb->dev->ifindex, s->id, lb_lane_id(rl),
			    missing, now - rl->hole_at, how);
}

static void lb_hole_opened(struct lb_rx_lane *rl, u64 now)
{
	struct lb_session *s = rl->session;

	rl->hole_at = now;
	lb_peer_count(s->peer, LB_A_PEER_STATS_HOLES, 1);
	trace_lb_hole_open(s->peer->lb->dev->ifindex, s->id, lb_lane_id(rl),
			   rl->lane.next, rl->lane.first->seq);
}

/* Wait no longer for a lane's first hole. */
static void lb_give_up(struct lb_rxq *q, struct lb_rx_lane *rl, u64 now,
		       int counter, enum lb_hole_end how)
{
	struct lb_pktq out;
	u32 missing;

	lb_pktq_init(&out);
	missing = lb_lane_give_up(&rl->lane, &out);
	lb_hole_closed(rl, missing, now, counter, how);
	lb_take_out(q, rl, &out, NULL, now);
	if (rl->lane.held) {
		lb_hole_opened(rl, now);
		lb_stall(q, rl, now);
	} else {
		lb_unstall(q, rl);
	}
}

/*
 * The peer holds too much: the lane that has waited longest goes first. Only
 * lanes of this queue can, whichever queue holds most.
 */
static void lb_cap_memory(struct lb_rxq *q, struct lb_session *s, u64 now)
{
	long cap = READ_ONCE(s->peer->lb->config.hold_memory);
	struct timerqueue_node *node, *next;

	if (likely(atomic_long_read(&s->held_bytes) <= cap))
		return;
	for (node = timerqueue_getnext(&q->stalled); node; node = next) {
		struct lb_rx_lane *rl = container_of(node, struct lb_rx_lane,
						     due);

		next = timerqueue_iterate_next(node);
		while (rl->session == s && rl->lane.held &&
		       atomic_long_read(&s->held_bytes) > cap)
			lb_give_up(q, rl, now, LB_A_PEER_STATS_FLUSHED,
				   LB_HOLE_FLUSHED);
		if (atomic_long_read(&s->held_bytes) <= cap)
			return;
	}
}

/* One packet into its lane. */
static void lb_lane_packet(struct lb_rxq *q, struct sk_buff *skb, u64 now)
{
	struct lb_rx_lane *rl = LB_RX_CB(skb)->lane;
	struct lb_pkt *pkt = &LB_RX_CB(skb)->pkt;
	struct lb_session *s = rl->session;
	struct lb_peer *peer = s->peer;
	struct lb_lane *lane = &rl->lane;
	struct lb_pkt *first = lane->first;
	u32 held = lane->held, next = lane->next;
	enum lb_verdict verdict;
	struct lb_pktq out;

	if (unlikely(READ_ONCE(s->dead))) {
		lb_drop(peer->lb, skb, LB_DROP_RX_SESSION);
		return;
	}

	lb_pktq_init(&out);
	verdict = lb_lane_rx(lane, pkt, &out);
	switch (verdict) {
	case LB_IN_ORDER:
		lb_peer_count(peer, LB_A_PEER_STATS_IN_ORDER, 1);
		if (held && out.head->next)
			lb_hole_closed(rl, 0, now, LB_A_PEER_STATS_FILLED,
				       LB_HOLE_FILLED);
		break;
	case LB_HELD:
		lb_peer_count(peer, LB_A_PEER_STATS_HELD, 1);
		atomic_long_add(pkt->size, &s->held_bytes);
		/* The window was full: a hole was given up for it, whole. */
		if (held && lane->next != next && lane->first != first)
			lb_hole_closed(rl, lane->next - next, now,
				       LB_A_PEER_STATS_FLUSHED,
				       LB_HOLE_FLUSHED);
		break;
	case LB_LATE:
		lb_peer_count(peer, LB_A_PEER_STATS_LATE, 1);
		break;
	case LB_RESYNC:
		lb_peer_count(peer, LB_A_PEER_STATS_RESYNC, 1);
		if (held)
			lb_hole_closed(rl, 0, now, LB_A_PEER_STATS_FLUSHED,
				       LB_HOLE_RESYNC);
		break;
	case LB_DUPLICATE:
		lb_peer_count(peer, LB_A_PEER_STATS_DUPLICATE, 1);
		lb_drop(peer->lb, skb, LB_DROP_RX_DUPLICATE);
		break;
	case LB_FAR:
		lb_drop(peer->lb, skb, LB_DROP_RX_SEQUENCE);
		break;
	}
	lb_take_out(q, rl, &out, pkt, now);

	if (!lane->first) {
		lb_unstall(q, rl);
		return;
	}
	if (lane->first != first) {
		if (!held || lane->next != next)
			lb_hole_opened(rl, now);
		lb_stall(q, rl, now);
	}
	if (verdict == LB_HELD)
		lb_cap_memory(q, s, now);
}

/* Give up the holes whose time has come; delays may have grown meanwhile. */
static void lb_expire(struct lb_rxq *q, u64 now)
{
	struct timerqueue_node *node;

	while ((node = timerqueue_getnext(&q->stalled))) {
		struct lb_rx_lane *rl = container_of(node, struct lb_rx_lane,
						     due);

		if (ktime_to_ns(node->expires) > now)
			return;
		if (rl->lane.first->rx + lb_lane_wait(rl, now) > now)
			lb_stall(q, rl, now);
		else
			lb_give_up(q, rl, now, LB_A_PEER_STATS_TIMED_OUT,
				   LB_HOLE_TIMED_OUT);
	}
}

/* Put what has come into order; at most @budget packets, to be fair. */
static void lb_order(struct lb_rxq *q, int budget, u64 now)
{
	struct sk_buff *skb;

	if (skb_queue_empty(&q->batch)) {
		spin_lock(&q->in.lock);
		skb_queue_splice_tail_init(&q->in, &q->batch);
		spin_unlock(&q->in.lock);
	}
	while (budget-- && (skb = __skb_dequeue(&q->batch)))
		lb_lane_packet(q, skb, now);
	lb_expire(q, now);
}

static int lb_deliver(struct lb_rxq *q, int budget)
{
	struct net_device *dev = q->lb->dev;
	struct sk_buff *skb;
	int n = 0;

	while (n < budget && (skb = __skb_dequeue(&q->ready))) {
		dev_sw_netstats_rx_add(dev, skb->len);
		skb_record_rx_queue(skb, q - q->lb->rxq);
		napi_gro_receive(&q->napi, skb);
		n++;
	}
	return n;
}

static int lb_poll(struct napi_struct *napi, int budget)
{
	struct lb_rxq *q = container_of(napi, struct lb_rxq, napi);
	struct timerqueue_node *node;
	u64 now = ktime_get_ns();
	ktime_t next = 0;
	int n;

	spin_lock(&q->lock);
	if (skb_queue_len(&q->ready) < budget)
		lb_order(q, budget, now);
	node = timerqueue_getnext(&q->stalled);
	if (node)
		next = node->expires;
	spin_unlock(&q->lock);

	n = lb_deliver(q, budget);
	if (n >= budget || !skb_queue_empty(&q->ready) ||
	    !skb_queue_empty(&q->batch) || !skb_queue_empty_lockless(&q->in))
		return budget;
	/* While the NAPI is ours; if it fires before the end, we run again. */
	if (next)
		hrtimer_start(&q->timer, next, HRTIMER_MODE_ABS_SOFT);
	napi_complete_done(napi, n);
	return n;
}

static enum hrtimer_restart lb_timer(struct hrtimer *timer)
{
	struct lb_rxq *q = container_of(timer, struct lb_rxq, timer);

	napi_schedule(&q->napi);
	return HRTIMER_NORESTART;
}

/**
 * lb_rxq_init() - prepare a device's receive queues
 * @lb: the device, not yet registered
 */
void lb_rxq_init(struct lb_dev *lb)
{
	u32 i;

	for (i = 0; i < lb->n_rxq; i++) {
		struct lb_rxq *q = &lb->rxq[i];

		q->lb = lb;
		spin_lock_init(&q->lock);
		skb_queue_head_init(&q->in);
		__skb_queue_head_init(&q->batch);
		__skb_queue_head_init(&q->ready);
		timerqueue_init_head(&q->stalled);
		lb_compat_hrtimer_setup(&q->timer, lb_timer, CLOCK_MONOTONIC,
					HRTIMER_MODE_ABS_SOFT);
		set_bit(NAPI_STATE_NO_BUSY_POLL, &q->napi.state);
		netif_napi_add(lb->dev, &q->napi, lb_poll);
	}
}

/**
 * lb_rxq_open() - begin to receive
 * @lb: the device
 *
 * Context: process, RTNL held.
 */
void lb_rxq_open(struct lb_dev *lb)
{
	u32 i;

	for (i = 0; i < lb->n_rxq; i++)
		napi_enable(&lb->rxq[i].napi);
}

/**
 * lb_rxq_stop() - receive no more, and drop what is queued
 * @lb: the device
 *
 * What lanes hold goes with their sessions.
 *
 * Context: process, RTNL held, may sleep.
 */
void lb_rxq_stop(struct lb_dev *lb)
{
	u32 i;

	for (i = 0; i < lb->n_rxq; i++) {
		struct lb_rxq *q = &lb->rxq[i];

		napi_disable(&q->napi);
		hrtimer_cancel(&q->timer);
		skb_queue_purge(&q->in);
		spin_lock_bh(&q->lock);
		__skb_queue_purge(&q->batch);
		__skb_queue_purge(&q->ready);
		spin_unlock_bh(&q->lock);
	}
}

static void lb_purge_queue(struct sk_buff_head *list, struct lb_session *s)
{
	struct sk_buff *skb, *next;

	skb_queue_walk_safe(list, skb, next) {
		if (LB_RX_CB(skb)->lane->session != s)
			continue;
		__skb_unlink(skb, list);
		kfree_skb(skb);
	}
}

/**
 * lb_rxq_purge_session() - drop all packets of a session
 * @s: the session, which no new packet can find
 *
 * Context: process.
 */
void lb_rxq_purge_session(struct lb_session *s)
{
	struct lb_dev *lb = s->peer->lb;
	u32 i;

	for (i = 0; i < lb->n_rxq; i++) {
		struct lb_rxq *q = &lb->rxq[i];

		spin_lock_bh(&q->lock);
		spin_lock(&q->in.lock);
		lb_purge_queue(&q->in, s);
		spin_unlock(&q->in.lock);
		lb_purge_queue(&q->batch, s);
		spin_unlock_bh(&q->lock);
	}
	for (i = 0; i < s->n_lanes; i++) {
		struct lb_rxq *q = &lb->rxq[i % lb->n_rxq];
		struct lb_pkt *pkt, *next;
		struct lb_pktq out;

		lb_pktq_init(&out);
		spin_lock_bh(&q->lock);
		if (s->lane[i].lane.held)
			lb_hole_closed(&s->lane[i], 0, ktime_get_ns(),
				       LB_A_PEER_STATS_FLUSHED,
				       LB_HOLE_FLUSHED);
		lb_unstall(q, &s->lane[i]);
		lb_lane_flush(&s->lane[i].lane, &out);
		spin_unlock_bh(&q->lock);
		for (pkt = out.head; pkt; pkt = next) {
			next = pkt->next;
			kfree_skb(lb_pkt_skb(pkt));
		}
	}
}
