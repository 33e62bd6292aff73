// SPDX-License-Identifier: GPL-2.0
/* The lb network device: life cycle, settings, MTU. */

#include <linux/ethtool.h>
#include <linux/if_arp.h>
#include <net/addrconf.h>
#include <net/ip.h>
#include <net/ip_tunnels.h>
#include <net/rtnetlink.h>

#include "device.h"
#include "member.h"
#include "net.h"
#include "netlink.h"
#include "netlink_gen.h"
#include "peer.h"
#include "probe.h"
#include "sock.h"
#include "tx.h"

/*
 * The stack hands us checksums to finish and lists of fragments; segments are
 * cut with the same features, so that no payload is copied.
 */
#define LB_FEATURES	(NETIF_F_SG | NETIF_F_HW_CSUM | NETIF_F_FRAGLIST | \
			 NETIF_F_HIGHDMA | \
			 (NETIF_F_GSO_SOFTWARE & ~NETIF_F_GSO_FRAGLIST))

static const struct lb_config lb_default_config = {
	.policy		= &lb_policy_rr,
	.port		= LB_WIRE_PORT,
	.lanes		= 16,
	.early_rx	= true,
	.csum		= true,
	.ttl		= 64,
	.hold_max	= 20 * USEC_PER_MSEC,
	.hold_memory	= 16 << 20,
	.probe_interval	= 100,
};

static int lb_init(struct net_device *dev)
{
	struct lb_dev *lb = netdev_priv(dev);
	int err, cpu;

	lb->counters = alloc_percpu(struct lb_dev_counters);
	if (!lb->counters)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		u64_stats_init(&per_cpu_ptr(lb->counters, cpu)->syncp);

	err = lb_addr_table_init(lb);
	if (err) {
		free_percpu(lb->counters);
		return err;
	}
	lb_rxq_init(lb);
	list_add_tail(&lb->list, &lb_net(lb->net)->devs);
	return 0;
}

static void lb_uninit(struct net_device *dev)
{
	struct lb_dev *lb = netdev_priv(dev);
	struct lb_peer *peer, *next;
	u32 i;

	list_for_each_entry_safe(peer, next, &lb->peers, list)
		lb_peer_del(peer);
	lb_nl_dev_del_ntf(lb);
	list_del(&lb->list);
	for (i = 0; i < lb->n_rxq; i++)
		netif_napi_del(&lb->rxq[i].napi);
}

/* All peers are gone: each holds a reference to the device. */
static void lb_destructor(struct net_device *dev)
{
	struct lb_dev *lb = netdev_priv(dev);

	rhashtable_destroy(&lb->addrs);
	free_percpu(lb->counters);
}

static int lb_open(struct net_device *dev)
{
	struct inet6_dev *idev = __in6_dev_get(dev);
	struct lb_dev *lb = netdev_priv(dev);
	struct lb_sock *ls;
	struct lb_peer *peer;

	/* No link-layer address, so no link-local one is made of it. */
	if (idev)
		idev->cnf.addr_gen_mode = IN6_ADDR_GEN_MODE_NONE;
	ls = lb_sock_get(lb_net(lb->net), lb->config.port);
	if (IS_ERR(ls)) {
		netdev_err(dev, "cannot listen to UDP port %u\n",
			   lb->config.port);
		return PTR_ERR(ls);
	}
	ls->early += lb->config.early_rx;
	if (!rcu_access_pointer(ls->first))
		rcu_assign_pointer(ls->first, lb);
	rcu_assign_pointer(lb->sock, ls);
	lb_member_hooks(lb_net(lb->net));

	lb_rxq_open(lb);
	netif_tx_start_all_queues(dev);
	list_for_each_entry(peer, &lb->peers, list)
		lb_peer_start(peer);
	return 0;
}

/* Another device that listens to the port. */
static struct lb_dev *lb_dev_listening(const struct lb_sock *ls)
{
	struct lb_dev *lb;

	list_for_each_entry(lb, &ls->ln->devs, list)
		if (rcu_access_pointer(lb->sock) == ls)
			return lb;
	return NULL;
}

