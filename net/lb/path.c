// SPDX-License-Identifier: GPL-2.0
/* Paths: life, state, counters. */

#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <trace/events/lb.h>
#include <uapi/linux/lb.h>

#include "device.h"
#include "member.h"
#include "netlink.h"
#include "path.h"
#include "peer.h"
#include "probe.h"
#include "tx.h"

#define LB_ROUTE_RETRY	(HZ / 10)

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

/* Bring a path's state up to what is known of it; true if it changed. */
static bool lb_path_refresh(struct lb_peer *peer, struct lb_path *path)
{
	struct lb_seen seen = path->group->seen;
	enum lb_path_state old = path->state;
	enum lb_path_reason reason;

	lockdep_assert_held(&peer->lock);
	if (!seen.device || !seen.running || !seen.carrier)
		path->proven = false;
	seen.denied = path->denied;
	seen.proven = path->proven ||
		      !READ_ONCE(peer->lb->config.probe_interval);
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

/* Likewise all paths of a group, or of all groups. */
static void lb_group_refresh(struct lb_peer *peer, const struct lb_group *group)
{
	struct lb_path *path;
	bool changed = false;
	unsigned long id;

	xa_for_each(&peer->paths, id, path)
		if (!group || path->group == group)
			changed |= lb_path_refresh(peer, path);
	if (changed)
		lb_paths_publish(peer, NULL);
}

/**
 * lb_paths_refresh() - something changed that the state of all paths depends on
 * @peer: the peer
 *
 * Context: process.
 */
void lb_paths_refresh(struct lb_peer *peer)
{
	spin_lock_bh(&peer->lock);
	lb_group_refresh(peer, NULL);
	spin_unlock_bh(&peer->lock);
}

/**
 * lb_path_prove() - the other end answered on a path
 * @path: the path
 *
 * Context: lb_peer.lock held.
 */
void lb_path_prove(struct lb_path *path)
{
	struct lb_peer *peer = path->group->peer;

	if (path->proven)
		return;
	path->proven = true;
	if (lb_path_refresh(peer, path))
		lb_paths_publish(peer, NULL);
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
	lb_group_refresh(group->peer, group);
	spin_unlock_bh(&group->peer->lock);
	/* A path that came up is used when a probe was answered on it. */
	lb_probe_start(group->peer);
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
	lb_group_refresh(group->peer, group);
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
	lb_paths_publish(peer, NULL);
	spin_unlock_bh(&peer->lock);
}

/**
 * lb_path_read() - a path's counters
 * @path: the path, after lb_peer_gather_rx()
 * @now: filled
 *
 * Context: lb_peer.lock held.
 */
void lb_path_read(struct lb_path *path, struct lb_path_base *now)
{
	lockdep_assert_held(&path->group->peer->lock);
	now->seq = atomic64_read(&path->seq);
	now->tx_bytes = atomic64_read(&path->tx_bytes);
	now->probes = path->probes;
	now->answers = path->answers;
	now->lost = path->lost;
	now->ce = path->ce;
	now->transitions = path->transitions;
	now->rx = path->rx;
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

/**
 * lb_path_add() - add a path to a group
 * @group: the group
 * @sport: its UDP source port
 * @weight: its weight
 * @extack: where the reason of a refusal goes
 *
 * The caller publishes the set with it.
 *
 * Context: process, RTNL held.
 * Return: 0 or a negative error.
 */
int lb_path_add(struct lb_group *group, u16 sport, u16 weight,
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
	path->fresh = true;
	/* No probe is out that could be answered. */
	path->probe_seen = ~0ULL;
	/* A new path on an old id is told by a jump of its sequence. */
	path->base.seq = get_random_u32();
	atomic64_set(&path->seq, path->base.seq);

	/* A place first, then the path, which knows its id when it is seen. */
	err = xa_alloc_cyclic_bh(&peer->paths, &id, NULL,
				 XA_LIMIT(0, LB_PATHS_MAX - 1),
				 &peer->next_path, GFP_KERNEL);
	if (err < 0) {
		kfree(path);
		if (err == -EBUSY)
			NL_SET_ERR_MSG(extack, "lb: the peer has as many paths as can be");
		return err == -EBUSY ? -ENOSPC : err;
	}
	path->id = id;
	spin_lock_bh(&peer->lock);
	xa_store(&peer->paths, id, path, GFP_ATOMIC);
	lb_path_refresh(peer, path);
	/* It begins here; it was not bad before. */
	path->transitions = 0;
	spin_unlock_bh(&peer->lock);
	lb_nl_changed();
	group->n_paths++;
	peer->n_paths++;
	peer->lb->n_paths++;
	return 0;
}

/**
 * lb_paths_remove() - delete the paths of a group that are marked for it
 * @group: the group
 *
 * Readers find paths in the published set: those deleted are freed a grace
 * period after one without them was published.
 *
 * Context: process, RTNL held, may sleep.
 */
void lb_paths_remove(struct lb_group *group)
{
	struct lb_peer *peer = group->peer;
	struct lb_paths *spare = lb_paths_spare(peer);
	struct lb_path *path, *next;
	LIST_HEAD(gone);
	unsigned long id;

	spin_lock_bh(&peer->lock);
	xa_for_each(&peer->paths, id, path) {
		if (path->group != group || !path->doomed)
			continue;
		xa_erase(&peer->paths, id);
		lb_nl_path_ntf(path, path->state, LB_CMD_PATH_DEL_NTF);
		list_add(&path->gone, &gone);
		group->n_paths--;
		peer->n_paths--;
		peer->lb->n_paths--;
	}
	lb_paths_publish(peer, spare);
	spin_unlock_bh(&peer->lock);
	lb_nl_changed();
	list_for_each_entry_safe(path, next, &gone, gone)
		kfree_rcu(path, rcu);
}

/**
 * lb_path_del() - delete one path, or its group if it is the last
 * @path: the path
 *
 * Context: process, RTNL held.
 */
void lb_path_del(struct lb_path *path)
{
	path->doomed = true;
	if (path->group->n_paths == 1)
		lb_group_del(path->group);
	else
		lb_paths_remove(path->group);
}

