// SPDX-License-Identifier: GPL-2.0
/*
 * The resequencer.
 *
 * Held packets hang in buckets by sequence number; consecutive numbers fall
 * into consecutive buckets, so a chain has one packet in LB_RESEQ_BUCKETS and
 * its head is the next that can become due. Which numbers are there, a bitmap
 * tells, so the first packet behind a hole is found a word at a time.
 */

#include <lb/reseq.h>

#define SLOT(seq)	((seq) & (LB_WINDOW - 1))
#define BUCKET(seq)	((seq) & (LB_RESEQ_BUCKETS - 1))

static bool seen(const struct lb_lane *lane, u32 seq)
{
	return lane->seen[SLOT(seq) / BITS_PER_LONG] >>
	       (SLOT(seq) % BITS_PER_LONG) & 1;
}

static void set_seen(struct lb_lane *lane, u32 seq)
{
	lane->seen[SLOT(seq) / BITS_PER_LONG] |= 1UL << (SLOT(seq) % BITS_PER_LONG);
}

static void clear_seen(struct lb_lane *lane, u32 seq)
{
	lane->seen[SLOT(seq) / BITS_PER_LONG] &=
		~(1UL << (SLOT(seq) % BITS_PER_LONG));
}

/* The first number from @seq on that was seen; there must be one ahead. */
static u32 next_seen(const struct lb_lane *lane, u32 seq)
{
	u32 word = SLOT(seq) / BITS_PER_LONG;
	u32 skip = SLOT(seq) % BITS_PER_LONG;
	unsigned long w = lane->seen[word] >> skip;

	if (w)
		return seq + __ffs(w);
	seq += BITS_PER_LONG - skip;
	for (;;) {
		word = (word + 1) % ARRAY_SIZE(lane->seen);
		w = lane->seen[word];
		if (w)
			return seq + __ffs(w);
		seq += BITS_PER_LONG;
	}
}

/* Move the window one on: the oldest number's place is the newest one's. */
static void step(struct lb_lane *lane)
{
	clear_seen(lane, lane->next - LB_BEHIND);
	lane->next++;
}

static void queue(struct lb_pktq *q, struct lb_pkt *pkt)
{
	pkt->next = NULL;
	*q->tail = pkt;
	q->tail = &pkt->next;
}

static void hold(struct lb_lane *lane, struct lb_pkt *pkt)
{
	struct lb_pkt **head = &lane->head[BUCKET(pkt->seq)];
	struct lb_pkt **tail = &lane->tail[BUCKET(pkt->seq)];
	struct lb_pkt **at = head;

	if (*head && lb_seq_after(pkt->seq, (*tail)->seq))
		at = &(*tail)->next;
	else
		while (*at && lb_seq_after(pkt->seq, (*at)->seq))
			at = &(*at)->next;
	pkt->next = *at;
	*at = pkt;
	if (!pkt->next)
		*tail = pkt;

	lane->held++;
	if (!lane->first || lb_seq_after(lane->first->seq, pkt->seq))
		lane->first = pkt;
}

/* Take the packet with the lowest number, which is lane->next, from its bucket. */
static struct lb_pkt *unhold(struct lb_lane *lane)
{
	struct lb_pkt **head = &lane->head[BUCKET(lane->next)];
	struct lb_pkt *pkt = *head;

	*head = pkt->next;
	lane->held--;
	return pkt;
}

/* Deliver what has become due, and find the next hole. */
static void release(struct lb_lane *lane, struct lb_pktq *out)
{
	while (lane->held && seen(lane, lane->next)) {
		queue(out, unhold(lane));
		step(lane);
	}
	lane->first = lane->held ?
		lane->head[BUCKET(next_seen(lane, lane->next))] : NULL;
}

/* Move on to @seq; what was missing before it is no longer waited for. */
static void advance(struct lb_lane *lane, u32 seq)
{
	while (lane->next != seq)
		step(lane);
}

