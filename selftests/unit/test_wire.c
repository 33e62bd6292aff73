// SPDX-License-Identifier: GPL-2.0
/* The header on the wire: layout, codec, refusal of what is no header. */

#include <lb/hash.h>
#include <lb/wire.h>

#include "tap.h"

#define LAYOUT(s, m, at)						\
	is(offsetof(struct s, m), at, "offset of " #s "." #m)

/* Two hosts may run different builds: the layout is for ever. */
static void test_layout(void)
{
	is(sizeof(struct lb_hdr), 24, "size of lb_hdr");
	LAYOUT(lb_hdr, ver_type, 0);
	LAYOUT(lb_hdr, flags, 1);
	LAYOUT(lb_hdr, path, 2);
	LAYOUT(lb_hdr, session, 4);
	LAYOUT(lb_hdr, path_seq, 8);
	LAYOUT(lb_hdr, lane, 12);
	LAYOUT(lb_hdr, reserved, 14);
	LAYOUT(lb_hdr, lane_seq, 16);
	LAYOUT(lb_hdr, stamp, 20);

	is(sizeof(struct lb_init), 24, "size of lb_init");
	LAYOUT(lb_init, nonce, 0);
	LAYOUT(lb_init, features, 8);
	LAYOUT(lb_init, lanes, 12);
	LAYOUT(lb_init, paths, 14);
	LAYOUT(lb_init, seq_start, 16);

	is(sizeof(struct lb_report), 40, "size of lb_report");
	LAYOUT(lb_report, path, 0);
	LAYOUT(lb_report, highest, 4);
	LAYOUT(lb_report, bytes, 8);
	LAYOUT(lb_report, packets, 16);
	LAYOUT(lb_report, lost, 20);
	LAYOUT(lb_report, ce, 24);
	LAYOUT(lb_report, stamp, 28);
	LAYOUT(lb_report, rx, 32);

	is(sizeof(struct lb_feedback), 8, "size of lb_feedback");
	LAYOUT(lb_feedback, now, 0);
	LAYOUT(lb_feedback, count, 4);
}

static const struct lb_wire golden = {
	.type		= LB_WIRE_CLOSE,
	.flags		= LB_WIRE_F_INNER6 | LB_WIRE_F_MAC,
	.path		= 0x0102,
	.lane		= 0x0304,
	.session	= 0x05060708,
	.path_seq	= 0x090a0b0c,
	.lane_seq	= 0x0d0e0f10,
	.stamp		= 0xf1f2f3f4,
};

static const u8 golden_bytes[sizeof(struct lb_hdr)] = {
	0x16, 0x09, 0x01, 0x02, 0x05, 0x06, 0x07, 0x08,
	0x09, 0x0a, 0x0b, 0x0c, 0x03, 0x04, 0x00, 0x00,
	0x0d, 0x0e, 0x0f, 0x10, 0xf1, 0xf2, 0xf3, 0xf4,
};

static bool same(const struct lb_wire *a, const struct lb_wire *b)
{
	return a->type == b->type && a->flags == b->flags &&
	       a->path == b->path && a->lane == b->lane &&
	       a->session == b->session && a->path_seq == b->path_seq &&
	       a->lane_seq == b->lane_seq && a->stamp == b->stamp;
}

static void test_golden(void)
{
	struct lb_wire w;
	u8 *buf;
	u32 i;

	for (i = 0; i < 8; i++) {
		buf = tap_alloc(i + sizeof(golden_bytes));
		memset(buf, 0xa5, i + sizeof(golden_bytes));
		lb_wire_encode(buf + i, &golden);
		ok(!memcmp(buf + i, golden_bytes, sizeof(golden_bytes)),
		   "encode, %u bytes off alignment", i);
		memset(&w, 0xa5, sizeof(w));
		is(lb_wire_decode(buf + i, sizeof(golden_bytes), &w), 0,
		   "decode, %u bytes off alignment", i);
		ok(same(&w, &golden), "gives what was encoded");
		free(buf);
	}
}

static void test_refuse(void)
{
	u8 buf[sizeof(struct lb_hdr)];
	struct lb_wire w;
	u32 i, want;

	for (i = 0; i <= sizeof(golden_bytes) + 1; i++) {
		u8 *p = tap_alloc(i);

		memcpy(p, golden_bytes, min_t(u32, i, sizeof(golden_bytes)));
		is(lb_wire_decode(p, i, &w),
		   i < sizeof(golden_bytes) ? -EMSGSIZE : 0, "%u bytes", i);
		free(p);
	}

	memcpy(buf, golden_bytes, sizeof(buf));
	for (i = 0; i < 16; i++) {
		buf[0] = i << 4 | LB_WIRE_DATA;
		is(lb_wire_decode(buf, sizeof(buf), &w),
		   i == LB_WIRE_VERSION ? 0 : -EPROTONOSUPPORT, "version %u", i);
	}
	for (i = 0; i < 16; i++) {
		buf[0] = LB_WIRE_VERSION << 4 | i;
		is(lb_wire_decode(buf, sizeof(buf), &w),
		   i <= LB_WIRE_CLOSE ? 0 : -EINVAL, "type %u", i);
		if (i <= LB_WIRE_CLOSE)
			is(w.type, i, "type %u is passed on", i);
	}

	/* A version that is unknown may have any types. */
	buf[0] = (LB_WIRE_VERSION + 1) << 4 | 0xf;
	is(lb_wire_decode(buf, sizeof(buf), &w), -EPROTONOSUPPORT,
	   "unknown version is graver than unknown type");
	buf[0] = 0;
	is(lb_wire_decode(buf, 1, &w), -EMSGSIZE,
	   "too short is graver than unknown version");

	buf[0] = golden_bytes[0];
	buf[14] = 0xff;
	buf[15] = 0xff;
	is(lb_wire_decode(buf, sizeof(buf), &w), 0, "reserved bits are ignored");
	ok(same(&w, &golden), "and change nothing");

	for (i = 0, want = 0; i < 256; i++) {
		buf[1] = i;
		want += !lb_wire_decode(buf, sizeof(buf), &w) && w.flags == i;
	}
	is(want, 256, "all flags are passed on, also unknown ones");
}

static void test_round_trip(void)
{
	struct lb_rnd r = { .s = 1 };
	u32 i, bad = 0;

	for (i = 0; i < 100000; i++) {
		u8 buf[sizeof(struct lb_hdr)];
		struct lb_wire a, b;

		a.type = lb_rnd_u32(&r) % (LB_WIRE_CLOSE + 1);
		a.flags = lb_rnd_u32(&r);
		a.path = lb_rnd_u32(&r);
		a.lane = lb_rnd_u32(&r);
		a.session = lb_rnd_u32(&r);
		a.path_seq = lb_rnd_u32(&r);
		a.lane_seq = lb_rnd_u32(&r);
		a.stamp = lb_rnd_u32(&r);
		lb_wire_encode(buf, &a);
		bad += lb_wire_decode(buf, sizeof(buf), &b) || !same(&a, &b) ||
		       buf[14] || buf[15];
	}
	is(bad, 0, "100000 random headers there and back");
}

static void test_stamp(void)
{
	static const struct {
		u64 from, to;
		s64 ns;
	} cases[] = {
		{ 0,			0,			0 },
		{ 0,			63,			0 },
		{ 0,			64,			64 },
		{ 63,			64,			64 },
		{ 1000000,		3000000,		2000000 },
		{ 3000000,		1000000,		-2000000 },
		/* Over the wrap at 2^38 ns. */
		{ (1ULL << 38) - 64,	1ULL << 38,		64 },
		{ 1ULL << 38,		(1ULL << 38) - 64,	-64 },
		{ 0,			(1ULL << 37) - 64,	(1LL << 37) - 64 },
		{ ~0ULL - 63,		~0ULL,			0 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		is(lb_stamp_ns((s32)(lb_stamp(cases[i].to) -
				     lb_stamp(cases[i].from))), cases[i].ns,
		   "stamps %llu to %llu ns", (unsigned long long)cases[i].from,
		   (unsigned long long)cases[i].to);
	is(lb_stamp_ns(INT_MIN), -(1LL << 37), "the most negative difference");
	is(lb_stamp_ns(INT_MAX), (1LL << 37) - 64, "the greatest difference");
}

int main(void)
{
	test_layout();
	test_golden();
	test_refuse();
	test_round_trip();
	test_stamp();
	return tap_done();
}
