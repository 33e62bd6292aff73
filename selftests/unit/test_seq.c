// SPDX-License-Identifier: GPL-2.0
/* Serial numbers. */

#include <lb/seq.h>

#include "tap.h"

static const struct {
	u32 a, b;
	s32 diff;
	bool after, before;
} cases[] = {
	{ 0,		0,		0,		false,	false },
	{ 1,		0,		1,		true,	false },
	{ 0,		1,		-1,		false,	true },
	{ 0,		0xffffffff,	1,		true,	false },
	{ 0xffffffff,	0,		-1,		false,	true },
	{ 5,		0xfffffff5,	16,		true,	false },
	{ 0xfffffff5,	5,		-16,		false,	true },
	{ 0x80000000,	0x7fffffff,	1,		true,	false },
	{ 0x7fffffff,	0x80000000,	-1,		false,	true },
	{ 0x7fffffff,	0,		INT_MAX,	true,	false },
	{ 0,		0x7fffffff,	-INT_MAX,	false,	true },
	{ 0x80000001,	0,		-INT_MAX,	false,	true },
	{ 0x12345677,	0x92345678,	INT_MAX,	true,	false },
	/* Exactly 2^31 apart, neither comes after the other (RFC 1982). */
	{ 0x80000000,	0,		INT_MIN,	false,	false },
	{ 0,		0x80000000,	INT_MIN,	false,	false },
	{ 0x92345678,	0x12345678,	INT_MIN,	false,	false },
};

int main(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		is(lb_seq_diff(cases[i].a, cases[i].b), cases[i].diff,
		   "%#x - %#x", cases[i].a, cases[i].b);
		is(lb_seq_after(cases[i].a, cases[i].b), cases[i].after,
		   "%#x after %#x", cases[i].a, cases[i].b);
		is(lb_seq_after(cases[i].b, cases[i].a), cases[i].before,
		   "%#x after %#x", cases[i].b, cases[i].a);
	}
	return tap_done();
}
