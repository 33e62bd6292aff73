// SPDX-License-Identifier: GPL-2.0
/* Generic netlink: path groups and paths. */

#include <linux/rtnetlink.h>
#include <linux/ktime.h>

#include "device.h"
#include "member.h"
#include "netlink.h"
#include "netlink_gen.h"
#include "peer.h"

static int lb_nl_put_path_stats(struct sk_buff *skb, struct lb_path *path)
{
	u64 v[LB_A_PATH_STATS_MAX + 1], base[LB_A_PATH_STATS_MAX + 1] = {};
	struct lb_path_base now, *zero = &path->base;
	struct lb_peer *peer = path->group->peer;
	struct lb_rtt rtt;

	spin_lock_bh(&peer->lock);
	lb_path_read(path, &now);
	rtt = path->rtt;
	spin_unlock_bh(&peer->lock);

	v[LB_A_PATH_STATS_TX_PACKETS] = now.seq - zero->seq;
	v[LB_A_PATH_STATS_TX_BYTES] = now.tx_bytes - zero->tx_bytes;
	v[LB_A_PATH_STATS_RX_PACKETS] = now.rx.packets - zero->rx.packets;
	v[LB_A_PATH_STATS_RX_BYTES] = now.rx.bytes - zero->rx.bytes;
	v[LB_A_PATH_STATS_RX_LOST] = now.rx.lost - zero->rx.lost;
	v[LB_A_PATH_STATS_RX_CE] = now.rx.ce - zero->rx.ce;
	v[LB_A_PATH_STATS_RTT] = rtt.last;
	v[LB_A_PATH_STATS_RTT_MIN] = rtt.min;
	v[LB_A_PATH_STATS_RTT_MEAN] = rtt.mean;
	v[LB_A_PATH_STATS_LOST] = now.lost - zero->lost;
	v[LB_A_PATH_STATS_CE] = now.ce - zero->ce;
	v[LB_A_PATH_STATS_PROBES] = now.probes - zero->probes;
	v[LB_A_PATH_STATS_PROBES_ANSWERED] = now.answers - zero->answers;
	v[LB_A_PATH_STATS_TRANSITIONS] = now.transitions - zero->transitions;
	return lb_nl_put_counters(skb, LB_A_PATH_STATS, LB_A_PATH_STATS_PAD, v,
				  base, LB_A_PATH_STATS_TX_PACKETS,
				  LB_A_PATH_STATS_MAX);
}

/* What names a path, and its state. */
static int lb_nl_put_path(struct sk_buff *skb, const struct lb_path *path)
{
	const struct lb_group *g = path->group;

	if (lb_nl_put_dev_key(skb, g->peer->lb, LB_A_PATH_IFINDEX,
			      LB_A_PATH_IFNAME) ||
	    nla_put_in6_addr(skb, LB_A_PATH_PEER, &g->peer->addr->addr) ||
	    nla_put_u32(skb, LB_A_PATH_ID, path->id) ||
	    nla_put_u32(skb, LB_A_PATH_GROUP, g->id) ||
	    nla_put_in6_addr(skb, LB_A_PATH_LOCAL, &g->local) ||
	    nla_put_in6_addr(skb, LB_A_PATH_REMOTE, &g->remote) ||
	    (g->member &&
	     nla_put_string(skb, LB_A_PATH_DEVICE, g->member->name)) ||
	    nla_put_u16(skb, LB_A_PATH_ENTROPY, ntohs(path->sport)) ||
	    nla_put_u32(skb, LB_A_PATH_STATE, READ_ONCE(path->state)) ||
	    nla_put_u32(skb, LB_A_PATH_REASON, READ_ONCE(path->reason)))
		return -EMSGSIZE;
	return 0;
}

