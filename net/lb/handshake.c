// SPDX-License-Identifier: GPL-2.0
/*
 * The handshake. Each host agrees on a session for what it sends; the receiver
 * chooses the id, and so can tell that whoever uses it has seen its answer. A
 * request changes nothing of the session in use.
 */

#include <linux/random.h>
#include <linux/slab.h>
#include <linux/ktime.h>

#include "device.h"
#include "net.h"
#include "peer.h"
#include "probe.h"
#include "rx.h"
#include "tx.h"

#define LB_INIT_FIRST	(HZ / 50 ?: 1)	/* until the first repetition */
#define LB_INIT_LAST	HZ		/* the longest time between two */
#define LB_CLOSE_PAUSE	(HZ / 10)	/* between two CLOSE to a peer */
#define LB_OFFER_PAUSE	(HZ / 10)	/* between two sessions offered to it */
#define LB_WAIT_ROUNDS	8		/* to send what waited, in order */

/**
 * lb_handshake_reset() - forget what we send in, and what we asked for
 * @peer: the peer
 *
 * Context: lb_peer.lock held.
 */
void lb_handshake_reset(struct lb_peer *peer)
{
	struct lb_tx_session *tx;

	lockdep_assert_held(&peer->lock);
	tx = rcu_replace_pointer(peer->tx, NULL, lockdep_is_held(&peer->lock));
	if (tx)
		kvfree_rcu(tx, rcu);
	peer->hs.nonce = 0;
	peer->hs.tries = 0;
	peer->hs.asked = false;
}

/* A path to send a control packet on: another one each time. */
static struct lb_path *lb_any_path(struct lb_peer *peer, u32 n)
{
	struct lb_paths *set = rcu_dereference(peer->usable);

	return set->choices.n ? set->path[n % set->choices.n] : NULL;
}

/* Prepare our request: what becomes the session is allocated here. */
static int lb_init_prepare(struct lb_peer *peer)
{
	const struct lb_config *c = &peer->lb->config;
	u32 lanes = READ_ONCE(c->lanes), i;
	struct lb_tx_session *offer, *old;
	u32 start;

	offer = kvzalloc(struct_size(offer, lane, lanes), GFP_KERNEL);
	if (!offer)
		return -ENOMEM;
	start = READ_ONCE(c->seq_fixed) ? READ_ONCE(c->seq_start) :
					  get_random_u32();
	offer->n_lanes = lanes;
	for (i = 0; i < lanes; i++)
		atomic_set(&offer->lane[i].seq, start);

	spin_lock_bh(&peer->lock);
	old = peer->hs.offer;
	peer->hs.offer = offer;
	peer->hs.seq_start = start;
	do {
		peer->hs.nonce = get_random_u64();
	} while (!peer->hs.nonce);
	spin_unlock_bh(&peer->lock);
	kvfree(old);
	return 0;
}

static void lb_init_send(struct lb_peer *peer)
{
	struct lb_wire w = {
		.type	= LB_WIRE_INIT,
		.stamp	= lb_stamp(ktime_get_ns()),
	};
	struct lb_init body = {};
	struct lb_path *path;
	u32 tries;

	spin_lock_bh(&peer->lock);
	if (!peer->hs.nonce) {
		/* The answer came just now. */
		spin_unlock_bh(&peer->lock);
		return;
	}
	body.nonce = cpu_to_be64(peer->hs.nonce);
	body.lanes = cpu_to_be16(peer->hs.offer->n_lanes);
	body.paths = cpu_to_be16(peer->n_paths);
	body.seq_start = cpu_to_be32(peer->hs.seq_start);
	tries = peer->hs.tries++;
	spin_unlock_bh(&peer->lock);

	rcu_read_lock();
	path = lb_any_path(peer, tries);
	if (path) {
		w.path = path->id;
		lb_send_control(path->group, path->sport, &w, &body,
				sizeof(body));
	}
	rcu_read_unlock();
}

