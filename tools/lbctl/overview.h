/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBCTL_OVERVIEW_H
#define LBCTL_OVERVIEW_H

#include <linux/if.h>
#include <linux/lb.h>
#include <netinet/in.h>

#include "common.h"
#define PATH_STATES (LB_PATH_STATE_DENIED + 1)

/**
 * struct group - the paths of a group taken together
 * @dev: name of the lb device
 * @peer: overlay address
 * @local: local address
 * @remote: remote address
 * @member: device that the group is bound to, or ""
 * @id: number of the group
 * @n: paths in each state
 * @tx_packets: sent
 * @tx_bytes: sent
 * @lost: sent and missed by the peer
 * @rtt_sum: of the paths whose round trip is known
 * @rtt_n: how many these are
 * @rate_packets: sent since the snapshot before
 * @rate_bytes: sent since the snapshot before
 * @changed: whether a path ever changed its state
 * @age: nanoseconds since the last change
 * @port: of the path that changed last
 * @state: of that path
 * @reason: of that path
 */
struct group {
	char dev[IFNAMSIZ];
	char peer[INET6_ADDRSTRLEN];
	char local[INET6_ADDRSTRLEN];
	char remote[INET6_ADDRSTRLEN];
	char member[IFNAMSIZ];
	u32 id;
	unsigned int n[PATH_STATES];
	u64 tx_packets;
	u64 tx_bytes;
	u64 lost;
	u64 rtt_sum;
	unsigned int rtt_n;
	u64 rate_packets;
	u64 rate_bytes;
	bool changed;
	u64 age;
	u32 port;
	u32 state;
	u32 reason;
};

/**
 * struct peer_info - a peer
 * @dev: name of the lb device
 * @addr: overlay address
 * @state: LB_PEER_STATE_*
 * @age: nanoseconds since the last change
 * @paths: how many
 * @good: how many of them are good
 * @rate_packets: sent to it over all groups since the snapshot before
 * @rate_bytes: sent to it over all groups since the snapshot before
 */
struct peer_info {
	char dev[IFNAMSIZ];
	char addr[INET6_ADDRSTRLEN];
	u32 state;
	u64 age;
	u64 paths;
	u64 good;
	u64 rate_packets;
	u64 rate_bytes;
};

/**
 * struct dev_info - a device
 * @name: its name
 * @policy: its policy
 * @port: UDP port
 * @peers: how many
 * @paths: how many
 * @drops: packets dropped for whatever reason
 */
struct dev_info {
	char name[IFNAMSIZ];
	char policy[16];
	u32 port;
	u64 peers;
	u64 paths;
	u64 drops;
};

/**
 * struct overview - all there is, at one time
 * @devs: the devices
 * @peers: the peers
 * @groups: the path groups
 * @n_devs: how many
 * @n_peers: how many
 * @n_groups: how many
 * @time: when it was taken, nanoseconds
 * @span: nanoseconds since the one before, 0 if there is none
 */
struct overview {
	struct dev_info *devs;
	struct peer_info *peers;
	struct group *groups;
	size_t n_devs;
	size_t n_peers;
	size_t n_groups;
	u64 time;
	u64 span;
};

int overview_take(const char *dev, const struct overview *before, struct overview *ov);
void overview_free(struct overview *ov);

#endif /* LBCTL_OVERVIEW_H */
