// SPDX-License-Identifier: GPL-2.0
/* Generic netlink: the family, devices, policies, and what all share. */

#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <net/sock.h>

#include "device.h"
#include "net.h"
#include "netlink.h"
#include "netlink_gen.h"
#include "peer.h"

static const struct genl_multicast_group lb_nl_mcgrps[] = {
	[LB_NLGRP_EVENTS] = { .name = LB_MCGRP_EVENTS },
};

struct genl_family lb_genl_family __ro_after_init = {
	.name		= LB_GENL_NAME,
	.version	= LB_GENL_VERSION,
	.maxattr	= 0,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.ops		= lb_nl_ops,
	.n_ops		= ARRAY_SIZE(lb_nl_ops),
	/* From there on NLM_F_CREATE, _EXCL and _REPLACE would be refused. */
	.resv_start_op	= __LB_CMD_MAX,
	.mcgrps		= lb_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(lb_nl_mcgrps),
};

/* Counts what was added or deleted, so that a dump that saw half of it knows. */
static unsigned int lb_nl_generation = 1;

/**
 * lb_nl_changed() - an object came or went
 *
 * Context: process, RTNL held.
 */
void lb_nl_changed(void)
{
	ASSERT_RTNL();
	/* Zero would mean that the dump has not begun. */
	if (!++lb_nl_generation)
		lb_nl_generation = 1;
}

/**
 * lb_nl_put_dump() - begin a message of a dump
 * @skb: message
 * @cb: the dump
 * @cmd: command
 *
 * Return: its header, or NULL if the message is full.
 */
void *lb_nl_put_dump(struct sk_buff *skb, struct netlink_callback *cb, int cmd)
{
	void *hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				cb->nlh->nlmsg_seq, &lb_genl_family,
				NLM_F_MULTI, cmd);

	if (hdr)
		genl_dump_check_consistent(cb, hdr);
	return hdr;
}

/**
 * lb_nl_put_one() - begin a message that answers a request
 * @skb: message
 * @info: the request
 * @cmd: command
 *
 * Return: its header, or NULL if the message is full.
 */
void *lb_nl_put_one(struct sk_buff *skb, struct genl_info *info, int cmd)
{
	return genlmsg_put(skb, info->snd_portid, info->snd_seq,
			   &lb_genl_family, 0, cmd);
}

static struct lb_dev *lb_nl_dev_by(struct net *net, struct nlattr **attrs,
				   struct netlink_ext_ack *extack)
{
	struct net_device *dev;

	ASSERT_RTNL();
	/* The device's attributes are the first two of each set. */
	if (attrs[LB_A_DEV_IFINDEX]) {
		dev = __dev_get_by_index(net,
					 nla_get_u32(attrs[LB_A_DEV_IFINDEX]));
	} else if (attrs[LB_A_DEV_IFNAME]) {
		dev = __dev_get_by_name(net, nla_data(attrs[LB_A_DEV_IFNAME]));
	} else {
		NL_SET_ERR_MSG(extack, "lb: no device named");
		return ERR_PTR(-EINVAL);
	}
	if (!dev) {
		NL_SET_ERR_MSG(extack, "lb: no such device");
		return ERR_PTR(-ENODEV);
	}
	if (!lb_is_lb(dev)) {
		NL_SET_ERR_MSG(extack, "lb: not an lb device");
		return ERR_PTR(-EOPNOTSUPP);
	}
	if (dev->reg_state != NETREG_REGISTERED) {
		NL_SET_ERR_MSG(extack, "lb: the device is going away");
		return ERR_PTR(-ENODEV);
	}
	return netdev_priv(dev);
}

/**
 * lb_nl_dev() - the device that a request names
 * @skb: the request
 * @info: the request
 * @write: it changes something
 *
 * A device that sends in another namespace than it is in takes rights there,
 * too, to be changed.
 *
 * Context: process, RTNL held.
 * Return: the device, or an error pointer.
 */
