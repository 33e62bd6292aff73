/* SPDX-License-Identifier: GPL-2.0 */
/* Flow hash of inner packets, mixing and cheap random numbers. */
#ifndef _LB_HASH_H
#define _LB_HASH_H

#include <lb/types.h>

/**
 * struct lb_rnd - state of a pseudo random sequence
 * @s: any value
 */
struct lb_rnd {
	u64 s;
};

/**
 * lb_mix64() - spread all bits of a value over all bits of the result
 * @x: a value
 *
 * The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
 *
 * Return: the mixed value; a bijection.
 */
static inline u64 lb_mix64(u64 x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/**
 * lb_rnd_u32() - next number of the sequence
 * @r: state, owned by the caller
 *
 * Return: 32 random bits.
 */
static inline u32 lb_rnd_u32(struct lb_rnd *r)
{
	r->s += 0x9e3779b97f4a7c15ULL;
	return (u32)(lb_mix64(r->s) >> 32);
}

/**
 * lb_scale() - map 32 evenly spread bits onto 0 .. n-1
 * @x: the bits
 * @n: number of values
 *
 * Return: a value below @n.
 */
static inline u32 lb_scale(u32 x, u32 n)
{
	return (u32)(((u64)x * n) >> 32);
}

/**
 * struct lb_flow - what the inner packet says about its flow
 * @hash: over addresses, protocol and, where there are some, ports
 * @l4: whether ports went into it
 * @version: 4 or 6
 * @len: length by the IP header
 */
struct lb_flow {
	u32 hash;
	u32 len;
	u8 version;
	bool l4;
};

int lb_flow_parse(const void *ip, u32 len, struct lb_flow *flow);

#endif /* _LB_HASH_H */