/**
 * lb_lane_init() - prepare a lane
 * @lane: the lane, of any content
 * @start: its first sequence number
 */
void lb_lane_init(struct lb_lane *lane, u32 start)
{
	memset(lane, 0, sizeof(*lane));
	lane->next = start;
	lane->highest = start;
}

/* An implausible packet: is it the lane that is wrong? */
static enum lb_verdict far(struct lb_lane *lane, struct lb_pkt *pkt,
			   struct lb_pktq *out)
{
	u32 seq = pkt->seq;
	s32 d = lb_seq_diff(seq, lane->far);

	/* The same packet again proves nothing. */
	if (lane->far_count && !d)
		return LB_FAR;
	if (!lane->far_count || d > LB_JUMP || d < -LB_JUMP)
		lane->far_count = 0;
	lane->far_count++;
	lane->far_total++;
	lane->far = seq;
	if (lane->far_count < LB_FAR_CONFIRM && lane->far_total < LB_FAR_LIMIT)
		return LB_FAR;

	lb_lane_flush(lane, out);
	lb_lane_init(lane, seq);
	set_seen(lane, seq);
	step(lane);
	lane->highest = lane->next;
	queue(out, pkt);
	return LB_RESYNC;
}

/* Give up what is oldest until @seq fits into the window, and no more. */
static void make_room(struct lb_lane *lane, u32 seq, struct lb_pktq *out)
{
	u32 next = seq - LB_AHEAD + 1;

	while (lane->held && lb_seq_after(next, lane->next)) {
		if (lb_seq_after(lane->first->seq, next))
			advance(lane, next);
		else
			lb_lane_give_up(lane, out);
	}
}

/**
 * lb_lane_rx() - a packet arrived
 * @lane: its lane
 * @pkt: the packet; belongs to the lane if held
 * @out: packets to deliver are added here, in order
 *
 * Return: what became of @pkt.
 */
enum lb_verdict lb_lane_rx(struct lb_lane *lane, struct lb_pkt *pkt,
			   struct lb_pktq *out)
{
	u32 seq = pkt->seq;
	s32 d = lb_seq_diff(seq, lane->next);

	if (lb_seq_diff(seq, lane->highest) > LB_JUMP)
		return far(lane, pkt, out);
	if (d >= LB_AHEAD) {
		make_room(lane, seq, out);
		d = lb_seq_diff(seq, lane->next);
	}

	if (d < -LB_PAST)
		return LB_FAR;
	if (d < -LB_BEHIND) {
		queue(out, pkt);
		return LB_LATE;
	}
	if (seen(lane, seq))
		return LB_DUPLICATE;
	set_seen(lane, seq);
	if (d < 0) {
		queue(out, pkt);
		return LB_LATE;
	}

	lane->far_count = 0;
	lane->far_total = 0;
	if (lb_seq_after(seq + 1, lane->highest))
		lane->highest = seq + 1;
	if (d) {
		hold(lane, pkt);
		return LB_HELD;
	}
	step(lane);
	queue(out, pkt);
	if (lane->held)
		release(lane, out);
	return LB_IN_ORDER;
}

/**
 * lb_lane_give_up() - wait no longer for what is missing before the first held
 * @lane: a lane that holds packets
 * @out: the packets up to the next hole are added here
 *
 * Return: how many packets were missing.
 */
u32 lb_lane_give_up(struct lb_lane *lane, struct lb_pktq *out)
{
	u32 missing = lb_seq_diff(lane->first->seq, lane->next);

	advance(lane, lane->first->seq);
	release(lane, out);
	return missing;
}

/**
 * lb_lane_flush() - wait for nothing
 * @lane: the lane
 * @out: all held packets are added here
 */
void lb_lane_flush(struct lb_lane *lane, struct lb_pktq *out)
{
	while (lane->held)
		lb_lane_give_up(lane, out);
}
