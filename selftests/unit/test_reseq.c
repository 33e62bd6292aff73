// SPDX-License-Identifier: GPL-2.0
/*
 * The resequencer: a table of sequences with what must become of each packet,
 * then random traffic over paths that delay, lose and duplicate.
 *
 * Each packet is an allocation of its own, freed as soon as it is delivered or
 * dropped, so that the sanitizer sees a packet that the lane still knows.
 */

#include <lb/hash.h>
#include <lb/reseq.h>

#include "tap.h"

#define A	LB_AHEAD
#define B	LB_BEHIND
#define J	LB_JUMP
#define P	LB_PAST
#define FAR	1000000

static const char * const verdicts[] = {
	[LB_IN_ORDER]	= "in order",
	[LB_HELD]	= "held",
	[LB_LATE]	= "late",
	[LB_DUPLICATE]	= "duplicate",
	[LB_FAR]	= "far",
	[LB_RESYNC]	= "resync",
};

static struct lb_pkt *new_pkt(u32 seq, u64 rx)
{
	struct lb_pkt *pkt = tap_alloc(sizeof(*pkt));

	pkt->seq = seq;
	pkt->rx = rx;
	return pkt;
}

static struct lb_pkt *dequeue(struct lb_pktq *q)
{
	struct lb_pkt *pkt = q->head;

	if (pkt) {
		q->head = pkt->next;
		if (!q->head)
			q->tail = &q->head;
	}
	return pkt;
}

static bool seen(const struct lb_lane *lane, u32 seq)
{
	u32 at = seq % LB_WINDOW;

	return lane->seen[at / BITS_PER_LONG] >> at % BITS_PER_LONG & 1;
}

/* What must be so after every call. Return: NULL, or what is not so. */
static const char *broken(const struct lb_lane *lane)
{
	if (!lane->held != !lane->first)
		return "a first packet, and none is held, or the reverse";
	if (lane->held && lane->first->seq == lane->next)
		return "the packet that is due is held";
	if (lane->held && !lb_seq_after(lane->first->seq, lane->next))
		return "the first held packet lies behind";
	if (lb_seq_diff(lane->highest, lane->next) < 0)
		return "the highest number lies before the one due";
	if (lb_seq_diff(lane->highest, lane->next) > LB_AHEAD)
		return "the highest number lies outside the window";
	if (seen(lane, lane->next))
		return "the number that is due was seen";
	return NULL;
}

/* Likewise, looking at each held packet. */
static const char *broken_inside(const struct lb_lane *lane)
{
	const struct lb_pkt *lowest = NULL;
	u32 held = 0, ahead = 0;

	for (u32 b = 0; b < LB_RESEQ_BUCKETS; b++) {
		const struct lb_pkt *p, *last = NULL;

		for (p = lane->head[b]; p; last = p, p = p->next) {
			if (p->seq % LB_RESEQ_BUCKETS != b)
				return "a packet hangs in a wrong bucket";
			if (last && !lb_seq_after(p->seq, last->seq))
				return "a bucket is not in order";
			if (!seen(lane, p->seq))
				return "a held packet was not seen";
			if (!lowest || lb_seq_after(lowest->seq, p->seq))
				lowest = p;
			held++;
		}
		if (last && lane->tail[b] != last)
			return "the tail of a bucket is wrong";
	}
	for (u32 i = 0; i < LB_AHEAD; i++)
		ahead += seen(lane, lane->next + i);
	if (held != lane->held)
		return "the count of held packets is wrong";
	if (ahead != held)
		return "a number ahead was seen, and no packet is held for it";
	if (lowest != lane->first)
		return "the first held packet is not the lowest";
	return NULL;
}

/* Free what a lane holds, also one that is broken. */
static void drop_all(struct lb_lane *lane, struct lb_pktq *q)
{
	struct lb_pkt *p;

	while ((p = dequeue(q)))
		free(p);
	for (u32 b = 0; b < LB_RESEQ_BUCKETS; b++)
		while ((p = lane->head[b])) {
			lane->head[b] = p->next;
			free(p);
		}
}

enum op {
	END,
	RX,		/* packets arrive: all have the same verdict */
	GIVE_UP,	/* on the first hole, which is of @n packets */
	FLUSH,
};

/* struct run - @n numbers from @from on, counted from the start of the lane */
struct run {
	s64 from;
	u32 n;
};

/*
 * struct step - a call of the lane, or several
 * @op: which
 * @from: the first number, from the start of the lane
 * @n: how many, downwards if negative; in GIVE_UP, how many were missing
 * @verdict: what becomes of each packet
 * @out: the numbers that are delivered in this step
 */
struct step {
	enum op op;
	s64 from;
	s32 n;
	enum lb_verdict verdict;
	struct run out[4];
};

