/* SPDX-License-Identifier: GPL-2.0 */
/* The UDP socket of a port, shared by the devices of a namespace. */
#ifndef _LB_SOCK_H
#define _LB_SOCK_H

#include <linux/netfilter.h>
#include <linux/skbuff.h>

struct lb_dev;
struct lb_net;
struct netlink_ext_ack;
struct socket;

/**
 * struct lb_sock - a port that lb listens to
 * @list: in lb_net.socks, RCU
 * @ln: the namespace
 * @port: host order
 * @refs: devices that use it, under RTNL
 * @early: how many of them take packets at the ingress hook, under RTNL
 * @first: a device that listens, for what can be counted nowhere else; RCU
 * @v4: IPv4 socket
 * @v6: IPv6 socket, NULL where the namespace has no IPv6
 * @rcu: frees it
 */
struct lb_sock {
	struct list_head list;
	struct lb_net *ln;
	u16 port;
	u32 refs;
	u32 early;
	struct lb_dev __rcu *first;
	struct socket *v4;
	struct socket *v6;
	struct rcu_head rcu;
};

struct lb_sock *lb_sock_get(struct lb_net *ln, u16 port);
void lb_sock_put(struct lb_sock *ls);
struct lb_sock *lb_sock_find(struct lb_net *ln, u16 port);
unsigned int lb_hook(void *priv, struct sk_buff *skb,
		     const struct nf_hook_state *state);

#endif /* _LB_SOCK_H */
