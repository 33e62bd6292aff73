// SPDX-License-Identifier: GPL-2.0
/* Path groups and their paths: life, state, and the set that data may take. */

#include <linux/rtnetlink.h>
#include <linux/ktime.h>
#include <linux/unaligned.h>
#include <net/addrconf.h>
#include <net/ip.h>
#include <trace/events/lb.h>
#include <uapi/linux/lb.h>

#include "device.h"
#include "member.h"
#include "net.h"
#include "netlink.h"
#include "path.h"
#include "peer.h"
#include "tx.h"

/* Default range of entropies: the dynamic ports, which filters let pass. */
#define LB_SPORT_MIN	49152
#define LB_SPORT_COUNT	16384

#define LB_ROUTE_RETRY	(HZ / 10)

const struct rhashtable_params lb_pair_params = {
	.key_len	= sizeof(struct lb_pair_key),
	.key_offset	= offsetof(struct lb_pair, key),
	.head_offset	= offsetof(struct lb_pair, node),
	.automatic_shrinking = true,
};

/**
 * lb_pair_find() - who has these addresses
 * @ln: the namespace
 * @key: addresses and port of an arriving packet
 *
 * Context: RCU read side.
 * Return: the pair, or NULL.
 */
struct lb_pair *lb_pair_find(struct lb_net *ln, const struct lb_pair_key *key)
{
	return rhashtable_lookup(&ln->pairs, key, lb_pair_params);
}

static struct lb_pair *lb_pair_get(struct lb_peer *peer,
				   const struct lb_path_spec *spec,
				   struct netlink_ext_ack *extack)
{
	struct lb_net *ln = lb_net(peer->lb->net);
	struct lb_pair_key key = {
		.saddr	= spec->remote,
		.daddr	= spec->local,
		.port	= peer->lb->config.port,
	};
	struct lb_pair *pair;
	int err;

	rcu_read_lock();
	pair = lb_pair_find(ln, &key);
	rcu_read_unlock();
	if (pair) {
		/* Only RTNL holders take pairs away. */
		if (pair->peer != peer) {
			NL_SET_ERR_MSG(extack, "lb: another peer has these addresses on this port");
			return ERR_PTR(-EADDRINUSE);
		}
		pair->refs++;
		return pair;
	}

	pair = kzalloc(sizeof(*pair), GFP_KERNEL);
	if (!pair)
		return ERR_PTR(-ENOMEM);
	pair->key = key;
	pair->peer = peer;
	pair->refs = 1;
	err = rhashtable_insert_fast(&ln->pairs, &pair->node, lb_pair_params);
	if (err) {
		kfree(pair);
		return ERR_PTR(err);
	}
	return pair;
}

static void lb_pair_put(struct lb_pair *pair)
{
	struct lb_net *ln = lb_net(pair->peer->lb->net);

	if (--pair->refs)
		return;
	rhashtable_remove_fast(&ln->pairs, &pair->node, lb_pair_params);
	kfree_rcu(pair, rcu);
}

/**
 * lb_group_overhead() - bytes that a group's paths put before a packet
 * @group: the group
 *
 * Return: bytes.
 */
u32 lb_group_overhead(const struct lb_group *group)
{
	return group->v6 ? LB_OVERHEAD6 : LB_OVERHEAD4;
}

/**
 * lb_group_mtu() - largest inner packet of a group's paths
 * @group: the group
 *
 * Context: process, RTNL held.
 * Return: bytes; of a group without a device that is there, what Ethernet
 * allows.
 */
u32 lb_group_mtu(const struct lb_group *group)
{
	struct net_device *dev = NULL;
	u32 mtu;

	if (group->member)
		dev = rtnl_dereference(group->member->dev);
	mtu = dev ? READ_ONCE(dev->mtu) : ETH_DATA_LEN;
	return mtu > lb_group_overhead(group) ?
		mtu - lb_group_overhead(group) : 0;
}

/**
 * lb_path_up() - whether the path's device can send just now
 * @path: the path
 *
 * The notifier of a real device may come a second after its carrier went.
 *
 * Context: RCU read side.
 * Return: true if it can.
 */
