// SPDX-License-Identifier: GPL-2.0
/*
 * Counting on a path. Loss is what its own sequence lacks; reordering inside a
 * path (several transmit queues of a NIC) is normal, so a packet that comes
 * late is taken off the loss again.
 */

#include <lb/rxpath.h>
#include <lb/wire.h>

/**
 * lb_rxpath_add() - a data packet came over the path
 * @p: the path; zeroed at first
 * @seq: its path sequence
 * @stamp: its stamp
 * @len: bytes of the inner packet
 * @ce: whether the network marked it
 * @now: nanoseconds
 */
void lb_rxpath_add(struct lb_rxpath *p, u32 seq, u32 stamp, u32 len, bool ce,
		   u64 now)
{
	s32 d = lb_seq_diff(seq, p->highest);

	if (!p->seen || d > LB_PATH_JUMP || d < -LB_PATH_JUMP) {
		p->seen = true;
		p->recent = 0;
		p->before = p->expected;
		p->expected++;
	} else if (d > 0) {
		p->recent = d < 64 ? p->recent << d : 0;
		p->expected += d;
	} else {
		if (d > -64) {
			if (p->recent >> -d & 1)
				return;
			p->recent |= 1ULL << -d;
		}
		/* Sent before the first that came: it was not expected. */
		if ((u64)-(s64)d >= p->expected - p->before)
			p->expected = p->before + (u64)-(s64)d + 1;
		goto count;
	}

	p->recent |= 1;
	p->highest = seq;
	p->stamp = stamp;
	p->rx = now;
count:
	lb_delay_add(&p->delay, lb_stamp(now) - stamp, now);
	p->packets++;
	p->bytes += len;
	p->ce += ce;
}
