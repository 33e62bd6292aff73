// SPDX-License-Identifier: GPL-2.0
/* Peers: life, addresses, policy. */

#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <linux/ktime.h>
#include <net/ipv6.h>

#include "device.h"
#include "net.h"
#include "netlink.h"
#include "peer.h"
#include "probe.h"

/* Where sessions and peers are taken apart, and handshakes made. */
struct workqueue_struct *lb_wq;

DEFINE_PER_CPU(struct lb_rnd, lb_rnd);

static const struct rhashtable_params lb_addr_params = {
	.key_len	= sizeof(struct in6_addr),
	.key_offset	= offsetof(struct lb_addr, addr),
	.head_offset	= offsetof(struct lb_addr, node),
	.automatic_shrinking = true,
};

/** lb_rnd_init() - seed the random numbers of the data path */
void lb_rnd_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(lb_rnd, cpu).s = get_random_u64();
}

/**
 * lb_addr_table_init() - prepare a device's table of overlay addresses
 * @lb: the device
 *
 * Return: 0 or a negative error.
 */
int lb_addr_table_init(struct lb_dev *lb)
{
	return rhashtable_init(&lb->addrs, &lb_addr_params);
}

/**
 * lb_peer_by_addr() - the peer with an overlay address
 * @lb: the device
 * @addr: the address, IPv4 mapped
 *
 * Context: RCU read side, or RTNL held.
 * Return: the peer, or NULL.
 */
struct lb_peer *lb_peer_by_addr(struct lb_dev *lb, const struct in6_addr *addr)
{
	struct lb_addr *a = rhashtable_lookup(&lb->addrs, addr, lb_addr_params);

	return a ? a->peer : NULL;
}

static struct lb_addr *lb_addr_add(struct lb_peer *peer,
				   const struct in6_addr *addr,
				   struct netlink_ext_ack *extack)
{
	struct lb_addr *a;
	int err;

	if (lb_addr_odd(addr)) {
		NL_SET_ERR_MSG(extack, "lb: a peer's address is a unicast address");
		return ERR_PTR(-EINVAL);
	}
	a = kzalloc(sizeof(*a), GFP_KERNEL);
	if (!a)
		return ERR_PTR(-ENOMEM);
	a->addr = *addr;
	a->peer = peer;
	err = rhashtable_lookup_insert_fast(&peer->lb->addrs, &a->node,
					    lb_addr_params);
	if (err) {
		kfree(a);
		if (err == -EEXIST)
			NL_SET_ERR_MSG(extack, "lb: a peer has this address already");
		return ERR_PTR(err);
	}
	return a;
}

static void lb_addr_del(struct lb_peer *peer, struct lb_addr *a)
{
	rhashtable_remove_fast(&peer->lb->addrs, &a->node, lb_addr_params);
	kfree_rcu(a, rcu);
}

/**
 * lb_peer_set_aliases() - replace a peer's further addresses
 * @peer: the peer
 * @alias: the addresses
 * @n: their number
 * @extack: where the reason of a refusal goes
 *
 * Context: process, RTNL held.
 * Return: 0 or a negative error; then nothing was changed.
 */
int lb_peer_set_aliases(struct lb_peer *peer, const struct in6_addr *alias,
			u32 n, struct netlink_ext_ack *extack)
{
	struct lb_addr *new[LB_ALIASES_MAX] = {};
	bool had[LB_ALIASES_MAX] = {}, kept[LB_ALIASES_MAX] = {};
	int err = 0;
	u32 i, k;

	for (i = 0; i < n && !err; i++) {
		for (k = 0; k < peer->n_aliases && !had[i]; k++) {
			had[i] = !kept[k] &&
				 ipv6_addr_equal(&peer->aliases[k]->addr,
						 &alias[i]);
			if (!had[i])
				continue;
			kept[k] = true;
			new[i] = peer->aliases[k];
		}
		if (!had[i])
			new[i] = lb_addr_add(peer, &alias[i], extack);
		err = PTR_ERR_OR_ZERO(new[i]);
	}
	if (err) {
		for (k = 0; k < i - 1; k++)
			if (!had[k])
				lb_addr_del(peer, new[k]);
		return err;
	}
	for (k = 0; k < peer->n_aliases; k++)
		if (!kept[k])
			lb_addr_del(peer, peer->aliases[k]);
	memcpy(peer->aliases, new, sizeof(new));
	peer->n_aliases = n;
	return 0;
}

/**
 * lb_peer_reroute() - forget the routes to a peer's remote addresses
 * @peer: the peer
 *
 * Context: process, RTNL held.
 */
