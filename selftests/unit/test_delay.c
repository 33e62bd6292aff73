// SPDX-License-Identifier: GPL-2.0
/* Extremes of delay, round trips, hold time. */

#include <lb/delay.h>
#include <lb/hash.h>
#include <lb/wire.h>

#include "tap.h"

#define MS	NSEC_PER_MSEC
#define US	NSEC_PER_USEC
#define B	LB_DELAY_BUCKET

/* Units of 64 ns in so many microseconds, which must be a multiple of 8. */
#define UNITS(us)	((us) * 1000 / 64)

/* struct sample - @delay was measured at time @at */
struct sample {
	u64 at;
	u32 delay;
};

static const struct {
	const char *what;
	u64 at;
	u32 min, max;
	bool valid;
	u32 n;
	struct sample s[6];
} windows[] = {
	{ "nothing", 10 * B, 0, 0, false, 0, { } },
	{ "nothing, at boot", 0, 0, 0, false, 0, { } },
	{ "one", 10 * B, 7, 7, true, 1, { { 10 * B, 7 } } },
	{ "one, at boot", 0, 7, 7, true, 1, { { 0, 7 } } },
	{ "one, soon after boot", 5 * MS, 7, 7, true, 1, { { 5 * MS, 7 } } },
	{ "delay of 0", 10 * B, 0, 0, true, 1, { { 10 * B, 0 } } },
	{ "three in a bucket", 10 * B + 2, 3, 9, true, 3,
	  { { 10 * B, 5 }, { 10 * B + 1, 9 }, { 10 * B + 2, 3 } } },
	{ "both buckets count", 11 * B, 3, 9, true, 2,
	  { { 10 * B, 9 }, { 11 * B, 3 } } },
	{ "both buckets count, the other way", 11 * B, 3, 9, true, 2,
	  { { 10 * B, 3 }, { 11 * B, 9 } } },
	{ "a bucket ends at its length", 11 * B - 1, 3, 9, true, 2,
	  { { 10 * B, 9 }, { 11 * B - 1, 3 } } },
	{ "the third bucket drives out the first", 12 * B, 3, 5, true, 3,
	  { { 10 * B, 9 }, { 11 * B, 3 }, { 12 * B, 5 } } },
	{ "a sample one bucket old counts", 11 * B, 7, 7, true, 1,
	  { { 10 * B, 7 } } },
	{ "a sample one bucket old counts, over a rotation", 12 * B - 2, 1, 7,
	  true, 3,
	  { { 10 * B, 5 }, { 11 * B - 1, 7 }, { 11 * B, 1 } } },
	{ "just before two buckets", 12 * B - 1, 7, 7, true, 1,
	  { { 10 * B, 7 } } },
	{ "two buckets old", 12 * B, 0, 0, false, 1, { { 10 * B, 7 } } },
	{ "a silent path", 100 * B, 0, 0, false, 2,
	  { { 10 * B, 7 }, { 11 * B, 8 } } },
	{ "a time just before the bucket", 10 * B - 1, 5, 9, true, 2,
	  { { 10 * B, 5 }, { 10 * B - 1, 9 } } },
	{ "only the young bucket", 12 * B, 1, 1, true, 2,
	  { { 10 * B, 7 }, { 11 * B, 1 } } },
	{ "a pause drives out all before", 20 * B, 4, 4, true, 3,
	  { { 10 * B, 7 }, { 11 * B, 8 }, { 20 * B, 4 } } },
	/* The clocks' offset puts delays anywhere in 32 bits. */
	{ "wrap inside a bucket", 10 * B, 0xfffffff0, 0x10, true, 3,
	  { { 10 * B, 2 }, { 10 * B, 0xfffffff0 }, { 10 * B, 0x10 } } },
	{ "wrap between buckets", 11 * B, 0xfffffff0, 0x10, true, 2,
	  { { 10 * B, 0x10 }, { 11 * B, 0xfffffff0 } } },
	{ "sign change", 11 * B, 0x7ffffff0, 0x80000010, true, 2,
	  { { 10 * B, 0x80000010 }, { 11 * B, 0x7ffffff0 } } },
	/* lb/delay.h: "Extremes are those of the last one to two buckets". */
	{ "nothing older than two buckets counts", 13 * B - 2, 1, 1, true, 2,
	  { { 10 * B, 7 }, { 12 * B - 1, 1 } } },
};

