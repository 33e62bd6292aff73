// SPDX-License-Identifier: GPL-2.0
/* Flow hash of inner packets, and the random numbers. */

#include <lb/hash.h>

#include "tap.h"

#define IP4	20
#define IP6	40
#define MF	0x2000
#define DF	0x4000

/* struct pkt - a packet of 4 bytes of ports behind the IP header */
struct pkt {
	u32 hlen;
	u8 b[64];
};

static void put16(u8 *p, u16 v)
{
	p[0] = v >> 8;
	p[1] = v & 0xff;
}

static void put32(u8 *p, u32 v)
{
	put16(p, v >> 16);
	put16(p + 2, v & 0xffff);
}

static struct pkt pkt4(u8 proto, u16 frag, u32 options)
{
	struct pkt p = { .hlen = IP4 + options };

	p.b[0] = 0x40 | p.hlen / 4;
	put16(p.b + 2, p.hlen + 4);
	put16(p.b + 6, frag);
	p.b[8] = 64;
	p.b[9] = proto;
	put32(p.b + 12, 0x0a000001);
	put32(p.b + 16, 0x0a000102);
	put16(p.b + p.hlen, 40000);
	put16(p.b + p.hlen + 2, 443);
	return p;
}

static struct pkt pkt6(u8 proto)
{
	struct pkt p = { .hlen = IP6 };

	p.b[0] = 0x60;
	put16(p.b + 4, 4);
	p.b[6] = proto;
	p.b[7] = 64;
	put32(p.b + 8, 0x20010db8);
	put32(p.b + 20, 1);
	put32(p.b + 24, 0x20010db8);
	put32(p.b + 36, 2);
	put16(p.b + IP6, 40000);
	put16(p.b + IP6 + 2, 443);
	return p;
}

/* Parse exactly @len bytes, at an odd address. */
static int parse_len(const struct pkt *p, u32 len, struct lb_flow *flow)
{
	u8 *buf = tap_alloc(len + 1);
	int err;

	memcpy(buf + 1, p->b, len);
	memset(flow, 0, sizeof(*flow));
	err = lb_flow_parse(buf + 1, len, flow);
	free(buf);
	return err;
}

static u32 hash_of(const struct pkt *p)
{
	struct lb_flow flow;

	if (parse_len(p, p->hlen + 4, &flow))
		return 0;
	return flow.hash;
}

static void test_refuse(void)
{
	static const struct {
		const char *what;
		u8 first;
		u16 tot;
		u32 len;
		int err;
	} cases[] = {
		{ "shortest IPv4",		0x45, 20,	20, 0 },
		{ "one byte less",		0x45, 20,	19, -EINVAL },
		{ "IPv4, IHL of 4",		0x44, 20,	60, -EINVAL },
		{ "IPv4, IHL of 0",		0x40, 20,	60, -EINVAL },
		{ "IPv4, total less than IHL",	0x46, 23,	60, -EINVAL },
		{ "IPv4, total is IHL",		0x46, 24,	60, 0 },
		{ "IPv4, total of 0",		0x45, 0,	60, -EINVAL },
		{ "IPv4, total of 19",		0x45, 19,	60, -EINVAL },
		{ "IPv4, greatest",		0x4f, 65535,	60, 0 },
		{ "IPv4, options not readable",	0x4f, 100,	20, 0 },
		{ "shortest IPv6",		0x60, 0,	40, 0 },
		{ "one byte less",		0x60, 0,	39, -EINVAL },
		{ "IPv6 of 20 bytes",		0x60, 0,	20, -EINVAL },
		{ "version 0",			0x05, 40,	60, -EINVAL },
		{ "version 5",			0x55, 40,	60, -EINVAL },
		{ "version 7",			0x75, 40,	60, -EINVAL },
		{ "version 15",			0xf5, 40,	60, -EINVAL },
	};
	struct lb_flow flow;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pkt p = { .b = { cases[i].first } };

		put16(p.b + 2, cases[i].tot);
		is(parse_len(&p, cases[i].len, &flow), cases[i].err, "%s",
		   cases[i].what);
	}
}