static int lb_nl_fill_path(struct sk_buff *skb, void *hdr, struct lb_path *path)
{
	if (!hdr)
		return -EMSGSIZE;
	if (lb_nl_put_path(skb, path) ||
	    nla_put_u16(skb, LB_A_PATH_WEIGHT, path->weight) ||
	    nla_put_u8(skb, LB_A_PATH_DENIED, path->denied) ||
	    nla_put_u32(skb, LB_A_PATH_MTU, lb_group_mtu(path->group)) ||
	    lb_nl_put_path_stats(skb, path) ||
	    nla_put_u64_64bit(skb, LB_A_PATH_AGE,
			      ktime_get_ns() - READ_ONCE(path->since),
			      LB_A_PATH_PAD)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/**
 * lb_nl_path_ntf() - tell that a path's state changed, or that it goes
 * @path: the path
 * @old: its state before
 * @cmd: LB_CMD_PATH_NTF or LB_CMD_PATH_DEL_NTF
 *
 * Context: lb_peer.lock held.
 */
void lb_nl_path_ntf(struct lb_path *path, enum lb_path_state old, int cmd)
{
	struct lb_dev *lb = path->group->peer->lb;
	struct sk_buff *msg;
	void *hdr;
	int err = -EMSGSIZE;

	msg = lb_nl_event(lb, cmd, &hdr, GFP_ATOMIC);
	if (!msg)
		return;
	if (hdr) {
		err = lb_nl_put_path(msg, path) ?:
		      nla_put_u32(msg, LB_A_PATH_OLD_STATE, old);
		genlmsg_end(msg, hdr);
	}
	lb_nl_multicast(lb, msg, err, GFP_ATOMIC);
}

static void lb_nl_gather(struct lb_peer *peer)
{
	spin_lock_bh(&peer->lock);
	lb_peer_gather_rx(peer);
	spin_unlock_bh(&peer->lock);
}

static int lb_nl_dump_paths(struct sk_buff *skb, struct netlink_callback *cb,
			    struct lb_dev *lb, u32 *n)
{
	struct nlattr **attrs = lb_compat_dump_attrs(cb);
	struct lb_peer *peer, *only = NULL;
	struct lb_path *path;
	unsigned long id;
	u32 i = 0;
	void *hdr;
	int err;

	if (attrs && attrs[LB_A_PATH_PEER]) {
		only = lb_nl_peer(lb, attrs[LB_A_PATH_PEER], NULL);
		if (IS_ERR(only))
			return 0;
	}
	list_for_each_entry(peer, &lb->peers, list) {
		if (only && peer != only)
			continue;
		/* A peer's paths are skipped whole where that is possible. */
		if (i + peer->n_paths <= *n) {
			i += peer->n_paths;
			continue;
		}
		lb_nl_gather(peer);
		xa_for_each(&peer->paths, id, path) {
			if (i++ < *n)
				continue;
			hdr = lb_nl_put_dump(skb, cb, LB_CMD_PATH_GET);
			err = lb_nl_fill_path(skb, hdr, path);
			if (err)
				return err;
			*n = i;
		}
	}
	return 0;
}

int lb_nl_path_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return lb_nl_dump(skb, cb, lb_nl_dump_paths);
}

/* The peer of a request; RTNL is held. */
static struct lb_peer *lb_nl_path_peer(struct sk_buff *skb,
				       struct genl_info *info, bool write)
{
	struct lb_dev *lb = lb_nl_dev(skb, info, write);

	if (IS_ERR(lb))
		return ERR_CAST(lb);
	return lb_nl_peer(lb, info->attrs[LB_A_PATH_PEER], info->extack);
}

int lb_nl_path_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *id = info->attrs[LB_A_PATH_ID];
	struct lb_path *path;
	struct lb_peer *peer;
	struct sk_buff *msg;
	int err;

	if (!id) {
		NL_SET_ERR_MSG(info->extack, "lb: no path named");
		return -EINVAL;
	}
	msg = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	rtnl_lock();
	peer = lb_nl_path_peer(skb, info, false);
	err = PTR_ERR_OR_ZERO(peer);
	if (!err) {
		lb_nl_gather(peer);
		path = xa_load(&peer->paths, nla_get_u32(id));
		if (path) {
			err = lb_nl_fill_path(msg,
					      lb_nl_put_one(msg, info,
							    LB_CMD_PATH_GET),
					      path);
		} else {
			NL_SET_ERR_MSG_ATTR(info->extack, id,
					    "lb: no such path");
			err = -ENOENT;
		}
	}
	rtnl_unlock();
	return lb_nl_reply(msg, info, err);
}

