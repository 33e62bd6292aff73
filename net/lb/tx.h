/* SPDX-License-Identifier: GPL-2.0 */
/* Transmit: from the inner packet to the outer one. */
#ifndef _LB_TX_H
#define _LB_TX_H

#include <linux/netdevice.h>
#include <lb/wire.h>

struct lb_group;
struct lb_peer;
struct lb_tx_session;

/* Room for the header, UDP and the larger of the IP headers. */
#define LB_OVERHEAD4	(20 + 8 + sizeof(struct lb_hdr))
#define LB_OVERHEAD6	(40 + 8 + sizeof(struct lb_hdr))

netdev_tx_t lb_xmit(struct sk_buff *skb, struct net_device *dev);
void lb_send(struct lb_peer *peer, struct lb_tx_session *tx,
	     struct sk_buff *skb);
bool lb_has_route(struct lb_group *group);
int lb_send_control(struct lb_group *group, __be16 sport,
		    const struct lb_wire *w, const void *body, size_t len);

#endif /* _LB_TX_H */