static void test_windows(void)
{
	for (u32 i = 0; i < ARRAY_SIZE(windows); i++) {
		struct lb_delay d = { };
		struct lb_spread s = { };

		for (u32 k = 0; k < windows[i].n; k++)
			lb_delay_add(&d, windows[i].s[k].delay,
				     windows[i].s[k].at);
		lb_spread_add(&s, &d, windows[i].at);
		is(s.valid, windows[i].valid, "%s: whether it is known",
		   windows[i].what);
		if (!windows[i].valid)
			continue;
		is(s.min, windows[i].min, "  min");
		is(s.max, windows[i].max, "  max");
	}
}

/* Whatever the times: one bucket back all counts, two buckets back nothing. */
static void test_window_bounds(void)
{
	struct lb_rnd r = { .s = 42 };
	u32 forgot = 0, stale = 0;

	for (u32 run = 0; run < 2000; run++) {
		struct sample s[64];
		struct lb_delay d = { };
		u64 now = 10 * B;

		for (u32 i = 0; i < ARRAY_SIZE(s); i++) {
			struct lb_spread sp = { };
			u32 lo = ~0U, hi = 0;

			now += lb_scale(lb_rnd_u32(&r), run % 2 ? B / 4 : 2 * B);
			s[i].at = now;
			s[i].delay = lb_scale(lb_rnd_u32(&r), 1000);
			lb_delay_add(&d, s[i].delay, now);
			now += lb_scale(lb_rnd_u32(&r), B / 4);
			lb_spread_add(&sp, &d, now);
			for (u32 k = 0; k <= i; k++)
				if (now - s[k].at < B && sp.valid)
					forgot += s[k].delay < sp.min ||
						  s[k].delay > sp.max;
			for (u32 k = 0; k <= i; k++)
				if (now - s[k].at < 2 * B) {
					lo = min_t(u32, lo, s[k].delay);
					hi = max_t(u32, hi, s[k].delay);
				}
			forgot += !sp.valid;
			stale += sp.valid && (sp.min < lo || sp.max > hi);
		}
	}
	is(forgot, 0, "what came within one bucket's time counts");
	is(stale, 0, "what came two buckets' time ago does not");
}

static void test_spread(void)
{
	struct lb_delay d[3] = { };
	struct lb_spread s = { };

	lb_spread_add(&s, &d[0], 10 * B);
	is(s.valid, false, "a path without a packet adds nothing");
	lb_delay_add(&d[1], 0xfffffffe, 10 * B);
	lb_delay_add(&d[2], 3, 10 * B);
	lb_spread_add(&s, &d[1], 10 * B);
	lb_spread_add(&s, &d[0], 10 * B);
	lb_spread_add(&s, &d[2], 10 * B);
	is(s.valid, true, "two paths with packets add to it");
	is(s.min, 0xfffffffe, "  min over the wrap");
	is(s.max, 3, "  max over the wrap");

	memset(&s, 0, sizeof(s));
	lb_delay_add(&d[2], 4, 11 * B + B / 2);
	lb_spread_add(&s, &d[1], 12 * B - 1);
	lb_spread_add(&s, &d[2], 12 * B - 1);
	is(s.min, 0xfffffffe, "a path just fell silent and still counts: min");
	is(s.max, 4, "  max");

	memset(&s, 0, sizeof(s));
	lb_spread_add(&s, &d[1], 12 * B);
	is(s.valid, false, "a path that fell silent counts no longer");
	lb_spread_add(&s, &d[2], 12 * B);
	is(s.min, 4, "  nor what the other had as long ago: min");
	is(s.max, 4, "  max");

	memset(&s, 0, sizeof(s));
	lb_delay_add(&d[2], 3, 12 * B);
	lb_spread_add(&s, &d[1], 12 * B);
	lb_spread_add(&s, &d[2], 12 * B);
	is(s.min, 3, "both buckets of the other count: min");
	is(s.max, 4, "  max");
}

static void test_settled(void)
{
	static const struct {
		const char *what;
		u64 at;
		bool settled;
		u32 n;
		u64 heard[8];
	} cases[] = {
		{ "nothing", 10 * B, false, 0, { } },
		{ "one packet", 10 * B, false, 1, { 10 * B } },
		{ "one packet, long ago", 12 * B - 1, false, 1, { 10 * B } },
		{ "just less than a bucket", 11 * B - 1, false, 2,
		  { 10 * B, 11 * B - 1 } },
		{ "a bucket", 11 * B, true, 2, { 10 * B, 11 * B } },
		{ "many buckets", 13 * B, true, 4,
		  { 10 * B, 11 * B, 12 * B, 13 * B } },
		{ "a pause after many", 17 * B, false, 3,
		  { 10 * B, 11 * B, 17 * B } },
		{ "silent after many", 17 * B, false, 2, { 10 * B, 11 * B } },
	};
	struct lb_delay d[2] = { };
	struct lb_spread s = { };

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(d, 0, sizeof(d));
		memset(&s, 0, sizeof(s));
		for (u32 k = 0; k < cases[i].n; k++)
			lb_delay_add(&d[0], 1, cases[i].heard[k]);
		lb_spread_add(&s, &d[0], cases[i].at);
		is(s.settled, cases[i].settled, "settled: %s", cases[i].what);
	}

	memset(d, 0, sizeof(d));
	memset(&s, 0, sizeof(s));
	lb_delay_add(&d[0], 1, 10 * B);
	lb_delay_add(&d[0], 1, 11 * B);
	lb_delay_add(&d[1], 1, 11 * B);
	lb_spread_add(&s, &d[0], 11 * B);
	lb_spread_add(&s, &d[1], 11 * B);
	is(s.settled, true, "settled: one of two paths is enough");
}

