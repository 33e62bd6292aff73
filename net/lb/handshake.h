/* SPDX-License-Identifier: GPL-2.0 */
/* How two hosts agree on a session. */
#ifndef _LB_HANDSHAKE_H
#define _LB_HANDSHAKE_H

#include <linux/in6.h>
#include <linux/workqueue.h>
#include <lb/wire.h>

struct lb_outer;
struct lb_peer;
struct lb_tx_session;
struct sk_buff;

/**
 * struct lb_handshake - what a peer's handshake knows
 * @nonce: of our INIT; 0 while none is out
 * @offer: becomes lb_peer.tx when the answer comes
 * @seq_start: that we announced
 * @tries: INITs sent
 * @asked: the peer sent an INIT that is not answered yet
 * @init: that INIT, host order, and its addresses
 *
 * Under lb_peer.lock.
 */
struct lb_handshake {
	u64 nonce;
	struct lb_tx_session *offer;
	u32 seq_start;
	u32 tries;
	bool asked;
	struct lb_asked {
		u64 nonce;
		u32 seq_start;
		u16 lanes;
		struct in6_addr saddr;
		struct in6_addr daddr;
		__be16 sport;
	} init;
};

void lb_handshake_work(struct work_struct *work);
void lb_handshake_reset(struct lb_peer *peer);
void lb_handshake_rcv(struct lb_peer *peer, struct sk_buff *skb,
		      const struct lb_outer *outer, const struct lb_wire *w);
void lb_handshake_unknown(struct lb_peer *peer, const struct lb_outer *outer,
			  u32 session);

#endif /* _LB_HANDSHAKE_H */
