/* SPDX-License-Identifier: GPL-2.0 */
/* Path groups, their paths and the member devices they are bound to. */
#ifndef _LB_PATH_H
#define _LB_PATH_H

#include <linux/in6.h>
#include <linux/netdevice.h>
#include <linux/rhashtable.h>
#include <linux/spinlock.h>
#include <net/dst_cache.h>
#include <lb/delay.h>
#include <lb/health.h>
#include <lb/policy.h>

struct lb_dev;
struct lb_member;
struct lb_net;
struct lb_peer;
struct lb_priv;

/**
 * struct lb_pair - the addresses of path groups, to find their peer
 * @key: addresses as seen by an arriving packet, and the UDP port
 * @node: in lb_net.pairs
 * @peer: whose groups have these addresses
 * @refs: number of groups, under RTNL
 * @rcu: frees it
 */
struct lb_pair {
	struct lb_pair_key {
		struct in6_addr saddr;
		struct in6_addr daddr;
		u32 port;
	} key;
	struct rhash_head node;
	struct lb_peer *peer;
	u32 refs;
	struct rcu_head rcu;
};

/**
 * struct lb_group - a path group: one pair of addresses, perhaps on one device
 * @list: in lb_peer.groups, RCU
 * @member_list: in lb_member.groups, under RTNL
 * @peer: the peer
 * @member: device it is bound to by name, NULL for none; never changes
 * @pair: its addresses
 * @id: number among the peer's groups
 * @local: our address
 * @remote: the peer's address
 * @v6: whether they are IPv6
 * @sport: first UDP source port, 0 if derived from the addresses
 * @n_paths: number of paths
 * @cache: route to @remote
 * @seen: what decides the state of its paths, but for what is kept per path
 * @rcu: frees it
 *
 * @seen is written under lb_peer.lock.
 */
struct lb_group {
	struct list_head list;
	struct list_head member_list;
	struct lb_peer *peer;
	struct lb_member *member;
	struct lb_pair *pair;
	u32 id;
	struct in6_addr local;
	struct in6_addr remote;
	bool v6;
	u16 sport;
	u32 n_paths;
	struct dst_cache cache;
	struct lb_seen seen;
	struct rcu_head rcu;
};

/**
 * struct lb_path - a path: a group's addresses with one UDP source port
 * @group: its group
 * @id: on the wire, index into lb_peer.paths
 * @sport: entropy
 * @fresh: added by the request under way, under RTNL
 * @doomed: to be deleted, under RTNL
 * @weight: for policies
 * @denied: the operator wants no data on it
 * @proven: a probe was answered since the path came up
 * @state: enum lb_path_state
 * @reason: why
 * @since: when @state changed, nanoseconds
 * @transitions: changes of @state
 * @probe_seq: of the last probe
 * @probe_seen: which of the last 64 probes were answered
 * @probes: sent
 * @answers: received
 * @rtt: round trips
 * @lost: packets that the peer misses, by its last report
 * @ce: marked packets that the peer got
 * @old_rx: received on the reverse of the path in sessions that ended
 * @rx: received on it in all, see lb_peer_gather_rx()
 * @base: counters at the last reset
 * @gone: in a list of paths to free
 * @rcu: frees it
 * @seq: path sequence, so also the number of packets sent
 * @tx_bytes: bytes of inner packets sent
 *
 * Everything down to @base is written under lb_peer.lock. The counters are the
 * one cache line written for each packet.
 */
