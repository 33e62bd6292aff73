/* SPDX-License-Identifier: GPL-2.0 */
/* Sessions: runs of sequence numbers, one for each direction. */
#ifndef _LB_SESSION_H
#define _LB_SESSION_H

#include <linux/rhashtable.h>
#include <linux/spinlock.h>
#include <linux/timerqueue.h>
#include <linux/workqueue.h>
#include <lb/reseq.h>
#include <lb/rxpath.h>
#include <lb/wire.h>

#define LB_PATHS_MAX	4096	/* path ids of a peer */
#define LB_RX_CHUNK	32	/* receive paths are allocated so many at a time */
#define LB_NO_REVERSE	U32_MAX

struct lb_dev;
struct lb_net;
struct lb_outer;
struct lb_peer;

/*
 * A peer has up to three sessions that we receive in: the one in use, one that
 * was offered and not heard of yet, and the one before, whose last packets may
 * still be on their way.
 */
enum {
	LB_RX_CURRENT,
	LB_RX_OFFERED,
	LB_RX_OLD,
	LB_RX_SESSIONS,
};

/**
 * struct lb_tx_lane - sending side of a lane
 * @seq: next sequence number
 */
struct lb_tx_lane {
	atomic_t seq;
} ____cacheline_aligned_in_smp;

/**
 * struct lb_tx_session - a session that we send in
 * @id: chosen by the receiver
 * @n_lanes: lanes that the receiver takes
 * @rcu: frees it
 * @lane: the lanes
 */
struct lb_tx_session {
	u32 id;
	u32 n_lanes;
	struct rcu_head rcu;
	struct lb_tx_lane lane[];
};

/**
 * struct lb_rx_path - receive side of a path of the peer
 * @lock: guards the rest
 * @rx: what was seen
 * @saddr: outer addresses and port that the last packet came with, checked to
 *	be the peer's
 * @daddr: likewise
 * @sport: likewise
 * @known: whether they are set
 * @reverse: id of our path that is the reverse of this one, or LB_NO_REVERSE
 */
struct lb_rx_path {
	spinlock_t lock; /* see above */
	struct lb_rxpath rx;
	struct in6_addr saddr;
	struct in6_addr daddr;
	__be16 sport;
	bool known;
	u32 reverse;
};

/**
 * struct lb_rx_lane - receive side of a lane, owned by the NAPI of its queue
 * @lane: the resequencer's part
 * @session: its session
 * @hole_at: when the present hole opened, nanoseconds
 * @due: in lb_rxq.stalled, by the time the hole is given up
 * @stalled: whether it is there
 */
struct lb_rx_lane {
	struct lb_lane lane;
	struct lb_session *session;
	u64 hole_at;
	struct timerqueue_node due;
	bool stalled;
};

/**
 * struct lb_session - a session that we receive in
 * @node: in lb_net.sessions
 * @id: random, not zero
 * @nonce: of the peer's INIT
 * @peer: the peer
 * @n_lanes: number of lanes
 * @held_bytes: memory of held packets
 * @dead: being taken apart; its packets are dropped
 * @spread_lock: guards @spread and @spread_at
 * @spread: extremes of delay over all paths
 * @spread_at: when they were gathered, nanoseconds
 * @chunk: receive paths, by path id
 * @free: takes it apart after a grace period
 * @lane: the lanes
 */
struct lb_session {
	struct rhash_head node;
	u32 id;
	u64 nonce;
	struct lb_peer *peer;
	u32 n_lanes;
	atomic_long_t held_bytes;
	bool dead;
	spinlock_t spread_lock; /* see above */
	struct lb_spread spread;
	u64 spread_at;
	struct lb_rx_path *chunk[LB_PATHS_MAX / LB_RX_CHUNK];
	struct rcu_work free;
	struct lb_rx_lane lane[];
};

extern const struct rhashtable_params lb_session_params;

struct lb_session *lb_session_find(struct lb_net *ln, u32 id);
struct lb_session *lb_session_new(struct lb_peer *peer, u64 nonce, u32 n_lanes,
				  u32 start);
struct lb_rx_path *lb_session_path(struct lb_session *s, u16 id);
void lb_session_heard(struct lb_session *s);
void lb_session_spread(struct lb_session *s, u64 now, struct lb_spread *spread);
void lb_session_add_rx(struct lb_session *s, bool ended);
void lb_session_retire(struct lb_session *s);

#endif /* _LB_SESSION_H */
