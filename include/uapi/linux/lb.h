/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/lb.yaml */
/* YNL-GEN uapi header */

#ifndef _UAPI_LINUX_LB_H
#define _UAPI_LINUX_LB_H

#define LB_GENL_NAME	"lb"
#define LB_GENL_VERSION	1

/**
 * enum lb_peer_state - What is known of the session towards a peer.
 * @LB_PEER_STATE_DOWN: the device is down
 * @LB_PEER_STATE_INIT: a handshake is under way
 * @LB_PEER_STATE_UP: the peer agreed to a session
 */
enum lb_peer_state {
	LB_PEER_STATE_DOWN,
	LB_PEER_STATE_INIT,
	LB_PEER_STATE_UP,
};

/**
 * enum lb_path_state - Whether data may take a path.
 * @LB_PATH_STATE_GOOD: in use
 * @LB_PATH_STATE_SKIP: left for a time
 * @LB_PATH_STATE_BAD: not used for data
 * @LB_PATH_STATE_DENIED: switched off by the operator
 */
enum lb_path_state {
	LB_PATH_STATE_GOOD,
	LB_PATH_STATE_SKIP,
	LB_PATH_STATE_BAD,
	LB_PATH_STATE_DENIED,
};

/**
 * enum lb_path_reason - Why a path is in its state.
 * @LB_PATH_REASON_NONE: nothing is known against it
 * @LB_PATH_REASON_ADMIN: its device is administratively down
 * @LB_PATH_REASON_CARRIER: its device has no carrier
 * @LB_PATH_REASON_NO_DEVICE: its device is not there
 * @LB_PATH_REASON_NO_ROUTE: there is no route to the remote address
 * @LB_PATH_REASON_UNPROVEN: no probe was answered since it came up
 * @LB_PATH_REASON_OPERATOR: set by the operator
 */
enum lb_path_reason {
	LB_PATH_REASON_NONE,
	LB_PATH_REASON_ADMIN,
	LB_PATH_REASON_CARRIER,
	LB_PATH_REASON_NO_DEVICE,
	LB_PATH_REASON_NO_ROUTE,
	LB_PATH_REASON_UNPROVEN,
	LB_PATH_REASON_OPERATOR,
};

/**
 * enum lb_drop - Why a packet was dropped. The first part is counted on
 *   transmit, the part from rx-header on, on receive.
 * @LB_DROP_TX_NO_PEER: no peer has the next hop's address
 * @LB_DROP_TX_NO_SESSION: no session yet and the queue of waiting packets is
 *   full
 * @LB_DROP_TX_NO_PATH: the peer has no path
 * @LB_DROP_TX_NO_ROUTE: no route to any remote address of the peer
 * @LB_DROP_TX_TOO_BIG: longer than the device MTU
 * @LB_DROP_TX_LOOP: the route to the remote address leads back to the device
 * @LB_DROP_TX_MALFORMED: not an IP packet, or it could not be segmented
 * @LB_DROP_TX_MEMORY: no memory
 * @LB_DROP_RX_HEADER: too short for the header
 * @LB_DROP_RX_VERSION: version of the header not known
 * @LB_DROP_RX_TYPE: type of packet not known
 * @LB_DROP_RX_CHECKSUM: wrong UDP checksum
 * @LB_DROP_RX_NO_PEER: no path group has the packet's addresses
 * @LB_DROP_RX_SESSION: session not known
 * @LB_DROP_RX_PATH: path id out of range, or its addresses are not the peer's
 * @LB_DROP_RX_LANE: lane out of range
 * @LB_DROP_RX_INNER: the inner packet is not IP or is cut short
 * @LB_DROP_RX_SEQUENCE: implausible jump of the lane sequence
 * @LB_DROP_RX_DUPLICATE: the sequence number was delivered before
 * @LB_DROP_RX_QUEUE: receive queue full
 * @LB_DROP_RX_MEMORY: no memory
 * @LB_DROP_RX_CONTROL: a control packet that answers nothing that was asked
 * @LB_DROP_RX_DOWN: the device is down
 */
