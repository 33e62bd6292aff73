// SPDX-License-Identifier: GPL-2.0
/* Generic netlink: peers. */

#include <linux/rtnetlink.h>
#include <linux/ktime.h>

#include "device.h"
#include "netlink.h"
#include "netlink_gen.h"
#include "peer.h"

static u32 lb_peer_good_paths(struct lb_peer *peer)
{
	struct lb_path *path;
	unsigned long id;
	u32 n = 0;

	xa_for_each(&peer->paths, id, path)
		n += path->state == LB_PATH_STATE_GOOD;
	return n;
}

static int lb_nl_put_sessions(struct sk_buff *skb, struct lb_peer *peer)
{
	const struct lb_tx_session *tx;
	const struct lb_session *rx;
	int err = 0;

	rcu_read_lock();
	tx = rcu_dereference(peer->tx);
	rx = rcu_dereference(peer->rx[LB_RX_CURRENT]);
	if (tx)
		err = nla_put_u32(skb, LB_A_PEER_SESSION_TX, tx->id) ?:
		      nla_put_u32(skb, LB_A_PEER_LANES_TX, tx->n_lanes);
	if (rx && !err)
		err = nla_put_u32(skb, LB_A_PEER_SESSION_RX, rx->id) ?:
		      nla_put_u32(skb, LB_A_PEER_LANES_RX, rx->n_lanes);
	rcu_read_unlock();
	return err;
}

static int lb_nl_put_peer_stats(struct sk_buff *skb, struct lb_peer *peer)
{
	u64 v[LB_PEER_COUNT];

	lb_peer_counters_read(peer, v);
	v[LB_A_PEER_STATS_HOLD_LONGEST] = READ_ONCE(peer->hold_longest);
	lb_peer_held(peer, &v[LB_A_PEER_STATS_HELD_NOW],
		     &v[LB_A_PEER_STATS_HELD_BYTES]);
	return lb_nl_put_counters(skb, LB_A_PEER_STATS, LB_A_PEER_STATS_PAD, v,
				  peer->counters_base,
				  LB_A_PEER_STATS_TX_PACKETS,
				  LB_A_PEER_STATS_MAX);
}

static int lb_nl_put_peer(struct sk_buff *skb, struct lb_peer *peer)
{
	if (lb_nl_put_dev_key(skb, peer->lb, LB_A_PEER_IFINDEX,
			      LB_A_PEER_IFNAME) ||
	    nla_put_in6_addr(skb, LB_A_PEER_ADDR, &peer->addr->addr) ||
	    nla_put_u32(skb, LB_A_PEER_STATE, READ_ONCE(peer->state)) ||
	    nla_put_u32(skb, LB_A_PEER_PATHS, READ_ONCE(peer->n_paths)) ||
	    nla_put_u32(skb, LB_A_PEER_PATHS_GOOD, lb_peer_good_paths(peer)))
		return -EMSGSIZE;
	return 0;
}

/* Session ids prove that a sender is who it says: not for everybody's eyes. */
static bool lb_nl_may_see(const struct sk_buff *asker,
			  const struct lb_peer *peer)
{
	return netlink_ns_capable(asker, peer->lb->net->user_ns,
				  CAP_NET_ADMIN);
}

/* @asker: the request, or what stands for it in a dump */
static int lb_nl_fill_peer(struct sk_buff *skb, void *hdr, struct lb_peer *peer,
			   const struct sk_buff *asker)
{
	u32 i;

	if (!hdr)
		return -EMSGSIZE;
	if (lb_nl_put_peer(skb, peer) ||
	    (lb_nl_may_see(asker, peer) && lb_nl_put_sessions(skb, peer)) ||
	    lb_nl_put_peer_stats(skb, peer) ||
	    nla_put_u64_64bit(skb, LB_A_PEER_AGE,
			      ktime_get_ns() - READ_ONCE(peer->since),
			      LB_A_PEER_PAD))
		goto cancel;
	for (i = 0; i < peer->n_aliases; i++)
		if (nla_put_in6_addr(skb, LB_A_PEER_ALIAS,
				     &peer->aliases[i]->addr))
			goto cancel;
	genlmsg_end(skb, hdr);
	return 0;
cancel:
	genlmsg_cancel(skb, hdr);
	return -EMSGSIZE;
}

/**
 * lb_nl_peer_ntf() - tell that a peer's state changed, or that it goes
 * @peer: the peer
 * @cmd: LB_CMD_PEER_NTF or LB_CMD_PEER_DEL_NTF
 *
 * Context: lb_peer.lock or RTNL held.
 */
void lb_nl_peer_ntf(struct lb_peer *peer, int cmd)
{
	struct sk_buff *msg;
	void *hdr;
	int err = -EMSGSIZE;

	msg = lb_nl_event(peer->lb, cmd, &hdr, GFP_ATOMIC);
	if (!msg)
		return;
	if (hdr) {
		err = lb_nl_put_peer(msg, peer);
		genlmsg_end(msg, hdr);
	}
	lb_nl_multicast(peer->lb, msg, err, GFP_ATOMIC);
}