void lb_peer_reroute(struct lb_peer *peer)
{
	struct lb_group *g;

	list_for_each_entry(g, &peer->groups, list)
		dst_cache_reset(&g->cache);
}

/**
 * lb_peer_set_state() - note and tell a peer's state
 * @peer: the peer
 * @state: its state
 *
 * Context: lb_peer.lock held.
 */
void lb_peer_set_state(struct lb_peer *peer, enum lb_peer_state state)
{
	lockdep_assert_held(&peer->lock);
	if (peer->state == state)
		return;
	peer->state = state;
	peer->since = ktime_get_ns();
	lb_nl_peer_ntf(peer, LB_CMD_PEER_NTF);
}

/**
 * lb_peer_kick() - have the peer's work look at what there is to do
 * @peer: the peer
 * @delay: jiffies from now; a work that is due earlier stays so
 *
 * Context: any but hard irq.
 */
void lb_peer_kick(struct lb_peer *peer, unsigned long delay)
{
	if (READ_ONCE(peer->dying))
		return;
	if (delay)
		queue_delayed_work(lb_wq, &peer->work, delay);
	else
		mod_delayed_work(lb_wq, &peer->work, 0);
}

/**
 * lb_peer_start() - the device came up
 * @peer: one of its peers
 *
 * Context: process, RTNL held.
 */
void lb_peer_start(struct lb_peer *peer)
{
	spin_lock_bh(&peer->lock);
	lb_peer_set_state(peer, LB_PEER_STATE_INIT);
	spin_unlock_bh(&peer->lock);
	lb_peer_kick(peer, 0);
}

/**
 * lb_peer_stop() - the device goes down
 * @peer: one of its peers
 *
 * Both sessions end; the peer's packets would find no one.
 *
 * Context: process, RTNL held, may sleep.
 */
void lb_peer_stop(struct lb_peer *peer)
{
	struct lb_session *s[LB_RX_SESSIONS];
	int i;

	spin_lock_bh(&peer->lock);
	lb_peer_set_state(peer, LB_PEER_STATE_DOWN);
	lb_handshake_reset(peer);
	/* At once, as a packet moves one from slot to slot. */
	for (i = 0; i < LB_RX_SESSIONS; i++)
		s[i] = rcu_replace_pointer(peer->rx[i], NULL,
					   lockdep_is_held(&peer->lock));
	spin_unlock_bh(&peer->lock);
	timer_delete_sync(&peer->probe);
	cancel_delayed_work_sync(&peer->work);
	for (i = 0; i < LB_RX_SESSIONS; i++)
		if (s[i])
			lb_session_retire(s[i]);
	skb_queue_purge(&peer->waiting);
}

/* A grace period after the last reference. */
static void lb_peer_free(struct work_struct *work)
{
	struct lb_peer *peer = container_of(to_rcu_work(work), struct lb_peer,
					    free);

	/* A packet that saw the peer before may have kicked it after. */
	cancel_delayed_work_sync(&peer->work);
	kvfree(peer->hs.offer);
	skb_queue_purge(&peer->waiting);
	lb_paths_destroy(peer);
	xa_destroy(&peer->paths);
	free_percpu(peer->counters);
	netdev_put(peer->lb->dev, &peer->dev_tracker);
	kfree(peer);
}

/**
 * lb_peer_held() - what a peer's lanes hold at present
 * @peer: the peer
 * @packets: set
 * @bytes: set
 *
 * Context: process.
 */
void lb_peer_held(struct lb_peer *peer, u64 *packets, u64 *bytes)
{
	struct lb_session *s;
	u32 n = 0, lane;
	long sum = 0;
	int i;

	rcu_read_lock();
	for (i = 0; i < LB_RX_SESSIONS; i++) {
		s = rcu_dereference(peer->rx[i]);
		if (!s)
			continue;
		sum += atomic_long_read(&s->held_bytes);
		for (lane = 0; lane < s->n_lanes; lane++)
			n += READ_ONCE(s->lane[lane].lane.held);
	}
	rcu_read_unlock();
	*packets = n;
	*bytes = max(sum, 0L);
}

/**
 * lb_peer_gather_rx() - bring what our paths' reverses received up to date
 * @peer: the peer
 *
 * Context: lb_peer.lock held.
 */