/* What names a group in a request; reads no attribute that path-del lacks. */
static int lb_nl_spec(struct genl_info *info, struct lb_path_spec *spec)
{
	struct nlattr **a = info->attrs;

	if (!a[LB_A_PATH_LOCAL]) {
		NL_SET_ERR_MSG(info->extack, "lb: no local address");
		return -EINVAL;
	}
	if (!a[LB_A_PATH_REMOTE]) {
		NL_SET_ERR_MSG(info->extack, "lb: no remote address");
		return -EINVAL;
	}
	*spec = (struct lb_path_spec) {
		.local		= nla_get_in6_addr(a[LB_A_PATH_LOCAL]),
		.remote		= nla_get_in6_addr(a[LB_A_PATH_REMOTE]),
		.entropies	= 1,
	};
	if (a[LB_A_PATH_DEVICE])
		nla_strscpy(spec->device, a[LB_A_PATH_DEVICE],
			    sizeof(spec->device));
	if (a[LB_A_PATH_ENTROPY])
		spec->sport = nla_get_u16(a[LB_A_PATH_ENTROPY]);
	if (a[LB_A_PATH_ENTROPY] && !spec->sport) {
		NL_SET_ERR_MSG_ATTR(info->extack, a[LB_A_PATH_ENTROPY],
				    "lb: port 0 is none");
		return -EINVAL;
	}
	return 0;
}

int lb_nl_path_new_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr **a = info->attrs;
	struct lb_path_spec spec;
	struct lb_group *group;
	struct lb_peer *peer;
	int err;

	err = lb_nl_spec(info, &spec);
	if (err)
		return err;
	if (a[LB_A_PATH_ENTROPIES])
		spec.entropies = nla_get_u16(a[LB_A_PATH_ENTROPIES]);
	if (a[LB_A_PATH_WEIGHT])
		spec.weight = nla_get_u16(a[LB_A_PATH_WEIGHT]);
	rtnl_lock();
	peer = lb_nl_path_peer(skb, info, true);
	err = PTR_ERR_OR_ZERO(peer);
	if (err)
		goto out;
	group = lb_group_find(peer, &spec);
	if (!group) {
		err = lb_group_add(peer, &spec, info->extack);
	} else if (info->nlhdr->nlmsg_flags & NLM_F_REPLACE) {
		err = lb_group_resize(group, &spec, info->extack);
	} else {
		NL_SET_ERR_MSG(info->extack, "lb: the peer has this path group already");
		err = -EEXIST;
	}
out:
	rtnl_unlock();
	return err;
}

/* The group that a request names, and its path if it names one. */
static struct lb_group *lb_nl_group(struct sk_buff *skb, struct genl_info *info,
				    const struct lb_path_spec *spec,
				    struct lb_path **path)
{
	struct lb_peer *peer = lb_nl_path_peer(skb, info, true);
	struct lb_group *group;

	if (IS_ERR(peer))
		return ERR_CAST(peer);
	group = lb_group_find(peer, spec);
	if (!group) {
		NL_SET_ERR_MSG(info->extack, "lb: no such path group");
		return ERR_PTR(-ENOENT);
	}
	*path = NULL;
	if (spec->sport) {
		*path = lb_path_by_port(group, spec->sport);
		if (!*path) {
			NL_SET_ERR_MSG_ATTR(info->extack,
					    info->attrs[LB_A_PATH_ENTROPY],
					    "lb: no such path in the group");
			return ERR_PTR(-ENOENT);
		}
	}
	return group;
}

int lb_nl_path_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr **a = info->attrs;
	struct lb_path_spec spec;
	struct lb_group *group;
	struct lb_path *path;
	int err;

	err = lb_nl_spec(info, &spec);
	if (err)
		return err;
	if (!a[LB_A_PATH_WEIGHT] && !a[LB_A_PATH_DENIED]) {
		NL_SET_ERR_MSG(info->extack, "lb: nothing to set");
		return -EINVAL;
	}
	rtnl_lock();
	group = lb_nl_group(skb, info, &spec, &path);
	if (!IS_ERR(group))
		lb_group_set(group, path,
			     a[LB_A_PATH_WEIGHT] ?
				     nla_get_u16(a[LB_A_PATH_WEIGHT]) : 0,
			     a[LB_A_PATH_DENIED] ?
				     nla_get_u8(a[LB_A_PATH_DENIED]) : -1);
	rtnl_unlock();
	return PTR_ERR_OR_ZERO(group);
}

int lb_nl_path_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct lb_path_spec spec;
	struct lb_group *group;
	struct lb_path *path;
	struct lb_dev *lb;
	int err;

	err = lb_nl_spec(info, &spec);
	if (err)
		return err;
	rtnl_lock();
	group = lb_nl_group(skb, info, &spec, &path);
	if (!IS_ERR(group)) {
		lb = group->peer->lb;
		if (path)
			lb_path_del(path);
		else
			lb_group_del(group);
		lb_dev_update_mtu(lb);
	}
	rtnl_unlock();
	return PTR_ERR_OR_ZERO(group);
}