bool lb_path_up(const struct lb_path *path)
{
	const struct net_device *dev;

	if (!path->group->member)
		return true;
	dev = rcu_dereference(path->group->member->dev);
	return dev && netif_running(dev) && netif_carrier_ok(dev);
}

/*
 * The n-th port of a pair of addresses, in an order that both ends derive
 * alike, so that a path and its reverse have the same port, and that differs
 * from pair to pair, so that hosts do not all hash alike.
 */
static u16 lb_sport(const struct lb_path_spec *spec, u32 n)
{
	u64 a = lb_mix64(get_unaligned((const u64 *)&spec->local.s6_addr[8]) ^
			 lb_mix64(get_unaligned((const u64 *)spec->local.s6_addr)));
	u64 b = lb_mix64(get_unaligned((const u64 *)&spec->remote.s6_addr[8]) ^
			 lb_mix64(get_unaligned((const u64 *)spec->remote.s6_addr)));
	u64 seed = lb_mix64(a + b);
	/* An odd step visits every port of the power of two. */
	u32 step = (seed >> 32) | 1;

	return LB_SPORT_MIN + ((u32)seed + n * step) % LB_SPORT_COUNT;
}

static u16 lb_spec_sport(const struct lb_path_spec *spec, u32 n)
{
	return spec->sport ? spec->sport + n : lb_sport(spec, n);
}

/* Bring a path's state up to what is known of it; true if it changed. */
static bool lb_path_refresh(struct lb_peer *peer, struct lb_path *path)
{
	struct lb_seen seen = path->group->seen;
	enum lb_path_state old = path->state;
	enum lb_path_reason reason;

	lockdep_assert_held(&peer->lock);
	seen.denied = path->denied;
	path->state = lb_health(&seen, &reason);
	path->reason = reason;
	if (path->state == old)
		return false;
	path->since = ktime_get_ns();
	path->transitions++;
	trace_lb_path_state(peer->lb->dev->ifindex, &peer->addr->addr, path->id,
			    old, path->state, path->reason);
	lb_nl_path_ntf(path, old, LB_CMD_PATH_NTF);
	return true;
}

static bool lb_path_fits(const struct lb_path *path, bool any)
{
	if (path->state == LB_PATH_STATE_GOOD)
		return true;
	return any && !path->denied && path->group->seen.device;
}

/**
 * lb_paths_rebuild() - publish the set of paths that data may take
 * @peer: the peer
 * @ops: policy, NULL to keep the one there is
 * @priv: state for it, if @ops is given
 * @gfp: allocation flags
 *
 * If no path is good, data goes on over all that the operator allows: better
 * a bad path than none.
 *
 * Context: lb_peer.lock held.
 * Return: 0, or -ENOMEM and the old set stays.
 */
int lb_paths_rebuild(struct lb_peer *peer, const struct lb_policy_ops *ops,
		     void *priv, gfp_t gfp)
{
	struct lb_paths *old, *set;
	struct lb_path *path;
	unsigned long id;
	bool any = false;
	size_t head;
	u32 n = 0;

	old = rcu_dereference_protected(peer->usable,
					lockdep_is_held(&peer->lock));
	if (!ops) {
		ops = old->ops;
		priv = old->priv;
	}
	xa_for_each(&peer->paths, id, path)
		n += lb_path_fits(path, false);
	if (!n) {
		any = true;
		xa_for_each(&peer->paths, id, path)
			n += lb_path_fits(path, true);
	}

	head = struct_size(set, path, n);
	set = kzalloc(head + lb_choices_size(ops, n), gfp | __GFP_NOWARN);
	if (!set)
		return -ENOMEM;
	set->ops = ops;
	set->priv = priv;
	lb_choices_init(&set->choices, (void *)set + head, n);
	xa_for_each(&peer->paths, id, path) {
		if (!lb_path_fits(path, any))
			continue;
		set->path[set->choices.n] = path;
		lb_choices_add(&set->choices, path->id, path->weight);
	}
	if (ops->path_event)
		ops->path_event(priv, &set->choices,
				old && old->ops == ops ? &old->choices : NULL);
	rcu_assign_pointer(peer->usable, set);
	if (old)
		kfree_rcu(old, rcu);
	return 0;
}

