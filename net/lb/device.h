/* SPDX-License-Identifier: GPL-2.0 */
/* The lb network device. */
#ifndef _LB_DEVICE_H
#define _LB_DEVICE_H

#include <linux/netdevice.h>
#include <linux/rhashtable.h>
#include <lb/policy.h>

#include "rx.h"
#include "stats.h"

#define LB_RX_QUEUES_MAX	16

/**
 * struct lb_config - what the operator sets
 * @policy: how the next path is chosen
 * @port: UDP destination port of both ends
 * @lanes: offered to peers
 * @early_rx: take packets at the ingress hook
 * @csum: outer UDP checksum
 * @ttl: outer time to live
 * @fwmark: mark of outer packets, 0 for none
 * @hold_min: microseconds
 * @hold_max: microseconds
 * @hold_memory: bytes per peer
 * @probe_interval: milliseconds, 0 sends no probes
 * @seq_start: first sequence number, if @seq_fixed
 * @seq_fixed: whether @seq_start was given
 *
 * Written under RTNL; the data path reads single fields with READ_ONCE().
 */
struct lb_config {
	const struct lb_policy_ops *policy;
	u16 port;
	u16 lanes;
	bool early_rx;
	bool csum;
	u8 ttl;
	u32 fwmark;
	u32 hold_min;
	u32 hold_max;
	u32 hold_memory;
	u32 probe_interval;
	u32 seq_start;
	bool seq_fixed;
};

/**
 * struct lb_dev - private part of an lb device
 * @dev: the network device
 * @net: namespace of the outer packets, the one the device was created in
 * @list: in lb_net.devs, under RTNL
 * @sock: the socket of its port while the device is up, under RCU
 * @config: settings
 * @peers: list of struct lb_peer, under RTNL
 * @n_peers: their number
 * @n_paths: number of paths of all peers
 * @addrs: struct lb_addr by overlay address
 * @mtu_wanted: MTU that the operator set, 0 to follow the paths
 * @counters: per CPU
 * @counters_base: what lb_dev_counters_read() gave at the last reset
 * @n_rxq: receive queues in use
 * @rxq: receive queues
 */
struct lb_dev {
	struct net_device *dev;
	struct net *net;
	struct list_head list;
	struct lb_sock __rcu *sock;
	struct lb_config config;
	struct list_head peers;
	u32 n_peers;
	u32 n_paths;
	struct rhashtable addrs;
	u32 mtu_wanted;
	struct lb_dev_counters __percpu *counters;
	u64 counters_base[LB_DEV_COUNT];
	u32 n_rxq;
	struct lb_rxq rxq[LB_RX_QUEUES_MAX];
};

extern struct rtnl_link_ops lb_link_ops;

bool lb_is_lb(const struct net_device *dev);
void lb_dev_update_mtu(struct lb_dev *lb);
int lb_dev_configure(struct lb_dev *lb, struct nlattr **attrs,
		     struct netlink_ext_ack *extack);

#endif /* _LB_DEVICE_H */
