// SPDX-License-Identifier: GPL-2.0
/*
 * Receive, first half: decode, find session or peer, count for the path, queue.
 * Runs on whichever CPU the packet came to.
 */

#include <linux/ktime.h>
#include <net/inet_ecn.h>
#include <net/ipv6.h>

#include "device.h"
#include "net.h"
#include "peer.h"
#include "probe.h"
#include "rx.h"
#include "session.h"
#include "sock.h"

/* The peer whose path groups have a packet's addresses. */
static struct lb_peer *lb_rcv_peer(struct lb_sock *ls,
				   const struct lb_outer *outer)
{
	struct lb_pair_key key = {
		.saddr	= outer->saddr,
		.daddr	= outer->daddr,
		.port	= ls->port,
	};
	struct lb_pair *pair = lb_pair_find(ls->ln, &key);

	return pair ? pair->peer : NULL;
}

/**
 * lb_rcv_bad() - drop a packet that is not even decoded
 * @ls: its port
 * @skb: the packet
 * @outer: its outer headers
 * @why: reason
 *
 * It is counted for the device whose peer has its addresses, else for the first
 * that listens to the port.
 *
 * Context: softirq, RCU read side.
 */
void lb_rcv_bad(struct lb_sock *ls, struct sk_buff *skb,
		const struct lb_outer *outer, enum lb_drop why)
{
	struct lb_peer *peer = lb_rcv_peer(ls, outer);
	struct lb_dev *lb = peer ? peer->lb : rcu_dereference(ls->first);

	if (lb)
		lb_drop(lb, skb, why);
	else
		kfree_skb(skb);
}

/* Our path that is the reverse of a path of the peer: the one of its port. */
static u32 lb_reverse(struct lb_peer *peer, const struct lb_outer *outer)
{
	struct lb_path *path;
	unsigned long id;

	xa_for_each(&peer->paths, id, path)
		if (path->sport == outer->sport &&
		    ipv6_addr_equal(&path->group->remote, &outer->saddr) &&
		    ipv6_addr_equal(&path->group->local, &outer->daddr))
			return id;
	return LB_NO_REVERSE;
}

/*
 * Whether the packet's addresses are the peer's; remembered for the path while
 * the session lasts, so that a path that we delete first loses nothing.
 */
static bool lb_rx_path_ok(struct lb_sock *ls, struct lb_session *s,
			  struct lb_rx_path *rp, const struct lb_outer *outer)
{
	if (likely(rp->known && rp->sport == outer->sport &&
		   ipv6_addr_equal(&rp->saddr, &outer->saddr) &&
		   ipv6_addr_equal(&rp->daddr, &outer->daddr)))
		return true;
	if (lb_rcv_peer(ls, outer) != s->peer)
		return false;
	rp->saddr = outer->saddr;
	rp->daddr = outer->daddr;
	rp->sport = outer->sport;
	rp->reverse = lb_reverse(s->peer, outer);
	WRITE_ONCE(rp->known, true);
	return true;
}

/*
 * Congestion seen outside goes inside where the inner packet can carry it
 * (RFC 6040); where it cannot, it is the path's count that tells.
 */
static void lb_rx_ecn(struct sk_buff *skb)
{
	if (skb->protocol == htons(ETH_P_IP)) {
		if (!INET_ECN_is_not_ect(ip_hdr(skb)->tos))
			IP_ECN_set_ce(ip_hdr(skb));
	} else {
		if (!INET_ECN_is_not_ect(ipv6_get_dsfield(ipv6_hdr(skb))))
			IP6_ECN_set_ce(skb, ipv6_hdr(skb));
	}
}

/* Make the inner packet the packet. Its flow's hash replaces the outer one. */
static bool lb_decap(struct lb_dev *lb, struct sk_buff *skb,
		     const struct lb_outer *outer, const struct lb_wire *w,
		     struct lb_flow *flow)
{
	u32 want = w->flags & LB_WIRE_F_INNER6 ? 6 : 4;

	skb_pull_rcsum(skb, sizeof(struct lb_hdr));
	/*
	 * GRO writes to the shared part, and over veth or with a tap this is a
	 * clone of what the sender keeps.
	 */
	if (skb_unclone(skb, GFP_ATOMIC) ||
	    !pskb_may_pull(skb, min_t(unsigned int, skb->len, 64)) ||
	    lb_flow_parse(skb->data, skb_headlen(skb), flow) ||
	    flow->version != want || flow->len > skb->len ||
	    pskb_trim_rcsum(skb, flow->len))
		return false;

	skb->protocol = htons(want == 6 ? ETH_P_IPV6 : ETH_P_IP);
	skb_reset_mac_header(skb);
	skb_reset_network_header(skb);
	skb_reset_transport_header(skb);
	skb->mac_len = 0;
	skb->encapsulation = 0;
	skb_scrub_packet(skb, !net_eq(lb->net, dev_net(lb->dev)));
	__skb_set_sw_hash(skb, flow->hash, flow->l4);
	skb->dev = lb->dev;