enum lb_drop {
	LB_DROP_TX_NO_PEER,
	LB_DROP_TX_NO_SESSION,
	LB_DROP_TX_NO_PATH,
	LB_DROP_TX_NO_ROUTE,
	LB_DROP_TX_TOO_BIG,
	LB_DROP_TX_LOOP,
	LB_DROP_TX_MALFORMED,
	LB_DROP_TX_MEMORY,
	LB_DROP_RX_HEADER,
	LB_DROP_RX_VERSION,
	LB_DROP_RX_TYPE,
	LB_DROP_RX_CHECKSUM,
	LB_DROP_RX_NO_PEER,
	LB_DROP_RX_SESSION,
	LB_DROP_RX_PATH,
	LB_DROP_RX_LANE,
	LB_DROP_RX_INNER,
	LB_DROP_RX_SEQUENCE,
	LB_DROP_RX_DUPLICATE,
	LB_DROP_RX_QUEUE,
	LB_DROP_RX_MEMORY,
	LB_DROP_RX_CONTROL,
	LB_DROP_RX_DOWN,

	/* private: */
	__LB_DROP_MAX,
	LB_DROP_MAX = (__LB_DROP_MAX - 1)
};

#define LB_LANES_MAX		256
#define LB_ENTROPIES_MAX	256

enum {
	LB_A_CONFIG_PORT = 1,
	LB_A_CONFIG_POLICY,
	LB_A_CONFIG_LANES,
	LB_A_CONFIG_EARLY_RX,
	LB_A_CONFIG_HOLD_MIN,
	LB_A_CONFIG_HOLD_MAX,
	LB_A_CONFIG_HOLD_MEMORY,
	LB_A_CONFIG_FWMARK,
	LB_A_CONFIG_CSUM,
	LB_A_CONFIG_TTL,
	LB_A_CONFIG_PROBE_INTERVAL,
	LB_A_CONFIG_SEQ_START,

	__LB_A_CONFIG_MAX,
	LB_A_CONFIG_MAX = (__LB_A_CONFIG_MAX - 1)
};

enum {
	LB_A_DEV_IFINDEX = 1,
	LB_A_DEV_IFNAME,
	LB_A_DEV_CONFIG,
	LB_A_DEV_PEERS,
	LB_A_DEV_PATHS,
	LB_A_DEV_RX_QUEUES,
	LB_A_DEV_MAX_MTU,
	LB_A_DEV_STATS,
	LB_A_DEV_DROP,
	LB_A_DEV_PAD,

	__LB_A_DEV_MAX,
	LB_A_DEV_MAX = (__LB_A_DEV_MAX - 1)
};

enum {
	LB_A_DEV_STATS_PAD = 1,
	LB_A_DEV_STATS_TX_PACKETS,
	LB_A_DEV_STATS_TX_BYTES,
	LB_A_DEV_STATS_RX_PACKETS,
	LB_A_DEV_STATS_RX_BYTES,
	LB_A_DEV_STATS_RX_EARLY,
	LB_A_DEV_STATS_RX_SOCKET,
	LB_A_DEV_STATS_CONTROL_TX,
	LB_A_DEV_STATS_CONTROL_RX,

	__LB_A_DEV_STATS_MAX,
	LB_A_DEV_STATS_MAX = (__LB_A_DEV_STATS_MAX - 1)
};

enum {
	LB_A_DROP_COUNT_PAD = 1,
	LB_A_DROP_COUNT_REASON,
	LB_A_DROP_COUNT_PACKETS,

	__LB_A_DROP_COUNT_MAX,
	LB_A_DROP_COUNT_MAX = (__LB_A_DROP_COUNT_MAX - 1)
};

enum {
	LB_A_PEER_IFINDEX = 1,
	LB_A_PEER_IFNAME,
	LB_A_PEER_ADDR,
	LB_A_PEER_ALIAS,
	LB_A_PEER_STATE,
	LB_A_PEER_SESSION_TX,
	LB_A_PEER_SESSION_RX,
	LB_A_PEER_LANES_TX,
	LB_A_PEER_LANES_RX,
	LB_A_PEER_PATHS,
	LB_A_PEER_PATHS_GOOD,
	LB_A_PEER_STATS,
	LB_A_PEER_AGE,
	LB_A_PEER_PAD,

	__LB_A_PEER_MAX,
	LB_A_PEER_MAX = (__LB_A_PEER_MAX - 1)
};

