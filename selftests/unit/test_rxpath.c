// SPDX-License-Identifier: GPL-2.0
/* Counting of packets and loss on a path. */

#include <lb/hash.h>
#include <lb/rxpath.h>
#include <lb/wire.h>

#include "tap.h"

#define J	LB_PATH_JUMP

/* struct run - @n path sequences from @from on, each @by after the one before */
struct run {
	s64 from;
	u32 n;
	s32 by;
};

static const struct {
	const char *what;
	u64 packets, lost;
	struct run run[6];
} cases[] = {
	{ "nothing",			0, 0, { } },
	{ "one",			1, 0, { { 0, 1, 1 } } },
	{ "in order",			1000, 0, { { 0, 1000, 1 } } },
	{ "one lost",			9, 1, { { 0, 5, 1 }, { 6, 4, 1 } } },
	{ "every other lost",		100, 99, { { 0, 100, 2 } } },
	{ "the last lost is not known",	5, 0, { { 0, 5, 1 } } },
	{ "reordering is no loss",	6, 0,
	  { { 0, 2, 1 }, { 3, 1, 1 }, { 2, 1, 1 }, { 4, 2, 1 } } },
	{ "64 packets backwards",	64, 0, { { 63, 64, -1 } } },
	{ "first two swapped",		2, 0, { { 1, 1, 1 }, { 0, 1, 1 } } },
	{ "first three reversed",	3, 0, { { 2, 3, -1 } } },
	{ "late by 63",			65, 0,
	  { { 0, 1, 1 }, { 2, 63, 1 }, { 1, 1, 1 } } },
	{ "late by 64",			66, 0,
	  { { 0, 1, 1 }, { 2, 64, 1 }, { 1, 1, 1 } } },
	{ "late by 1000",		1002, 0,
	  { { 0, 1, 1 }, { 2, 1000, 1 }, { 1, 1, 1 } } },
	{ "late by 60000",		60002, 0,
	  { { 0, 1, 1 }, { 2, 60000, 1 }, { 1, 1, 1 } } },
	{ "lost and late",		8, 1,
	  { { 0, 3, 1 }, { 5, 4, 1 }, { 4, 1, 1 } } },
	{ "duplicate of the highest",	3, 0, { { 0, 3, 1 }, { 2, 1, 1 } } },
	{ "duplicate of the first",	1, 0, { { 7, 1, 1 }, { 7, 3, 0 } } },
	{ "duplicates of 64",		64, 0, { { 0, 64, 1 }, { 0, 64, 1 } } },
	{ "duplicates backwards",	64, 0, { { 0, 64, 1 }, { 63, 64, -1 } } },
	{ "duplicate of a late one",	5, 0,
	  { { 0, 2, 1 }, { 3, 2, 1 }, { 2, 2, 0 } } },
	{ "duplicates hide no loss",	9, 1,
	  { { 0, 5, 1 }, { 6, 4, 1 }, { 6, 4, 1 }, { 0, 5, 1 } } },
	{ "gap of 63",			2, 62, { { 0, 2, 63 } } },
	{ "gap of 64",			2, 63, { { 0, 2, 64 } } },
	{ "gap of 65",			2, 64, { { 0, 2, 65 } } },
	{ "gap of 64, duplicates",	2, 63, { { 0, 2, 64 }, { 64, 2, 0 } } },
	{ "after a gap of 64 none of the old is recent", 4, 61,
	  { { 0, 2, 64 }, { 63, 1, 1 }, { 1, 1, 1 } } },
	{ "greatest gap that is loss",	2, J - 1, { { 0, 2, J } } },
	{ "greater is a new start",	2, 0, { { 0, 2, J + 1 } } },
	{ "new start, in order",	20, 0, { { 0, 10, 1 }, { 1000000, 10, 1 } } },
	{ "new start keeps old loss",	13, 2,
	  { { 0, 5, 1 }, { 7, 4, 1 }, { 1000000, 4, 1 } } },
	{ "new start, later loss",	12, 3,
	  { { 0, 4, 1 }, { 1000000, 4, 1 }, { 1000007, 4, 1 } } },
	{ "new start backwards",	20, 0, { { 1000000, 10, 1 }, { 0, 10, 1 } } },
	{ "new start, duplicate",	5, 0, { { 0, 4, 1 }, { 1000000, 3, 0 } } },
	{ "new start half way round",	3, 0,
	  { { 0, 2, 1 }, { 0x80000001, 1, 1 } } },
	{ "new starts",			100, 0, { { 0, 100, 1000000 } } },
	/* What the sequence told was lost before the jump stays lost. */
	{ "new start, first two swapped, old loss", 6, 1,
	  { { 0, 3, 1 }, { 4, 1, 1 }, { 1000000, 2, -1 } } },
};

