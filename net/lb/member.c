// SPDX-License-Identifier: GPL-2.0
/*
 * Member devices. A path group names its device; it follows that device's
 * carrier, admin state, MTU and end, and takes up a new one of the same name.
 */

#include <linux/inetdevice.h>
#include <linux/netfilter_netdev.h>
#include <linux/rtnetlink.h>

#include "device.h"
#include "member.h"
#include "net.h"
#include "path.h"
#include "peer.h"
#include "sock.h"

/* Whether some device of the namespace wants packets early. */
static bool lb_wants_early(struct lb_net *ln)
{
	struct lb_sock *ls;

	list_for_each_entry(ls, &ln->socks, list)
		if (ls->early)
			return true;
	return false;
}

static void lb_member_unhook(struct lb_member *m)
{
	if (!m->hook)
		return;
	nf_unregister_net_hook(m->ln->net, &m->hook->ops);
	kfree_rcu(m->hook, rcu);
	m->hook = NULL;
}

static void lb_member_hook(struct lb_member *m)
{
	struct net_device *dev = rtnl_dereference(m->dev);
	struct lb_hook *hook;

	if (m->hook || !dev)
		return;
	hook = kzalloc(sizeof(*hook), GFP_KERNEL);
	if (!hook)
		goto err;
	hook->ops.hook = lb_hook;
	hook->ops.dev = dev;
	hook->ops.priv = m->ln;
	hook->ops.pf = NFPROTO_NETDEV;
	hook->ops.hooknum = NF_NETDEV_INGRESS;
	/* After filters that the operator has put there. */
	hook->ops.priority = INT_MAX;
	if (nf_register_net_hook(m->ln->net, &hook->ops)) {
		kfree(hook);
		goto err;
	}
	m->hook = hook;
	return;

err:
	/* The socket takes the packets all the same. */
	netdev_warn(dev, "lb: no ingress hook\n");
}

/**
 * lb_member_hooks() - set up or remove the hooks of all member devices
 * @ln: the namespace
 *
 * Context: process, RTNL held.
 */
void lb_member_hooks(struct lb_net *ln)
{
	bool early = lb_wants_early(ln);
	struct lb_member *m;

	list_for_each_entry(m, &ln->members, list) {
		if (early)
			lb_member_hook(m);
		else
			lb_member_unhook(m);
	}
}

/* A tunnel into itself, or what never leaves the host. */
static bool lb_member_fit(const struct net_device *dev)
{
	return !lb_is_lb(dev) && !(dev->flags & IFF_LOOPBACK);
}

/* Take up a device; its groups are told by lb_member_changed(). */
static void lb_member_bind(struct lb_member *m, struct net_device *dev)
{
	netdev_hold(dev, &m->tracker, GFP_KERNEL);
	rcu_assign_pointer(m->dev, dev);
	if (lb_wants_early(m->ln))
		lb_member_hook(m);
}

/* The device goes: readers that still see it do so in this grace period only. */
static void lb_member_unbind(struct lb_member *m)
{
	struct net_device *dev = rtnl_dereference(m->dev);

	if (!dev)
		return;
	lb_member_unhook(m);
	RCU_INIT_POINTER(m->dev, NULL);
	netdev_put(dev, &m->tracker);
}

/**
 * lb_member_get() - the member of a name, for one more group
 * @ln: the namespace
 * @name: of a device that must exist
 * @extack: where the reason of a refusal goes
 *
 * Context: process, RTNL held.
 * Return: the member, or an error pointer. The caller puts its group into
 * lb_member.groups or calls lb_member_put().
 */
struct lb_member *lb_member_get(struct lb_net *ln, const char *name,
				struct netlink_ext_ack *extack)
{
	struct net_device *dev = __dev_get_by_name(ln->net, name);
	struct lb_member *m;