static const struct {
	const char *what;
	struct step step[16];
} cases[] = {
	/* Order and duplicates. */
	{ "in order", {
		{ RX, 0, 100, LB_IN_ORDER, { { 0, 100 } } },
	} },
	{ "three windows in order", {
		{ RX, 0, 3 * LB_WINDOW, LB_IN_ORDER, { { 0, 3 * LB_WINDOW } } },
	} },
	{ "a hole that is filled", {
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 1 } } },
		{ RX, 2, 3, LB_HELD, { } },
		{ RX, 1, 1, LB_IN_ORDER, { { 1, 4 } } },
		{ RX, 5, 1, LB_IN_ORDER, { { 5, 1 } } },
	} },
	{ "the first packet is missing", {
		{ RX, 1, 10, LB_HELD, { } },
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 11 } } },
	} },
	{ "two holes, filled in order", {
		{ RX, 1, 1, LB_HELD, { } },
		{ RX, 3, 1, LB_HELD, { } },
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 2 } } },
		{ RX, 2, 1, LB_IN_ORDER, { { 2, 2 } } },
	} },
	{ "two holes, filled in the other order", {
		{ RX, 1, 1, LB_HELD, { } },
		{ RX, 3, 1, LB_HELD, { } },
		{ RX, 2, 1, LB_HELD, { } },
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 4 } } },
	} },
	{ "a hole of several, filled in the middle first", {
		{ RX, 4, 1, LB_HELD, { } },
		{ RX, 2, 1, LB_HELD, { } },
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 1 } } },
		{ RX, 1, 1, LB_IN_ORDER, { { 1, 2 } } },
		{ RX, 3, 1, LB_IN_ORDER, { { 3, 2 } } },
	} },
	{ "descending", {
		{ RX, 9, -9, LB_HELD, { } },
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 10 } } },
	} },
	{ "descending over all buckets", {
		{ RX, J, -J, LB_HELD, { } },
		{ RX, 0, 1, LB_IN_ORDER, { { 0, J + 1 } } },
	} },
	{ "all in one bucket", {
		{ RX, LB_RESEQ_BUCKETS, 1, LB_HELD, { } },
		{ RX, 3 * LB_RESEQ_BUCKETS, 1, LB_HELD, { } },
		{ RX, 2 * LB_RESEQ_BUCKETS, 1, LB_HELD, { } },
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 1 } } },
		{ GIVE_UP, 0, 63, 0, { { LB_RESEQ_BUCKETS, 1 } } },
		{ GIVE_UP, 0, 63, 0, { { 2 * LB_RESEQ_BUCKETS, 1 } } },
		{ RX, 129, 63, LB_IN_ORDER, { { 129, 64 } } },
	} },
	{ "duplicates of delivered ones", {
		{ RX, 0, 3, LB_IN_ORDER, { { 0, 3 } } },
		{ RX, 0, 3, LB_DUPLICATE, { } },
		{ RX, 2, -3, LB_DUPLICATE, { } },
		{ RX, 3, 1, LB_IN_ORDER, { { 3, 1 } } },
	} },
	{ "duplicates of held ones", {
		{ RX, 1, 3, LB_HELD, { } },
		{ RX, 1, 3, LB_DUPLICATE, { } },
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 4 } } },
		{ RX, 0, 4, LB_DUPLICATE, { } },
	} },
	{ "duplicates at every place of the window", {
		{ RX, 0, 2 * LB_WINDOW, LB_IN_ORDER, { { 0, 2 * LB_WINDOW } } },
		{ RX, 2 * LB_WINDOW - 1, -B, LB_DUPLICATE, { } },
		{ RX, 2 * LB_WINDOW, 1, LB_IN_ORDER, { { 2 * LB_WINDOW, 1 } } },
	} },

	/* Holes that are given up. */
	{ "late after its hole was given up", {
		{ RX, 1, 1, LB_HELD, { } },
		{ GIVE_UP, 0, 1, 0, { { 1, 1 } } },
		{ RX, 0, 1, LB_LATE, { { 0, 1 } } },
		{ RX, 0, 2, LB_DUPLICATE, { } },
		{ RX, 2, 1, LB_IN_ORDER, { { 2, 1 } } },
	} },
	{ "holes are given up one at a time", {
		{ RX, 2, 1, LB_HELD, { } },
		{ RX, 5, 2, LB_HELD, { } },
		{ GIVE_UP, 0, 2, 0, { { 2, 1 } } },
		{ GIVE_UP, 0, 2, 0, { { 5, 2 } } },
		{ RX, 7, 1, LB_IN_ORDER, { { 7, 1 } } },
		{ RX, 3, 2, LB_LATE, { { 3, 2 } } },
		{ RX, 1, -2, LB_LATE, { { 1, 1 }, { 0, 1 } } },
		{ RX, 0, 8, LB_DUPLICATE, { } },
	} },
	{ "given up in part, the rest is filled", {
		{ RX, 1, 1, LB_HELD, { } },
		{ RX, 3, 1, LB_HELD, { } },
		{ GIVE_UP, 0, 1, 0, { { 1, 1 } } },
		{ RX, 2, 1, LB_IN_ORDER, { { 2, 2 } } },
		{ RX, 0, 1, LB_LATE, { { 0, 1 } } },
	} },
	{ "flush", {
		{ RX, 2, 1, LB_HELD, { } },
		{ RX, 4, 2, LB_HELD, { } },
		{ RX, 7, 1, LB_HELD, { } },
		{ FLUSH, 0, 0, 0, { { 2, 1 }, { 4, 2 }, { 7, 1 } } },
		{ RX, 8, 1, LB_IN_ORDER, { { 8, 1 } } },
		{ RX, 3, 1, LB_LATE, { { 3, 1 } } },
		{ RX, 2, 1, LB_DUPLICATE, { } },
	} },
	{ "flush of nothing", {
		{ FLUSH, 0, 0, 0, { } },
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 1 } } },
		{ FLUSH, 0, 0, 0, { } },
	} },

	/* The edge behind. */
	{ "late by LB_BEHIND", {
		{ RX, 1, 1, LB_HELD, { } },
		{ GIVE_UP, 0, 1, 0, { { 1, 1 } } },
		{ RX, 2, B - 2, LB_IN_ORDER, { { 2, B - 2 } } },
		{ RX, 0, 1, LB_LATE, { { 0, 1 } } },
		{ RX, 0, 1, LB_DUPLICATE, { } },
	} },
	{ "late by LB_BEHIND + 1: as likely a duplicate, and delivered", {
		{ RX, 1, 1, LB_HELD, { } },
		{ GIVE_UP, 0, 1, 0, { { 1, 1 } } },
		{ RX, 2, B - 1, LB_IN_ORDER, { { 2, B - 1 } } },
		{ RX, 0, 1, LB_LATE, { { 0, 1 } } },
		{ RX, 0, 1, LB_LATE, { { 0, 1 } } },
		{ RX, B + 1, 1, LB_IN_ORDER, { { B + 1, 1 } } },
	} },
	{ "duplicate LB_BEHIND behind", {
		{ RX, 0, 2 * B, LB_IN_ORDER, { { 0, 2 * B } } },
		{ RX, B, 1, LB_DUPLICATE, { } },
		{ RX, B - 1, 1, LB_LATE, { { B - 1, 1 } } },
		{ RX, B, 1, LB_DUPLICATE, { } },
		{ RX, 2 * B, 1, LB_IN_ORDER, { { 2 * B, 1 } } },
	} },
	{ "a late hole behind, its neighbours are duplicates", {
		{ RX, 0, 10, LB_IN_ORDER, { { 0, 10 } } },
		{ RX, 11, 1, LB_HELD, { } },
		{ GIVE_UP, 0, 1, 0, { { 11, 1 } } },
		{ RX, 12, B - 2, LB_IN_ORDER, { { 12, B - 2 } } },
		{ RX, 11, 1, LB_DUPLICATE, { } },
		{ RX, 10, 1, LB_LATE, { { 10, 1 } } },
		{ RX, 10, 1, LB_DUPLICATE, { } },
		{ RX, 9, 1, LB_LATE, { { 9, 1 } } },
	} },
	/* Their places in the window are those of numbers that are ahead. */
	{ "late ones before the window leave no trace in it", {
		{ RX, 0, 2 * B, LB_IN_ORDER, { { 0, 2 * B } } },
		{ RX, 0, B, LB_LATE, { { 0, B } } },
		{ RX, 2 * B - LB_WINDOW, B, LB_LATE,
		  { { 2 * B - LB_WINDOW, B } } },
		{ RX, 2 * B + 1, J, LB_HELD, { } },
		{ RX, 0, B, LB_LATE, { { 0, B } } },
		{ RX, 2 * B, 1, LB_IN_ORDER, { { 2 * B, B } } },
	} },

	/* The edge ahead, and what does not fit. */
	{ "ahead by LB_AHEAD - 1", {
		{ RX, J, 1, LB_HELD, { } },
		{ RX, 2 * J + 1, 1, LB_HELD, { } },
		{ RX, A - 1, 1, LB_HELD, { } },
		{ RX, A - 1, 1, LB_DUPLICATE, { } },
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 1 } } },
		{ FLUSH, 0, 0, 0, { { J, 1 }, { 2 * J + 1, 1 }, { A - 1, 1 } } },
	} },
	{ "ahead by LB_AHEAD: one number of the oldest hole is given up", {
		{ RX, J, 1, LB_HELD, { } },
		{ RX, 2 * J + 1, 1, LB_HELD, { } },
		{ RX, A - 1, 1, LB_HELD, { } },
		{ RX, A, 1, LB_HELD, { } },
		{ RX, 0, 1, LB_LATE, { { 0, 1 } } },
		{ RX, 0, 1, LB_DUPLICATE, { } },
		{ RX, 1, J - 1, LB_IN_ORDER, { { 1, J } } },
		{ RX, J, 1, LB_DUPLICATE, { } },
		{ FLUSH, 0, 0, 0, { { 2 * J + 1, 1 }, { A - 1, 2 } } },
	} },
	{ "ahead by LB_AHEAD: only the oldest hole is given up", {
		{ RX, 1, 1, LB_HELD, { } },
		{ RX, 3, 1, LB_HELD, { } },
		{ RX, J, 1, LB_HELD, { } },
		{ RX, 2 * J, 1, LB_HELD, { } },
		{ RX, 3 * J, 1, LB_HELD, { } },
		{ RX, A, 1, LB_HELD, { { 1, 1 } } },
		{ RX, 0, 1, LB_LATE, { { 0, 1 } } },
		{ RX, 2, 1, LB_IN_ORDER, { { 2, 2 } } },
		{ RX, 4, J - 4, LB_IN_ORDER, { { 4, J - 3 } } },
		{ FLUSH, 0, 0, 0, { { 2 * J, 1 }, { 3 * J, 1 }, { A, 1 } } },
	} },
	{ "far enough ahead that several holes are given up", {
		{ RX, 1, 1, LB_HELD, { } },
		{ RX, 3, 1, LB_HELD, { } },
		{ RX, 5, 1, LB_HELD, { } },
		{ RX, J, 1, LB_HELD, { } },
		{ RX, 2 * J, 1, LB_HELD, { } },
		{ RX, 3 * J, 1, LB_HELD, { } },
		{ RX, A - 1, 1, LB_HELD, { } },
		{ RX, A + 4, 1, LB_HELD, { { 1, 1 }, { 3, 1 }, { 5, 1 } } },
		{ RX, 6, 1, LB_IN_ORDER, { { 6, 1 } } },
		{ RX, 4, 1, LB_LATE, { { 4, 1 } } },
	} },
	{ "several holes are given up, but not the last", {
		{ RX, 1, 1, LB_HELD, { } },
		{ RX, 3, 1, LB_HELD, { } },
		{ RX, 5, 1, LB_HELD, { } },
		{ RX, J, 1, LB_HELD, { } },
		{ RX, 2 * J, 1, LB_HELD, { } },
		{ RX, 3 * J, 1, LB_HELD, { } },
		{ RX, A - 1, 1, LB_HELD, { } },
		{ RX, A + 3, 1, LB_HELD, { { 1, 1 }, { 3, 1 } } },
		{ RX, 2, 1, LB_LATE, { { 2, 1 } } },
		{ RX, 4, 1, LB_IN_ORDER, { { 4, 2 } } },
		{ RX, 0, 1, LB_LATE, { { 0, 1 } } },
		{ RX, 0, 6, LB_DUPLICATE, { } },
	} },
	{ "a hole given up in part, twice", {
		{ RX, J, 1, LB_HELD, { } },
		{ RX, 2 * J + 1, 1, LB_HELD, { } },
		{ RX, A - 1, 1, LB_HELD, { } },
		{ RX, A + 9, 1, LB_HELD, { } },
		{ RX, 0, 10, LB_LATE, { { 0, 10 } } },
		{ RX, 0, 10, LB_DUPLICATE, { } },
		{ RX, 11, 1, LB_HELD, { } },
		{ RX, 10, 1, LB_IN_ORDER, { { 10, 2 } } },
		{ RX, A + 99, 1, LB_HELD, { } },
		{ RX, 12, 88, LB_LATE, { { 12, 88 } } },
		{ RX, 101, J - 101, LB_HELD, { } },
		{ RX, 100, 1, LB_IN_ORDER, { { 100, J - 99 } } },
		{ RX, J + 1, J, LB_IN_ORDER, { { J + 1, J + 1 } } },
		{ RX, 2 * J + 2, J, LB_IN_ORDER, { { 2 * J + 2, J + 1 } } },
		{ RX, A, 9, LB_IN_ORDER, { { A, 10 } } },
		{ RX, A + 10, 89, LB_IN_ORDER, { { A + 10, 90 } } },
	} },
	{ "ahead by as much as can be: LB_JUMP + 1 are given up, in part", {
		{ RX, J, 1, LB_HELD, { } },
		{ RX, 2 * J + 1, 1, LB_HELD, { } },
		{ RX, A - 1, 1, LB_HELD, { } },
		{ RX, A + J, 1, LB_HELD, { { J, 1 } } },
		{ RX, A + J, 1, LB_DUPLICATE, { } },
		{ RX, 0, J, LB_LATE, { { 0, J } } },
		{ RX, 0, J + 1, LB_DUPLICATE, { } },
		{ RX, J + 1, J, LB_IN_ORDER, { { J + 1, J + 1 } } },
	} },
	{ "ahead by as much as can be, the hole is longer", {
		{ RX, J, 1, LB_HELD, { } },
		{ GIVE_UP, 0, J, 0, { { J, 1 } } },
		{ RX, 2 * J + 1, 1, LB_HELD, { } },
		{ RX, 3 * J + 2, 1, LB_HELD, { } },
		{ RX, J + A, 1, LB_HELD, { } },
		{ RX, J + A + 1 + J, 1, LB_HELD, { { 2 * J + 1, 1 } } },
		{ RX, J + 1, J, LB_LATE, { { J + 1, J } } },
		{ RX, 2 * J + 2, J, LB_IN_ORDER, { { 2 * J + 2, J + 1 } } },
	} },
	{ "a full window but for two holes", {
		{ RX, 1, A - 2, LB_HELD, { } },
		{ RX, A, 1, LB_HELD, { { 1, A - 2 } } },
		{ RX, A - 1, 1, LB_IN_ORDER, { { A - 1, 2 } } },
		{ RX, A + 1, 1, LB_IN_ORDER, { { A + 1, 1 } } },
	} },
	{ "a full window but for the first", {
		{ RX, 1, A - 1, LB_HELD, { } },
		{ RX, 0, 1, LB_IN_ORDER, { { 0, A } } },
		{ RX, A, 1, LB_IN_ORDER, { { A, 1 } } },
	} },
	/* Giving up the hole makes the packet itself the one that is due. */
	{ "a full window: the next packet is due", {
		{ RX, 1, A - 1, LB_HELD, { } },
		{ RX, A, 1, LB_IN_ORDER, { { 1, A } } },
		{ RX, A, 1, LB_DUPLICATE, { } },
		{ RX, A + 1, 1, LB_IN_ORDER, { { A + 1, 1 } } },
	} },
	{ "a full window: the next packet is due, then all come again", {
		{ RX, 1, A - 1, LB_HELD, { } },
		{ RX, A, 1, LB_IN_ORDER, { { 1, A } } },
		{ RX, A, -B, LB_DUPLICATE, { } },
		{ FLUSH, 0, 0, 0, { } },
		{ RX, A, 1, LB_DUPLICATE, { } },
		{ RX, A + 2, 1, LB_HELD, { } },
		{ RX, A, 1, LB_DUPLICATE, { } },
		{ RX, A + 1, 1, LB_IN_ORDER, { { A + 1, 2 } } },
	} },
	{ "a full window: one further ahead empties it and is held", {
		{ RX, 1, A - 1, LB_HELD, { } },
		{ RX, A + 5, 1, LB_HELD, { { 1, A - 1 } } },
		{ RX, A + 5, 1, LB_DUPLICATE, { } },
		{ RX, A - 1, -B, LB_DUPLICATE, { } },
		{ RX, A, 5, LB_IN_ORDER, { { A, 6 } } },
		{ RX, A, 6, LB_DUPLICATE, { } },
	} },
	{ "a full window: one as far ahead as can be", {
		{ RX, 1, A - 1, LB_HELD, { } },
		{ RX, A + J, 1, LB_HELD, { { 1, A - 1 } } },
		{ RX, A + J, 1, LB_DUPLICATE, { } },
		{ RX, A, J, LB_IN_ORDER, { { A, J + 1 } } },
	} },

	/* The far future. */
	{ "ahead of the highest by LB_JUMP", {
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 1 } } },
		{ RX, 1 + J, 1, LB_HELD, { } },
		{ RX, 1, 1, LB_IN_ORDER, { { 1, 1 } } },
	} },
	{ "ahead of the highest by LB_JUMP + 1", {
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 1 } } },
		{ RX, 2 + J, 1, LB_FAR, { } },
		{ RX, 1, 1, LB_IN_ORDER, { { 1, 1 } } },
	} },
	{ "one far packet does not stop the order", {
		{ RX, 0, 10, LB_IN_ORDER, { { 0, 10 } } },
		{ RX, FAR, 1, LB_FAR, { } },
		{ RX, 11, 2, LB_HELD, { } },
		{ RX, 10, 1, LB_IN_ORDER, { { 10, 3 } } },
		{ RX, 13, 100, LB_IN_ORDER, { { 13, 100 } } },
	} },
	{ "one far packet does not touch what is held", {
		{ RX, 1, 5, LB_HELD, { } },
		{ RX, FAR, 1, LB_FAR, { } },
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 6 } } },
	} },
	{ "half way round", {
		{ RX, 0, 10, LB_IN_ORDER, { { 0, 10 } } },
		{ RX, 10 + 0x7fffffffLL, 1, LB_FAR, { } },
		{ RX, 10 - 0x80000000LL, 1, LB_FAR, { } },
		{ RX, 10 - 0x7fffffffLL, 1, LB_FAR, { } },
		{ RX, 10, 1, LB_IN_ORDER, { { 10, 1 } } },
	} },
	/* lb/reseq.h: such a packet "makes others late, but never lost". */
	{ "a forged packet within LB_JUMP loses no other", {
		{ RX, J, 1, LB_HELD, { } },
		{ GIVE_UP, 0, J, 0, { { J, 1 } } },
		{ RX, 0, J, LB_LATE, { { 0, J } } },
		{ RX, J + 1, 1, LB_IN_ORDER, { { J + 1, 1 } } },
	} },
	{ "LB_FAR_CONFIRM that agree are followed", {
		{ RX, 0, 10, LB_IN_ORDER, { { 0, 10 } } },
		{ RX, FAR, LB_FAR_CONFIRM - 1, LB_FAR, { } },
		{ RX, FAR + 3, 1, LB_RESYNC, { { FAR + 3, 1 } } },
		{ RX, FAR + 4, 10, LB_IN_ORDER, { { FAR + 4, 10 } } },
		{ RX, FAR + 3, 1, LB_DUPLICATE, { } },
		{ RX, FAR, 3, LB_LATE, { { FAR, 3 } } },
	} },
	{ "what is held goes before the jump", {
		{ RX, 1, 2, LB_HELD, { } },
		{ RX, 4, 1, LB_HELD, { } },
		{ RX, FAR, 3, LB_FAR, { } },
		{ RX, FAR + 3, 1, LB_RESYNC,
		  { { 1, 2 }, { 4, 1 }, { FAR + 3, 1 } } },
		{ RX, FAR + 5, 1, LB_HELD, { } },
		{ RX, FAR + 4, 1, LB_IN_ORDER, { { FAR + 4, 2 } } },
	} },
	{ "an ordinary packet between, and far ones start anew", {
		{ RX, FAR, 3, LB_FAR, { } },
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 1 } } },
		{ RX, FAR + 3, 3, LB_FAR, { } },
		{ RX, 2, 1, LB_HELD, { } },
		{ RX, FAR + 6, 3, LB_FAR, { } },
		{ RX, FAR + 9, 1, LB_RESYNC, { { 2, 1 }, { FAR + 9, 1 } } },
	} },
	{ "one far packet many times", {
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 1 } } },
		{ RX, FAR, 1, LB_FAR, { } }, { RX, FAR, 1, LB_FAR, { } },
		{ RX, FAR, 1, LB_FAR, { } }, { RX, FAR, 1, LB_FAR, { } },
		{ RX, FAR, 1, LB_FAR, { } }, { RX, FAR, 1, LB_FAR, { } },
		{ RX, 1, 1, LB_IN_ORDER, { { 1, 1 } } },
	} },
	{ "far ones that do not agree", {
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 1 } } },
		{ RX, 1 * FAR, 1, LB_FAR, { } }, { RX, 2 * FAR, 1, LB_FAR, { } },
		{ RX, 3 * FAR, 1, LB_FAR, { } }, { RX, 4 * FAR, 1, LB_FAR, { } },
		{ RX, 1 * FAR, 1, LB_FAR, { } }, { RX, 7 * FAR, 1, LB_FAR, { } },
		{ RX, 1, 1, LB_IN_ORDER, { { 1, 1 } } },
	} },
	{ "far ones that just agree", {
		{ RX, FAR, 1, LB_FAR, { } }, { RX, FAR + J, 1, LB_FAR, { } },
		{ RX, FAR + 2 * J, 1, LB_FAR, { } },
		{ RX, FAR + 3 * J, 1, LB_RESYNC, { { FAR + 3 * J, 1 } } },
	} },
	{ "far ones that just do not agree", {
		{ RX, FAR, 1, LB_FAR, { } },
		{ RX, FAR + J + 1, 1, LB_FAR, { } },
		{ RX, FAR + 2 * J + 2, 1, LB_FAR, { } },
		{ RX, FAR + 3 * J + 3, 1, LB_FAR, { } },
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 1 } } },
	} },
	{ "far ones in descending order agree", {
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 1 } } },
		{ RX, FAR + 3, -3, LB_FAR, { } },
		{ RX, FAR, 1, LB_RESYNC, { { FAR, 1 } } },
		{ RX, FAR + 1, 3, LB_IN_ORDER, { { FAR + 1, 3 } } },
	} },
	{ "far ones in descending order that just agree", {
		{ RX, FAR + 3 * J, 1, LB_FAR, { } },
		{ RX, FAR + 2 * J, 1, LB_FAR, { } },
		{ RX, FAR + J, 1, LB_FAR, { } },
		{ RX, FAR, 1, LB_RESYNC, { { FAR, 1 } } },
	} },
	{ "far ones in descending order that just do not agree", {
		{ RX, FAR + 3 * J + 3, 1, LB_FAR, { } },
		{ RX, FAR + 2 * J + 2, 1, LB_FAR, { } },
		{ RX, FAR + J + 1, 1, LB_FAR, { } },
		{ RX, FAR, 1, LB_FAR, { } },
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 1 } } },
	} },
	{ "far ones to and fro agree", {
		{ RX, FAR + J, 1, LB_FAR, { } },
		{ RX, FAR, 1, LB_FAR, { } },
		{ RX, FAR + J - 1, 1, LB_FAR, { } },
		{ RX, FAR + 1, 1, LB_RESYNC, { { FAR + 1, 1 } } },
		{ RX, FAR, 1, LB_LATE, { { FAR, 1 } } },
		{ RX, FAR + J, 1, LB_HELD, { } },
	} },
	{ "one that does not agree starts the count anew", {
		{ RX, FAR, 3, LB_FAR, { } },
		{ RX, 2 * FAR, 1, LB_FAR, { } },
		{ RX, FAR + 3, 3, LB_FAR, { } },
		{ RX, FAR + 6, 1, LB_RESYNC, { { FAR + 6, 1 } } },
	} },
	{ "equal far ones do not count, and do not start anew", {
		{ RX, FAR, 1, LB_FAR, { } }, { RX, FAR, 1, LB_FAR, { } },
		{ RX, FAR + 1, 1, LB_FAR, { } }, { RX, FAR + 1, 1, LB_FAR, { } },
		{ RX, FAR + 1, 1, LB_FAR, { } }, { RX, FAR + 2, 1, LB_FAR, { } },
		{ RX, FAR + 2, 1, LB_FAR, { } },
		{ RX, FAR + 3, 1, LB_RESYNC, { { FAR + 3, 1 } } },
		{ RX, FAR + 3, 1, LB_DUPLICATE, { } },
	} },
	{ "a held packet is headway, and far ones start anew", {
		{ RX, FAR, 3, LB_FAR, { } },
		{ RX, 5, 1, LB_HELD, { } },
		{ RX, FAR + 3, 3, LB_FAR, { } },
		{ RX, FAR + 6, 1, LB_RESYNC, { { 5, 1 }, { FAR + 6, 1 } } },
	} },
	{ "a late packet and a duplicate are no headway", {
		{ RX, 1, 1, LB_HELD, { } },
		{ GIVE_UP, 0, 1, 0, { { 1, 1 } } },
		{ RX, FAR, 2, LB_FAR, { } },
		{ RX, 0, 1, LB_LATE, { { 0, 1 } } },
		{ RX, FAR + 2, 1, LB_FAR, { } },
		{ RX, 0, 2, LB_DUPLICATE, { } },
		{ RX, FAR + 3, 1, LB_RESYNC, { { FAR + 3, 1 } } },
	} },
	{ "far ones are forgotten after a jump", {
		{ RX, FAR, 3, LB_FAR, { } },
		{ RX, FAR + 3, 1, LB_RESYNC, { { FAR + 3, 1 } } },
		{ RX, 2 * FAR, 3, LB_FAR, { } },
		{ RX, 2 * FAR + 3, 1, LB_RESYNC, { { 2 * FAR + 3, 1 } } },
	} },
	{ "the greatest jump that is followed", {
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 1 } } },
		{ RX, 1 + 0x7fffffffLL, -3, LB_FAR, { } },
		{ RX, 1 + 0x7ffffffcLL, 1, LB_RESYNC, { { 0x7ffffffd, 1 } } },
		{ RX, 1 + 0x7ffffffdLL, 1, LB_IN_ORDER, { { 0x7ffffffe, 1 } } },
	} },
	{ "the wrong numbers are forgotten after a jump", {
		{ RX, 0, LB_WINDOW, LB_IN_ORDER, { { 0, LB_WINDOW } } },
		{ RX, FAR, 3, LB_FAR, { } },
		{ RX, FAR + 3, 1, LB_RESYNC, { { FAR + 3, 1 } } },
		{ RX, FAR + 3 - 1000, 1000, LB_LATE, { { FAR + 3 - 1000, 1000 } } },
		{ RX, FAR + 5, J - 5, LB_HELD, { } },
		{ RX, FAR + 4, 1, LB_IN_ORDER, { { FAR + 4, J - 4 } } },
	} },

	/* The far past. */
	{ "one from the past", {
		{ RX, 0, 3 * B, LB_IN_ORDER, { { 0, 3 * B } } },
		{ RX, 5, 1, LB_LATE, { { 5, 1 } } },
		{ RX, 3 * B, 1, LB_IN_ORDER, { { 3 * B, 1 } } },
		{ RX, -P, 1, LB_FAR, { } },
		{ RX, 3 * B + 1, 1, LB_IN_ORDER, { { 3 * B + 1, 1 } } },
	} },
	{ "LB_PAST behind", {
		{ RX, 0, 10, LB_IN_ORDER, { { 0, 10 } } },
		{ RX, 10 - P, 1, LB_LATE, { { 10 - P, 1 } } },
		{ RX, 9 - P, 1, LB_FAR, { } },
		{ RX, 10 - P, 1, LB_LATE, { { 10 - P, 1 } } },
		{ RX, 10, 1, LB_IN_ORDER, { { 10, 1 } } },
	} },
	{ "LB_PAST behind the one due, whatever is held", {
		{ RX, J, 1, LB_HELD, { } },
		{ RX, 2 * J, 1, LB_HELD, { } },
		{ RX, -P, 1, LB_LATE, { { -P, 1 } } },
		{ RX, -P - 1, 1, LB_FAR, { } },
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 1 } } },
	} },
	{ "many from the far past are not followed", {
		{ RX, 0, 10, LB_IN_ORDER, { { 0, 10 } } },
		{ RX, -2 * P, 1000, LB_FAR, { } },
		{ RX, -P, -1000, LB_FAR, { } },
		{ RX, 10 - 0x80000000LL, 1000, LB_FAR, { } },
		{ RX, 10, 10, LB_IN_ORDER, { { 10, 10 } } },
	} },
	{ "many from the far past, while packets are held", {
		{ RX, 1, 5, LB_HELD, { } },
		{ RX, -2 * P, 1000, LB_FAR, { } },
		{ RX, 0, 1, LB_IN_ORDER, { { 0, 6 } } },
	} },
	{ "the far past neither counts with the far future nor against it", {
		{ RX, FAR, 2, LB_FAR, { } },
		{ RX, -2 * P, 10, LB_FAR, { } },
		{ RX, FAR + 2, 1, LB_FAR, { } },
		{ RX, -2 * P, 10, LB_FAR, { } },
		{ RX, FAR + 3, 1, LB_RESYNC, { { FAR + 3, 1 } } },
	} },
	{ "what was before the jump is past", {
		{ RX, 0, 10, LB_IN_ORDER, { { 0, 10 } } },
		{ RX, 2 * P, 3, LB_FAR, { } },
		{ RX, 2 * P + 3, 1, LB_RESYNC, { { 2 * P + 3, 1 } } },
		{ RX, 10, 1000, LB_FAR, { } },
		{ RX, 2 * P + 4, 1, LB_IN_ORDER, { { 2 * P + 4, 1 } } },
	} },
};

