/* SPDX-License-Identifier: GPL-2.0 */
/* The header on the wire, in host order. */
#ifndef _LB_WIRE_H
#define _LB_WIRE_H

#include <lb/types.h>
#include <linux/lb_wire.h>

/**
 * struct lb_wire - a decoded header
 * @type: enum lb_wire_type
 * @flags: LB_WIRE_F_*
 * @path: the sender's path id
 * @lane: ordered sub-stream
 * @session: receiver's session
 * @path_seq: sequence on the path
 * @lane_seq: sequence in the lane
 * @stamp: sender's clock, units of 64 ns
 */
struct lb_wire {
	u8 type;
	u8 flags;
	u16 path;
	u16 lane;
	u32 session;
	u32 path_seq;
	u32 lane_seq;
	u32 stamp;
};

/**
 * lb_stamp() - a clock reading in the units of the wire
 * @ns: monotonic time, nanoseconds
 *
 * Return: units of 64 ns, modulo 2^32 (275 s).
 */
static inline u32 lb_stamp(u64 ns)
{
	return (u32)(ns >> LB_STAMP_SHIFT);
}

/**
 * lb_stamp_ns() - nanoseconds of a difference of stamps
 * @diff: difference, units of 64 ns
 *
 * Return: nanoseconds.
 */
static inline s64 lb_stamp_ns(s32 diff)
{
	return (s64)diff * (1 << LB_STAMP_SHIFT);
}

int lb_wire_decode(const void *buf, u32 len, struct lb_wire *w);
void lb_wire_encode(void *buf, const struct lb_wire *w);

#endif /* _LB_WIRE_H */