static void test_rtt(void)
{
	struct lb_rtt rtt = { };

	lb_rtt_add(&rtt, 8000);
	is(rtt.last, 8000, "first round trip: last");
	is(rtt.min, 8000, "  min");
	is(rtt.mean, 8000, "  mean");
	lb_rtt_add(&rtt, 16000);
	is(rtt.last, 16000, "second: last");
	is(rtt.min, 8000, "  min");
	is(rtt.mean, 9000, "  mean moves by an eighth");
	lb_rtt_add(&rtt, 800);
	is(rtt.min, 800, "third: min");
	is(rtt.mean, 7975, "  mean");
	for (u32 i = 0; i < 200; i++)
		lb_rtt_add(&rtt, 1000000);
	ok(rtt.mean > 999900 && rtt.mean <= 1000000, "the mean follows up: %llu",
	   (unsigned long long)rtt.mean);
	for (u32 i = 0; i < 200; i++)
		lb_rtt_add(&rtt, 1000);
	ok(rtt.mean >= 1000 && rtt.mean < 1100, "the mean follows down: %llu",
	   (unsigned long long)rtt.mean);

	memset(&rtt, 0, sizeof(rtt));
	lb_rtt_add(&rtt, 0);
	ok(rtt.last && rtt.min && rtt.mean, "a round trip of 0 is a round trip");
	lb_rtt_add(&rtt, 100);
	is(rtt.last, 100, "  and the next is not the first: last");
	ok(rtt.min && rtt.min < 100, "  min");

	memset(&rtt, 0, sizeof(rtt));
	lb_rtt_add(&rtt, 1ULL << 40);
	lb_rtt_add(&rtt, 1ULL << 40);
	is(rtt.mean, 1LL << 40, "very long round trips");
}

/* Delays in units of 64 ns, times in nanoseconds; the margin is 5 us. */
static const struct {
	const char *what;
	struct lb_hold hold;
	struct lb_spread spread;
	u32 delay;
	u64 want;
} holds[] = {
	{ "nothing known", { 50 * US, 100 * MS, 0 }, { 0, 0, false, false }, 0,
	  100 * MS },
	{ "nothing known, whatever else", { 50 * US, 100 * MS, 20 * MS },
	  { 7, 9, false, true }, 8, 100 * MS },
	{ "known, but not settled", { 50 * US, 100 * MS, 0 },
	  { 7, 9, true, false }, 8, 100 * MS },
	{ "one path", { 0, 100 * MS, 0 }, { 500, 500, true, true }, 500, 5 * US },
	{ "one path, least", { 50 * US, 100 * MS, 0 }, { 500, 500, true, true }, 500,
	  50 * US },
	{ "one path, round trip", { 50 * US, 100 * MS, MS },
	  { 500, 500, true, true }, 500, 505 * US },
	{ "came the fast way", { 0, 100 * MS, 0 },
	  { 0, UNITS(8000), true, true }, 0, 8 * MS + MS + 5 * US },
	{ "came half way", { 0, 100 * MS, 0 },
	  { 0, UNITS(8000), true, true }, UNITS(4000), 4 * MS + MS + 5 * US },
	{ "came the slow way", { 0, 100 * MS, 0 },
	  { 0, UNITS(8000), true, true }, UNITS(8000), MS + 5 * US },
	{ "came slower than any", { 0, 100 * MS, 0 },
	  { 0, UNITS(8000), true, true }, UNITS(80000), MS + 5 * US },
	{ "came faster than any", { 0, 100 * MS, 0 },
	  { UNITS(8000), UNITS(16000), true, true }, 0, 16 * MS + MS + 5 * US },
	{ "round trip is the greater margin", { 0, 100 * MS, 4 * MS },
	  { 0, UNITS(8000), true, true }, 0, 8 * MS + 2 * MS + 5 * US },
	{ "spread is the greater margin", { 0, 100 * MS, MS },
	  { 0, UNITS(8000), true, true }, 0, 8 * MS + MS + 5 * US },
	{ "most", { 0, 5 * MS, 0 }, { 0, UNITS(8000), true, true }, 0, 5 * MS },
	{ "least is most", { MS, MS, 0 }, { 0, UNITS(8000), true, true }, 0, MS },
	{ "most of 0", { 0, 0, 0 }, { 0, UNITS(8000), true, true }, 0, 0 },
	{ "most wins over least", { 2 * MS, MS, 0 }, { 0, 0, true, true }, 0, MS },
	{ "round trip beyond the most", { 0, 100 * MS, 1ULL << 40 },
	  { 0, 0, true, true }, 0, 100 * MS },
	{ "spread of 2^31 - 1", { 0, 1ULL << 40, 0 },
	  { 0, INT_MAX, true, true }, 0,
	  ((1ULL << 31) - 1) * 64 + ((1ULL << 31) - 1) * 8 + 5 * US },
};