/* The step delivers what it should, in this order. */
static bool check_out(const struct step *s, struct lb_pktq *q, u32 start)
{
	bool good = true;
	struct lb_pkt *p;

	for (u32 i = 0; i < ARRAY_SIZE(s->out); i++)
		for (u32 k = 0; k < s->out[i].n; k++) {
			u32 want = (u32)s->out[i].from + k;

			p = dequeue(q);
			if (good && (!p || p->seq - start != want)) {
				diag("delivered %d, expected %d",
				     p ? (s32)(p->seq - start) : -1, (s32)want);
				good = false;
			}
			free(p);
		}
	while ((p = dequeue(q))) {
		if (good)
			diag("delivered %d, expected nothing more",
			     (s32)(p->seq - start));
		good = false;
		free(p);
	}
	return good;
}

static bool rx_step(struct lb_lane *lane, const struct step *s,
		    struct lb_pktq *q, u32 start)
{
	for (s32 i = 0; i < abs(s->n); i++) {
		u32 seq = start + (u32)s->from + (s->n > 0 ? i : -i);
		struct lb_pkt *p = new_pkt(seq, 0);
		enum lb_verdict v = lb_lane_rx(lane, p, q);

		if (v == LB_DUPLICATE || v == LB_FAR)
			free(p);
		if (v != s->verdict) {
			diag("packet %d is %s, expected %s",
			     (s32)(seq - start), verdicts[v],
			     verdicts[s->verdict]);
			return false;
		}
		if (broken(lane)) {
			diag("after packet %d: %s", (s32)(seq - start),
			     broken(lane));
			return false;
		}
	}
	return true;
}