/* Ask for a session if there is none; returns jiffies until the next time. */
static unsigned long lb_init_step(struct lb_peer *peer)
{
	if (rcu_access_pointer(peer->tx) || !READ_ONCE(peer->n_paths))
		return 0;
	if (!peer->hs.nonce && lb_init_prepare(peer))
		return LB_INIT_LAST;
	lb_init_send(peer);
	return min_t(unsigned long,
		     LB_INIT_FIRST << min(READ_ONCE(peer->hs.tries), 6U),
		     LB_INIT_LAST);
}

/*
 * The session that answers a request: that of the same nonce, or a new one. Not
 * many of these, as anybody can ask in the peer's name; it asks again.
 */
static struct lb_session *lb_session_offer(struct lb_peer *peer,
					   const struct lb_asked *init)
{
	struct lb_session *s, *old = NULL;
	bool down;
	int i;

	spin_lock_bh(&peer->lock);
	for (i = 0; i <= LB_RX_OFFERED; i++) {
		s = rcu_dereference_protected(peer->rx[i],
					      lockdep_is_held(&peer->lock));
		if (s && s->nonce == init->nonce) {
			spin_unlock_bh(&peer->lock);
			return s;
		}
	}
	down = peer->state == LB_PEER_STATE_DOWN ||
	       time_before(jiffies, peer->offer_next);
	if (!down)
		peer->offer_next = jiffies + LB_OFFER_PAUSE;
	spin_unlock_bh(&peer->lock);
	if (down)
		return ERR_PTR(-EBUSY);

	s = lb_session_new(peer, init->nonce,
			   min_t(u32, init->lanes, LB_LANES_MAX),
			   init->seq_start);
	if (IS_ERR(s))
		return s;
	spin_lock_bh(&peer->lock);
	down = peer->state == LB_PEER_STATE_DOWN;
	if (!down)
		old = rcu_replace_pointer(peer->rx[LB_RX_OFFERED], s,
					  lockdep_is_held(&peer->lock));
	spin_unlock_bh(&peer->lock);
	if (old)
		lb_session_retire(old);
	if (!down) {
		/* It may have restarted; if so it answers CLOSE to this. */
		lb_probe_start(peer);
		return s;
	}
	lb_session_retire(s);
	return ERR_PTR(-ENETDOWN);
}

/* Answer the peer's request. Only this work changes what is offered. */
static void lb_answer_step(struct lb_peer *peer)
{
	struct lb_wire w = {
		.type	= LB_WIRE_INIT_REPLY,
		.stamp	= lb_stamp(ktime_get_ns()),
	};
	struct lb_init body = {};
	struct lb_session *s;
	struct lb_group *g;
	struct lb_asked init;
	bool asked;

	spin_lock_bh(&peer->lock);
	asked = peer->hs.asked;
	init = peer->hs.init;
	peer->hs.asked = false;
	spin_unlock_bh(&peer->lock);
	if (!asked)
		return;

	rcu_read_lock();
	g = lb_group_by_addrs(peer, &init.daddr, &init.saddr, NULL);
	rcu_read_unlock();
	if (!g)
		return;
	s = lb_session_offer(peer, &init);
	if (IS_ERR(s))
		return;
	w.session = s->id;
	body.nonce = cpu_to_be64(init.nonce);
	body.lanes = cpu_to_be16(s->n_lanes);
	body.paths = cpu_to_be16(READ_ONCE(peer->n_paths));
	body.seq_start = cpu_to_be32(init.seq_start);

	rcu_read_lock();
	g = lb_group_by_addrs(peer, &init.daddr, &init.saddr, NULL);
	if (g)
		lb_send_control(g, init.sport, &w, &body, sizeof(body));
	rcu_read_unlock();
}

