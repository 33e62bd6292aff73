// SPDX-License-Identifier: GPL-2.0
/* Path groups: pairs of addresses with their paths. */

#include <linux/rtnetlink.h>
#include <linux/unaligned.h>
#include <net/addrconf.h>
#include <net/ip.h>

#include "device.h"
#include "member.h"
#include "net.h"
#include "netlink.h"
#include "path.h"
#include "peer.h"
#include "probe.h"
#include "tx.h"

/* Default range of entropies: the dynamic ports, which filters let pass. */
#define LB_SPORT_MIN	49152
#define LB_SPORT_COUNT	16384

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

/*
 * The n-th port of a pair of addresses, in an order that both ends derive
 * alike, so that a path and its reverse have the same port, and that differs
 * from pair to pair, so that hosts do not all hash alike.
 */
static u16 lb_sport(const struct lb_path_spec *spec, u32 n)
{
	u64 a = lb_mix64(get_unaligned_be64(&spec->local.s6_addr[8]) ^
			 lb_mix64(get_unaligned_be64(spec->local.s6_addr)));
	u64 b = lb_mix64(get_unaligned_be64(&spec->remote.s6_addr[8]) ^
			 lb_mix64(get_unaligned_be64(spec->remote.s6_addr)));
	u64 seed = lb_mix64(a + b);
	/* An odd step visits every port of the power of two. */
	u32 step = (seed >> 32) | 1;

	return LB_SPORT_MIN + ((u32)seed + n * step) % LB_SPORT_COUNT;
}

static u16 lb_spec_sport(const struct lb_path_spec *spec, u32 n)
{
	return spec->sport ? spec->sport + n : lb_sport(spec, n);
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

/* Mark all paths of a group for deletion. */
static void lb_paths_doom(struct lb_group *group)
{
	struct lb_path *path;
	unsigned long id;

	xa_for_each(&group->peer->paths, id, path)
		if (path->group == group)
			path->doomed = true;
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
	lb_paths_doom(group);
	lb_paths_remove(group);
	lb_pair_put(group->pair);
	if (m) {
		list_del(&group->member_list);
		lb_member_put(m);
	}
	call_rcu(&group->rcu, lb_group_free);
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

/* After adding paths: they stay, or if it failed, only those of before do. */
static void lb_paths_settle(struct lb_group *group, bool failed)
{
	struct lb_path *path;
	unsigned long id;

	xa_for_each(&group->peer->paths, id, path) {
		if (path->group != group)
			continue;
		if (failed)
			path->doomed = path->fresh;
		path->fresh = false;
	}
}

/* Give a group just the paths that are wanted; those it has stay as they are. */
static int lb_paths_set(struct lb_group *group, const struct lb_path_spec *spec,
			struct netlink_ext_ack *extack)
{
	struct lb_path *path;
	int err = 0;
	u32 n;

	lb_paths_doom(group);
	for (n = 0; n < spec->entropies && !err; n++) {
		u16 sport = lb_spec_sport(spec, n);

		path = lb_path_by_port(group, sport);
		if (path)
			path->doomed = false;
		else
			err = lb_path_add(group, sport, spec->weight ?: 1,
					  extack);
	}
	lb_paths_settle(group, err);
	/* Publishes what was added, too. */
	lb_paths_remove(group);
	return err;
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
	g->sport = spec->sport;
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
	err = lb_paths_set(g, spec, extack);
	if (err)
		goto err_paths;

	peer->next_group++;
	if (g->member)
		list_add_tail(&g->member_list, &g->member->groups);
	list_add_tail_rcu(&g->list, &peer->groups);
	lb_dev_update_mtu(lb);
	lb_peer_kick(peer, 0);
	lb_probe_start(peer);
	return 0;

err_paths:
	/* Its paths were seen: the group lives as long as they may be. */
	lb_pair_put(g->pair);
	if (g->member)
		lb_member_put(g->member);
	call_rcu(&g->rcu, lb_group_free);
	return err;
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
 * lb_group_resize() - change the number of a group's paths, or their weight
 * @group: the group
 * @spec: what the operator wants
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
	struct lb_path_spec want = *spec;
	int err;

	if (!want.sport)
		want.sport = group->sport;
	err = lb_group_check(group->peer, &want, extack);
	if (!err)
		err = lb_paths_set(group, &want, extack);
	if (err)
		return err;
	group->sport = want.sport;
	lb_group_set(group, NULL, spec->weight, -1);
	lb_probe_start(group->peer);
	return 0;
}