	if (INET_ECN_is_ce(outer->ecn))
		lb_rx_ecn(skb);
	return true;
}

static void lb_data_rcv(struct lb_sock *ls, struct lb_session *s,
			struct sk_buff *skb, const struct lb_outer *outer,
			const struct lb_wire *w)
{
	struct lb_dev *lb = s->peer->lb;
	struct lb_rx_cb *cb = LB_RX_CB(skb);
	u64 now = ktime_get_ns();
	struct lb_rx_path *rp;
	struct lb_flow flow;
	enum lb_drop why;

	why = LB_DROP_RX_LANE;
	if (unlikely(w->lane >= s->n_lanes))
		goto drop;
	why = LB_DROP_RX_PATH;
	if (unlikely(w->path >= LB_PATHS_MAX))
		goto drop;
	why = LB_DROP_RX_MEMORY;
	rp = lb_session_path(s, w->path);
	if (unlikely(!rp))
		goto drop;
	why = LB_DROP_RX_INNER;
	if (unlikely(!lb_decap(lb, skb, outer, w, &flow)))
		goto drop;

	spin_lock(&rp->lock);
	if (unlikely(!lb_rx_path_ok(ls, s, rp, outer))) {
		spin_unlock(&rp->lock);
		why = LB_DROP_RX_PATH;
		goto drop;
	}
	lb_rxpath_add(&rp->rx, w->path_seq, w->stamp, skb->len,
		      INET_ECN_is_ce(outer->ecn), now);
	spin_unlock(&rp->lock);
	lb_session_heard(s);

	cb->pkt.rx = now;
	cb->pkt.seq = w->lane_seq;
	cb->pkt.stamp = w->stamp;
	cb->pkt.size = skb->truesize;
	cb->lane = &s->lane[w->lane];
	if (!lb_rxq_queue(&lb->rxq[w->lane % lb->n_rxq], skb))
		return;
	why = LB_DROP_RX_QUEUE;
drop:
	lb_drop(lb, skb, why);
}

/* A packet that names a session of ours. */
static void lb_session_rcv(struct lb_sock *ls, struct sk_buff *skb,
			   const struct lb_outer *outer,
			   const struct lb_wire *w)
{
	struct lb_session *s = lb_session_find(ls->ln, w->session);
	struct lb_peer *peer;

	if (unlikely(!s)) {
		peer = lb_rcv_peer(ls, outer);
		lb_rcv_bad(ls, skb, outer, peer ? LB_DROP_RX_SESSION :
						  LB_DROP_RX_NO_PEER);
		if (peer)
			lb_handshake_unknown(peer, outer, w->session);
		return;
	}
	if (unlikely(!netif_running(s->peer->lb->dev))) {
		lb_drop(s->peer->lb, skb, LB_DROP_RX_DOWN);
		return;
	}
	lb_count(s->peer->lb, outer->early ? LB_A_DEV_STATS_RX_EARLY :
					     LB_A_DEV_STATS_RX_SOCKET);
	if (likely(w->type == LB_WIRE_DATA))
		lb_data_rcv(ls, s, skb, outer, w);
	else
		lb_probe_rcv(s, skb, outer, w);
}

/**
 * lb_rcv() - a datagram for our port came
 * @ls: the port
 * @skb: at our header, checksum verified; consumed
 * @outer: its outer headers
 *
 * Context: softirq, RCU read side.
 */
void lb_rcv(struct lb_sock *ls, struct sk_buff *skb,
	    const struct lb_outer *outer)
{
	struct lb_peer *peer;
	struct lb_wire w;
	int err;

	if (!pskb_may_pull(skb, sizeof(struct lb_hdr))) {
		lb_rcv_bad(ls, skb, outer, LB_DROP_RX_HEADER);
		return;
	}
	err = lb_wire_decode(skb->data, skb_headlen(skb), &w);
	if (unlikely(err)) {
		lb_rcv_bad(ls, skb, outer, err == -EPROTONOSUPPORT ?
			   LB_DROP_RX_VERSION : LB_DROP_RX_TYPE);
		return;
	}
	if (w.type == LB_WIRE_DATA || w.type == LB_WIRE_PROBE) {
		lb_session_rcv(ls, skb, outer, &w);
		return;
	}

	peer = lb_rcv_peer(ls, outer);
	if (unlikely(!peer)) {
		lb_rcv_bad(ls, skb, outer, LB_DROP_RX_NO_PEER);
		return;
	}
	if (unlikely(!netif_running(peer->lb->dev))) {
		lb_drop(peer->lb, skb, LB_DROP_RX_DOWN);
		return;
	}
	lb_count(peer->lb, outer->early ? LB_A_DEV_STATS_RX_EARLY :
					  LB_A_DEV_STATS_RX_SOCKET);
	lb_handshake_rcv(peer, skb, outer, &w);
}