static int lb_stop(struct net_device *dev)
{
	struct lb_dev *lb = netdev_priv(dev);
	struct lb_sock *ls = rtnl_dereference(lb->sock);
	struct lb_peer *peer;

	netif_tx_stop_all_queues(dev);
	list_for_each_entry(peer, &lb->peers, list)
		lb_peer_stop(peer);
	lb_rxq_stop(lb);
	ls->early -= lb->config.early_rx;
	RCU_INIT_POINTER(lb->sock, NULL);
	if (rcu_access_pointer(ls->first) == lb)
		rcu_assign_pointer(ls->first, lb_dev_listening(ls));
	lb_member_hooks(lb_net(lb->net));
	lb_sock_put(ls);
	return 0;
}

static int lb_change_mtu(struct net_device *dev, int mtu)
{
	struct lb_dev *lb = netdev_priv(dev);

	/* A value other than what the paths give is the operator's. */
	lb->mtu_wanted = mtu == dev->max_mtu ? 0 : mtu;
	WRITE_ONCE(dev->mtu, mtu);
	return 0;
}

static const struct net_device_ops lb_netdev_ops = {
	.ndo_init		= lb_init,
	.ndo_uninit		= lb_uninit,
	.ndo_open		= lb_open,
	.ndo_stop		= lb_stop,
	.ndo_start_xmit		= lb_xmit,
	.ndo_change_mtu		= lb_change_mtu,
	.ndo_get_stats64	= dev_get_tstats64,
};

static void lb_get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	strscpy(info->driver, "lb", sizeof(info->driver));
	strscpy(info->version, LB_VERSION, sizeof(info->version));
}

static const struct ethtool_ops lb_ethtool_ops = {
	.get_drvinfo	= lb_get_drvinfo,
	.get_link	= ethtool_op_get_link,
	.get_ts_info	= ethtool_op_get_ts_info,
};

static const struct device_type lb_type = {
	.name = "lb",
};

static void lb_setup(struct net_device *dev)
{
	struct lb_dev *lb = netdev_priv(dev);

	dev->netdev_ops = &lb_netdev_ops;
	dev->ethtool_ops = &lb_ethtool_ops;
	dev->priv_destructor = lb_destructor;
	dev->needs_free_netdev = true;
	SET_NETDEV_DEVTYPE(dev, &lb_type);

	dev->type = ARPHRD_NONE;
	dev->flags = IFF_POINTOPOINT | IFF_NOARP;
	dev->priv_flags |= IFF_NO_QUEUE | IFF_DISABLE_NETPOLL;
	dev->hard_header_len = 0;
	dev->addr_len = 0;
	dev->needed_headroom = LB_OVERHEAD6 + LL_MAX_HEADER;
	dev->pcpu_stat_type = NETDEV_PCPU_STAT_TSTATS;
	netif_keep_dst(dev);
	dev->header_ops = &ip_tunnel_header_ops;

	dev->features = LB_FEATURES;
	dev->hw_features = LB_FEATURES;
	dev->hw_enc_features = LB_FEATURES;
	lb_compat_set_lltx(dev);

	dev->min_mtu = IPV6_MIN_MTU - LB_OVERHEAD6;
	dev->max_mtu = ETH_DATA_LEN - LB_OVERHEAD6;
	dev->mtu = dev->max_mtu;

	lb->dev = dev;
	lb->config = lb_default_config;
	INIT_LIST_HEAD(&lb->peers);
}

static unsigned int lb_num_queues(void)
{
	return min_t(unsigned int, netif_get_num_default_rss_queues(),
		     LB_RX_QUEUES_MAX);
}

static int lb_newlink(struct net *src_net, struct net_device *dev,
		      struct nlattr *tb[], struct nlattr *data[],
		      struct netlink_ext_ack *extack)
{
	struct lb_dev *lb = netdev_priv(dev);
	int err;

	if (tb[IFLA_ADDRESS] || tb[IFLA_BROADCAST]) {
		NL_SET_ERR_MSG(extack, "lb: the device has no link-layer address");
		return -EOPNOTSUPP;
	}
	lb->net = src_net;
	if (tb[IFLA_MTU])
		lb->mtu_wanted = nla_get_u32(tb[IFLA_MTU]);
	lb->n_rxq = min_t(u32, dev->num_rx_queues, LB_RX_QUEUES_MAX);
	if (data) {
		err = lb_dev_configure(lb, data, extack);
		if (err)
			return err;
	}
	err = register_netdevice(dev);
	if (err)
		return err;
	netif_carrier_on(dev);
	lb_nl_dev_ntf(lb);
	return 0;
}