static void test_hold(void)
{
	static const u32 offset[] = {
		0, 1, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffff0000, 0x12345678,
	};

	/* The clocks differ by any constant, which must not count. */
	for (u32 i = 0; i < ARRAY_SIZE(holds); i++)
		for (u32 k = 0; k < ARRAY_SIZE(offset); k++) {
			struct lb_spread s = holds[i].spread;

			s.min += offset[k];
			s.max += offset[k];
			is(lb_hold_time(&holds[i].hold, &s,
					holds[i].delay + offset[k]),
			   holds[i].want, "hold: %s, clocks off by %#x",
			   holds[i].what, offset[k]);
		}
}

static void test_hold_bounds(void)
{
	struct lb_rnd r = { .s = 7 };
	u32 out = 0, rises = 0;

	for (u32 i = 0; i < 200000; i++) {
		struct lb_spread s = {
			.valid = lb_rnd_u32(&r) & 1,
			.settled = lb_rnd_u32(&r) & 1,
		};
		struct lb_hold h;
		u32 delay;
		u64 t;

		s.min = lb_rnd_u32(&r);
		s.max = s.min + (lb_rnd_u32(&r) >> lb_rnd_u32(&r) % 31 >> 1);
		h.min = lb_rnd_u32(&r);
		h.max = h.min + lb_rnd_u32(&r);
		h.rtt = lb_rnd_u32(&r);
		delay = s.min + (s32)lb_rnd_u32(&r) / 2;
		t = lb_hold_time(&h, &s, delay);
		out += t < h.min || t > h.max;
		/* A packet that was slower itself never waits longer. */
		if (lb_seq_after(s.max, delay))
			rises += lb_hold_time(&h, &s, delay + 1) > t;
	}
	is(out, 0, "hold times are between their bounds");
	is(rises, 0, "a slower packet does not wait longer");
}

/* The same traffic seen by hosts whose clocks differ. */
static void test_clock_offset(void)
{
	static const u64 offset[] = {
		0, 1ULL << 6, 1ULL << 37, (1ULL << 38) - 64, 123456789ULL << 6,
		~0ULL << 20,
	};
	const struct lb_hold h = { .min = 0, .max = 1000 * MS, .rtt = 0 };
	u64 want = 0;

	for (u32 k = 0; k < ARRAY_SIZE(offset); k++) {
		struct lb_delay d[2] = { };
		struct lb_spread s = { };
		u64 now = 100 * B, t;

		for (u32 i = 0; i < 2000; i++) {
			u64 sent = 100 * B + i * MS;
			u64 delay = i % 2 ? 640 * US : 6400 * US;

			now = sent + delay;
			lb_delay_add(&d[i % 2],
				     lb_stamp(now) - lb_stamp(sent + offset[k]),
				     now);
		}
		lb_spread_add(&s, &d[0], now);
		lb_spread_add(&s, &d[1], now);
		t = lb_hold_time(&h, &s, lb_stamp(now) -
					 lb_stamp(now - 640 * US + offset[k]));
		if (!k)
			want = t;
		is(lb_stamp_ns(lb_seq_diff(s.max, s.min)), 5760 * US,
		   "clocks off by %#llx: spread",
		   (unsigned long long)offset[k]);
		is(t, want, "  hold time");
	}
	is(want, (5760 + 720 + 5) * US, "the hold time is as computed by hand");
}

int main(void)
{
	test_windows();
	test_window_bounds();
	test_spread();
	test_settled();
	test_rtt();
	test_hold();
	test_hold_bounds();
	test_clock_offset();
	return tap_done();
}
