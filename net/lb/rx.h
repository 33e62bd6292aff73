/* SPDX-License-Identifier: GPL-2.0 */
/* Receive: from the outer packet to the receive queue, and up the stack. */
#ifndef _LB_RX_H
#define _LB_RX_H

#include <linux/hrtimer.h>
#include <linux/netdevice.h>
#include <linux/timerqueue.h>
#include <lb/reseq.h>
#include <lb/wire.h>
#include <uapi/linux/lb.h>

struct lb_dev;
struct lb_sock;
struct lb_rx_lane;
struct lb_session;

/**
 * struct lb_rxq - a receive queue with its NAPI
 * @napi: owns the lanes that map to this queue
 * @lb: the device
 * @in: packets from lb_rcv(), any CPU, bounded
 * @batch: packets taken from @in, NAPI only
 * @ready: packets in order, NAPI only
 * @lock: held by the NAPI while it works on lanes, and by whoever takes a
 *	session apart
 * @stalled: lanes that hold packets, by the time the first hole is given up;
 *	under @lock
 * @timer: wakes the NAPI at that time
 */
struct lb_rxq {
	struct napi_struct napi;
	struct lb_dev *lb;
	struct sk_buff_head in ____cacheline_aligned;
	struct sk_buff_head batch ____cacheline_aligned;
	struct sk_buff_head ready;
	spinlock_t lock; /* see above */
	struct timerqueue_head stalled;
	struct hrtimer timer;
};

/**
 * struct lb_outer - what the outer headers say of a received packet
 * @saddr: source address, IPv4 mapped
 * @daddr: destination address, IPv4 mapped
 * @sport: source port
 * @ecn: ECN field of the outer IP header
 * @early: came by the ingress hook
 */
struct lb_outer {
	struct in6_addr saddr;
	struct in6_addr daddr;
	__be16 sport;
	u8 ecn;
	bool early;
};

/**
 * struct lb_rx_cb - skb->cb of a packet between lb_rcv() and the stack
 * @pkt: for the resequencer
 * @lane: its lane
 */
struct lb_rx_cb {
	struct lb_pkt pkt;
	struct lb_rx_lane *lane;
};

#define LB_RX_CB(skb)	((struct lb_rx_cb *)(skb)->cb)

void lb_rxq_init(struct lb_dev *lb);
void lb_rxq_open(struct lb_dev *lb);
void lb_rxq_stop(struct lb_dev *lb);
int lb_rxq_queue(struct lb_rxq *q, struct sk_buff *skb);
void lb_rxq_purge_session(struct lb_session *s);
void lb_rcv(struct lb_sock *ls, struct sk_buff *skb,
	    const struct lb_outer *outer);
void lb_rcv_bad(struct lb_sock *ls, struct sk_buff *skb,
		const struct lb_outer *outer, enum lb_drop why);

#endif /* _LB_RX_H */
