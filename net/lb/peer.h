/* SPDX-License-Identifier: GPL-2.0 */
/* Peers: the other hosts. */
#ifndef _LB_PEER_H
#define _LB_PEER_H

#include <linux/in6.h>
#include <linux/netdevice.h>
#include <linux/rhashtable.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <lb/hash.h>
#include <uapi/linux/lb.h>

#include "handshake.h"
#include "path.h"
#include "session.h"
#include "stats.h"

#define LB_ALIASES_MAX	8

/**
 * struct lb_addr - an overlay address of a peer
 * @addr: the address, IPv4 mapped
 * @node: in lb_dev.addrs
 * @peer: the peer
 * @rcu: frees it
 */
struct lb_addr {
	struct in6_addr addr;
	struct rhash_head node;
	struct lb_peer *peer;
	struct rcu_head rcu;
};

/**
 * struct lb_peer - another host
 * @list: in lb_dev.peers, under RTNL
 * @lb: the device
 * @refs: of the configuration and of each receive session
 * @dev_tracker: of the reference to the device that the peer holds
 * @addr: overlay address
 * @aliases: further ones, under RTNL
 * @n_aliases: their number
 * @groups: struct lb_group, RCU, changed under RTNL
 * @next_group: id of the next group
 * @paths: struct lb_path by path id, RCU
 * @next_path: where the search for a free id begins
 * @n_paths: number of paths
 * @usable: paths that data may take, with the policy
 * @stale: @usable is not what it should be, for lack of memory
 * @prepared: set for the policy that the operator wants, under RTNL
 * @lock: see struct lb_path; also sessions and @state
 * @state: enum lb_peer_state
 * @since: when it changed, nanoseconds
 * @tx: session we send in, RCU, NULL while there is none
 * @rx: sessions we receive in, RCU
 * @old_until: jiffies until when the old receive session is kept
 * @hs: the handshake
 * @work: handshake, and routes to retry
 * @probe: timer of the probes
 * @probe_next: path id where it goes on
 * @waiting: packets that wait for @tx
 * @wait_first: new packets have to queue behind @waiting
 * @close_next: jiffies before which no CLOSE is sent
 * @offer_next: jiffies before which no further session is offered
 * @dying: the peer is being deleted
 * @counters: per CPU
 * @counters_base: what lb_peer_counters_read() gave at the last reset
 * @hold_longest: nanoseconds
 * @rtt: round trip of the path last probed, nanoseconds
 * @free: purges and frees it after a grace period
 */
struct lb_peer {
	struct list_head list;
	struct lb_dev *lb;
	refcount_t refs;
	netdevice_tracker dev_tracker;
	struct lb_addr *addr;
	struct lb_addr *aliases[LB_ALIASES_MAX];
	u32 n_aliases;
	struct list_head groups;
	u32 next_group;
	struct xarray paths;
	u32 next_path;
	u32 n_paths;
	struct lb_paths __rcu *usable;
	bool stale;
	struct lb_paths *prepared;
	spinlock_t lock; /* see above */
	enum lb_peer_state state;
	u64 since;
	struct lb_tx_session __rcu *tx;
	struct lb_session __rcu *rx[LB_RX_SESSIONS];
	unsigned long old_until;
	struct lb_handshake hs;
	struct delayed_work work;
	struct timer_list probe;
	u32 probe_next;
	struct sk_buff_head waiting;
	bool wait_first;
	unsigned long close_next;
	unsigned long offer_next;
	bool dying;
	struct lb_peer_counters __percpu *counters;
	u64 counters_base[LB_PEER_COUNT];
	u64 hold_longest;
	u64 rtt;
	struct rcu_work free;
};

extern struct workqueue_struct *lb_wq;

int lb_addr_table_init(struct lb_dev *lb);
struct lb_peer *lb_peer_by_addr(struct lb_dev *lb, const struct in6_addr *addr);
int lb_peer_add(struct lb_dev *lb, const struct in6_addr *addr,
		const struct in6_addr *alias, u32 n,
		struct netlink_ext_ack *extack);
int lb_peer_set_aliases(struct lb_peer *peer, const struct in6_addr *alias,
			u32 n, struct netlink_ext_ack *extack);
void lb_peer_reroute(struct lb_peer *peer);
void lb_peer_del(struct lb_peer *peer);
void lb_peer_start(struct lb_peer *peer);
void lb_peer_stop(struct lb_peer *peer);
void lb_peer_set_state(struct lb_peer *peer, enum lb_peer_state state);
void lb_peer_kick(struct lb_peer *peer, unsigned long delay);
void lb_peer_held(struct lb_peer *peer, u64 *packets, u64 *bytes);
void lb_peer_gather_rx(struct lb_peer *peer);
void lb_peer_hold(struct lb_peer *peer);
void lb_peer_put(struct lb_peer *peer);
void lb_rnd_init(void);

DECLARE_PER_CPU(struct lb_rnd, lb_rnd);

#endif /* _LB_PEER_H */
