// SPDX-License-Identifier: GPL-2.0
/* Module and namespace life cycle. */

#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <net/netns/generic.h>
#include <net/rtnetlink.h>

#include "device.h"
#include "member.h"
#include "net.h"
#include "netlink.h"
#include "peer.h"

static unsigned int lb_net_id;

/**
 * lb_net() - lb's state of a namespace
 * @net: the namespace
 *
 * Return: the state.
 */
struct lb_net *lb_net(const struct net *net)
{
	return net_generic(net, lb_net_id);
}

static int __net_init lb_net_init(struct net *net)
{
	struct lb_net *ln = lb_net(net);
	int err;

	ln->net = net;
	INIT_LIST_HEAD(&ln->devs);
	INIT_LIST_HEAD(&ln->members);
	INIT_LIST_HEAD(&ln->socks);
	err = rhashtable_init(&ln->pairs, &lb_pair_params);
	if (err)
		return err;
	err = rhashtable_init(&ln->sessions, &lb_session_params);
	if (err)
		rhashtable_destroy(&ln->pairs);
	return err;
}

/* Devices made here die with the namespace, also those moved elsewhere. */
static void __net_exit lb_net_exit_batch(struct list_head *nets)
{
	struct lb_dev *lb, *next;
	LIST_HEAD(kill);
	struct net *net;

	rtnl_lock();
	list_for_each_entry(net, nets, exit_list)
		list_for_each_entry_safe(lb, next, &lb_net(net)->devs, list)
			unregister_netdevice_queue(lb->dev, &kill);
	unregister_netdevice_many(&kill);
	rtnl_unlock();

	list_for_each_entry(net, nets, exit_list) {
		rhashtable_destroy(&lb_net(net)->sessions);
		rhashtable_destroy(&lb_net(net)->pairs);
	}
}

static struct pernet_operations lb_net_ops = {
	.init		= lb_net_init,
	.exit_batch	= lb_net_exit_batch,
	.id		= &lb_net_id,
	.size		= sizeof(struct lb_net),
};

static int __init lb_module_init(void)
{
	int err;

	lb_rnd_init();
	lb_wq = alloc_workqueue("lb", WQ_UNBOUND, 0);
	if (!lb_wq)
		return -ENOMEM;
	err = register_pernet_subsys(&lb_net_ops);
	if (err)
		goto err_wq;
	err = register_netdevice_notifier(&lb_member_notifier);
	if (err)
		goto err_pernet;
	err = rtnl_link_register(&lb_link_ops);
	if (err)
		goto err_notifier;
	err = genl_register_family(&lb_genl_family);
	if (err)
		goto err_link;
	return 0;

err_link:
	rtnl_link_unregister(&lb_link_ops);
err_notifier:
	unregister_netdevice_notifier(&lb_member_notifier);
err_pernet:
	unregister_pernet_subsys(&lb_net_ops);
err_wq:
	destroy_workqueue(lb_wq);
	return err;
}

static void __exit lb_module_exit(void)
{
	genl_unregister_family(&lb_genl_family);
	rtnl_link_unregister(&lb_link_ops);
	unregister_netdevice_notifier(&lb_member_notifier);
	unregister_pernet_subsys(&lb_net_ops);
	/* Work that waits for a grace period, then what it frees. */
	rcu_barrier();
	destroy_workqueue(lb_wq);
	rcu_barrier();
}

module_init(lb_module_init);
module_exit(lb_module_exit);

MODULE_DESCRIPTION("Packet spraying over all paths to a peer");
MODULE_LICENSE("GPL");
MODULE_VERSION(LB_VERSION);
MODULE_ALIAS_RTNL_LINK("lb");
MODULE_ALIAS_GENL_FAMILY(LB_GENL_NAME);