struct lb_dev *lb_nl_dev(struct sk_buff *skb, struct genl_info *info,
			 bool write)
{
	struct net *net = genl_info_net(info);
	struct lb_dev *lb = lb_nl_dev_by(net, info->attrs, info->extack);

	if (!IS_ERR(lb) && write && !net_eq(lb->net, net) &&
	    !netlink_ns_capable(skb, lb->net->user_ns, CAP_NET_ADMIN)) {
		NL_SET_ERR_MSG(info->extack, "lb: the device sends in another namespace");
		return ERR_PTR(-EPERM);
	}
	return lb;
}

/**
 * lb_nl_peer() - the peer that a request names
 * @lb: its device
 * @addr: attribute, or NULL
 * @extack: where the reason of a refusal goes
 *
 * Context: process, RTNL held.
 * Return: the peer, or an error pointer.
 */
struct lb_peer *lb_nl_peer(struct lb_dev *lb, struct nlattr *addr,
			   struct netlink_ext_ack *extack)
{
	struct in6_addr a;
	struct lb_peer *peer;

	if (!addr) {
		NL_SET_ERR_MSG(extack, "lb: no peer named");
		return ERR_PTR(-EINVAL);
	}
	a = nla_get_in6_addr(addr);
	rcu_read_lock();
	peer = lb_peer_by_addr(lb, &a);
	rcu_read_unlock();
	if (!peer) {
		NL_SET_ERR_MSG_ATTR(extack, addr, "lb: no such peer");
		return ERR_PTR(-ENOENT);
	}
	return peer;
}

/**
 * lb_nl_put_dev_key() - name the device of an object
 * @skb: message
 * @lb: the device
 * @ifindex: attribute type
 * @ifname: attribute type
 *
 * Return: 0 or -EMSGSIZE.
 */
int lb_nl_put_dev_key(struct sk_buff *skb, const struct lb_dev *lb,
		      int ifindex, int ifname)
{
	if (nla_put_u32(skb, ifindex, lb->dev->ifindex) ||
	    nla_put_string(skb, ifname, lb->dev->name))
		return -EMSGSIZE;
	return 0;
}

/**
 * lb_nl_put_counters() - a nest of counters, less what they were at the reset
 * @skb: message
 * @nest: attribute type of the nest
 * @pad: attribute type for padding
 * @v: counters by attribute type
 * @base: likewise, at the last reset
 * @first: first attribute type
 * @last: last attribute type
 *
 * Return: 0 or -EMSGSIZE.
 */
int lb_nl_put_counters(struct sk_buff *skb, int nest, int pad, const u64 *v,
		       const u64 *base, int first, int last)
{
	struct nlattr *at = nla_nest_start(skb, nest);
	int i;

	if (!at)
		return -EMSGSIZE;
	for (i = first; i <= last; i++) {
		if (nla_put_u64_64bit(skb, i, v[i] - base[i], pad)) {
			nla_nest_cancel(skb, at);
			return -EMSGSIZE;
		}
	}
	nla_nest_end(skb, at);
	return 0;
}

/**
 * lb_nl_put_config() - a device's settings
 * @skb: message
 * @lb: the device
 *
 * Context: process, RTNL held.
 * Return: 0 or -EMSGSIZE.
 */
int lb_nl_put_config(struct sk_buff *skb, const struct lb_dev *lb)
{
	const struct lb_config *c = &lb->config;

	if (nla_put_u16(skb, LB_A_CONFIG_PORT, c->port) ||
	    nla_put_string(skb, LB_A_CONFIG_POLICY, c->policy->name) ||
	    nla_put_u16(skb, LB_A_CONFIG_LANES, c->lanes) ||
	    nla_put_u8(skb, LB_A_CONFIG_EARLY_RX, c->early_rx) ||
	    nla_put_u32(skb, LB_A_CONFIG_HOLD_MIN, c->hold_min) ||
	    nla_put_u32(skb, LB_A_CONFIG_HOLD_MAX, c->hold_max) ||
	    nla_put_u32(skb, LB_A_CONFIG_HOLD_MEMORY, c->hold_memory) ||
	    nla_put_u32(skb, LB_A_CONFIG_FWMARK, c->fwmark) ||
	    nla_put_u8(skb, LB_A_CONFIG_CSUM, c->csum) ||
	    nla_put_u8(skb, LB_A_CONFIG_TTL, c->ttl) ||
	    nla_put_u32(skb, LB_A_CONFIG_PROBE_INTERVAL, c->probe_interval) ||
	    (c->seq_fixed &&
	     nla_put_u32(skb, LB_A_CONFIG_SEQ_START, c->seq_start)))
		return -EMSGSIZE;
	return 0;
}

