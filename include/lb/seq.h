/* SPDX-License-Identifier: GPL-2.0 */
/* Serial-number arithmetic (RFC 1982) on 32 bit sequences and clock stamps. */
#ifndef _LB_SEQ_H
#define _LB_SEQ_H

#include <lb/types.h>

/**
 * lb_seq_diff() - how far @a is ahead of @b
 * @a: a sequence number or stamp
 * @b: another
 *
 * Return: negative if @a is before @b. Right while they are less than 2^31
 * apart.
 */
static inline s32 lb_seq_diff(u32 a, u32 b)
{
	return (s32)(a - b);
}

/**
 * lb_seq_after() - whether @a comes after @b
 * @a: a sequence number or stamp
 * @b: another
 *
 * Return: true if it does.
 */
static inline bool lb_seq_after(u32 a, u32 b)
{
	return lb_seq_diff(a, b) > 0;
}

#endif /* _LB_SEQ_H */