/* What lies behind the bytes that can be read is the sanitizer's to see. */
static void test_truncated(void)
{
	static const u8 protos[] = { 0, 1, 6, 17, 33, 44, 47, 50, 58, 132, 136 };
	static const struct pkt empty;
	struct lb_flow flow;
	u32 len, i, o, bad = 0, l4 = 0;

	for (i = 0; i < ARRAY_SIZE(protos); i++) {
		struct pkt p;

		for (o = 0; o <= 40; o += 4) {
			p = pkt4(protos[i], DF, o);
			for (len = 0; len <= p.hlen + 4; len++) {
				bad += parse_len(&p, len, &flow) !=
				       (len < IP4 ? -EINVAL : 0);
				l4 += flow.l4 && len < p.hlen + 4;
			}
		}
		p = pkt6(protos[i]);
		for (len = 0; len <= p.hlen + 4; len++) {
			bad += parse_len(&p, len, &flow) !=
			       (len < IP6 ? -EINVAL : 0);
			l4 += flow.l4 && len < p.hlen + 4;
		}
	}
	is(parse_len(&empty, 0, &flow), -EINVAL, "no byte at all");
	is(bad, 0, "every truncation is accepted or refused as it should be");
	is(l4, 0, "ports are used only if all four bytes can be read");
}

static void test_fields(void)
{
	static const struct {
		const char *what;
		int version;
		u8 proto;
		u16 frag;
		u32 options;
		bool l4;
	} cases[] = {
		{ "TCP",		4, 6,	0,	0,  true },
		{ "TCP, DF",		4, 6,	DF,	0,  true },
		{ "TCP, options",	4, 6,	0,	40, true },
		{ "UDP",		4, 17,	0,	0,  true },
		{ "DCCP",		4, 33,	0,	0,  true },
		{ "ESP",		4, 50,	0,	0,  true },
		{ "SCTP",		4, 132,	0,	0,  true },
		{ "UDP-Lite",		4, 136,	0,	0,  true },
		{ "ICMP",		4, 1,	0,	0,  false },
		{ "GRE",		4, 47,	0,	0,  false },
		{ "UDP, first fragment", 4, 17,	MF,	0,  false },
		{ "UDP, fragment",	4, 17,	MF | 185, 0, false },
		{ "UDP, last fragment",	4, 17,	370,	0,  false },
		{ "UDP, offset 0x1fff",	4, 17,	0x1fff,	0,  false },
		{ "UDP, offset 0x1000",	4, 17,	0x1000,	0,  false },
		{ "TCP",		6, 6,	0,	0,  true },
		{ "UDP",		6, 17,	0,	0,  true },
		{ "ESP",		6, 50,	0,	0,  true },
		{ "ICMPv6",		6, 58,	0,	0,  false },
		{ "fragment",		6, 44,	0,	0,  false },
		{ "hop by hop",		6, 0,	0,	0,  false },
		{ "no next header",	6, 59,	0,	0,  false },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int version = cases[i].version;
		struct lb_flow flow;
		struct pkt p;

		if (version == 4)
			p = pkt4(cases[i].proto, cases[i].frag, cases[i].options);
		else
			p = pkt6(cases[i].proto);
		is(parse_len(&p, p.hlen + 4, &flow), 0, "IPv%d %s", version,
		   cases[i].what);
		is(flow.version, version, "  its version");
		is(flow.len, p.hlen + 4, "  its length");
		is(flow.l4, cases[i].l4, "  whether it has ports");
		ok(flow.hash, "  its hash is not 0");
	}
}

/*
 * Flip each bit of a packet: the hash changes where the bit names the flow,
 * and nowhere else.
 */