	ASSERT_RTNL();
	if (!dev) {
		NL_SET_ERR_MSG(extack, "lb: no such member device");
		return ERR_PTR(-ENODEV);
	}
	if (!lb_member_fit(dev)) {
		NL_SET_ERR_MSG(extack, "lb: an lb device or loopback cannot be a member");
		return ERR_PTR(-EINVAL);
	}
	list_for_each_entry(m, &ln->members, list)
		if (rtnl_dereference(m->dev) == dev)
			return m;

	m = kzalloc(sizeof(*m), GFP_KERNEL);
	if (!m)
		return ERR_PTR(-ENOMEM);
	m->ln = ln;
	strscpy(m->name, dev->name, sizeof(m->name));
	INIT_LIST_HEAD(&m->groups);
	list_add_tail(&m->list, &ln->members);
	lb_member_bind(m, dev);
	return m;
}

/**
 * lb_member_put() - a group left
 * @m: the member; freed if it has no groups
 *
 * Context: process, RTNL held.
 */
void lb_member_put(struct lb_member *m)
{
	if (!list_empty(&m->groups))
		return;
	lb_member_unbind(m);
	list_del(&m->list);
	kfree_rcu(m, rcu);
}

/**
 * lb_member_seen() - what the member device says of a group's paths
 * @group: the group
 * @seen: device, running and carrier are set
 *
 * Context: process, RTNL held.
 */
void lb_member_seen(const struct lb_group *group, struct lb_seen *seen)
{
	struct net_device *dev;

	seen->device = true;
	seen->running = true;
	seen->carrier = true;
	if (!group->member)
		return;
	dev = rtnl_dereference(group->member->dev);
	seen->device = dev;
	seen->running = dev && netif_running(dev);
	seen->carrier = dev && netif_carrier_ok(dev);
}

static void lb_member_changed(struct lb_member *m, bool mtu)
{
	struct lb_group *g;

	list_for_each_entry(g, &m->groups, member_list) {
		struct lb_seen seen = { .route = true };

		lb_member_seen(g, &seen);
		dst_cache_reset(&g->cache);
		lb_group_update(g, &seen);
		if (mtu)
			lb_dev_update_mtu(g->peer->lb);
	}
}

/*
 * A device has a name: if it is a member, the member has that name now; if not,
 * some member may have waited for the name.
 */
static void lb_member_named(struct lb_net *ln, struct net_device *dev)
{
	struct lb_member *m;

	list_for_each_entry(m, &ln->members, list) {
		if (rtnl_dereference(m->dev) == dev) {
			strscpy(m->name, dev->name, sizeof(m->name));
			return;
		}
	}
	if (!lb_member_fit(dev))
		return;
	list_for_each_entry(m, &ln->members, list) {
		if (!rtnl_dereference(m->dev) && !strcmp(m->name, dev->name)) {
			lb_member_bind(m, dev);
			lb_member_changed(m, true);
			return;
		}
	}
}

static int lb_member_event(struct notifier_block *nb, unsigned long event,
			   void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct lb_net *ln = lb_net(dev_net(dev));
	struct lb_member *m, *next;

	if (event == NETDEV_REGISTER || event == NETDEV_CHANGENAME) {
		lb_member_named(ln, dev);
		return NOTIFY_DONE;
	}

	list_for_each_entry_safe(m, next, &ln->members, list) {
		if (rtnl_dereference(m->dev) != dev)
			continue;
		switch (event) {
		case NETDEV_UNREGISTER:
			lb_member_unbind(m);
			fallthrough;
		case NETDEV_CHANGEMTU:
			lb_member_changed(m, true);
			break;
		case NETDEV_UP:
		case NETDEV_GOING_DOWN:
		case NETDEV_DOWN:
		case NETDEV_CHANGE:
			lb_member_changed(m, false);
			break;
		}
	}
	return NOTIFY_DONE;
}

struct notifier_block lb_member_notifier = {
	.notifier_call = lb_member_event,
};
