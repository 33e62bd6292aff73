// SPDX-License-Identifier: GPL-2.0
/* The set of paths that data may take, and the policy that chooses from it. */

#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "path.h"
#include "peer.h"

/**
 * struct lb_priv - state of a policy for a peer
 * @rcu: frees it
 * @ops: the policy
 * @data: its state
 */
struct lb_priv {
	struct rcu_head rcu;
	const struct lb_policy_ops *ops;
	u8 data[] __aligned(SMP_CACHE_BYTES);
};

static struct lb_priv *lb_priv_alloc(const struct lb_policy_ops *ops)
{
	struct lb_priv *priv = kzalloc(sizeof(*priv) + ops->priv_size,
				       GFP_KERNEL);
	struct lb_rnd rnd = { .s = get_random_u64() };

	if (!priv)
		return NULL;
	priv->ops = ops;
	if (ops->init)
		ops->init(priv->data, &rnd);
	return priv;
}

static void lb_priv_free(struct rcu_head *rcu)
{
	struct lb_priv *priv = container_of(rcu, struct lb_priv, rcu);

	if (priv->ops->release)
		priv->ops->release(priv->data);
	kfree(priv);
}

/* An empty set with room for @n paths. */
static struct lb_paths *lb_paths_alloc(struct lb_priv *priv, u32 n, gfp_t gfp)
{
	size_t head = struct_size_t(struct lb_paths, path, n);
	struct lb_paths *set;

	set = kvzalloc(head + lb_choices_size(priv->ops, n), gfp | __GFP_NOWARN);
	if (!set)
		return NULL;
	set->room = n;
	set->ops = priv->ops;
	set->owner = priv;
	set->priv = priv->data;
	lb_choices_init(&set->choices, (void *)set + head, n);
	return set;
}

static struct lb_paths *lb_paths_of(struct lb_peer *peer)
{
	return rcu_dereference_protected(peer->usable,
					 lockdep_is_held(&peer->lock));
}

/* Whether data may take the path; with @any, also one that is not good. */
static bool lb_path_fits(const struct lb_path *path, bool any)
{
	if (path->state == LB_PATH_STATE_GOOD)
		return true;
	return any && !path->denied && path->group->seen.device;
}

static u32 lb_paths_count(struct lb_peer *peer, bool any)
{
	struct lb_path *path;
	unsigned long id;
	u32 n = 0;

	xa_for_each(&peer->paths, id, path)
		n += lb_path_fits(path, any);
	return n;
}

/**
 * lb_paths_publish() - publish the set anew after something changed
 * @peer: the peer
 * @spare: an empty set to fill, NULL to allocate one
 *
 * If no path is good, data goes on over all that the operator allows: better
 * a bad path than none. Without memory the old set stays for the moment, and
 * the peer's work tries again.
 *
 * Context: lb_peer.lock held.
 * Return: whether it was published.
 */
bool lb_paths_publish(struct lb_peer *peer, struct lb_paths *spare)
{
	struct lb_paths *old = lb_paths_of(peer), *set = spare;
	u32 n = lb_paths_count(peer, false);
	struct lb_path *path;
	unsigned long id;
	bool any = !n;

	lockdep_assert_held(&peer->lock);
	if (any)
		n = lb_paths_count(peer, true);
	if (!set)
		set = lb_paths_alloc(old->owner, n, GFP_ATOMIC);
	if (!set || set->room < n) {
		if (set)
			kvfree_rcu(set, rcu);
		WRITE_ONCE(peer->stale, true);
		lb_peer_kick(peer, HZ / 100 ?: 1);
		return false;
	}

	xa_for_each(&peer->paths, id, path) {
		if (!lb_path_fits(path, any))
			continue;
		set->path[set->choices.n] = path;
		lb_choices_add(&set->choices, path->id, path->weight);
	}
	if (set->ops->path_event)
		set->ops->path_event(set->priv, &set->choices,
				     old && old->owner == set->owner ?
				     &old->choices : NULL);
	rcu_assign_pointer(peer->usable, set);
	WRITE_ONCE(peer->stale, false);
	if (old)
		kvfree_rcu(old, rcu);
	return true;
}

/**
 * lb_paths_retry() - publish a set for which there was no memory
 * @peer: the peer
 *
 * Context: process.
 */
void lb_paths_retry(struct lb_peer *peer)
{
	if (!READ_ONCE(peer->stale))
		return;
	spin_lock_bh(&peer->lock);
	lb_paths_publish(peer, NULL);
	spin_unlock_bh(&peer->lock);
}

/**
 * lb_paths_spare() - an empty set to fill later, when nothing may fail
 * @peer: the peer
 *
 * Context: process, RTNL held, may sleep until there is memory.
 * Return: the set, with room for all paths that the peer has.
 */
struct lb_paths *lb_paths_spare(struct lb_peer *peer)
{
	struct lb_priv *owner = rtnl_dereference(peer->usable)->owner;

	return lb_paths_alloc(owner, peer->n_paths, GFP_KERNEL | __GFP_NOFAIL);
}

/**
 * lb_policy_prepare() - allocate what another policy needs
 * @peer: the peer
 * @ops: the policy
 *
 * Context: process, RTNL held.
 * Return: 0 or -ENOMEM. Then lb_policy_commit() or lb_policy_cancel().
 */
int lb_policy_prepare(struct lb_peer *peer, const struct lb_policy_ops *ops)
{
	struct lb_priv *priv = lb_priv_alloc(ops);

	if (!priv)
		return -ENOMEM;
	peer->prepared = lb_paths_alloc(priv, peer->n_paths, GFP_KERNEL);
	if (peer->prepared)
		return 0;
	lb_priv_free(&priv->rcu);
	return -ENOMEM;
}

/**
 * lb_policy_commit() - choose by the prepared policy from now on
 * @peer: the peer
 *
 * Context: process, RTNL held.
 */
void lb_policy_commit(struct lb_peer *peer)
{
	struct lb_priv *old = NULL;

	spin_lock_bh(&peer->lock);
	if (lb_paths_of(peer))
		old = lb_paths_of(peer)->owner;
	lb_paths_publish(peer, peer->prepared);
	spin_unlock_bh(&peer->lock);
	peer->prepared = NULL;
	if (old)
		call_rcu(&old->rcu, lb_priv_free);
}

/**
 * lb_policy_cancel() - do not change the policy after all
 * @peer: the peer; perhaps nothing was prepared
 *
 * Context: process, RTNL held.
 */
void lb_policy_cancel(struct lb_peer *peer)
{
	if (!peer->prepared)
		return;
	lb_priv_free(&peer->prepared->owner->rcu);
	kvfree(peer->prepared);
	peer->prepared = NULL;
}

/**
 * lb_paths_destroy() - free a peer's set and policy
 * @peer: the peer, which nobody else sees any more
 */
void lb_paths_destroy(struct lb_peer *peer)
{
	struct lb_paths *set = rcu_dereference_protected(peer->usable, 1);

	if (!set)
		return;
	lb_priv_free(&set->owner->rcu);
	kvfree(set);
}