static void test_bits(const char *what, const struct pkt *p,
		      const u32 (*names)[2], u32 n)
{
	u32 bit, i, deaf = 0, nervous = 0, h = hash_of(p);

	for (bit = 4; bit < (p->hlen + 4) * 8; bit++) {
		struct pkt q = *p;
		bool matters = false;
		u32 at = bit / 8;

		if (p->b[0] >> 4 == 4 && (at == 0 || at == 2 || at == 3))
			continue;	/* lengths: another packet */
		q.b[at] ^= 0x80 >> bit % 8;
		for (i = 0; i < n; i++)
			matters |= at >= names[i][0] && at < names[i][1];
		if (matters && hash_of(&q) == h) {
			diag("bit %u of byte %u has no effect", bit % 8, at);
			deaf++;
		}
		if (!matters && hash_of(&q) != h) {
			diag("bit %u of byte %u has an effect", bit % 8, at);
			nervous++;
		}
	}
	is(deaf, 0, "%s: each bit that names the flow matters", what);
	is(nervous, 0, "%s: no other bit matters", what);
}

static void test_flow(void)
{
	/* Where protocol, addresses and ports lie. */
	static const u32 tcp4[][2] = { { 9, 10 }, { 12, 24 } };
	static const u32 frag4[][2] = { { 9, 10 }, { 12, 20 } };
	static const u32 opt4[][2] = { { 9, 10 }, { 12, 20 }, { 32, 36 } };
	static const u32 tcp6[][2] = { { 6, 7 }, { 8, 44 } };
	struct pkt p, q;

	/* DF tells nothing of the flow, so it is set aside by a packet with it. */
	p = pkt4(6, 0, 0);
	q = pkt4(6, DF, 0);
	is(hash_of(&p), hash_of(&q), "DF has no effect");
	p.b[6] |= 0x80;
	is(hash_of(&p), hash_of(&q), "the reserved flag has no effect");

	p = pkt4(6, 0, 0);
	for (u32 bit = 0; bit < 14; bit++) {
		q = pkt4(6, 1 << bit, 0);
		ok(hash_of(&p) != hash_of(&q), "fragment bit %u: no ports", bit);
	}
	/* The flags are done; leave the whole field out below. */
	p = pkt4(17, MF | 5, 0);
	q = p;
	put16(q.b + 6, 0x3fff);
	is(hash_of(&p), hash_of(&q), "any two fragments have one hash");
	p = pkt4(17, MF, 0);
	is(hash_of(&p), hash_of(&q), "the first fragment has it too");
	put16(p.b + 20, 1234);
	is(hash_of(&p), hash_of(&q), "whatever is in the place of ports");
	p = pkt4(17, MF, 40);
	is(hash_of(&p), hash_of(&q), "and whatever options it has");

	p = pkt4(6, MF | 1, 0);
	test_bits("IPv4 fragment", &p, frag4, ARRAY_SIZE(frag4));
	p = pkt6(6);
	test_bits("IPv6 TCP", &p, tcp6, ARRAY_SIZE(tcp6));
	p = pkt6(44);
	q = p;
	put32(q.b + IP6, 0x11000001);
	is(hash_of(&p), hash_of(&q), "IPv6 fragments have one hash");
	q = pkt6(44);
	q.b[8] ^= 1;
	ok(hash_of(&p) != hash_of(&q), "IPv6 fragments of another source do not");

	/* DF and the reserved flag lie in byte 6 and were tested above. */
	p = pkt4(6, 0, 0);
	for (u32 i = 0; i < 12; i++) {
		if (i == 0 || i == 2 || i == 3 || i == 6 || i == 7 || i == 9)
			continue;
		q = p;
		q.b[i] ^= 0xff;
		is(hash_of(&p), hash_of(&q), "IPv4 TCP: byte %u has no effect",
		   i);
	}
	for (u32 i = 0; i < ARRAY_SIZE(tcp4); i++) {
		u32 deaf = 0;

		for (u32 at = tcp4[i][0]; at < tcp4[i][1]; at++)
			for (u32 bit = 0; bit < 8; bit++) {
				q = p;
				q.b[at] ^= 1 << bit;
				deaf += hash_of(&p) == hash_of(&q);
			}
		is(deaf, 0, "IPv4 TCP: bytes %u to %u matter", tcp4[i][0],
		   tcp4[i][1] - 1);
	}
	p = pkt4(17, 0, 12);
	for (u32 i = 0; i < 36; i++) {
		u32 deaf = 0, nervous = 0;
		bool matters = false;

		if (i == 0 || i == 2 || i == 3 || i == 6 || i == 7)
			continue;
		for (u32 k = 0; k < ARRAY_SIZE(opt4); k++)
			matters |= i >= opt4[k][0] && i < opt4[k][1];
		for (u32 bit = 0; bit < 8; bit++) {
			q = p;
			q.b[i] ^= 1 << bit;
			if (matters)
				deaf += hash_of(&q) == hash_of(&p);
			else
				nervous += hash_of(&q) != hash_of(&p);
		}
		is(deaf + nervous, 0, "IPv4 UDP with options: byte %u %s", i,
		   matters ? "matters" : "does not matter");
	}

	p = pkt4(6, 0, 0);
	q = pkt4(6, 0, 40);
	is(hash_of(&p), hash_of(&q), "options are not part of the flow");
}