static int lb_nl_put_drops(struct sk_buff *skb, const u64 *v, const u64 *base)
{
	struct nlattr *at;
	int i;

	for (i = 0; i <= LB_DROP_MAX; i++) {
		int c = LB_COUNT_DROP(i);

		at = nla_nest_start(skb, LB_A_DEV_DROP);
		if (!at)
			return -EMSGSIZE;
		if (nla_put_u32(skb, LB_A_DROP_COUNT_REASON, i) ||
		    nla_put_u64_64bit(skb, LB_A_DROP_COUNT_PACKETS,
				      v[c] - base[c],
				      LB_A_DROP_COUNT_PAD)) {
			nla_nest_cancel(skb, at);
			return -EMSGSIZE;
		}
		nla_nest_end(skb, at);
	}
	return 0;
}

/* Packets and bytes are those of the network device, as ip -s shows them. */
static void lb_nl_link_stats(struct lb_dev *lb, u64 *v)
{
	struct rtnl_link_stats64 st;

	dev_get_stats(lb->dev, &st);
	v[LB_A_DEV_STATS_TX_PACKETS] = st.tx_packets;
	v[LB_A_DEV_STATS_TX_BYTES] = st.tx_bytes;
	v[LB_A_DEV_STATS_RX_PACKETS] = st.rx_packets;
	v[LB_A_DEV_STATS_RX_BYTES] = st.rx_bytes;
}

/* Fill and end the message that begins with @hdr. */
static int lb_nl_fill_dev(struct sk_buff *skb, void *hdr, struct lb_dev *lb)
{
	struct nlattr *at;
	int err = -EMSGSIZE;
	u64 *v;

	if (!hdr)
		return -EMSGSIZE;
	v = kmalloc_array(LB_DEV_COUNT, sizeof(*v), GFP_KERNEL);
	if (!v) {
		err = -ENOMEM;
		goto cancel;
	}
	if (lb_nl_put_dev_key(skb, lb, LB_A_DEV_IFINDEX, LB_A_DEV_IFNAME))
		goto cancel;
	at = nla_nest_start(skb, LB_A_DEV_CONFIG);
	if (!at || lb_nl_put_config(skb, lb))
		goto cancel;
	nla_nest_end(skb, at);
	lb_dev_counters_read(lb, v);
	lb_nl_link_stats(lb, v);
	if (nla_put_u32(skb, LB_A_DEV_PEERS, lb->n_peers) ||
	    nla_put_u32(skb, LB_A_DEV_PATHS, lb->n_paths) ||
	    nla_put_u32(skb, LB_A_DEV_RX_QUEUES, lb->n_rxq) ||
	    nla_put_u32(skb, LB_A_DEV_MAX_MTU, lb->dev->max_mtu) ||
	    lb_nl_put_counters(skb, LB_A_DEV_STATS, LB_A_DEV_STATS_PAD, v,
			       lb->counters_base, LB_A_DEV_STATS_TX_PACKETS,
			       LB_A_DEV_STATS_MAX) ||
	    lb_nl_put_drops(skb, v, lb->counters_base))
		goto cancel;
	genlmsg_end(skb, hdr);
	kfree(v);
	return 0;
cancel:
	genlmsg_cancel(skb, hdr);
	kfree(v);
	return err;
}

/**
 * lb_nl_reply() - send an answer, or give it up
 * @msg: the answer
 * @info: the request
 * @err: whether it could be filled
 *
 * Return: 0 or a negative error.
 */
int lb_nl_reply(struct sk_buff *msg, struct genl_info *info, int err)
{
	if (!err)
		return genlmsg_reply(msg, info);
	nlmsg_free(msg);
	return err;
}

/**
 * lb_nl_event() - begin an event
 * @lb: the device
 * @cmd: command
 * @hdr: set to the header, NULL if it did not fit
 * @gfp: allocation flags
 *
 * Return: the message, or NULL if nobody listens or there is no memory.
 */
struct sk_buff *lb_nl_event(struct lb_dev *lb, int cmd, void **hdr, gfp_t gfp)
{
	struct sk_buff *msg;

