/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The resequencer: one lane's packets back in order, duplicates out.
 *
 * A lane has one owner at a time (in the kernel the NAPI of its receive queue),
 * so nothing here locks. It allocates nothing: a held packet is linked by the
 * struct lb_pkt inside it.
 */
#ifndef _LB_RESEQ_H
#define _LB_RESEQ_H

#include <lb/seq.h>

/*
 * The window of a lane, in packets: sequence numbers whose arrival is
 * remembered. LB_BEHIND of them lie before the next one due, so that a packet
 * that comes after its hole was given up is told from a duplicate.
 */
#define LB_WINDOW	16384
#define LB_BEHIND	4096
#define LB_AHEAD	(LB_WINDOW - LB_BEHIND)

/*
 * A packet more than LB_JUMP after the next one that could come is implausible:
 * it is dropped, until LB_FAR_CONFIRM that lie close together, or LB_FAR_LIMIT
 * of any kind, came and the lane made no headway meanwhile; then the lane follows
 * them. As the distance is below LB_BEHIND, one forged packet makes those before
 * it late, not lost.
 *
 * A packet before the window cannot be told from a duplicate, and is delivered
 * all the same: a path may be that slow. Before LB_PAST it is implausible too,
 * and as a sender never goes back, no lane follows it.
 */
#define LB_JUMP		(LB_BEHIND - 1)
#define LB_FAR_CONFIRM	4
#define LB_FAR_LIMIT	64
#define LB_PAST		0x100000

#define LB_RESEQ_BUCKETS 64

/**
 * struct lb_pkt - a packet as the resequencer knows it
 * @next: link, in a bucket or in a queue of packets to deliver
 * @rx: when it arrived, nanoseconds
 * @seq: sequence in its lane
 * @stamp: when it was sent, sender's clock, units of 64 ns
 * @size: memory that it takes, bytes
 */
struct lb_pkt {
	struct lb_pkt *next;
	u64 rx;
	u32 seq;
	u32 stamp;
	u32 size;
};

/**
 * struct lb_pktq - packets to deliver, in order
 * @head: first
 * @tail: where the next is linked
 */
struct lb_pktq {
	struct lb_pkt *head;
	struct lb_pkt **tail;
};

/**
 * enum lb_verdict - what became of an arriving packet
 * @LB_IN_ORDER: it was due, and was put into the output
 * @LB_HELD: it waits for an earlier one
 * @LB_LATE: it was put into the output though later ones went before
 * @LB_DUPLICATE: it arrived before; drop it
 * @LB_FAR: its sequence is implausible; drop it
 * @LB_RESYNC: the lane jumped to its sequence, and it was put into the output
 */
enum lb_verdict {
	LB_IN_ORDER,
	LB_HELD,
	LB_LATE,
	LB_DUPLICATE,
	LB_FAR,
	LB_RESYNC,
};

/**
 * struct lb_lane - receive state of a lane
 * @next: sequence number that is due
 * @highest: one past the highest sequence number accepted
 * @far: sequence of the last implausible packet
 * @far_count: implausible packets that lie close together
 * @far_total: all of them since the lane made headway
 * @held: packets that wait
 * @first: the lowest of them, NULL if there is none
 * @head: of each bucket's chain, ascending
 * @tail: of each bucket's chain
 * @seen: one bit per sequence number of the window
 */
struct lb_lane {
	u32 next;
	u32 highest;
	u32 far;
	u32 far_count;
	u32 far_total;
	u32 held;
	struct lb_pkt *first;
	struct lb_pkt *head[LB_RESEQ_BUCKETS];
	struct lb_pkt *tail[LB_RESEQ_BUCKETS];
	unsigned long seen[LB_WINDOW / (8 * sizeof(long))];
};

static inline void lb_pktq_init(struct lb_pktq *q)
{
	q->head = NULL;
	q->tail = &q->head;
}

void lb_lane_init(struct lb_lane *lane, u32 start);
enum lb_verdict lb_lane_rx(struct lb_lane *lane, struct lb_pkt *pkt,
			   struct lb_pktq *out);
u32 lb_lane_give_up(struct lb_lane *lane, struct lb_pktq *out);
void lb_lane_flush(struct lb_lane *lane, struct lb_pktq *out);

#endif /* _LB_RESEQ_H */
