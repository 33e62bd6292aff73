// SPDX-License-Identifier: GPL-2.0
/*
 * The flow of an inner packet, from its headers alone: a hash that the stack
 * keeps beside the packet may belong to the socket and change while the flow
 * lives.
 */

#include <lb/hash.h>

#define LB_IP4_LEN	20
#define LB_IP6_LEN	40

static u16 get16(const u8 *p)
{
	return p[0] << 8 | p[1];
}

static u64 get64(const u8 *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static u32 get32(const u8 *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Protocols whose first four bytes name the flow: ports, or the SPI of ESP. */
static bool has_ports(u8 proto)
{
	switch (proto) {
	case 6:		/* TCP */
	case 17:	/* UDP */
	case 33:	/* DCCP */
	case 50:	/* ESP */
	case 132:	/* SCTP */
	case 136:	/* UDP-Lite */
		return true;
	default:
		return false;
	}
}

/**
 * lb_flow_parse() - the flow of an IP packet
 * @ip: start of the IP header; need not be aligned
 * @len: bytes that can be read there, at least the headers
 * @flow: filled on success
 *
 * Fragments, also the first, are hashed without ports, so that all fragments of
 * a packet have one hash. IPv6 extension headers are not walked.
 *
 * Return: 0, or -EINVAL if it is no IP packet or too short for its header.
 */
int lb_flow_parse(const void *ip, u32 len, struct lb_flow *flow)
{
	const u8 *p = ip;
	u32 hlen;
	u64 h;
	u8 proto;
	bool frag = false;

	if (len < LB_IP4_LEN)
		return -EINVAL;

	flow->version = p[0] >> 4;
	if (flow->version == 4) {
		hlen = (p[0] & 0xf) * 4;
		flow->len = get16(p + 2);
		if (hlen < LB_IP4_LEN || flow->len < hlen)
			return -EINVAL;
		frag = get16(p + 6) & 0x3fff;
		proto = p[9];
		h = lb_mix64(get64(p + 12));
	} else if (flow->version == 6) {
		if (len < LB_IP6_LEN)
			return -EINVAL;
		hlen = LB_IP6_LEN;
		flow->len = hlen + get16(p + 4);
		proto = p[6];
		h = lb_mix64(get64(p + 8) ^ lb_mix64(get64(p + 16)));
		h = lb_mix64(get64(p + 24) ^ h);
		h = lb_mix64(get64(p + 32) ^ h);
	} else {
		return -EINVAL;
	}

	h ^= proto;
	flow->l4 = !frag && has_ports(proto) && len >= hlen + 4;
	if (flow->l4)
		h ^= (u64)get32(p + hlen) << 8;
	flow->hash = (u32)(lb_mix64(h) >> 32);
	if (!flow->hash)
		flow->hash = 1;
	return 0;
}
