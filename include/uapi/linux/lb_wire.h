/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The header that lb puts between UDP and the inner IP packet, and the bodies
 * of its control packets. All fields are in network order. This file is the
 * only definition of the format.
 */
#ifndef _UAPI_LINUX_LB_WIRE_H
#define _UAPI_LINUX_LB_WIRE_H

#include <linux/types.h>

#define LB_WIRE_VERSION		1
#define LB_WIRE_PORT		4799

/* Clock stamps count 64 ns; only differences mean anything. */
#define LB_STAMP_SHIFT		6

enum lb_wire_type {
	LB_WIRE_DATA		= 0,
	LB_WIRE_FEEDBACK	= 1,
	LB_WIRE_PROBE		= 2,
	LB_WIRE_PROBE_REPLY	= 3,
	LB_WIRE_INIT		= 4,
	LB_WIRE_INIT_REPLY	= 5,
	LB_WIRE_CLOSE		= 6,
};

#define LB_WIRE_F_INNER6	0x01	/* the inner packet is IPv6 */
#define LB_WIRE_F_DUPLICATE	0x02	/* a copy is sent on another path */
#define LB_WIRE_F_RESENT	0x04	/* sent before on another path */
#define LB_WIRE_F_MAC		0x08	/* a tag follows the packet */

/**
 * struct lb_hdr - header of every packet
 * @ver_type: version in the upper four bits, enum lb_wire_type in the lower
 * @flags: LB_WIRE_F_*
 * @path: the sender's number for the path
 * @session: chosen by the receiver of DATA in the handshake
 * @path_seq: counts the packets of the path
 * @lane: the ordered sub-stream
 * @reserved: zero when sent, ignored when received
 * @lane_seq: counts the packets of the lane
 * @stamp: the sender's monotonic clock, in units of 64 ns
 */
struct lb_hdr {
	__u8	ver_type;
	__u8	flags;
	__be16	path;
	__be32	session;
	__be32	path_seq;
	__be16	lane;
	__be16	reserved;
	__be32	lane_seq;
	__be32	stamp;
};

/**
 * struct lb_init - body of INIT and INIT_REPLY
 * @nonce: chosen by the initiator, repeated in the reply
 * @features: offered; in the reply, those of them that the receiver has
 * @lanes: offered; in the reply, how many the initiator may use
 * @paths: how many paths the side that speaks has
 * @seq_start: first sequence number of every lane
 * @reserved: zero when sent, ignored when received
 *
 * The initiator is the side that wants to send DATA. lb_hdr.session is zero in
 * INIT; in the reply it is the session to put into DATA.
 */
struct lb_init {
	__be64	nonce;
	__be32	features;
	__be16	lanes;
	__be16	paths;
	__be32	seq_start;
	__be32	reserved;
};

/**
 * struct lb_report - what the receiver has seen of one path
 * @path: the path's number, as its sender gave it
 * @reserved: zero when sent, ignored when received
 * @highest: highest path sequence received
 * @bytes: bytes received, inner packets
 * @packets: packets received, modulo 2^32
 * @lost: packets missing below @highest, modulo 2^32
 * @ce: packets received with CE, modulo 2^32
 * @stamp: stamp of the packet with the highest path sequence
 * @rx: the receiver's time of that packet, in units of 64 ns
 * @reserved2: zero when sent, ignored when received
 */
struct lb_report {
	__be16	path;
	__be16	reserved;
	__be32	highest;
	__be64	bytes;
	__be32	packets;
	__be32	lost;
	__be32	ce;
	__be32	stamp;
	__be32	rx;
	__be32	reserved2;
};

/**
 * struct lb_feedback - body of FEEDBACK and PROBE_REPLY
 * @now: the receiver's time, in units of 64 ns
 * @count: number of reports that follow
 * @reserved: zero when sent, ignored when received
 *
 * In a PROBE_REPLY, lb_hdr.path, lb_hdr.path_seq and lb_hdr.stamp repeat those
 * of the probe.
 */
struct lb_feedback {
	__be32	now;
	__be16	count;
	__be16	reserved;
};

#endif /* _UAPI_LINUX_LB_WIRE_H */
