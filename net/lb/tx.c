// SPDX-License-Identifier: GPL-2.0
/*
 * Transmit: from the inner packet, whose next hop names the peer (lb_xmit(), at
 * the end), to the choice of a path, our header, and the outer packet.
 */

#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/ktime.h>
#include <net/dst_metadata.h>
#include <net/gso.h>
#include <net/icmp.h>
#include <net/ip_fib.h>
#include <net/inet_ecn.h>
#include <net/ip6_route.h>
#include <net/ip_tunnels.h>
#include <net/ipv6_stubs.h>
#include <net/route.h>
#include <net/udp_tunnel.h>
#include <lb/hash.h>

#include "device.h"
#include "member.h"
#include "peer.h"
#include "sock.h"
#include "tx.h"

#define LB_WAITING_MAX	256	/* packets that wait for a session, per peer */
#define LB_PATH_TRIES	16	/* groups tried while there is no route */
#define LB_PULL		64	/* inner bytes that hold all that is looked at */
#define LB_DEPTH_MAX	4	/* lb devices within lb devices */

/* Segments are cut with what the device offers, so that nothing is copied. */
#define LB_SEGMENT_FEATURES	(NETIF_F_SG | NETIF_F_HW_CSUM | NETIF_F_FRAGLIST)

/* How deep this CPU is in lb_xmit(): routes may lead in a circle. */
static DEFINE_PER_CPU(int, lb_depth);

/**
 * struct lb_route - where an outer packet goes
 * @dst: with a reference
 * @saddr6: source address, if the group is IPv6
 * @saddr: source address, if it is IPv4
 */
struct lb_route {
	struct dst_entry *dst;
	struct in6_addr saddr6;
	__be32 saddr;
};

static int lb_oif(const struct lb_group *g)
{
	const struct net_device *dev;

	if (!g->member)
		return 0;
	dev = rcu_dereference(g->member->dev);
	return dev ? dev->ifindex : -1;
}

/*
 * Told the device, routing takes an address that no route leads to for one on
 * the link. The path would stay good when its route is withdrawn.
 */
static int lb_fib_check(struct net *net, const struct flowi4 *fl4)
{
	struct flowi4 fl = *fl4;
	struct fib_result res;

	fl.flowi4_iif = LOOPBACK_IFINDEX;
	return fib_lookup(net, &fl, &res, 0);
}

static int lb_route4(struct lb_group *g, struct lb_route *r)
{
	struct lb_dev *lb = g->peer->lb;
	struct flowi4 fl4 = {
		.daddr		= g->remote.s6_addr32[3],
		.saddr		= g->local.s6_addr32[3],
		.flowi4_proto	= IPPROTO_UDP,
		.flowi4_mark	= READ_ONCE(lb->config.fwmark),
	};
	struct rtable *rt = dst_cache_get_ip4(&g->cache, &r->saddr);
	int oif, err;

	if (!rt) {
		oif = lb_oif(g);
		if (oif < 0)
			return -ENODEV;
		fl4.flowi4_oif = oif;
		err = oif ? lb_fib_check(lb->net, &fl4) : 0;
		if (err)
			return err;
		rt = ip_route_output_key(lb->net, &fl4);
		if (IS_ERR(rt))
			return PTR_ERR(rt);
		r->saddr = fl4.saddr;
		dst_cache_set_ip4(&g->cache, &rt->dst, fl4.saddr);
	}
	r->dst = &rt->dst;
	return 0;
}

static int lb_route6(struct lb_group *g, struct lb_route *r)
{
	struct lb_dev *lb = g->peer->lb;
	struct flowi6 fl6 = {
		.daddr		= g->remote,
		.saddr		= g->local,
		.flowi6_proto	= IPPROTO_UDP,
		.flowi6_mark	= READ_ONCE(lb->config.fwmark),
	};
	struct dst_entry *dst = dst_cache_get_ip6(&g->cache, &r->saddr6);
	int oif;

	if (!dst) {
		oif = lb_oif(g);
		if (oif < 0)
			return -ENODEV;
		fl6.flowi6_oif = oif;
		dst = ipv6_stub->ipv6_dst_lookup_flow(lb->net, NULL, &fl6, NULL);
		if (IS_ERR(dst))
			return PTR_ERR(dst);
		r->saddr6 = fl6.saddr;
		dst_cache_set_ip6(&g->cache, dst, &fl6.saddr);
	}
	r->dst = dst;
	return 0;
}