static void test_cases(void)
{
	static const u32 start[] = {
		0, 1, 0x7ffffff5, 0x80000000, 0xfffffff5, 0xffffffc0, 0xffffffff,
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++)
		for (u32 k = 0; k < ARRAY_SIZE(start); k++) {
			struct lb_rxpath p = { };

			for (u32 r = 0; r < ARRAY_SIZE(cases[i].run); r++) {
				const struct run *run = &cases[i].run[r];
				u32 seq = start[k] + (u32)run->from;

				for (u32 n = 0; n < run->n; n++) {
					lb_rxpath_add(&p, seq, 0, 100, false, 0);
					seq += run->by;
				}
			}
			is(p.packets, cases[i].packets, "%s, from %#x: packets",
			   cases[i].what, start[k]);
			is(lb_rxpath_lost(&p), cases[i].lost, "  lost");
			is(p.bytes, 100 * cases[i].packets, "  bytes");
		}
}

static void test_fields(void)
{
	struct lb_rxpath p = { };

	lb_rxpath_add(&p, 5, 1000, 100, false, 64000);
	is(p.highest, 5, "first: highest");
	is(p.stamp, 1000, "  its stamp");
	is(p.rx, 64000, "  when");
	is(p.expected, 1, "  expected");
	is(p.delay.min[0], 0, "  delay");
	lb_rxpath_add(&p, 7, 1010, 1, true, 65000);
	is(p.highest, 7, "highest: highest");
	is(p.stamp, 1010, "  its stamp");
	is(p.rx, 65000, "  when");
	is(p.bytes, 101, "  bytes");
	is(p.ce, 1, "  CE");
	is(p.expected, 3, "  expected");
	lb_rxpath_add(&p, 6, 1005, 10, true, 66000);
	is(p.highest, 7, "late: highest");
	is(p.stamp, 1010, "  its stamp");
	is(p.rx, 65000, "  when");
	is(p.bytes, 111, "  bytes");
	is(p.ce, 2, "  CE");
	is(p.expected, 3, "  expected");
	lb_rxpath_add(&p, 6, 1005, 1000, true, 67000);
	is(p.highest, 7, "duplicate: highest");
	is(p.bytes, 111, "  bytes");
	is(p.ce, 2, "  CE");
	is(p.packets, 3, "  packets");
	lb_rxpath_add(&p, 9000000, 5, 10, false, 68000);
	is(p.highest, 9000000, "new start: highest");
	is(p.stamp, 5, "  its stamp");
	is(p.rx, 68000, "  when");
	is(p.packets, 4, "  packets");

	memset(&p, 0, sizeof(p));
	lb_rxpath_add(&p, 0, 0xfffffff0, 1, false, 64 * 0x10);
	is(p.delay.max[0], 0x20, "the stamp wrapped on the way");
}

/*
 * A path that loses, reorders by less than 64 and duplicates what is recent:
 * what is counted is what happened.
 */
static void test_random(void)
{
	u32 bad = 0;

	for (u32 seed = 0; seed < 200; seed++) {
		enum { N = 4000, SWAP = 30 };
		struct lb_rnd r = { .s = seed };
		u32 *order = tap_alloc(N * sizeof(*order));
		u32 start = lb_rnd_u32(&r) | (seed & 1 ? 0xfffff800 : 0);
		u32 loss = lb_scale(lb_rnd_u32(&r), 60);
		struct lb_rxpath p = { };
		u32 lo = N, hi = 0, packets = 0, bytes = 0, ce = 0;

		for (u32 i = 0; i < N; i++)
			order[i] = i;
		/* Shuffle inside blocks: nothing moves by more than 2 * SWAP. */
		for (u32 i = 0; seed % 3 && i < N; i++) {
			u32 k = i / SWAP * SWAP + lb_scale(lb_rnd_u32(&r), SWAP);
			u32 t = order[i];

			if (k >= N)
				continue;
			order[i] = order[k];
			order[k] = t;
		}
		for (u32 i = 0; i < N; i++) {
			u32 copies = 1 + !lb_scale(lb_rnd_u32(&r), 8);
			u32 len = lb_scale(lb_rnd_u32(&r), 1500);
			bool mark = !lb_scale(lb_rnd_u32(&r), 5);

			if (lb_scale(lb_rnd_u32(&r), 100) < loss)
				continue;
			while (copies--)
				lb_rxpath_add(&p, start + order[i], 0, len, mark,
					      0);
			lo = min_t(u32, lo, order[i]);
			hi = max_t(u32, hi, order[i]);
			packets++;
			bytes += len;
			ce += mark;
		}
		if (p.packets != packets || p.bytes != bytes || p.ce != ce ||
		    p.highest != start + hi ||
		    lb_rxpath_lost(&p) != hi - lo + 1 - packets) {
			diag("seed %u: %llu packets of %u, %llu lost of %u",
			     seed, (unsigned long long)p.packets, packets,
			     (unsigned long long)lb_rxpath_lost(&p),
			     hi - lo + 1 - packets);
			bad++;
		}
		free(order);
	}
	is(bad, 0, "200 random paths are counted right");
}

int main(void)
{
	test_cases();
	test_fields();
	test_random();
	return tap_done();
}