void lb_peer_gather_rx(struct lb_peer *peer)
{
	struct lb_session *s;
	struct lb_path *path;
	unsigned long id;
	int i;

	xa_for_each(&peer->paths, id, path)
		path->rx = path->old_rx;
	for (i = 0; i < LB_RX_SESSIONS; i++) {
		s = rcu_dereference_protected(peer->rx[i],
					      lockdep_is_held(&peer->lock));
		if (s)
			lb_session_add_rx(s, false);
	}
}

/**
 * lb_peer_hold() - keep a peer's memory
 * @peer: the peer
 *
 * Context: the caller knows that it is not freed.
 */
void lb_peer_hold(struct lb_peer *peer)
{
	refcount_inc(&peer->refs);
}

/**
 * lb_peer_put() - let a peer's memory go
 * @peer: the peer; freed a grace period after the last reference
 *
 * Context: any.
 */
void lb_peer_put(struct lb_peer *peer)
{
	if (refcount_dec_and_test(&peer->refs))
		queue_rcu_work(lb_wq, &peer->free);
}

/**
 * lb_peer_del() - delete a peer
 * @peer: the peer
 *
 * Context: process, RTNL held, may sleep.
 */
void lb_peer_del(struct lb_peer *peer)
{
	struct lb_dev *lb = peer->lb;
	struct lb_group *g, *next;
	u32 i;

	ASSERT_RTNL();
	list_del(&peer->list);
	lb->n_peers--;
	lb_nl_changed();
	WRITE_ONCE(peer->dying, true);
	lb_peer_stop(peer);
	timer_shutdown_sync(&peer->probe);
	list_for_each_entry_safe(g, next, &peer->groups, list)
		lb_group_del(g);
	lb_nl_peer_ntf(peer, LB_CMD_PEER_DEL_NTF);
	for (i = 0; i < peer->n_aliases; i++)
		lb_addr_del(peer, peer->aliases[i]);
	lb_addr_del(peer, peer->addr);
	lb_dev_update_mtu(lb);
	lb_peer_put(peer);
}

/**
 * lb_peer_add() - add a peer
 * @lb: the device
 * @addr: overlay address
 * @alias: further ones
 * @n: their number
 * @extack: where the reason of a refusal goes
 *
 * Context: process, RTNL held.
 * Return: 0 or a negative error; then nothing was changed.
 */
int lb_peer_add(struct lb_dev *lb, const struct in6_addr *addr,
		const struct in6_addr *alias, u32 n,
		struct netlink_ext_ack *extack)
{
	struct lb_peer *peer;
	int err, cpu;

	ASSERT_RTNL();
	peer = kzalloc(sizeof(*peer), GFP_KERNEL);
	if (!peer)
		return -ENOMEM;
	peer->lb = lb;
	refcount_set(&peer->refs, 1);
	spin_lock_init(&peer->lock);
	INIT_LIST_HEAD(&peer->groups);
	xa_init_flags(&peer->paths, XA_FLAGS_ALLOC);
	skb_queue_head_init(&peer->waiting);
	INIT_DELAYED_WORK(&peer->work, lb_handshake_work);
	timer_setup(&peer->probe, lb_probe_timer, 0);
	INIT_RCU_WORK(&peer->free, lb_peer_free);
	peer->close_next = jiffies;
	peer->offer_next = jiffies;
	peer->since = ktime_get_ns();

	err = -ENOMEM;
	peer->counters = alloc_percpu(struct lb_peer_counters);
	if (!peer->counters)
		goto err_free;
	for_each_possible_cpu(cpu)
		u64_stats_init(&per_cpu_ptr(peer->counters, cpu)->syncp);
	err = lb_policy_prepare(peer, lb->config.policy);
	if (err)
		goto err_counters;
	lb_policy_commit(peer);

	peer->addr = lb_addr_add(peer, addr, extack);
	if (IS_ERR(peer->addr)) {
		err = PTR_ERR(peer->addr);
		goto err_policy;
	}
	err = lb_peer_set_aliases(peer, alias, n, extack);
	if (err)
		goto err_addr;

	netdev_hold(lb->dev, &peer->dev_tracker, GFP_KERNEL);
	list_add_tail(&peer->list, &lb->peers);
	lb->n_peers++;
	lb_nl_changed();
	if (netif_running(lb->dev))
		lb_peer_start(peer);
	return 0;

err_addr:
	/* A packet may have found it by its address. */
	lb_addr_del(peer, peer->addr);
	netdev_hold(lb->dev, &peer->dev_tracker, GFP_KERNEL);
	lb_peer_put(peer);
	return err;
err_policy:
	lb_paths_destroy(peer);
err_counters:
	free_percpu(peer->counters);
err_free:
	kfree(peer);
	return err;
}