enum {
	LB_A_PEER_STATS_PAD = 1,
	LB_A_PEER_STATS_TX_PACKETS,
	LB_A_PEER_STATS_TX_BYTES,
	LB_A_PEER_STATS_IN_ORDER,
	LB_A_PEER_STATS_HELD,
	LB_A_PEER_STATS_LATE,
	LB_A_PEER_STATS_DUPLICATE,
	LB_A_PEER_STATS_HOLES,
	LB_A_PEER_STATS_FILLED,
	LB_A_PEER_STATS_KNOWN_LOST,
	LB_A_PEER_STATS_TIMED_OUT,
	LB_A_PEER_STATS_FLUSHED,
	LB_A_PEER_STATS_RESYNC,
	LB_A_PEER_STATS_HELD_NOW,
	LB_A_PEER_STATS_HELD_BYTES,
	LB_A_PEER_STATS_HOLD_LONGEST,
	LB_A_PEER_STATS_SESSIONS,

	__LB_A_PEER_STATS_MAX,
	LB_A_PEER_STATS_MAX = (__LB_A_PEER_STATS_MAX - 1)
};

enum {
	LB_A_PATH_IFINDEX = 1,
	LB_A_PATH_IFNAME,
	LB_A_PATH_PEER,
	LB_A_PATH_ID,
	LB_A_PATH_GROUP,
	LB_A_PATH_LOCAL,
	LB_A_PATH_REMOTE,
	LB_A_PATH_DEVICE,
	LB_A_PATH_ENTROPY,
	LB_A_PATH_ENTROPIES,
	LB_A_PATH_WEIGHT,
	LB_A_PATH_DENIED,
	LB_A_PATH_STATE,
	LB_A_PATH_REASON,
	LB_A_PATH_MTU,
	LB_A_PATH_STATS,
	LB_A_PATH_AGE,
	LB_A_PATH_OLD_STATE,
	LB_A_PATH_PAD,

	__LB_A_PATH_MAX,
	LB_A_PATH_MAX = (__LB_A_PATH_MAX - 1)
};

enum {
	LB_A_PATH_STATS_PAD = 1,
	LB_A_PATH_STATS_TX_PACKETS,
	LB_A_PATH_STATS_TX_BYTES,
	LB_A_PATH_STATS_RX_PACKETS,
	LB_A_PATH_STATS_RX_BYTES,
	LB_A_PATH_STATS_RX_LOST,
	LB_A_PATH_STATS_RX_CE,
	LB_A_PATH_STATS_RTT,
	LB_A_PATH_STATS_RTT_MIN,
	LB_A_PATH_STATS_RTT_MEAN,
	LB_A_PATH_STATS_LOST,
	LB_A_PATH_STATS_CE,
	LB_A_PATH_STATS_PROBES,
	LB_A_PATH_STATS_PROBES_ANSWERED,
	LB_A_PATH_STATS_TRANSITIONS,

	__LB_A_PATH_STATS_MAX,
	LB_A_PATH_STATS_MAX = (__LB_A_PATH_STATS_MAX - 1)
};

enum {
	LB_A_POLICY_NAME = 1,
	LB_A_POLICY_DOC,

	__LB_A_POLICY_MAX,
	LB_A_POLICY_MAX = (__LB_A_POLICY_MAX - 1)
};

enum {
	LB_CMD_DEV_GET = 1,
	LB_CMD_DEV_SET,
	LB_CMD_DEV_NTF,
	LB_CMD_PEER_NEW,
	LB_CMD_PEER_DEL,
	LB_CMD_PEER_SET,
	LB_CMD_PEER_GET,
	LB_CMD_PEER_NTF,
	LB_CMD_PATH_NEW,
	LB_CMD_PATH_DEL,
	LB_CMD_PATH_SET,
	LB_CMD_PATH_GET,
	LB_CMD_PATH_NTF,
	LB_CMD_POLICY_GET,
	LB_CMD_STATS_RESET,
	LB_CMD_DEV_DEL_NTF,
	LB_CMD_PEER_DEL_NTF,
	LB_CMD_PATH_DEL_NTF,

	__LB_CMD_MAX,
	LB_CMD_MAX = (__LB_CMD_MAX - 1)
};

#define LB_MCGRP_EVENTS	"events"

#endif /* _UAPI_LINUX_LB_H */