	if (!genl_has_listeners(&lb_genl_family, dev_net(lb->dev),
				LB_NLGRP_EVENTS))
		return NULL;
	msg = genlmsg_new(NLMSG_GOODSIZE, gfp);
	if (msg)
		*hdr = genlmsg_put(msg, 0, 0, &lb_genl_family, 0, cmd);
	return msg;
}

/**
 * lb_nl_multicast() - send an event, or give it up
 * @lb: the device
 * @msg: the event
 * @err: whether it could be filled
 * @gfp: allocation flags
 */
void lb_nl_multicast(struct lb_dev *lb, struct sk_buff *msg, int err, gfp_t gfp)
{
	if (err) {
		nlmsg_free(msg);
		genl_set_err(&lb_genl_family, dev_net(lb->dev), 0,
			     LB_NLGRP_EVENTS, -ENOBUFS);
		return;
	}
	genlmsg_multicast_netns(&lb_genl_family, dev_net(lb->dev), msg, 0,
				LB_NLGRP_EVENTS, gfp);
}

/**
 * lb_nl_dump() - dump objects of devices
 * @skb: message
 * @cb: the dump; its context is a struct lb_nl_cursor
 * @one: dump objects of a device from the @n-th on and move @n; -EMSGSIZE when
 *	the message is full
 *
 * Devices go by ifindex, so that a dump can go on after one came or went.
 *
 * Return: length of the message, or a negative error.
 */
int lb_nl_dump(struct sk_buff *skb, struct netlink_callback *cb,
	       int (*one)(struct sk_buff *skb, struct netlink_callback *cb,
			  struct lb_dev *lb, u32 *n))
{
	struct net *net = sock_net(skb->sk);
	struct nlattr **attrs = lb_compat_dump_attrs(cb);
	struct lb_nl_cursor *at = (void *)cb->ctx;
	struct lb_dev *only = NULL;
	struct net_device *dev;
	int err = 0;

	rtnl_lock();
	if (attrs && (attrs[LB_A_DEV_IFINDEX] || attrs[LB_A_DEV_IFNAME])) {
		only = lb_nl_dev_by(net, attrs, cb->extack);
		if (IS_ERR(only)) {
			err = PTR_ERR(only);
			goto out;
		}
	}
	cb->seq = lb_nl_generation;
	for (;;) {
		struct net_device *next = NULL;

		for_each_netdev(net, dev)
			if (lb_is_lb(dev) && dev->ifindex >= at->ifindex &&
			    (!next || dev->ifindex < next->ifindex))
				next = dev;
		if (!next)
			break;
		if (next->ifindex > at->ifindex) {
			at->ifindex = next->ifindex;
			at->n = 0;
		}
		if (!only || only->dev == next) {
			err = one(skb, cb, netdev_priv(next), &at->n);
			if (err)
				break;
		}
		at->ifindex++;
		at->n = 0;
	}
out:
	rtnl_unlock();
	return err == -EMSGSIZE && skb->len ? skb->len : err ?: skb->len;
}

static int lb_nl_dump_dev(struct sk_buff *skb, struct netlink_callback *cb,
			  struct lb_dev *lb, u32 *n)
{
	return lb_nl_fill_dev(skb, lb_nl_put_dump(skb, cb, LB_CMD_DEV_GET), lb);
}

int lb_nl_dev_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return lb_nl_dump(skb, cb, lb_nl_dump_dev);
}

int lb_nl_dev_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *msg;
	struct lb_dev *lb;
	int err;

	msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	rtnl_lock();
	lb = lb_nl_dev(skb, info, false);
	err = PTR_ERR_OR_ZERO(lb);
	if (!err)
		err = lb_nl_fill_dev(msg, lb_nl_put_one(msg, info, LB_CMD_DEV_GET),
				     lb);
	rtnl_unlock();
	return lb_nl_reply(msg, info, err);
}

