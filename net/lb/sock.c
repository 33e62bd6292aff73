// SPDX-License-Identifier: GPL-2.0
/*
 * The two doors of received packets: the ingress hook of member devices, and
 * the UDP socket of the port. Both end in lb_rcv().
 */

#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/rtnetlink.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include <net/udp.h>
#include <net/udp_tunnel.h>

#include "device.h"
#include "net.h"
#include "path.h"
#include "rx.h"
#include "sock.h"

/* skb is at the UDP header, its checksum verified. */
static int lb_encap_rcv(struct sock *sk, struct sk_buff *skb)
{
	struct lb_sock *ls = rcu_dereference_sk_user_data(sk);
	struct lb_outer outer = { .sport = udp_hdr(skb)->source };

	if (!ls)
		goto drop;
	if (ip_hdr(skb)->version == 4) {
		ipv6_addr_set_v4mapped(ip_hdr(skb)->saddr, &outer.saddr);
		ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, &outer.daddr);
		outer.ecn = ip_hdr(skb)->tos;
	} else {
		outer.saddr = ipv6_hdr(skb)->saddr;
		outer.daddr = ipv6_hdr(skb)->daddr;
		outer.ecn = ipv6_get_dsfield(ipv6_hdr(skb));
	}
	skb_pull_rcsum(skb, sizeof(struct udphdr));
	lb_rcv(ls, skb, &outer);
	return 0;
drop:
	kfree_skb(skb);
	return 0;
}

static struct socket *lb_sock_open(struct lb_sock *ls, bool v6)
{
	struct net *net = ls->ln->net;
	struct udp_port_cfg port = {
		.family			= v6 ? AF_INET6 : AF_INET,
		.local_udp_port		= htons(ls->port),
		.use_udp6_rx_checksums	= false,
		.ipv6_v6only		= true,
	};
	struct udp_tunnel_sock_cfg cfg = {
		.sk_user_data	= ls,
		.encap_type	= 1,
		.encap_rcv	= lb_encap_rcv,
	};
	struct socket *sock;
	int err;

	err = udp_sock_create(net, &port, &sock);
	if (err)
		return ERR_PTR(err);
	/* Path MTU is kept per path, not by destination. */
	inet_sk(sock->sk)->pmtudisc = IP_PMTUDISC_PROBE;
	if (v6)
		inet6_sk(sock->sk)->pmtudisc = IPV6_PMTUDISC_PROBE;
	setup_udp_tunnel_sock(net, sock, &cfg);
	return sock;
}

/**
 * lb_sock_get() - listen to a port
 * @ln: the namespace
 * @port: host order
 *
 * Context: process, RTNL held.
 * Return: the port's sockets, shared, or an error pointer.
 */
struct lb_sock *lb_sock_get(struct lb_net *ln, u16 port)
{
	struct lb_sock *ls;
	int err;

	ASSERT_RTNL();
	ls = lb_sock_find(ln, port);
	if (ls) {
		ls->refs++;
		return ls;
	}
	ls = kzalloc(sizeof(*ls), GFP_KERNEL);
	if (!ls)
		return ERR_PTR(-ENOMEM);
	ls->ln = ln;
	ls->port = port;
	ls->refs = 1;
	ls->v4 = lb_sock_open(ls, false);
	if (IS_ERR(ls->v4)) {
		err = PTR_ERR(ls->v4);
		goto err_free;
	}
	ls->v6 = lb_sock_open(ls, true);
	if (IS_ERR(ls->v6)) {
		err = PTR_ERR(ls->v6);
		ls->v6 = NULL;
		/* No IPv6 here: IPv4 alone will do. */
		if (err != -EAFNOSUPPORT && err != -EPFNOSUPPORT)
			goto err_v4;
	}
	list_add_tail_rcu(&ls->list, &ln->socks);
	return ls;

err_v4:
	udp_tunnel_sock_release(ls->v4);
err_free:
	kfree(ls);
	return ERR_PTR(err);
}

/**
 * lb_sock_put() - a device listens no more
 * @ls: its port
 *
 * Context: process, RTNL held, may sleep.
 */
void lb_sock_put(struct lb_sock *ls)
{
	ASSERT_RTNL();
	if (--ls->refs)
		return;
	list_del_rcu(&ls->list);
	/* Each waits for a grace period before it closes the socket. */
	udp_tunnel_sock_release(ls->v4);
	if (ls->v6)
		udp_tunnel_sock_release(ls->v6);
	kfree_rcu(ls, rcu);
}

/**
 * lb_sock_find() - the sockets of a port
 * @ln: the namespace
 * @port: host order
 *
 * Context: RCU read side, or RTNL held.
 * Return: them, or NULL.
 */
struct lb_sock *lb_sock_find(struct lb_net *ln, u16 port)
{
	struct lb_sock *ls;

	list_for_each_entry_rcu(ls, &ln->socks, list, lockdep_rtnl_is_held())
		if (ls->port == port)
			return ls;
	return NULL;
}

/* What the hook learns of a packet without changing it. */
struct lb_peek {
	struct lb_outer outer;
	struct udphdr uh;
	unsigned int thoff;	/* of UDP, from skb->data */
	unsigned int end;	/* of the datagram, by IP and UDP alike */
};