/* -ELOOP if the way to the peer would lead through the device itself. */
static int lb_route(struct lb_group *g, struct lb_route *r)
{
	int err = g->v6 ? lb_route6(g, r) : lb_route4(g, r);

	if (err)
		return err;
	if (unlikely(r->dst->dev == g->peer->lb->dev)) {
		dst_release(r->dst);
		return -ELOOP;
	}
	return 0;
}

/**
 * lb_has_route() - whether there is a route to a group's remote address
 * @group: the group
 *
 * Context: RCU read side.
 * Return: true if there is.
 */
bool lb_has_route(struct lb_group *group)
{
	struct lb_route r;
	bool found;

	local_bh_disable();
	found = !lb_route(group, &r);
	if (found)
		dst_release(r.dst);
	local_bh_enable();
	return found;
}

/* Room for all headers, and nothing of the packet shared with others. */
static int lb_make_room(struct sk_buff *skb, const struct lb_group *g,
			const struct dst_entry *dst)
{
	return skb_cow_head(skb, LL_RESERVED_SPACE(dst->dev) + dst->header_len +
				 lb_group_overhead(g));
}

/* Routers that hash the flow label alone should see the entropy too. */
static __be32 lb_flow_label(__be16 sport)
{
	return htonl((u32)lb_mix64(ntohs(sport)) & 0xfffff);
}

/*
 * Put UDP and IP before a packet that begins with our header, and send it.
 * Consumes the packet and the route's reference.
 */
static void lb_output(struct lb_group *g, struct lb_route *r, __be16 sport,
		      struct sk_buff *skb)
{
	struct lb_dev *lb = g->peer->lb;
	struct lb_sock *ls = rcu_dereference(lb->sock);
	__be16 dport = htons(READ_ONCE(lb->config.port));
	bool nocheck = !READ_ONCE(lb->config.csum);
	u8 ttl = READ_ONCE(lb->config.ttl);
	u8 tos = INET_ECN_ECT_0;

	if (unlikely(!ls || (g->v6 && !ls->v6))) {
		dst_release(r->dst);
		kfree_skb(skb);
		return;
	}
	skb_scrub_packet(skb, !net_eq(lb->net, dev_net(lb->dev)));
	/* The inner flow's hash would stand for ours in routers and RPS. */
	skb_clear_hash(skb);
	if (READ_ONCE(lb->config.fwmark))
		skb->mark = READ_ONCE(lb->config.fwmark);

	if (g->v6)
		udp_tunnel6_xmit_skb(r->dst, ls->v6->sk, skb, skb->dev,
				     &r->saddr6, &g->remote, tos, ttl,
				     lb_flow_label(sport), sport, dport,
				     nocheck);
	else
		udp_tunnel_xmit_skb(container_of(r->dst, struct rtable, dst),
				    ls->v4->sk, skb, r->saddr,
				    g->remote.s6_addr32[3], tos, ttl,
				    htons(IP_DF), sport, dport, false, nocheck);
}

/**
 * lb_send_control() - send a control packet
 * @group: by whose addresses
 * @sport: UDP source port
 * @w: header
 * @body: what follows it
 * @len: bytes of @body
 *
 * Context: RCU read side.
 * Return: 0 or a negative error.
 */