/* The session before the current one has had its time. */
static void lb_old_step(struct lb_peer *peer)
{
	struct lb_session *old;

	spin_lock_bh(&peer->lock);
	old = rcu_replace_pointer(peer->rx[LB_RX_OLD], NULL,
				  lockdep_is_held(&peer->lock));
	spin_unlock_bh(&peer->lock);
	if (old)
		lb_session_retire(old);
}

/*
 * Send what waited for the session. New packets queue behind it until it is
 * gone, or, if they come too fast, for so many rounds.
 */
static void lb_waiting_step(struct lb_peer *peer)
{
	struct lb_tx_session *tx;
	struct sk_buff_head list;
	struct sk_buff *skb;
	bool more = true;
	int round;

	__skb_queue_head_init(&list);
	for (round = 1; more; round++) {
		rcu_read_lock();
		local_bh_disable();
		spin_lock(&peer->waiting.lock);
		tx = rcu_dereference(peer->tx);
		if (tx)
			skb_queue_splice_init(&peer->waiting, &list);
		more = !skb_queue_empty(&list) && round < LB_WAIT_ROUNDS;
		if (tx && !more)
			WRITE_ONCE(peer->wait_first, false);
		spin_unlock(&peer->waiting.lock);
		while ((skb = __skb_dequeue(&list)))
			lb_send(peer, tx, skb);
		local_bh_enable();
		rcu_read_unlock();
	}
}

/**
 * lb_handshake_work() - a peer's work: requests, answers, routes
 * @work: lb_peer.work
 *
 * Context: process, no lock held; cancelled before the peer goes.
 */
void lb_handshake_work(struct work_struct *work)
{
	struct lb_peer *peer = container_of(to_delayed_work(work),
					    struct lb_peer, work);
	unsigned long next;

	if (READ_ONCE(peer->dying) ||
	    READ_ONCE(peer->state) == LB_PEER_STATE_DOWN)
		return;

	lb_paths_retry(peer);
	lb_answer_step(peer);
	next = lb_init_step(peer);
	if (lb_groups_retry_routes(peer) && (!next || next > HZ / 10))
		next = HZ / 10;
	lb_waiting_step(peer);
	if (rcu_access_pointer(peer->rx[LB_RX_OLD])) {
		if (time_after_eq(jiffies, READ_ONCE(peer->old_until)))
			lb_old_step(peer);
		else if (!next)
			next = HZ;
	}
	if (next)
		lb_peer_kick(peer, next);
}

static int lb_body(struct sk_buff *skb, struct lb_init *body)
{
	return skb_copy_bits(skb, sizeof(struct lb_hdr), body, sizeof(*body));
}

/* The peer asks for a session: note it, the work answers. */
static void lb_init_rcv(struct lb_peer *peer, struct sk_buff *skb,
			const struct lb_outer *outer)
{
	struct lb_asked *init = &peer->hs.init;
	struct lb_init body;

	if (lb_body(skb, &body) || !body.nonce || !body.lanes) {
		lb_drop(peer->lb, skb, LB_DROP_RX_CONTROL);
		return;
	}
	spin_lock_bh(&peer->lock);
	init->nonce = be64_to_cpu(body.nonce);
	init->seq_start = be32_to_cpu(body.seq_start);
	init->lanes = be16_to_cpu(body.lanes);
	init->saddr = outer->saddr;
	init->daddr = outer->daddr;
	init->sport = outer->sport;
	peer->hs.asked = true;
	spin_unlock_bh(&peer->lock);
	consume_skb(skb);
	lb_peer_kick(peer, 0);
}

