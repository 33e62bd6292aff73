// SPDX-License-Identifier: GPL-2.0
/* Sessions that we receive in: life, receive paths, delays. */

#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/ktime.h>

#include "device.h"
#include "net.h"
#include "peer.h"
#include "rx.h"
#include "session.h"

/* Delays over all paths are gathered anew when they are older than this. */
#define LB_SPREAD_AGE	NSEC_PER_MSEC

const struct rhashtable_params lb_session_params = {
	.key_len	= sizeof(u32),
	.key_offset	= offsetof(struct lb_session, id),
	.head_offset	= offsetof(struct lb_session, node),
	.automatic_shrinking = true,
};

/**
 * lb_session_find() - the session that a packet names
 * @ln: the namespace
 * @id: from the header
 *
 * Context: RCU read side.
 * Return: the session, or NULL.
 */
struct lb_session *lb_session_find(struct lb_net *ln, u32 id)
{
	return rhashtable_lookup(&ln->sessions, &id, lb_session_params);
}

static void lb_session_free(struct work_struct *work);

/**
 * lb_session_new() - make a session to receive in
 * @peer: the peer
 * @nonce: of its INIT
 * @n_lanes: lanes
 * @start: first sequence number of each
 *
 * Context: process.
 * Return: the session, findable by its id, or an error pointer.
 */
struct lb_session *lb_session_new(struct lb_peer *peer, u64 nonce, u32 n_lanes,
				  u32 start)
{
	struct lb_net *ln = lb_net(peer->lb->net);
	struct lb_session *s;
	int err;
	u32 i;

	s = kvzalloc(struct_size(s, lane, n_lanes), GFP_KERNEL);
	if (!s)
		return ERR_PTR(-ENOMEM);
	s->peer = peer;
	s->nonce = nonce;
	s->n_lanes = n_lanes;
	spin_lock_init(&s->spread_lock);
	INIT_RCU_WORK(&s->free, lb_session_free);
	for (i = 0; i < n_lanes; i++) {
		lb_lane_init(&s->lane[i].lane, start);
		s->lane[i].session = s;
		timerqueue_init(&s->lane[i].due);
	}
	lb_peer_hold(peer);
	do {
		s->id = get_random_u32();
		err = s->id ? rhashtable_lookup_insert_fast(&ln->sessions,
							    &s->node,
							    lb_session_params) :
			      -EEXIST;
	} while (err == -EEXIST);
	if (err) {
		lb_peer_put(peer);
		kvfree(s);
		return ERR_PTR(err);
	}
	return s;
}

/* Some receive paths, NULL if none of them was heard of. */
static struct lb_rx_path *lb_session_chunk(struct lb_session *s, u32 c)
{
	/* Pairs with cmpxchg() in lb_session_path(): the locks are set up. */
	return smp_load_acquire(&s->chunk[c]);
}

/**
 * lb_session_path() - receive side of a path of the peer
 * @s: the session
 * @id: path id from the header, below LB_PATHS_MAX
 *
 * Context: softirq, RCU read side.
 * Return: it, made on first use; NULL without memory.
 */
struct lb_rx_path *lb_session_path(struct lb_session *s, u16 id)
{
	struct lb_rx_path *chunk = lb_session_chunk(s, id / LB_RX_CHUNK), *other;
	u32 i;

	if (unlikely(!chunk)) {
		chunk = kcalloc(LB_RX_CHUNK, sizeof(*chunk), GFP_ATOMIC);
		if (!chunk)
			return NULL;
		for (i = 0; i < LB_RX_CHUNK; i++)
			spin_lock_init(&chunk[i].lock);
		other = cmpxchg(&s->chunk[id / LB_RX_CHUNK], NULL, chunk);
		if (other) {
			kfree(chunk);
			chunk = other;
		}
	}
	return &chunk[id % LB_RX_CHUNK];
}

static struct lb_session *lb_rx_swap(struct lb_peer *peer, int slot,
				     struct lb_session *s)
{
	return rcu_replace_pointer(peer->rx[slot], s,
				   lockdep_is_held(&peer->lock));
}

/**
 * lb_session_heard() - a packet came in a session
 * @s: the session
 *
 * The first packet in a session that was offered proves that the peer has the
 * offer: the session becomes the current one. The one before lives on for
 * packets that are still on their way, until the peer's work ends it.
 *
 * Context: softirq, RCU read side.
 */