int lb_send_control(struct lb_group *group, __be16 sport,
		    const struct lb_wire *w, const void *body, size_t len)
{
	struct lb_dev *lb = group->peer->lb;
	struct sk_buff *skb;
	struct lb_route r;
	int err;

	local_bh_disable();
	err = lb_route(group, &r);
	if (err)
		goto out;
	skb = alloc_skb(LL_RESERVED_SPACE(r.dst->dev) + r.dst->header_len +
			LB_OVERHEAD6 + len, GFP_ATOMIC);
	if (!skb) {
		dst_release(r.dst);
		err = -ENOMEM;
		goto out;
	}
	skb_reserve(skb, LL_RESERVED_SPACE(r.dst->dev) + r.dst->header_len +
			 LB_OVERHEAD6);
	if (len)
		skb_put_data(skb, body, len);
	skb_reset_inner_headers(skb);
	lb_wire_encode(skb_push(skb, sizeof(struct lb_hdr)), w);
	skb->ip_summed = CHECKSUM_NONE;
	lb_count(lb, LB_A_DEV_STATS_CONTROL_TX);
	lb_output(group, &r, sport, skb);
out:
	local_bh_enable();
	return err;
}

/* The policy's choice, or the next path whose device can send. */
static struct lb_path *lb_choose(const struct lb_paths *set,
				 const struct lb_pick *pick)
{
	u32 n = set->choices.n, first, i;

	if (unlikely(!n))
		return NULL;
	first = set->ops->select(set->priv, &set->choices, pick);
	for (i = first; i < first + n; i++) {
		struct lb_path *path = set->path[i < n ? i : i - n];

		if (likely(lb_path_up(path) &&
			   READ_ONCE(path->group->seen.route)))
			return path;
	}
	/* None can: stay with the choice rather than drop by choice. */
	return set->path[first];
}

/* A path with a route; the route's reference is the caller's. */
static struct lb_path *lb_choose_routed(struct lb_peer *peer,
					const struct lb_pick *pick,
					struct lb_route *r,
					enum lb_drop *why)
{
	int tries, err;

	*why = LB_DROP_TX_NO_PATH;
	for (tries = 0; tries < LB_PATH_TRIES; tries++) {
		const struct lb_paths *set = rcu_dereference(peer->usable);
		struct lb_path *path = lb_choose(set, pick);

		if (unlikely(!path))
			return NULL;
		err = lb_route(path->group, r);
		if (likely(!err))
			return path;
		*why = err == -ELOOP ? LB_DROP_TX_LOOP : LB_DROP_TX_NO_ROUTE;
		lb_group_set_route(path->group, false);
	}
	return NULL;
}

/* Send one packet, which is no larger than the MTU. */
static void lb_send_one(struct lb_peer *peer, struct lb_tx_session *tx,
			struct sk_buff *skb)
{
	struct lb_dev *lb = peer->lb;
	unsigned int len = skb->len;
	struct lb_wire w = { .type = LB_WIRE_DATA };
	struct lb_pick pick;
	struct lb_flow flow;
	struct lb_path *path;
	struct lb_route r;
	enum lb_drop why = LB_DROP_TX_MALFORMED;

	if (unlikely(!pskb_may_pull(skb, min_t(unsigned int, len, LB_PULL)) ||
		     lb_flow_parse(skb->data, skb_headlen(skb), &flow)))
		goto drop;

	pick.hash = flow.hash;
	pick.len = len;
	pick.now = ktime_get_ns();
	pick.rnd = this_cpu_ptr(&lb_rnd);
	path = lb_choose_routed(peer, &pick, &r, &why);
	if (unlikely(!path))
		goto drop;
	if (unlikely(lb_make_room(skb, path->group, r.dst) ||
		     udp_tunnel_handle_offloads(skb, READ_ONCE(lb->config.csum)))) {
		dst_release(r.dst);
		why = LB_DROP_TX_MEMORY;
		goto drop;
	}