/* How evenly flows that differ as flows do fall upon lanes. */
static void test_spread(void)
{
	static const u32 lanes[] = { 1, 2, 3, 7, 8, 16, 64, 255, 1024 };
	static const struct {
		const char *what;
		int version;
		u32 at;		/* of the 16 bits that count up */
	} cases[] = {
		{ "IPv4, source ports",		4, 20 },
		{ "IPv4, destination ports",	4, 22 },
		{ "IPv4, source addresses",	4, 14 },
		{ "IPv4, destinations",		4, 18 },
		{ "IPv6, source ports",		6, 40 },
		{ "IPv6, source addresses",	6, 22 },
		{ "IPv6, source prefixes",	6, 12 },
		{ "IPv6, destinations",		6, 38 },
	};
	const u32 flows = 65536;
	u32 *hash = tap_alloc(flows * sizeof(*hash));
	u32 *count = tap_alloc(1024 * sizeof(*count));

	for (u32 c = 0; c < ARRAY_SIZE(cases); c++) {
		struct pkt p;

		if (cases[c].version == 4)
			p = pkt4(17, 0, 0);
		else
			p = pkt6(17);
		for (u32 i = 0; i < flows; i++) {
			put16(p.b + cases[c].at, i);
			hash[i] = hash_of(&p);
		}
		for (u32 l = 0; l < ARRAY_SIZE(lanes); l++) {
			u32 n = lanes[l];
			double mean = (double)flows / n, chi = 0;

			memset(count, 0, n * sizeof(*count));
			for (u32 i = 0; i < flows; i++)
				count[lb_scale(hash[i], n)]++;
			for (u32 i = 0; i < n; i++)
				chi += (count[i] - mean) * (count[i] - mean) / mean;
			/* n - 1 expected, with deviation sqrt(2 (n - 1)). */
			ok((chi - (n - 1)) * (chi - (n - 1)) <= 36 * 2.0 * (n - 1),
			   "%s over %u lanes: chi-square %.1f", cases[c].what, n,
			   chi);
		}
	}
	free(count);
	free(hash);
}

static void test_numbers(void)
{
	/* SplitMix64 from seed 1234567, as published. */
	static const u64 split[] = {
		6457827717110365317ULL, 3203168211198807973ULL,
		9817491932198370423ULL, 4593380528125082431ULL,
		16408922859458223821ULL,
	};
	struct lb_rnd r = { .s = 1234567 };
	u32 i, n, bad = 0;

	for (i = 0; i < ARRAY_SIZE(split); i++)
		is(lb_rnd_u32(&r), split[i] >> 32, "number %u of SplitMix64", i);
	is(lb_mix64(0), 0, "0 is mixed to 0");

	is(lb_scale(0, 1), 0, "scale 0 to 1");
	is(lb_scale(~0U, 1), 0, "scale the greatest to 1");
	is(lb_scale(~0U, ~0U), ~0U - 1, "scale the greatest to the greatest");
	is(lb_scale(0x7fffffff, 2), 0, "scale just below half to 2");
	is(lb_scale(0x80000000, 2), 1, "scale half to 2");
	for (n = 1; n < 100000; n++)
		bad += lb_scale(~0U, n) != n - 1 || lb_scale(0, n) != 0;
	is(bad, 0, "the ends of every scale");
}

int main(void)
{
	test_refuse();
	test_truncated();
	test_fields();
	test_flow();
	test_spread();
	test_numbers();
	return tap_done();
}