static bool run_case(struct lb_lane *lane, const struct step *s, u32 start)
{
	struct lb_pktq q;
	bool good = true;
	u32 missing;

	memset(lane, 0xa5, sizeof(*lane));
	lb_lane_init(lane, start);
	lb_pktq_init(&q);

	for (u32 i = 0; good && s[i].op != END; i++) {
		switch (s[i].op) {
		case RX:
			good = rx_step(lane, &s[i], &q, start);
			break;
		case GIVE_UP:
			missing = lb_lane_give_up(lane, &q);
			good = missing == (u32)s[i].n;
			if (!good)
				diag("gave up %u, expected %d", missing, s[i].n);
			break;
		default:
			lb_lane_flush(lane, &q);
			good = !lane->held;
			break;
		}
		if (good && (broken(lane) || broken_inside(lane))) {
			diag("%s", broken(lane) ?: broken_inside(lane));
			good = false;
		}
		good = good && check_out(&s[i], &q, start);
		if (!good)
			diag("in step %u, start %#x", i + 1, start);
	}
	if (good) {
		lb_lane_flush(lane, &q);
		good = !lane->held && !broken(lane) && !broken_inside(lane);
		if (!good)
			diag("not empty after the flush at the end");
	}
	drop_all(lane, &q);
	return good;
}

