/* SPDX-License-Identifier: GPL-2.0 */
/* What the receiver has seen of one path of the sender. */
#ifndef _LB_RXPATH_H
#define _LB_RXPATH_H

#include <lb/delay.h>

/* A jump of the path sequence beyond this is a new start, not loss. */
#define LB_PATH_JUMP	65536

/**
 * struct lb_rxpath - receive side of a path
 * @packets: that arrived, each path sequence once
 * @bytes: of them, inner packets
 * @ce: packets that came with CE
 * @expected: packets that were sent, as far as the sequence tells
 * @before: of them, before the last new start of the sequence
 * @highest: highest path sequence
 * @stamp: stamp of the packet with it
 * @rx: when that arrived, nanoseconds
 * @recent: which of the 64 sequence numbers up to @highest came, bit 0 that one
 * @seen: whether anything came yet
 * @delay: of the path
 */
struct lb_rxpath {
	u64 packets;
	u64 bytes;
	u64 ce;
	u64 expected;
	u64 before;
	u64 rx;
	u64 recent;
	u32 highest;
	u32 stamp;
	bool seen;
	struct lb_delay delay;
};

/**
 * lb_rxpath_lost() - packets of a path that are missing
 * @p: the path
 *
 * Return: packets; those still on their way behind a later one count.
 */
static inline u64 lb_rxpath_lost(const struct lb_rxpath *p)
{
	return p->expected > p->packets ? p->expected - p->packets : 0;
}

void lb_rxpath_add(struct lb_rxpath *p, u32 seq, u32 stamp, u32 len, bool ce,
		   u64 now);

#endif /* _LB_RXPATH_H */