static bool lb_peek4(const struct sk_buff *skb, struct lb_peek *p)
{
	const struct iphdr *ih;
	struct iphdr buf;

	ih = skb_header_pointer(skb, 0, sizeof(buf), &buf);
	/* Options are rare and the kernel's business; so are fragments. */
	if (!ih || ih->version != 4 || ih->ihl != 5 ||
	    ih->protocol != IPPROTO_UDP || ip_is_fragment(ih) || ih->ttl == 0)
		return false;
	if (ip_fast_csum((u8 *)ih, ih->ihl))
		return false;
	p->thoff = sizeof(*ih);
	p->end = ntohs(ih->tot_len);
	p->outer.ecn = ih->tos;
	ipv6_addr_set_v4mapped(ih->saddr, &p->outer.saddr);
	ipv6_addr_set_v4mapped(ih->daddr, &p->outer.daddr);
	return true;
}

static bool lb_peek6(const struct sk_buff *skb, struct lb_peek *p)
{
	const struct ipv6hdr *ih;
	struct ipv6hdr buf;

	ih = skb_header_pointer(skb, 0, sizeof(buf), &buf);
	if (!ih || ih->version != 6 || ih->nexthdr != IPPROTO_UDP)
		return false;
	p->thoff = sizeof(*ih);
	p->end = sizeof(*ih) + ntohs(ih->payload_len);
	p->outer.ecn = ipv6_get_dsfield(ih);
	p->outer.saddr = ih->saddr;
	p->outer.daddr = ih->daddr;
	return true;
}

/* The port's sockets, if the packet is a whole datagram for one of our pairs. */
static struct lb_sock *lb_peek(struct lb_net *ln, const struct sk_buff *skb,
			       struct lb_peek *p)
{
	const struct udphdr *uh;
	struct lb_pair_key key;
	struct lb_sock *ls;

	if (skb->pkt_type != PACKET_HOST || skb_vlan_tag_present(skb) ||
	    skb_is_gso(skb))
		return NULL;
	if (skb->protocol == htons(ETH_P_IP) ? !lb_peek4(skb, p) :
	    skb->protocol != htons(ETH_P_IPV6) || !lb_peek6(skb, p))
		return NULL;
	uh = skb_header_pointer(skb, p->thoff, sizeof(p->uh), &p->uh);
	if (!uh || p->end > skb->len || p->thoff + ntohs(uh->len) != p->end ||
	    ntohs(uh->len) < sizeof(*uh) + sizeof(struct lb_hdr))
		return NULL;
	p->outer.sport = uh->source;
	ls = lb_sock_find(ln, ntohs(uh->dest));
	if (!ls || !READ_ONCE(ls->early))
		return NULL;
	key.saddr = p->outer.saddr;
	key.daddr = p->outer.daddr;
	key.port = ls->port;
	return lb_pair_find(ln, &key) ? ls : NULL;
}

/* UDP checksum; skb is at the UDP header. */
static bool lb_csum_ok(struct sk_buff *skb)
{
	bool v4 = skb->protocol == htons(ETH_P_IP);
	__sum16 check = udp_hdr(skb)->check;

	/* RFC 6936: a tunnel may do without, over IPv6 too. */
	if (v4 ? skb_checksum_validate_zero_check(skb, IPPROTO_UDP, check,
						  inet_compute_pseudo) :
		 skb_checksum_validate_zero_check(skb, IPPROTO_UDP, check,
						  ip6_compute_pseudo))
		return false;
	if (!check)
		return true;
	if (v4)
		skb_checksum_try_convert(skb, IPPROTO_UDP, inet_compute_pseudo);
	else
		skb_checksum_try_convert(skb, IPPROTO_UDP, ip6_compute_pseudo);
	return true;
}

/**
 * lb_hook() - ingress hook of member devices
 * @priv: the namespace
 * @skb: a packet, at its network header
 * @state: not used
 *
 * Takes what is surely ours and whole; all else, also what is doubtful, goes on
 * to the stack, where the socket is the judge.
 *
 * Context: softirq, RCU read side.
 * Return: NF_STOLEN if it was taken, else NF_ACCEPT.
 */
unsigned int lb_hook(void *priv, struct sk_buff *skb,
		     const struct nf_hook_state *state)
{
	struct lb_peek p = { .outer.early = true };
	struct lb_sock *ls = lb_peek(priv, skb, &p);

	if (!ls)
		return NF_ACCEPT;

	/* Taps hold clones, and veth leaves the sender's socket on it. */
	skb = skb_share_check(skb, GFP_ATOMIC);
	if (!skb)
		return NF_STOLEN;
	skb_orphan(skb);
	if (pskb_trim_rcsum(skb, p.end) ||
	    !pskb_may_pull(skb, p.thoff + sizeof(struct udphdr) +
				sizeof(struct lb_hdr))) {
		lb_rcv_bad(ls, skb, &p.outer, LB_DROP_RX_MEMORY);
		return NF_STOLEN;
	}
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, p.thoff);
	skb_pull_rcsum(skb, p.thoff);
	if (!lb_csum_ok(skb)) {
		lb_rcv_bad(ls, skb, &p.outer, LB_DROP_RX_CHECKSUM);
		return NF_STOLEN;
	}
	skb_pull_rcsum(skb, sizeof(struct udphdr));
	lb_rcv(ls, skb, &p.outer);
	return NF_STOLEN;
}