static int lb_changelink(struct net_device *dev, struct nlattr *tb[],
			 struct nlattr *data[], struct netlink_ext_ack *extack)
{
	struct lb_dev *lb = netdev_priv(dev);

	if (!data)
		return 0;
	/* What it does outside takes rights there. */
	if (!net_eq(lb->net, dev_net(dev)) &&
	    !ns_capable(lb->net->user_ns, CAP_NET_ADMIN)) {
		NL_SET_ERR_MSG(extack, "lb: the device sends in another namespace");
		return -EPERM;
	}
	return lb_dev_configure(lb, data, extack);
}

static size_t lb_get_size(const struct net_device *dev)
{
	return nla_total_size(sizeof(u32)) * (LB_A_CONFIG_MAX + 1) +
	       nla_total_size(IFNAMSIZ);
}

static int lb_fill_info(struct sk_buff *skb, const struct net_device *dev)
{
	return lb_nl_put_config(skb, netdev_priv(dev));
}

static struct net *lb_get_link_net(const struct net_device *dev)
{
	const struct lb_dev *lb = netdev_priv(dev);

	return READ_ONCE(lb->net);
}

struct rtnl_link_ops lb_link_ops = {
	.kind			= "lb",
	.priv_size		= sizeof(struct lb_dev),
	.setup			= lb_setup,
	.maxtype		= LB_A_CONFIG_MAX,
	.policy			= lb_config_nl_policy,
	.newlink		= lb_newlink,
	.changelink		= lb_changelink,
	.get_size		= lb_get_size,
	.fill_info		= lb_fill_info,
	.get_num_tx_queues	= lb_num_queues,
	.get_num_rx_queues	= lb_num_queues,
	.get_link_net		= lb_get_link_net,
};

/**
 * lb_is_lb() - whether a device is one of ours
 * @dev: a device
 *
 * Return: true if it is.
 */
bool lb_is_lb(const struct net_device *dev)
{
	return dev->netdev_ops == &lb_netdev_ops;
}

/**
 * lb_dev_update_mtu() - make the MTU follow the paths
 * @lb: the device
 *
 * The largest MTU is that of the smallest path. The device has it, unless the
 * operator asked for less.
 *
 * Context: process, RTNL held.
 */
void lb_dev_update_mtu(struct lb_dev *lb)
{
	struct net_device *dev = lb->dev;
	struct lb_group *g;
	struct lb_peer *peer;
	u32 max = U32_MAX, mtu;

	ASSERT_RTNL();
	/* On one that goes, IPv6 would begin anew. */
	if (dev->reg_state != NETREG_REGISTERED)
		return;
	list_for_each_entry(peer, &lb->peers, list)
		list_for_each_entry(g, &peer->groups, list)
			max = min(max, lb_group_mtu(g));
	if (max == U32_MAX)
		max = ETH_DATA_LEN - LB_OVERHEAD6;
	max = clamp_t(u32, max, dev->min_mtu, IP_MAX_MTU - LB_OVERHEAD6);

	mtu = lb->mtu_wanted ? min(lb->mtu_wanted, max) : max;
	dev->max_mtu = max;
	if (dev->mtu != mtu) {
		u32 wanted = lb->mtu_wanted;

		if (dev_set_mtu(dev, mtu))
			netdev_warn(dev, "cannot set MTU to %u\n", mtu);
		lb->mtu_wanted = wanted;
	}
}

static int lb_new_policy(struct lb_dev *lb, const struct lb_policy_ops *policy,
			 struct netlink_ext_ack *extack)
{
	struct lb_peer *peer;
	int err = 0;

	if (policy == lb->config.policy)
		return 0;
	list_for_each_entry(peer, &lb->peers, list) {
		err = lb_policy_prepare(peer, policy);
		if (err)
			break;
	}
	list_for_each_entry(peer, &lb->peers, list) {
		if (err)
			lb_policy_cancel(peer);
		else
			lb_policy_commit(peer);
	}
	if (err)
		NL_SET_ERR_MSG(extack, "lb: no memory for the policy's state");
	return err;
}