static void test_cases(void)
{
	static const u32 start[] = {
		0, 1, 63, 0x7ffffff5, 0x80000000, 0xffffd000, 0xfffff000,
		0xfffffff5, 0xffffffff,
	};
	struct lb_lane *lane = tap_alloc(sizeof(*lane));

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		bool good = true;

		for (u32 k = 0; good && k < ARRAY_SIZE(start); k++)
			good = run_case(lane, cases[i].step, start[k]);
		ok(good, "%s", cases[i].what);
	}
	free(lane);
}

/* A packet arrives; what is delivered is of no interest. */
static enum lb_verdict rx(struct lb_lane *lane, u32 seq)
{
	struct lb_pkt *p = new_pkt(seq, 0);
	enum lb_verdict v;
	struct lb_pktq q;

	lb_pktq_init(&q);
	v = lb_lane_rx(lane, p, &q);
	if (v == LB_DUPLICATE || v == LB_FAR)
		free(p);
	while ((p = dequeue(&q)))
		free(p);
	return v;
}

static void free_lane(struct lb_lane *lane)
{
	struct lb_pktq q;

	lb_pktq_init(&q);
	drop_all(lane, &q);
	free(lane);
}

/*
 * A long outage of all paths: the lane must follow after LB_FAR_CONFIRM packets
 * that differ from the one before, in whatever order two paths of different
 * delay, or copies of each packet on two paths, bring them.
 */