	/* From here on nothing fails: a number given out is a packet sent. */
	w.flags = flow.version == 6 ? LB_WIRE_F_INNER6 : 0;
	w.session = tx->id;
	w.lane = lb_scale(flow.hash, tx->n_lanes);
	w.lane_seq = atomic_fetch_inc(&tx->lane[w.lane].seq);
	w.path = path->id;
	w.path_seq = atomic64_inc_return(&path->seq);
	w.stamp = lb_stamp(pick.now);
	lb_wire_encode(skb_push(skb, sizeof(struct lb_hdr)), &w);
	atomic64_add(len, &path->tx_bytes);
	lb_peer_count_tx(peer, len);
	lb_output(path->group, &r, path->sport, skb);
	return;
drop:
	DEV_STATS_INC(lb->dev, tx_dropped);
	lb_drop(lb, skb, why);
}

/**
 * lb_send() - send a packet in a session
 * @peer: the peer
 * @tx: its session
 * @skb: the inner packet, perhaps GSO; consumed
 *
 * Context: bottom halves off, RCU read side.
 */
void lb_send(struct lb_peer *peer, struct lb_tx_session *tx,
	     struct sk_buff *skb)
{
	struct sk_buff *segs, *next;

	if (skb_is_gso(skb)) {
		segs = skb_gso_segment(skb, LB_SEGMENT_FEATURES);
		if (IS_ERR(segs)) {
			DEV_STATS_INC(peer->lb->dev, tx_dropped);
			lb_drop(peer->lb, skb, LB_DROP_TX_MALFORMED);
			return;
		}
		if (segs) {
			consume_skb(skb);
			skb = segs;
		}
	}
	skb_list_walk_safe(skb, skb, next) {
		skb_mark_not_on_list(skb);
		lb_send_one(peer, tx, skb);
	}
}

/* No session yet, or others wait before: queue. */
static void lb_wait(struct lb_peer *peer, struct sk_buff *skb)
{
	bool kick = false;

	spin_lock(&peer->waiting.lock);
	if (skb_queue_len(&peer->waiting) < LB_WAITING_MAX) {
		WRITE_ONCE(peer->wait_first, true);
		/* It may wait long: the socket must not. */
		skb_orphan(skb);
		__skb_queue_tail(&peer->waiting, skb);
		kick = true;
		skb = NULL;
	}
	spin_unlock(&peer->waiting.lock);
	if (skb) {
		DEV_STATS_INC(peer->lb->dev, tx_dropped);
		lb_drop(peer->lb, skb, LB_DROP_TX_NO_SESSION);
	}
	/* A session that came just now would not look at the queue again. */
	if (kick && rcu_access_pointer(peer->tx))
		lb_peer_kick(peer, 0);
}

/* The next hop that routing chose: what names the peer. */
static struct lb_peer *lb_xmit_peer(struct lb_dev *lb, struct sk_buff *skb)
{
	const struct dst_entry *dst = skb_valid_dst(skb) ? skb_dst(skb) : NULL;
	struct in6_addr nh;

	if (dst && dst->dev != lb->dev)
		dst = NULL;
	if (skb->protocol == htons(ETH_P_IP)) {
		const struct rtable *rt = dst ? skb_rtable(skb) : NULL;

		if (rt && rt->rt_gw_family == AF_INET6)
			nh = rt->rt_gw6;
		else if (rt && rt->rt_gw_family == AF_INET)
			ipv6_addr_set_v4mapped(rt->rt_gw4, &nh);
		else
			ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, &nh);
	} else {
		nh = ipv6_hdr(skb)->daddr;
		if (dst)
			nh = *rt6_nexthop((struct rt6_info *)dst, &nh);
	}
	return lb_peer_by_addr(lb, &nh);
}

/* A packet without a route of ours, from a raw socket or tc: look one up. */
static struct lb_peer *lb_routed_peer(struct lb_dev *lb, struct sk_buff *skb)
{
	struct net *net = dev_net(lb->dev);