/* All or nothing: what is wrong is found before anything is changed. */
static int lb_check_config(struct lb_dev *lb, struct lb_config *c,
			   struct nlattr **a, struct netlink_ext_ack *extack)
{
	if (a[LB_A_CONFIG_POLICY]) {
		c->policy = lb_policy_find(nla_data(a[LB_A_CONFIG_POLICY]));
		if (!c->policy) {
			NL_SET_ERR_MSG_ATTR(extack, a[LB_A_CONFIG_POLICY],
					    "lb: no such policy");
			return -ENOENT;
		}
	}
	if (a[LB_A_CONFIG_PORT])
		c->port = nla_get_u16(a[LB_A_CONFIG_PORT]);
	if (c->port != lb->config.port && lb->n_paths) {
		NL_SET_ERR_MSG_ATTR(extack, a[LB_A_CONFIG_PORT],
				    "lb: the port cannot change while there are paths");
		return -EBUSY;
	}
	if (c->port != lb->config.port && netif_running(lb->dev)) {
		NL_SET_ERR_MSG_ATTR(extack, a[LB_A_CONFIG_PORT],
				    "lb: the port cannot change while the device is up");
		return -EBUSY;
	}
	if (a[LB_A_CONFIG_LANES])
		c->lanes = nla_get_u16(a[LB_A_CONFIG_LANES]);
	if (a[LB_A_CONFIG_EARLY_RX])
		c->early_rx = nla_get_u8(a[LB_A_CONFIG_EARLY_RX]);
	if (a[LB_A_CONFIG_CSUM])
		c->csum = nla_get_u8(a[LB_A_CONFIG_CSUM]);
	if (a[LB_A_CONFIG_TTL])
		c->ttl = nla_get_u8(a[LB_A_CONFIG_TTL]);
	if (a[LB_A_CONFIG_FWMARK])
		c->fwmark = nla_get_u32(a[LB_A_CONFIG_FWMARK]);
	if (a[LB_A_CONFIG_HOLD_MIN])
		c->hold_min = nla_get_u32(a[LB_A_CONFIG_HOLD_MIN]);
	if (a[LB_A_CONFIG_HOLD_MAX])
		c->hold_max = nla_get_u32(a[LB_A_CONFIG_HOLD_MAX]);
	if (c->hold_min > c->hold_max) {
		NL_SET_ERR_MSG(extack, "lb: hold-min is above hold-max");
		return -ERANGE;
	}
	if (a[LB_A_CONFIG_HOLD_MEMORY])
		c->hold_memory = nla_get_u32(a[LB_A_CONFIG_HOLD_MEMORY]);
	if (a[LB_A_CONFIG_PROBE_INTERVAL])
		c->probe_interval = nla_get_u32(a[LB_A_CONFIG_PROBE_INTERVAL]);
	if (a[LB_A_CONFIG_SEQ_START]) {
		c->seq_start = nla_get_u32(a[LB_A_CONFIG_SEQ_START]);
		c->seq_fixed = true;
	}
	return 0;
}

/**
 * lb_dev_configure() - change settings
 * @lb: the device; may be not registered yet
 * @attrs: LB_A_CONFIG_*, checked against the policy
 * @extack: where the reason of a refusal goes
 *
 * Context: process, RTNL held.
 * Return: 0 or a negative error; then nothing was changed.
 */
int lb_dev_configure(struct lb_dev *lb, struct nlattr **attrs,
		     struct netlink_ext_ack *extack)
{
	struct lb_config c = lb->config;
	struct lb_sock *ls = rtnl_dereference(lb->sock);
	bool registered = lb->dev->reg_state == NETREG_REGISTERED;
	bool early, marked;
	struct lb_peer *peer;
	int err;

	ASSERT_RTNL();
	err = lb_check_config(lb, &c, attrs, extack);
	if (err)
		return err;
	if (!registered) {
		lb->config = c;
		return 0;
	}
	err = lb_new_policy(lb, c.policy, extack);
	if (err)
		return err;

	early = c.early_rx != lb->config.early_rx;
	marked = c.fwmark != lb->config.fwmark;
	lb->config = c;
	if (ls && early) {
		ls->early += c.early_rx ? 1 : -1;
		lb_member_hooks(lb_net(lb->net));
	}
	list_for_each_entry(peer, &lb->peers, list) {
		if (marked)
			lb_peer_reroute(peer);
		lb_paths_refresh(peer);
		if (netif_running(lb->dev))
			lb_probe_start(peer);
	}
	lb_nl_dev_ntf(lb);
	return 0;
}