static void test_outage(void)
{
	static const struct {
		const char *what;
		u32 n;		/* packets after which the lane follows */
		s32 at[4];	/* arrivals in turn, each 4 on from turn to turn */
	} orders[] = {
		{ "in order",			4, { 0, 1, 2, 3 } },
		{ "two paths, one slower",	4, { 100, 1, 102, 3 } },
		{ "two paths, swapped",		4, { 1, 0, 3, 2 } },
		{ "descending",			4, { 3, 2, 1, 0 } },
		{ "two paths, far apart",	4, { J, 1, J + 1, 2 } },
		{ "each packet twice",		7, { 0, 0, 1, 1 } },
		{ "two paths, twice each",	5, { 100, 1, 1, 100 } },
	};
	struct lb_lane *lane = tap_alloc(sizeof(*lane));
	struct lb_rnd r = { .s = 11 };
	u32 bad = 0;

	for (u32 i = 0; i < ARRAY_SIZE(orders); i++) {
		enum lb_verdict v = LB_FAR;
		u32 n = 0;

		lb_lane_init(lane, 0);
		while (v == LB_FAR && n < 4000) {
			v = rx(lane, FAR + orders[i].at[n % 4] + n / 4 * 4);
			n++;
		}
		is(v, LB_RESYNC, "after an outage, %s: followed",
		   orders[i].what);
		is(n, orders[i].n, "  after so many packets");
	}

	for (u32 run = 0; run < 10000; run++) {
		u32 start = lb_rnd_u32(&r), at[LB_FAR_CONFIRM], n = 0;
		u32 far = start + B + 1 + lb_scale(lb_rnd_u32(&r), 1U << 30);
		u32 range = run % 2 ? LB_FAR_CONFIRM : J + 1;
		bool good = true;

		while (n < LB_FAR_CONFIRM) {
			at[n] = far + lb_scale(lb_rnd_u32(&r), range);
			if (!n || at[n] != at[n - 1])
				n++;
		}
		lb_lane_init(lane, start);
		for (u32 i = 0; i < n; i++)
			good = good && rx(lane, at[i]) ==
				       (i < n - 1 ? LB_FAR : LB_RESYNC);
		bad += !good || lane->next != at[n - 1] + 1 || broken(lane) ||
		       broken_inside(lane);
	}
	is(bad, 0, "LB_FAR_CONFIRM that agree, in any order, are followed");
	free_lane(lane);
}