/**
 * lb_addr_odd() - whether an address is none of a host
 * @addr: the address, IPv4 mapped
 *
 * Return: true for multicast, broadcast and wildcard addresses.
 */
bool lb_addr_odd(const struct in6_addr *addr)
{
	if (ipv6_addr_v4mapped(addr)) {
		__be32 v4 = addr->s6_addr32[3];

		return ipv4_is_multicast(v4) || ipv4_is_lbcast(v4) ||
		       ipv4_is_zeronet(v4);
	}
	return ipv6_addr_any(addr) || ipv6_addr_is_multicast(addr);
}

/* A changed state that could not be published is published later. */
static void lb_paths_publish(struct lb_peer *peer, gfp_t gfp)
{
	if (lb_paths_rebuild(peer, NULL, NULL, gfp))
		lb_peer_kick(peer, HZ / 10);
}

static void lb_group_refresh(struct lb_group *group)
{
	struct lb_peer *peer = group->peer;
	struct lb_path *path;
	bool changed = false;
	unsigned long id;

	xa_for_each(&peer->paths, id, path)
		if (path->group == group)
			changed |= lb_path_refresh(peer, path);
	if (changed)
		lb_paths_publish(peer, GFP_ATOMIC);
}

/**
 * lb_group_update() - what is known of a group's device changed
 * @group: the group
 * @seen: what is known now; a route is taken to exist until a look-up fails
 *
 * Context: process, RTNL held.
 */
void lb_group_update(struct lb_group *group, const struct lb_seen *seen)
{
	spin_lock_bh(&group->peer->lock);
	group->seen = *seen;
	lb_group_refresh(group);
	spin_unlock_bh(&group->peer->lock);
}

/**
 * lb_group_set_route() - a look-up of the route to a group's remote address
 * @group: the group
 * @found: whether there is one
 *
 * Context: RCU read side, not hard irq.
 */
void lb_group_set_route(struct lb_group *group, bool found)
{
	if (READ_ONCE(group->seen.route) == found)
		return;
	spin_lock_bh(&group->peer->lock);
	WRITE_ONCE(group->seen.route, found);
	lb_group_refresh(group);
	spin_unlock_bh(&group->peer->lock);
	if (!found)
		lb_peer_kick(group->peer, LB_ROUTE_RETRY);
}

/**
 * lb_groups_retry_routes() - look for routes that were missing
 * @peer: the peer
 *
 * Context: process.
 * Return: true if some are missing still.
 */
bool lb_groups_retry_routes(struct lb_peer *peer)
{
	bool missing = false;
	struct lb_group *g;

	rcu_read_lock();
	list_for_each_entry_rcu(g, &peer->groups, list) {
		if (READ_ONCE(g->seen.route))
			continue;
		if (lb_has_route(g))
			lb_group_set_route(g, true);
		else
			missing = true;
	}
	rcu_read_unlock();
	return missing;
}

/**
 * lb_group_set() - change weight or permission
 * @group: the group
 * @path: one of its paths, NULL for all
 * @weight: 0 to keep
 * @denied: 1, 0, or negative to keep
 *
 * Context: process, RTNL held.
 */
void lb_group_set(struct lb_group *group, struct lb_path *path, u16 weight,
		  int denied)
{
	struct lb_peer *peer = group->peer;
	struct lb_path *p;
	unsigned long id;

	spin_lock_bh(&peer->lock);
	xa_for_each(&peer->paths, id, p) {
		if (p->group != group || (path && p != path))
			continue;
		if (weight)
			p->weight = weight;
		if (denied >= 0)
			p->denied = denied;
		lb_path_refresh(peer, p);
	}
	lb_paths_publish(peer, GFP_ATOMIC);
	spin_unlock_bh(&peer->lock);
}