static int lb_nl_dump_peers(struct sk_buff *skb, struct netlink_callback *cb,
			    struct lb_dev *lb, u32 *n)
{
	struct nlattr **attrs = lb_compat_dump_attrs(cb);
	struct lb_peer *peer, *only = NULL;
	u32 i = 0;
	void *hdr;
	int err;

	if (attrs && attrs[LB_A_PEER_ADDR]) {
		only = lb_nl_peer(lb, attrs[LB_A_PEER_ADDR], NULL);
		if (IS_ERR(only))
			return 0;
	}
	list_for_each_entry(peer, &lb->peers, list) {
		if (i++ < *n)
			continue;
		if (!only || peer == only) {
			hdr = lb_nl_put_dump(skb, cb, LB_CMD_PEER_GET);
			err = lb_nl_fill_peer(skb, hdr, peer, cb->skb);
			if (err)
				return err;
		}
		*n = i;
	}
	return 0;
}

int lb_nl_peer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return lb_nl_dump(skb, cb, lb_nl_dump_peers);
}

/* The peer of a request; RTNL is held. */
static struct lb_peer *lb_nl_peer_of(struct sk_buff *skb,
				     struct genl_info *info, bool write)
{
	struct lb_dev *lb = lb_nl_dev(skb, info, write);

	if (IS_ERR(lb))
		return ERR_CAST(lb);
	return lb_nl_peer(lb, info->attrs[LB_A_PEER_ADDR], info->extack);
}

int lb_nl_peer_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct lb_peer *peer;
	struct sk_buff *msg;
	int err;

	msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	rtnl_lock();
	peer = lb_nl_peer_of(skb, info, false);
	err = PTR_ERR_OR_ZERO(peer);
	if (!err)
		err = lb_nl_fill_peer(msg,
				      lb_nl_put_one(msg, info, LB_CMD_PEER_GET),
				      peer, skb);
	rtnl_unlock();
	return lb_nl_reply(msg, info, err);
}

/* All aliases of the request; returns their number or a negative error. */
static int lb_nl_aliases(struct genl_info *info, struct in6_addr *alias)
{
	struct nlattr *attr;
	int n = 0, rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != LB_A_PEER_ALIAS)
			continue;
		if (n == LB_ALIASES_MAX) {
			NL_SET_ERR_MSG(info->extack, "lb: a peer has at most 8 aliases");
			return -E2BIG;
		}
		alias[n++] = nla_get_in6_addr(attr);
	}
	return n;
}

int lb_nl_peer_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct in6_addr alias[LB_ALIASES_MAX], addr;
	struct nlattr **a = info->attrs;
	struct lb_peer *peer;
	struct lb_dev *lb;
	int err, n;

	if (!a[LB_A_PEER_ADDR]) {
		NL_SET_ERR_MSG(info->extack, "lb: no peer named");
		return -EINVAL;
	}
	n = lb_nl_aliases(info, alias);
	if (n < 0)
		return n;
	addr = nla_get_in6_addr(a[LB_A_PEER_ADDR]);

	rtnl_lock();
	lb = lb_nl_dev(skb, info, true);
	err = PTR_ERR_OR_ZERO(lb);
	if (err)
		goto out;
	peer = lb_nl_peer(lb, a[LB_A_PEER_ADDR], NULL);
	if (IS_ERR(peer)) {
		err = lb_peer_add(lb, &addr, alias, n, info->extack);
	} else if (info->nlhdr->nlmsg_flags & NLM_F_REPLACE) {
		err = lb_peer_set_aliases(peer, alias, n, info->extack);
	} else {
		NL_SET_ERR_MSG_ATTR(info->extack, a[LB_A_PEER_ADDR],
				    "lb: a peer has this address already");
		err = -EEXIST;
	}
out:
	rtnl_unlock();
	return err;
}

int lb_nl_peer_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct in6_addr alias[LB_ALIASES_MAX];
	struct lb_peer *peer;
	int err, n;

	n = lb_nl_aliases(info, alias);
	if (n < 0)
		return n;
	rtnl_lock();
	peer = lb_nl_peer_of(skb, info, true);
	err = PTR_ERR_OR_ZERO(peer);
	if (!err)
		err = lb_peer_set_aliases(peer, alias, n, info->extack);
	rtnl_unlock();
	return err;
}

int lb_nl_peer_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct lb_peer *peer;

	rtnl_lock();
	peer = lb_nl_peer_of(skb, info, true);
	if (!IS_ERR(peer))
		lb_peer_del(peer);
	rtnl_unlock();
	return PTR_ERR_OR_ZERO(peer);
}