struct lb_path {
	struct lb_group *group;
	u16 id;
	__be16 sport;
	bool fresh;
	bool doomed;
	u16 weight;
	bool denied;
	bool proven;
	enum lb_path_state state;
	enum lb_path_reason reason;
	u64 since;
	u64 transitions;
	u32 probe_seq;
	u64 probe_seen;
	u64 probes;
	u64 answers;
	struct lb_rtt rtt;
	u32 lost;
	u32 ce;
	struct lb_path_rx {
		u64 packets;
		u64 bytes;
		u64 lost;
		u64 ce;
	} old_rx, rx;
	struct lb_path_base {
		u64 seq;
		u64 tx_bytes;
		struct lb_path_rx rx;
		u64 probes;
		u64 answers;
		u32 lost;
		u32 ce;
		u64 transitions;
	} base;
	struct list_head gone;
	struct rcu_head rcu;
	atomic64_t seq ____cacheline_aligned_in_smp;
	atomic64_t tx_bytes;
};

/**
 * struct lb_paths - the paths that data may take, with the policy that chooses
 * @rcu: frees it
 * @room: how many paths it has room for
 * @ops: the policy
 * @owner: holds the policy's state
 * @priv: that state
 * @choices: what the policy sees
 * @path: by index of @choices
 *
 * Never changed once published in lb_peer.usable.
 */
struct lb_paths {
	struct rcu_head rcu;
	u32 room;
	const struct lb_policy_ops *ops;
	struct lb_priv *owner;
	void *priv;
	struct lb_choices choices;
	struct lb_path *path[];
};

/**
 * struct lb_path_spec - path group as the operator names it
 * @local: our address
 * @remote: the peer's address
 * @device: name of the member device, empty for none
 * @entropies: how many paths
 * @sport: first UDP source port, 0 to derive it from the addresses, or to keep
 *	what the group has
 * @weight: of each path, 0 for 1 or to keep what it has
 */
struct lb_path_spec {
	struct in6_addr local;
	struct in6_addr remote;
	char device[IFNAMSIZ];
	u32 entropies;
	u16 sport;
	u16 weight;
};

struct lb_group *lb_group_find(struct lb_peer *peer,
			       const struct lb_path_spec *spec);
struct lb_path *lb_path_by_port(struct lb_group *group, u16 sport);
int lb_group_add(struct lb_peer *peer, const struct lb_path_spec *spec,
		 struct netlink_ext_ack *extack);
int lb_group_resize(struct lb_group *group, const struct lb_path_spec *spec,
		    struct netlink_ext_ack *extack);
void lb_group_set(struct lb_group *group, struct lb_path *path, u16 weight,
		  int denied);
void lb_group_del(struct lb_group *group);
int lb_path_add(struct lb_group *group, u16 sport, u16 weight,
		struct netlink_ext_ack *extack);
void lb_path_del(struct lb_path *path);
void lb_paths_remove(struct lb_group *group);
void lb_group_update(struct lb_group *group, const struct lb_seen *seen);
void lb_group_set_route(struct lb_group *group, bool found);
void lb_path_prove(struct lb_path *path);
void lb_paths_refresh(struct lb_peer *peer);
bool lb_groups_retry_routes(struct lb_peer *peer);
bool lb_paths_publish(struct lb_peer *peer, struct lb_paths *spare);
void lb_paths_retry(struct lb_peer *peer);
struct lb_paths *lb_paths_spare(struct lb_peer *peer);
void lb_paths_destroy(struct lb_peer *peer);
int lb_policy_prepare(struct lb_peer *peer, const struct lb_policy_ops *ops);
void lb_policy_commit(struct lb_peer *peer);
void lb_policy_cancel(struct lb_peer *peer);
u32 lb_group_overhead(const struct lb_group *group);
u32 lb_group_mtu(const struct lb_group *group);
struct lb_group *lb_group_by_addrs(struct lb_peer *peer,
				   const struct in6_addr *local,
				   const struct in6_addr *remote,
				   const struct net_device *dev);
struct lb_pair *lb_pair_find(struct lb_net *ln, const struct lb_pair_key *key);
void lb_path_read(struct lb_path *path, struct lb_path_base *now);
bool lb_path_up(const struct lb_path *path);
bool lb_addr_odd(const struct in6_addr *addr);

extern const struct rhashtable_params lb_pair_params;

#endif /* _LB_PATH_H */