/**
 * lb_path_read() - a path's counters
 * @path: the path
 * @now: filled
 *
 * Context: lb_peer.lock held.
 */
void lb_path_read(struct lb_path *path, struct lb_path_base *now)
{
	struct lb_peer *peer = path->group->peer;
	struct lb_session *s;
	int i;

	lockdep_assert_held(&peer->lock);
	now->seq = atomic64_read(&path->seq);
	now->tx_bytes = atomic64_read(&path->tx_bytes);
	now->probes = path->probes;
	now->answers = path->answers;
	now->lost = path->lost;
	now->ce = path->ce;
	now->transitions = path->transitions;
	now->rx = path->old_rx;
	for (i = 0; i < LB_RX_SESSIONS; i++) {
		s = rcu_dereference_protected(peer->rx[i],
					      lockdep_is_held(&peer->lock));
		if (s)
			lb_session_reverse(s, path, &now->rx);
	}
}

/**
 * lb_group_find() - the group that the operator names
 * @peer: the peer
 * @spec: addresses and device
 *
 * Context: process, RTNL held.
 * Return: the group, or NULL.
 */
struct lb_group *lb_group_find(struct lb_peer *peer,
			       const struct lb_path_spec *spec)
{
	struct lb_group *g;

	list_for_each_entry(g, &peer->groups, list) {
		const char *device = g->member ? g->member->name : "";

		if (ipv6_addr_equal(&g->local, &spec->local) &&
		    ipv6_addr_equal(&g->remote, &spec->remote) &&
		    !strcmp(device, spec->device))
			return g;
	}
	return NULL;
}

/**
 * lb_group_by_addrs() - the group that a packet came in by
 * @peer: the peer
 * @local: destination address of the packet
 * @remote: its source address
 * @dev: the device it came in by; a group bound to that one is preferred
 *
 * Context: RCU read side.
 * Return: the group, or NULL.
 */
struct lb_group *lb_group_by_addrs(struct lb_peer *peer,
				   const struct in6_addr *local,
				   const struct in6_addr *remote,
				   const struct net_device *dev)
{
	struct lb_group *g, *best = NULL;

	list_for_each_entry_rcu(g, &peer->groups, list) {
		if (!ipv6_addr_equal(&g->local, local) ||
		    !ipv6_addr_equal(&g->remote, remote))
			continue;
		if (g->member && rcu_access_pointer(g->member->dev) == dev)
			return g;
		if (!best)
			best = g;
	}
	return best;
}

/**
 * lb_path_by_port() - one path of a group
 * @group: the group
 * @sport: its UDP source port
 *
 * Context: process, RTNL held.
 * Return: the path, or NULL.
 */
struct lb_path *lb_path_by_port(struct lb_group *group, u16 sport)
{
	struct lb_path *path;
	unsigned long id;

	xa_for_each(&group->peer->paths, id, path)
		if (path->group == group && ntohs(path->sport) == sport)
			return path;
	return NULL;
}

static int lb_path_add(struct lb_group *group, u16 sport, u16 weight,
		       struct netlink_ext_ack *extack)
{
	struct lb_peer *peer = group->peer;
	struct lb_path *path;
	u32 id;
	int err;

	path = kzalloc(sizeof(*path), GFP_KERNEL);
	if (!path)
		return -ENOMEM;
	path->group = group;
	path->sport = htons(sport);
	path->weight = weight;
	path->state = LB_PATH_STATE_BAD;
	path->reason = LB_PATH_REASON_NONE;
	/* A new path on an old id is told by a jump of its sequence. */
	path->base.seq = get_random_u32();
	atomic64_set(&path->seq, path->base.seq);

