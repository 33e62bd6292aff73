/* SPDX-License-Identifier: GPL-2.0 */
/* Probes of paths, and what the answers tell. */
#ifndef _LB_PROBE_H
#define _LB_PROBE_H

#include <linux/timer.h>
#include <lb/wire.h>

struct lb_outer;
struct lb_peer;
struct lb_session;
struct sk_buff;

void lb_probe_timer(struct timer_list *t);
void lb_probe_start(struct lb_peer *peer);
void lb_probe_rcv(struct lb_session *s, struct sk_buff *skb,
		  const struct lb_outer *outer, const struct lb_wire *w);
void lb_probe_reply_rcv(struct lb_peer *peer, struct sk_buff *skb,
			const struct lb_wire *w);

#endif /* _LB_PROBE_H */
