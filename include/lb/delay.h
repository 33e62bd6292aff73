/* SPDX-License-Identifier: GPL-2.0 */
/* Delays of paths, and how long to wait behind a hole. */
#ifndef _LB_DELAY_H
#define _LB_DELAY_H

#include <lb/seq.h>

/* Extremes are those of the last one to two buckets. */
#define LB_DELAY_BUCKET		(500 * NSEC_PER_MSEC)

/**
 * struct lb_delay - extremes of a path's one-way delay
 * @start: when the present bucket began, nanoseconds
 * @min: of the present bucket and the one before, units of 64 ns
 * @max: likewise
 * @valid: which buckets hold something
 *
 * The delay is receiver's clock less sender's stamp, so it is off by an unknown
 * constant, the same for all paths of a peer: only differences mean anything.
 */
struct lb_delay {
	u64 start;
	u32 min[2];
	u32 max[2];
	bool valid[2];
};

/**
 * struct lb_spread - extremes over all paths
 * @min: smallest delay
 * @max: largest delay
 * @valid: whether any is known
 * @settled: whether some path has been heard for a whole bucket, so that by now
 *	the slow ones should have been heard too
 */
struct lb_spread {
	u32 min;
	u32 max;
	bool valid;
	bool settled;
};

/**
 * struct lb_rtt - round trips of a path
 * @last: nanoseconds, 0 if none was measured
 * @min: smallest
 * @mean: exponentially weighted, gain 1/8
 */
struct lb_rtt {
	u64 last;
	u64 min;
	u64 mean;
};

/**
 * struct lb_hold - bounds to the time a packet is held
 * @min: nanoseconds
 * @max: nanoseconds
 * @rtt: round trip to the peer, nanoseconds
 */
struct lb_hold {
	u64 min;
	u64 max;
	u64 rtt;
};

void lb_delay_add(struct lb_delay *d, u32 delay, u64 now);
void lb_spread_add(struct lb_spread *s, const struct lb_delay *d, u64 now);
void lb_rtt_add(struct lb_rtt *rtt, u64 sample);
u64 lb_hold_time(const struct lb_hold *hold, const struct lb_spread *spread,
		 u32 delay);

#endif /* _LB_DELAY_H */
