/* SPDX-License-Identifier: GPL-2.0 */
/* Member devices: the devices that path groups are bound to, by name. */
#ifndef _LB_MEMBER_H
#define _LB_MEMBER_H

#include <linux/netdevice.h>
#include <linux/netfilter.h>

struct lb_net;

/**
 * struct lb_hook - an ingress hook
 * @ops: as registered
 * @rcu: frees it
 */
struct lb_hook {
	struct nf_hook_ops ops;
	struct rcu_head rcu;
};

/**
 * struct lb_member - a member device
 * @list: in lb_net.members, under RTNL
 * @ln: the namespace
 * @name: of the device; follows a rename
 * @dev: the device while there is one of that name, RCU
 * @tracker: of the reference to @dev
 * @hook: ingress hook while registered, else NULL
 * @groups: path groups bound to it, under RTNL
 * @rcu: frees it
 */
struct lb_member {
	struct list_head list;
	struct lb_net *ln;
	char name[IFNAMSIZ];
	struct net_device __rcu *dev;
	netdevice_tracker tracker;
	struct lb_hook *hook;
	struct list_head groups;
	struct rcu_head rcu;
};

struct lb_group;
struct lb_seen;

struct lb_member *lb_member_get(struct lb_net *ln, const char *name,
				struct netlink_ext_ack *extack);
void lb_member_put(struct lb_member *m);
void lb_member_seen(const struct lb_group *group, struct lb_seen *seen);
void lb_member_hooks(struct lb_net *ln);

extern struct notifier_block lb_member_notifier;

#endif /* _LB_MEMBER_H */
