/* SPDX-License-Identifier: GPL-2.0 */
/* State of lb per network namespace, that of the outer packets. */
#ifndef _LB_NET_H
#define _LB_NET_H

#include <linux/rhashtable.h>
#include <net/net_namespace.h>

/**
 * struct lb_net - lb in a namespace
 * @net: the namespace
 * @devs: lb devices created in it, under RTNL
 * @members: struct lb_member, under RTNL
 * @socks: struct lb_sock, RCU, changed under RTNL
 * @pairs: struct lb_pair
 * @sessions: struct lb_session by id
 */
struct lb_net {
	struct net *net;
	struct list_head devs;
	struct list_head members;
	struct list_head socks;
	struct rhashtable pairs;
	struct rhashtable sessions;
};

struct lb_net *lb_net(const struct net *net);

#endif /* _LB_NET_H */
