// SPDX-License-Identifier: GPL-2.0
/* Delays of paths, and how long to wait behind a hole. */

#include <lb/delay.h>
#include <lb/wire.h>

#define MARGIN	(5 * NSEC_PER_USEC)

/*
 * Age of the present bucket. The time of a packet that another CPU took up may
 * lie a little before it.
 */
static u64 age(const struct lb_delay *d, u64 now)
{
	return (s64)(now - d->start) > 0 ? now - d->start : 0;
}

static void rotate(struct lb_delay *d, u64 now)
{
	u64 t = age(d, now);

	if (t < LB_DELAY_BUCKET)
		return;
	d->valid[1] = d->valid[0] && t < 2 * LB_DELAY_BUCKET;
	d->min[1] = d->min[0];
	d->max[1] = d->max[0];
	d->valid[0] = false;
	/* The next bucket begins where this one ends, if it is not long past. */
	d->start = d->valid[1] ? d->start + LB_DELAY_BUCKET : now;
}

/**
 * lb_delay_add() - a packet came over the path
 * @d: the path's delays; zeroed at first
 * @delay: receiver's clock less stamp, units of 64 ns
 * @now: nanoseconds
 */
void lb_delay_add(struct lb_delay *d, u32 delay, u64 now)
{
	rotate(d, now);
	if (!d->valid[0]) {
		d->min[0] = delay;
		d->max[0] = delay;
		d->valid[0] = true;
		return;
	}
	if (lb_seq_after(d->min[0], delay))
		d->min[0] = delay;
	if (lb_seq_after(delay, d->max[0]))
		d->max[0] = delay;
}

/**
 * lb_spread_add() - take a path into the extremes over all paths
 * @s: the extremes; zeroed at first
 * @d: the path's delays
 * @now: nanoseconds; buckets too old do not count
 */
void lb_spread_add(struct lb_spread *s, const struct lb_delay *d, u64 now)
{
	int i;

	for (i = 0; i < 2; i++) {
		/* Bucket 1 ended when bucket 0 began. */
		if (!d->valid[i] || age(d, now) >= (2 - i) * LB_DELAY_BUCKET)
			continue;
		if (!s->valid || lb_seq_after(s->min, d->min[i]))
			s->min = d->min[i];
		if (!s->valid || lb_seq_after(d->max[i], s->max))
			s->max = d->max[i];
		s->valid = true;
		s->settled |= i == 1;
	}
}

/**
 * lb_rtt_add() - a probe was answered
 * @rtt: round trips of the path; zeroed at first
 * @sample: nanoseconds
 */
void lb_rtt_add(struct lb_rtt *rtt, u64 sample)
{
	if (!sample)
		sample = 1;
	rtt->mean = rtt->last ? rtt->mean - rtt->mean / 8 + sample / 8 : sample;
	if (!rtt->last || sample < rtt->min)
		rtt->min = sample;
	rtt->last = sample;
}

/**
 * lb_hold_time() - how long to hold the first packet behind a hole
 * @hold: bounds, and the round trip
 * @spread: extremes of delay over all paths, of late
 * @delay: delay of that packet itself, units of 64 ns
 *
 * What is missing was sent before the packet, so the slowest path brings it
 * when the packet would have come over that path. While the delays are not known
 * the longest time is right. The margin allows for delays that grow; a constant
 * part of the delay must not count, as the clocks differ by one.
 *
 * Return: nanoseconds since the packet's arrival.
 */
u64 lb_hold_time(const struct lb_hold *hold, const struct lb_spread *spread,
		 u32 delay)
{
	u64 t, range;
	s32 rest;

	if (!spread->valid || !spread->settled)
		return hold->max;
	rest = lb_seq_diff(spread->max, delay);
	range = (u64)lb_stamp_ns(lb_seq_diff(spread->max, spread->min));
	t = rest > 0 ? (u64)lb_stamp_ns(rest) : 0;
	t += max_t(u64, hold->rtt / 2, range / 8) + MARGIN;
	return min_t(u64, max_t(u64, t, hold->min), hold->max);
}