/* The peer answers our request. */
static void lb_init_reply_rcv(struct lb_peer *peer, struct sk_buff *skb,
			      const struct lb_wire *w)
{
	struct lb_tx_session *tx = NULL, *old;
	struct lb_init body;
	u32 lanes;

	if (lb_body(skb, &body))
		goto drop;
	lanes = be16_to_cpu(body.lanes);

	spin_lock_bh(&peer->lock);
	if (peer->hs.nonce && be64_to_cpu(body.nonce) == peer->hs.nonce &&
	    w->session && lanes && lanes <= peer->hs.offer->n_lanes &&
	    peer->state != LB_PEER_STATE_DOWN) {
		tx = peer->hs.offer;
		tx->id = w->session;
		tx->n_lanes = lanes;
		peer->hs.offer = NULL;
		peer->hs.nonce = 0;
		peer->hs.tries = 0;
		old = rcu_replace_pointer(peer->tx, tx,
					  lockdep_is_held(&peer->lock));
		if (old)
			kvfree_rcu(old, rcu);
		lb_peer_count(peer, LB_A_PEER_STATS_SESSIONS, 1);
		lb_peer_set_state(peer, LB_PEER_STATE_UP);
	}
	spin_unlock_bh(&peer->lock);
	if (!tx)
		goto drop;
	consume_skb(skb);
	lb_probe_start(peer);
	lb_peer_kick(peer, 0);
	return;
drop:
	lb_drop(peer->lb, skb, LB_DROP_RX_CONTROL);
}

/* The peer does not know our session: begin again. */
static void lb_close_rcv(struct lb_peer *peer, struct sk_buff *skb,
			 const struct lb_wire *w)
{
	struct lb_tx_session *tx;
	bool ours;

	spin_lock_bh(&peer->lock);
	tx = rcu_dereference_protected(peer->tx, lockdep_is_held(&peer->lock));
	ours = tx && tx->id == w->session;
	if (ours) {
		lb_handshake_reset(peer);
		WRITE_ONCE(peer->wait_first, true);
		lb_peer_set_state(peer, LB_PEER_STATE_INIT);
	}
	spin_unlock_bh(&peer->lock);
	if (!ours) {
		lb_drop(peer->lb, skb, LB_DROP_RX_CONTROL);
		return;
	}
	consume_skb(skb);
	lb_peer_kick(peer, 0);
}

/**
 * lb_handshake_rcv() - a control packet that belongs to no session of ours
 * @peer: whose addresses it has
 * @skb: at our header; consumed
 * @outer: its outer headers
 * @w: its header
 *
 * Context: softirq, RCU read side.
 */
void lb_handshake_rcv(struct lb_peer *peer, struct sk_buff *skb,
		      const struct lb_outer *outer, const struct lb_wire *w)
{
	lb_count(peer->lb, LB_A_DEV_STATS_CONTROL_RX);
	switch (w->type) {
	case LB_WIRE_INIT:
		lb_init_rcv(peer, skb, outer);
		break;
	case LB_WIRE_INIT_REPLY:
		lb_init_reply_rcv(peer, skb, w);
		break;
	case LB_WIRE_PROBE_REPLY:
		lb_probe_reply_rcv(peer, skb, w);
		break;
	case LB_WIRE_CLOSE:
		lb_close_rcv(peer, skb, w);
		break;
	default:
		lb_drop(peer->lb, skb, LB_DROP_RX_TYPE);
		break;
	}
}

/**
 * lb_handshake_unknown() - tell a peer that we do not know its session
 * @peer: whose addresses the packet had
 * @outer: the packet's outer headers
 * @session: that it named
 *
 * Not more often than every 100 ms, so that nobody can be flooded this way.
 *
 * Context: softirq, RCU read side.
 */
void lb_handshake_unknown(struct lb_peer *peer, const struct lb_outer *outer,
			  u32 session)
{
	struct lb_wire w = {
		.type		= LB_WIRE_CLOSE,
		.session	= session,
		.stamp		= lb_stamp(ktime_get_ns()),
	};
	unsigned long next = READ_ONCE(peer->close_next);
	struct lb_group *g;

	if (time_before(jiffies, next) ||
	    cmpxchg(&peer->close_next, next, jiffies + LB_CLOSE_PAUSE) != next)
		return;
	g = lb_group_by_addrs(peer, &outer->daddr, &outer->saddr, NULL);
	if (g)
		lb_send_control(g, outer->sport, &w, NULL, 0);
}