	spin_lock_bh(&peer->lock);
	err = xa_alloc_cyclic(&peer->paths, &id, path,
			      XA_LIMIT(0, LB_PATHS_MAX - 1), &peer->next_path,
			      GFP_ATOMIC);
	if (err >= 0) {
		path->id = id;
		lb_path_refresh(peer, path);
		/* It begins here; it was not bad before. */
		path->transitions = 0;
	}
	spin_unlock_bh(&peer->lock);
	if (err < 0) {
		kfree(path);
		if (err == -EBUSY)
			NL_SET_ERR_MSG(extack, "lb: the peer has as many paths as can be");
		return err == -EBUSY ? -ENOSPC : err;
	}
	lb_nl_changed();
	group->n_paths++;
	peer->n_paths++;
	peer->lb->n_paths++;
	return 0;
}

/*
 * Readers find paths in the published set: those taken away are freed a grace
 * period after a set without them was published, so wait for memory for it.
 */
static void lb_paths_remove(struct lb_group *group, struct lb_path *only,
			    u32 keep)
{
	struct lb_peer *peer = group->peer;
	struct lb_path *path, *next;
	LIST_HEAD(gone);
	unsigned long id;

	spin_lock_bh(&peer->lock);
	xa_for_each(&peer->paths, id, path) {
		if (path->group != group || (only && path != only))
			continue;
		if (keep) {
			keep--;
			continue;
		}
		xa_erase(&peer->paths, id);
		lb_nl_path_ntf(path, path->state, LB_CMD_PATH_DEL_NTF);
		list_add(&path->gone, &gone);
		group->n_paths--;
		peer->n_paths--;
		peer->lb->n_paths--;
	}
	while (lb_paths_rebuild(peer, NULL, NULL, GFP_ATOMIC)) {
		spin_unlock_bh(&peer->lock);
		schedule_timeout_uninterruptible(1);
		spin_lock_bh(&peer->lock);
	}
	spin_unlock_bh(&peer->lock);
	lb_nl_changed();
	list_for_each_entry_safe(path, next, &gone, gone)
		kfree_rcu(path, rcu);
}

static void lb_group_free(struct rcu_head *rcu)
{
	struct lb_group *group = container_of(rcu, struct lb_group, rcu);

	dst_cache_destroy(&group->cache);
	kfree(group);
}

/**
 * lb_group_del() - delete a path group and its paths
 * @group: the group
 *
 * Context: process, RTNL held.
 */
void lb_group_del(struct lb_group *group)
{
	struct lb_member *m = group->member;

	ASSERT_RTNL();
	list_del_rcu(&group->list);
	lb_paths_remove(group, NULL, 0);
	lb_pair_put(group->pair);
	if (m) {
		list_del(&group->member_list);
		lb_member_put(m);
	}
	call_rcu(&group->rcu, lb_group_free);
}

/**
 * lb_path_del() - delete one path, or its group if it is the last
 * @path: the path
 *
 * Context: process, RTNL held.
 */
void lb_path_del(struct lb_path *path)
{
	if (path->group->n_paths == 1)
		lb_group_del(path->group);
	else
		lb_paths_remove(path->group, path, 0);
}

static int lb_group_check(struct lb_peer *peer, const struct lb_path_spec *spec,
			  struct netlink_ext_ack *extack)
{
	bool v6 = !ipv6_addr_v4mapped(&spec->remote);

	if (ipv6_addr_v4mapped(&spec->local) == v6) {
		NL_SET_ERR_MSG(extack, "lb: local and remote are not of one family");
		return -EAFNOSUPPORT;
	}
	if (ipv6_addr_equal(&spec->local, &spec->remote)) {
		NL_SET_ERR_MSG(extack, "lb: local and remote are the same address");
		return -EINVAL;
	}
	if (lb_addr_odd(&spec->local) || lb_addr_odd(&spec->remote)) {
		NL_SET_ERR_MSG(extack, "lb: not a unicast address");
		return -EINVAL;
	}
	if (v6 && !spec->device[0] &&
	    ipv6_addr_type(&spec->remote) & IPV6_ADDR_LINKLOCAL) {
		NL_SET_ERR_MSG(extack, "lb: a link-local address needs a device");
		return -EINVAL;
	}
	if (spec->sport && spec->sport + spec->entropies - 1 > U16_MAX) {
		NL_SET_ERR_MSG(extack, "lb: so many ports from there on do not exist");
		return -ERANGE;
	}
	return 0;
}