/* What must never make a lane jump, however often it comes. */
static void test_no_jump(void)
{
	struct lb_lane *lane = tap_alloc(sizeof(*lane));
	struct lb_rnd r = { .s = 12 };
	u32 bad = 0, seq = 0x80000000, hole;

	lb_lane_init(lane, seq);
	for (u32 i = 0; i < 10000; i++) {
		bad += rx(lane, seq + FAR + i) != LB_FAR;
		bad += rx(lane, seq++) != LB_IN_ORDER;
	}
	is(bad, 0, "far packets between those in order");

	bad = 0;
	for (u32 i = 0; i < 10000; i++) {
		for (u32 k = 0; k < LB_FAR_CONFIRM - 1; k++)
			bad += rx(lane, seq + FAR + k) != LB_FAR;
		bad += rx(lane, seq++) != LB_IN_ORDER;
	}
	is(bad, 0, "LB_FAR_CONFIRM - 1 far packets between those in order");

	bad = 0;
	hole = seq++;
	for (u32 i = 0; i < 10000; i++) {
		for (u32 k = 0; k < LB_FAR_CONFIRM - 1; k++)
			bad += rx(lane, seq + FAR + k) != LB_FAR;
		bad += rx(lane, seq++) != LB_HELD;
	}
	is(bad, 0, "LB_FAR_CONFIRM - 1 far packets between held ones");
	is(lane->next, hole, "  and the hole is not given up");
	is(rx(lane, hole), LB_IN_ORDER, "  and is filled");

	bad = 0;
	for (u32 i = 0; i < 100000; i++)
		bad += rx(lane, seq + FAR) != LB_FAR;
	is(bad, 0, "one far packet over and over");

	bad = 0;
	lb_lane_init(lane, seq);
	for (u32 i = 0; i < 100000; i++)
		bad += rx(lane, seq - P - 1 - i) != LB_FAR;
	for (u32 i = 0; i < 100000; i++)
		bad += rx(lane, seq - 2 * P + i) != LB_FAR;
	for (u32 i = 0; i < 100000; i++)
		bad += rx(lane, seq - P - 1 - lb_scale(lb_rnd_u32(&r), J)) !=
		       LB_FAR;
	for (u32 i = 0; i < 100000; i++)
		bad += rx(lane, seq - P - 1 -
			  lb_scale(lb_rnd_u32(&r), 0x80000000U - P)) != LB_FAR;
	is(bad, 0, "any number of packets from the far past");
	is(lane->next, seq, "  and the lane is where it was");
	is(rx(lane, seq), LB_IN_ORDER, "  and goes on");
	free_lane(lane);
}

/*
 * struct sim - random traffic over several paths
 * @skew: greatest difference of delay between paths, in packets
 * @outage: packets that all paths lose together, three times
 * @timer: whether holes are given up after a time
 * @copies: whether packets are duplicated
 * @losses: whether packets are lost
 * @outside: whether packets may come that are outside the window
 * @accepted: per packet, how often it arrived and was not dropped
 * @delivered: per packet, how often it was delivered
 * @known: per packet, whether it arrived since the lane last jumped
 * @top: the number that is due
 * @highest: one past the highest accepted
 * @far: the last implausible packet
 * @far_count: implausible ones that agree
 * @until: numbers before it may be given up now
 * @gaps: how often some were
 * @before: packets that came before the window
 */
struct sim {
	const char *what;
	u32 n;
	u32 skew;
	u32 outage;
	bool timer;
	bool copies;
	bool losses;
	bool outside;

	struct lb_lane lane;
	struct lb_pktq q;
	u32 start;
	u8 *accepted;
	u8 *delivered;
	u8 *known;
	u32 top;
	u32 highest;
	u32 far;
	u32 far_count;
	u32 until;
	u32 gaps;
	u32 before;
	u32 count[LB_RESYNC + 1];
};

struct event {
	u64 at;
	u32 order;
	u32 i;
};