void lb_session_heard(struct lb_session *s)
{
	struct lb_peer *peer = s->peer;
	struct lb_session *old = NULL;

	if (likely(rcu_access_pointer(peer->rx[LB_RX_OFFERED]) != s))
		return;
	spin_lock_bh(&peer->lock);
	if (rcu_access_pointer(peer->rx[LB_RX_OFFERED]) == s) {
		WRITE_ONCE(peer->old_until, jiffies + 2 * HZ);
		lb_rx_swap(peer, LB_RX_OFFERED, NULL);
		old = lb_rx_swap(peer, LB_RX_CURRENT, s);
		old = lb_rx_swap(peer, LB_RX_OLD, old);
		lb_peer_count(peer, LB_A_PEER_STATS_SESSIONS, 1);
	}
	spin_unlock_bh(&peer->lock);
	if (old)
		lb_session_retire(old);
	lb_peer_kick(peer, 2 * HZ);
}

/**
 * lb_session_spread() - extremes of delay over a session's paths
 * @s: the session
 * @now: nanoseconds
 * @spread: filled
 *
 * Context: softirq.
 */
void lb_session_spread(struct lb_session *s, u64 now, struct lb_spread *spread)
{
	u32 c, i;

	spin_lock(&s->spread_lock);
	if (now - s->spread_at < LB_SPREAD_AGE && s->spread.valid)
		goto out;
	memset(&s->spread, 0, sizeof(s->spread));
	s->spread_at = now;
	for (c = 0; c < ARRAY_SIZE(s->chunk); c++) {
		struct lb_rx_path *chunk = lb_session_chunk(s, c);

		for (i = 0; chunk && i < LB_RX_CHUNK; i++) {
			spin_lock(&chunk[i].lock);
			lb_spread_add(&s->spread, &chunk[i].rx.delay, now);
			spin_unlock(&chunk[i].lock);
		}
	}
out:
	*spread = s->spread;
	spin_unlock(&s->spread_lock);
}

/**
 * lb_session_add_rx() - add what came on each path to its reverse's counters
 * @s: the session
 * @ended: it ends: the counters must not step back when it is gone
 *
 * The two ends derive the ports of a pair of addresses alike, so the reverse of
 * a path is the one with the same port.
 *
 * Context: lb_peer.lock held.
 */
void lb_session_add_rx(struct lb_session *s, bool ended)
{
	u32 c, i;

	lockdep_assert_held(&s->peer->lock);
	for (c = 0; c < ARRAY_SIZE(s->chunk); c++) {
		struct lb_rx_path *chunk = lb_session_chunk(s, c);

		for (i = 0; chunk && i < LB_RX_CHUNK; i++) {
			struct lb_rx_path *rp = &chunk[i];
			struct lb_path_rx *sum;
			struct lb_path *path;

			if (!READ_ONCE(rp->known) ||
			    rp->reverse == LB_NO_REVERSE)
				continue;
			path = xa_load(&s->peer->paths, rp->reverse);
			if (!path || path->sport != rp->sport)
				continue;
			sum = ended ? &path->old_rx : &path->rx;
			spin_lock(&rp->lock);
			sum->packets += rp->rx.packets;
			sum->bytes += rp->rx.bytes;
			sum->lost += lb_rxpath_lost(&rp->rx);
			sum->ce += rp->rx.ce;
			spin_unlock(&rp->lock);
		}
	}
}

/* After a grace period: no packet can be queued to it any more. */
static void lb_session_free(struct work_struct *work)
{
	struct lb_session *s = container_of(to_rcu_work(work),
					    struct lb_session, free);
	u32 c;

	lb_rxq_purge_session(s);
	for (c = 0; c < ARRAY_SIZE(s->chunk); c++)
		kfree(s->chunk[c]);
	lb_peer_put(s->peer);
	kvfree(s);
}

/**
 * lb_session_retire() - end a session that no slot of the peer has any more
 * @s: the session
 *
 * Context: any but hard irq.
 */
void lb_session_retire(struct lb_session *s)
{
	rhashtable_remove_fast(&lb_net(s->peer->lb->net)->sessions, &s->node,
			       lb_session_params);
	WRITE_ONCE(s->dead, true);
	spin_lock_bh(&s->peer->lock);
	lb_session_add_rx(s, true);
	spin_unlock_bh(&s->peer->lock);
	queue_rcu_work(lb_wq, &s->free);
}