static int lb_paths_add(struct lb_group *group, const struct lb_path_spec *spec,
			struct netlink_ext_ack *extack)
{
	u32 had = group->n_paths, n;
	int err = 0;

	for (n = 0; group->n_paths < spec->entropies; n++) {
		u16 sport = lb_spec_sport(spec, n);

		if (lb_path_by_port(group, sport))
			continue;
		err = lb_path_add(group, sport, spec->weight, extack);
		if (err)
			break;
	}
	if (err) {
		lb_paths_remove(group, NULL, had);
		return err;
	}
	spin_lock_bh(&group->peer->lock);
	lb_paths_publish(group->peer, GFP_ATOMIC);
	spin_unlock_bh(&group->peer->lock);
	return 0;
}

/**
 * lb_group_add() - add a path group with its paths
 * @peer: the peer
 * @spec: what the operator wants, complete
 * @extack: where the reason of a refusal goes
 *
 * Context: process, RTNL held.
 * Return: 0 or a negative error; then nothing was changed.
 */
int lb_group_add(struct lb_peer *peer, const struct lb_path_spec *spec,
		 struct netlink_ext_ack *extack)
{
	struct lb_dev *lb = peer->lb;
	struct lb_group *g;
	int err;

	ASSERT_RTNL();
	err = lb_group_check(peer, spec, extack);
	if (err)
		return err;

	g = kzalloc(sizeof(*g), GFP_KERNEL);
	if (!g)
		return -ENOMEM;
	g->peer = peer;
	g->local = spec->local;
	g->remote = spec->remote;
	g->v6 = !ipv6_addr_v4mapped(&spec->remote);
	g->id = peer->next_group;
	if (spec->device[0]) {
		g->member = lb_member_get(lb_net(lb->net), spec->device, extack);
		if (IS_ERR(g->member)) {
			err = PTR_ERR(g->member);
			goto err_free;
		}
	}
	if (lb_group_mtu(g) < lb->dev->min_mtu) {
		NL_SET_ERR_MSG(extack, "lb: the MTU of the member device is too small");
		err = -EMSGSIZE;
		goto err_member;
	}
	g->seen.route = true;
	lb_member_seen(g, &g->seen);
	g->pair = lb_pair_get(peer, spec, extack);
	if (IS_ERR(g->pair)) {
		err = PTR_ERR(g->pair);
		goto err_member;
	}
	err = dst_cache_init(&g->cache, GFP_KERNEL);
	if (err)
		goto err_pair;
	err = lb_paths_add(g, spec, extack);
	if (err)
		goto err_cache;

	peer->next_group++;
	if (g->member)
		list_add_tail(&g->member_list, &g->member->groups);
	list_add_tail_rcu(&g->list, &peer->groups);
	lb_dev_update_mtu(lb);
	lb_peer_kick(peer, 0);
	return 0;

err_cache:
	dst_cache_destroy(&g->cache);
err_pair:
	lb_pair_put(g->pair);
err_member:
	if (g->member)
		lb_member_put(g->member);
err_free:
	kfree(g);
	return err;
}

/**
 * lb_group_resize() - change the number of a group's paths and their weight
 * @group: the group
 * @spec: what the operator wants, complete
 * @extack: where the reason of a refusal goes
 *
 * Paths that stay are not disturbed.
 *
 * Context: process, RTNL held.
 * Return: 0 or a negative error; then nothing was changed.
 */
int lb_group_resize(struct lb_group *group, const struct lb_path_spec *spec,
		    struct netlink_ext_ack *extack)
{
	int err;

	err = lb_group_check(group->peer, spec, extack);
	if (!err)
		err = lb_paths_add(group, spec, extack);
	if (err)
		return err;
	if (group->n_paths > spec->entropies)
		lb_paths_remove(group, NULL, spec->entropies);
	lb_group_set(group, NULL, spec->weight, -1);
	return 0;
}