int lb_nl_dev_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *config = info->attrs[LB_A_DEV_CONFIG];
	struct nlattr *attrs[LB_A_CONFIG_MAX + 1];
	struct lb_dev *lb;
	int err;

	if (!config) {
		NL_SET_ERR_MSG(info->extack, "lb: nothing to set");
		return -EINVAL;
	}
	err = nla_parse_nested(attrs, LB_A_CONFIG_MAX, config,
			       lb_config_nl_policy, info->extack);
	if (err)
		return err;
	rtnl_lock();
	lb = lb_nl_dev(skb, info, true);
	err = PTR_ERR_OR_ZERO(lb);
	if (!err)
		err = lb_dev_configure(lb, attrs, info->extack);
	rtnl_unlock();
	return err;
}

/**
 * lb_nl_dev_ntf() - tell that a device came or changed
 * @lb: the device
 *
 * Context: process, RTNL held.
 */
void lb_nl_dev_ntf(struct lb_dev *lb)
{
	struct sk_buff *msg;
	void *hdr;

	lb_nl_changed();
	msg = lb_nl_event(lb, LB_CMD_DEV_NTF, &hdr, GFP_KERNEL);
	if (!msg)
		return;
	lb_nl_multicast(lb, msg, lb_nl_fill_dev(msg, hdr, lb), GFP_KERNEL);
}

/**
 * lb_nl_dev_del_ntf() - tell that a device goes
 * @lb: the device
 *
 * Context: process, RTNL held.
 */
void lb_nl_dev_del_ntf(struct lb_dev *lb)
{
	struct sk_buff *msg;
	void *hdr;
	int err = -EMSGSIZE;

	lb_nl_changed();
	msg = lb_nl_event(lb, LB_CMD_DEV_DEL_NTF, &hdr, GFP_KERNEL);
	if (!msg)
		return;
	if (hdr) {
		err = lb_nl_put_dev_key(msg, lb, LB_A_DEV_IFINDEX,
					LB_A_DEV_IFNAME);
		genlmsg_end(msg, hdr);
	}
	lb_nl_multicast(lb, msg, err, GFP_KERNEL);
}

static int lb_nl_fill_policy(struct sk_buff *skb, void *hdr,
			     const struct lb_policy_ops *ops)
{
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_string(skb, LB_A_POLICY_NAME, ops->name) ||
	    nla_put_string(skb, LB_A_POLICY_DOC, ops->doc)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

int lb_nl_policy_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct lb_nl_cursor *at = (void *)cb->ctx;

	for (; at->n < lb_policies_count; at->n++)
		if (lb_nl_fill_policy(skb,
				      lb_nl_put_dump(skb, cb, LB_CMD_POLICY_GET),
				      lb_policies[at->n]))
			break;
	return skb->len;
}

int lb_nl_policy_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	const struct lb_policy_ops *ops;
	struct sk_buff *msg;
	void *hdr;

	if (GENL_REQ_ATTR_CHECK(info, LB_A_POLICY_NAME)) {
		NL_SET_ERR_MSG(info->extack, "lb: no policy named");
		return -EINVAL;
	}
	ops = lb_policy_find(nla_data(info->attrs[LB_A_POLICY_NAME]));
	if (!ops) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[LB_A_POLICY_NAME],
				    "lb: no such policy");
		return -ENOENT;
	}
	msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	hdr = lb_nl_put_one(msg, info, LB_CMD_POLICY_GET);
	return lb_nl_reply(msg, info, lb_nl_fill_policy(msg, hdr, ops));
}

static void lb_reset_peer(struct lb_peer *peer)
{
	struct lb_path *path;
	unsigned long id;

	lb_peer_counters_read(peer, peer->counters_base);
	WRITE_ONCE(peer->hold_longest, 0);
	spin_lock_bh(&peer->lock);
	lb_peer_gather_rx(peer);
	xa_for_each(&peer->paths, id, path)
		lb_path_read(path, &path->base);
	spin_unlock_bh(&peer->lock);
}

int lb_nl_stats_reset_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct lb_peer *peer;
	struct lb_dev *lb;

	rtnl_lock();
	lb = lb_nl_dev(skb, info, true);
	if (!IS_ERR(lb)) {
		lb_dev_counters_read(lb, lb->counters_base);
		lb_nl_link_stats(lb, lb->counters_base);
		list_for_each_entry(peer, &lb->peers, list)
			lb_reset_peer(peer);
	}
	rtnl_unlock();
	return PTR_ERR_OR_ZERO(lb);
}