	if (skb_valid_dst(skb) && skb_dst(skb)->dev == lb->dev)
		return NULL;
	skb_dst_drop(skb);
	if (skb->protocol == htons(ETH_P_IP)) {
		struct flowi4 fl4 = {
			.daddr		= ip_hdr(skb)->daddr,
			.flowi4_oif	= lb->dev->ifindex,
		};
		struct rtable *rt = ip_route_output_key(net, &fl4);

		if (IS_ERR(rt))
			return NULL;
		skb_dst_set(skb, &rt->dst);
	} else {
		struct flowi6 fl6 = {
			.daddr		= ipv6_hdr(skb)->daddr,
			.flowi6_oif	= lb->dev->ifindex,
		};
		struct dst_entry *dst;

		dst = ipv6_stub->ipv6_dst_lookup_flow(net, NULL, &fl6, NULL);
		if (IS_ERR(dst))
			return NULL;
		skb_dst_set(skb, dst);
	}
	return lb_xmit_peer(lb, skb);
}

static bool lb_too_big(const struct sk_buff *skb, unsigned int mtu)
{
	if (skb_is_gso(skb))
		return !skb_gso_validate_network_len(skb, mtu);
	return skb->len > mtu;
}

static void lb_icmp_unreachable(struct sk_buff *skb)
{
	if (skb->protocol == htons(ETH_P_IP))
		icmp_ndo_send(skb, ICMP_DEST_UNREACH, ICMP_HOST_UNREACH, 0);
	else
		icmpv6_ndo_send(skb, ICMPV6_DEST_UNREACH, ICMPV6_ADDR_UNREACH,
				0);
}

static void lb_icmp_too_big(struct sk_buff *skb, unsigned int mtu)
{
	if (skb->protocol == htons(ETH_P_IP))
		icmp_ndo_send(skb, ICMP_DEST_UNREACH, ICMP_FRAG_NEEDED,
			      htonl(mtu));
	else
		icmpv6_ndo_send(skb, ICMPV6_PKT_TOOBIG, 0, mtu);
}

/* Whether the packet is whole IP; the headers looked at are linear then. */
static bool lb_is_ip(struct sk_buff *skb)
{
	if (!pskb_inet_may_pull(skb))
		return false;
	if (skb->protocol == htons(ETH_P_IP))
		return ip_hdr(skb)->version == 4;
	if (skb->protocol == htons(ETH_P_IPV6))
		return ipv6_hdr(skb)->version == 6;
	return false;
}

/**
 * lb_xmit() - send a packet to the peer that its next hop names
 * @skb: inner packet
 * @dev: the lb device
 *
 * Context: bottom halves off.
 * Return: NETDEV_TX_OK always; what cannot be sent is dropped and counted.
 */
netdev_tx_t lb_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct lb_dev *lb = netdev_priv(dev);
	unsigned int mtu = READ_ONCE(dev->mtu);
	struct lb_tx_session *tx;
	struct lb_peer *peer;
	enum lb_drop why;

	rcu_read_lock();
	why = LB_DROP_TX_LOOP;
	if (unlikely(__this_cpu_inc_return(lb_depth) > LB_DEPTH_MAX))
		goto drop;
	why = LB_DROP_TX_MALFORMED;
	if (unlikely(!lb_is_ip(skb)))
		goto drop;
	peer = lb_xmit_peer(lb, skb);
	if (unlikely(!peer))
		peer = lb_routed_peer(lb, skb);
	if (unlikely(!peer)) {
		lb_icmp_unreachable(skb);
		why = LB_DROP_TX_NO_PEER;
		goto drop;
	}
	if (unlikely(lb_too_big(skb, mtu))) {
		lb_icmp_too_big(skb, mtu);
		why = LB_DROP_TX_TOO_BIG;
		goto drop;
	}
	tx = rcu_dereference(peer->tx);
	if (likely(tx && !READ_ONCE(peer->wait_first)))
		lb_send(peer, tx, skb);
	else
		lb_wait(peer, skb);
	__this_cpu_dec(lb_depth);
	rcu_read_unlock();
	return NETDEV_TX_OK;

drop:
	DEV_STATS_INC(dev, tx_errors);
	lb_drop(lb, skb, why);
	__this_cpu_dec(lb_depth);
	rcu_read_unlock();
	return NETDEV_TX_OK;
}