static int event_cmp(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* The lane no longer waits for what lies before @i, as far as it may. */
static void skip(struct sim *s, u32 i)
{
	i = min_t(u32, i, s->until);
	if (i > s->top) {
		s->top = i;
		s->gaps++;
	}
}

static const char *collect(struct sim *s, const struct lb_pkt *arrived,
			   enum lb_verdict v)
{
	const char *err = NULL;
	struct lb_pkt *p;

	while ((p = dequeue(&s->q))) {
		u32 i = p->seq - s->start;

		if (i >= s->n || !s->accepted[i]) {
			err = "delivered what never came";
		} else if (s->delivered[i]++ >= s->accepted[i]) {
			err = "delivered twice";
		} else if (p == arrived && v == LB_LATE) {
			skip(s, s->until);
			if (i >= s->top)
				err = "late, but not before the one due";
		} else if (p == arrived && v == LB_RESYNC) {
			s->top = i + 1;
		} else if (i < s->top) {
			err = "delivered out of order";
		} else {
			skip(s, i);
			if (i > s->top)
				err = "a hole was given up for no reason";
			s->top = i + 1;
		}
		free(p);
	}
	return err;
}

/* The lane gave up what it should, and nothing else. */
static const char *check_next(struct sim *s)
{
	if (s->lane.next != s->start + s->top)
		return "not the number that should be due";
	if (s->lane.highest != s->start + s->highest)
		return "not the highest number";
	return broken(&s->lane);
}

/* What must become of an implausible packet. */
static enum lb_verdict far(struct sim *s, u32 i)
{
	s32 d = (s32)(i - s->far);

	if (!s->far_count || d > LB_JUMP || d < -LB_JUMP)
		s->far_count = 1;
	else if (d)
		s->far_count++;
	s->far = i;
	return s->far_count < LB_FAR_CONFIRM ? LB_FAR : LB_RESYNC;
}

static const char *arrive(struct sim *s, u32 i, u64 now)
{
	u32 seq = s->start + i;
	s32 d = (s32)(i - s->top);
	bool beyond = (s32)(i - s->highest) > LB_JUMP, before = d < -LB_BEHIND;
	bool again = s->known[i], passed = d < 0, dropped;
	struct lb_pkt *p = new_pkt(seq, now);
	enum lb_verdict v = lb_lane_rx(&s->lane, p, &s->q);
	enum lb_verdict want = beyond ? far(s, i) : v;
	const char *err;

	s->count[v]++;
	s->before += before;
	s->until = d >= LB_AHEAD && !beyond ? i - LB_AHEAD + 1 : s->top;
	dropped = v == LB_DUPLICATE || v == LB_FAR;
	if (dropped) {
		free(p);
	} else {
		if (v == LB_RESYNC) {
			memset(s->known, 0, s->n);
			s->far_count = 0;
			s->until = s->n;
		}
		s->accepted[i]++;
		s->known[i] = 1;
		if (v == LB_RESYNC || (s32)(i + 1 - s->highest) > 0)
			s->highest = i + 1;
		if (!passed)
			s->far_count = 0;
	}
	err = collect(s, dropped ? NULL : p, v);
	if (d >= LB_AHEAD && !beyond)
		skip(s, s->until);
	if (err)
		return err;
	if ((before || beyond) && !s->outside)
		return "outside the window";
	if (beyond)
		return v == want ? NULL : "the jump came too early, or too late";
	if (before)
		return v == LB_LATE ? NULL : "before the window, but not late";
	if (v == LB_FAR || v == LB_RESYNC)
		return "far, and it is not";
	if (v == LB_DUPLICATE ? !again : again)
		return "duplicate, and it is not, or the reverse";
	if (v == LB_LATE ? !passed : passed && v != LB_DUPLICATE)
		return "late, and it is not, or the reverse";
	if (v == LB_HELD ? s->delivered[i] == s->accepted[i] :
	    !again && s->delivered[i] != s->accepted[i])
		return "held, and it is not, or the reverse";
	return NULL;
}

static const char *sim_run(struct sim *s, u32 seed)
{
	struct lb_rnd r = { .s = seed };
	u32 paths = 1 + lb_scale(lb_rnd_u32(&r), 8);
	u32 loss = s->losses ? lb_scale(lb_rnd_u32(&r), 200) : 0;
	u32 dup = s->copies ? lb_scale(lb_rnd_u32(&r), 200) : 0;
	u64 hold = 1 + lb_scale(lb_rnd_u32(&r), 2000 * s->skew);
	u64 delay[8], jitter[8], last[8] = { };
	struct event *ev = tap_alloc(2 * s->n * sizeof(*ev));
	const char *err = NULL;
	u32 events = 0, arrived = 0, k;

	s->start = seed % 2 ? lb_rnd_u32(&r) : -lb_scale(lb_rnd_u32(&r), s->n);
	s->accepted = tap_alloc(s->n);
	s->delivered = tap_alloc(s->n);
	s->known = tap_alloc(s->n);
	s->top = 0;
	s->highest = 0;
	s->far_count = 0;
	s->gaps = 0;
	s->before = 0;
	memset(s->count, 0, sizeof(s->count));
	lb_lane_init(&s->lane, s->start);
	lb_pktq_init(&s->q);

	for (k = 0; k < paths; k++) {
		delay[k] = (u64)lb_scale(lb_rnd_u32(&r), s->skew) * 900;
		jitter[k] = 1 + s->skew * 100;
	}
	/* A packet leaves every 1000 ns; the paths are FIFOs. */
	for (u32 i = 0; i < s->n; i++)
		for (u32 copy = 0; copy < 2; copy++) {
			u64 at;

			if (copy && lb_scale(lb_rnd_u32(&r), 1000) >= dup)
				break;
			k = lb_scale(lb_rnd_u32(&r), paths);
			if (lb_scale(lb_rnd_u32(&r), 1000) < loss)
				continue;
			if (i % (s->n / 4) < s->outage && i >= s->n / 4)
				continue;
			at = i * 1000 + delay[k] + lb_scale(lb_rnd_u32(&r),
							   jitter[k]);
			at = max_t(u64, at, last[k]);
			last[k] = at;
			ev[events] = (struct event) { at, events, i };
			events++;
		}
	qsort(ev, events, sizeof(*ev), event_cmp);

	for (k = 0; !err && k < events; k++) {
		while (s->timer && !err && s->lane.held &&
		       s->lane.first->rx + hold <= ev[k].at) {
			s->until = s->lane.first->seq - s->start;
			if (lb_lane_give_up(&s->lane, &s->q) != s->until - s->top)
				err = "not as many were given up as are missing";
			err = err ?: collect(s, NULL, 0) ?: check_next(s);
		}
		if (err)
			break;
		arrived++;
		err = arrive(s, ev[k].i, ev[k].at) ?: check_next(s);
		if (!err && k % 512 == 0)
			err = broken_inside(&s->lane);
	}
	if (!err && !s->gaps && !s->before && s->count[LB_LATE])
		err = "late, and no hole was given up";
	if (!err && !s->losses && !s->timer && !s->gaps && s->lane.held)
		err = "held at the end, and nothing is missing";
	if (!err) {
		s->until = s->n;
		lb_lane_flush(&s->lane, &s->q);
		err = collect(s, NULL, 0) ?: check_next(s) ?:
		      broken_inside(&s->lane);
	}
	if (!err && s->lane.held)
		err = "held after the flush";
	for (u32 i = 0; !err && i < s->n; i++)
		if (s->accepted[i] != s->delivered[i])
			err = "accepted, but not delivered";
	if (!err && arrived != s->count[LB_IN_ORDER] + s->count[LB_HELD] +
	    s->count[LB_LATE] + s->count[LB_DUPLICATE] + s->count[LB_FAR] +
	    s->count[LB_RESYNC])
		err = "a packet without a verdict";

	drop_all(&s->lane, &s->q);
	free(s->known);
	free(s->delivered);
	free(s->accepted);
	free(ev);
	return err;
}

static void test_random(void)
{
	static struct sim sims[] = {
		{ "no loss, no timer", 3000, 1000, .copies = false },
		{ "no loss, copies", 3000, 1000, .copies = true },
		{ "loss", 3000, 1000, .losses = true },
		{ "loss, copies", 3000, 300, .losses = true, .copies = true },
		{ "timer", 3000, 1000, .timer = true },
		{ "timer, loss, copies", 3000, 1000, .timer = true,
		  .losses = true, .copies = true },
		{ "timer, loss, copies, small skew", 3000, 20, .timer = true,
		  .losses = true, .copies = true },
		{ "more held than the window takes", 40000, 14000,
		  .losses = true, .copies = true },
		{ "the same without loss", 40000, 14000, .copies = true },
		{ "skew beyond the window", 40000, 20000, .timer = true,
		  .losses = true, .outside = true },
		{ "skew beyond the window, copies", 40000, 20000,
		  .timer = true, .losses = true, .copies = true,
		  .outside = true },
		{ "skew beyond the window, no timer", 40000, 20000,
		  .losses = true, .copies = true, .outside = true },
		{ "outages", 40000, 1000, 5000, .timer = true,
		  .losses = true, .copies = true, .outside = true },
		{ "outages, no timer", 40000, 1000, 5000, .losses = true,
		  .copies = true, .outside = true },
		{ "outages, small skew", 40000, 20, 5000, .timer = true,
		  .losses = true, .copies = true, .outside = true },
		{ "outages, skew beyond the window", 40000, 20000, 6000,
		  .timer = true, .losses = true, .copies = true,
		  .outside = true },
		{ "outages of LB_JUMP", 40000, 1, J, .losses = true,
		  .outside = true },
	};
	u32 seeds, bad, seed, count[LB_RESYNC + 1];

	for (u32 i = 0; i < ARRAY_SIZE(sims); i++) {
		struct sim *s = &sims[i];

		seeds = s->n > 10000 ? 12 : 150;
		memset(count, 0, sizeof(count));
		for (bad = 0, seed = 1; seed <= seeds; seed++) {
			const char *err = sim_run(s, seed);

			if (err && !bad++)
				diag("seed %u: %s", seed, err);
			for (u32 v = 0; v <= LB_RESYNC; v++)
				count[v] += s->count[v];
		}
		is(bad, 0, "random traffic, %s: %u seeds", s->what, seeds);
		diag("%u in order, %u held, %u late, %u duplicate, %u far, %u resync",
		     count[LB_IN_ORDER], count[LB_HELD], count[LB_LATE],
		     count[LB_DUPLICATE], count[LB_FAR], count[LB_RESYNC]);
	}
}

int main(void)
{
	test_cases();
	test_outage();
	test_no_jump();
	test_random();
	return tap_done();
}
