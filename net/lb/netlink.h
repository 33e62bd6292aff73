/* SPDX-License-Identifier: GPL-2.0 */
/* Generic netlink: the netlink*.c files are the only ones that know attributes. */
#ifndef _LB_NETLINK_H
#define _LB_NETLINK_H

#include <net/genetlink.h>
#include <uapi/linux/lb.h>

struct lb_dev;
struct lb_path;
struct lb_peer;

/**
 * struct lb_nl_cursor - where a dump goes on, in netlink_callback.ctx
 * @ifindex: device that was begun
 * @n: objects of it that were sent
 */
struct lb_nl_cursor {
	int ifindex;
	u32 n;
};

extern struct genl_family lb_genl_family;

void *lb_nl_put_dump(struct sk_buff *skb, struct netlink_callback *cb, int cmd);
void *lb_nl_put_one(struct sk_buff *skb, struct genl_info *info, int cmd);
int lb_nl_put_config(struct sk_buff *skb, const struct lb_dev *lb);
int lb_nl_put_counters(struct sk_buff *skb, int nest, int pad, const u64 *v,
		       const u64 *base, int first, int last);
int lb_nl_put_dev_key(struct sk_buff *skb, const struct lb_dev *lb,
		      int ifindex, int ifname);
struct lb_dev *lb_nl_dev(struct sk_buff *skb, struct genl_info *info,
			 bool write);
struct lb_peer *lb_nl_peer(struct lb_dev *lb, struct nlattr *addr,
			   struct netlink_ext_ack *extack);
int lb_nl_dump(struct sk_buff *skb, struct netlink_callback *cb,
	       int (*one)(struct sk_buff *skb, struct netlink_callback *cb,
			  struct lb_dev *lb, u32 *n));
void lb_nl_changed(void);
int lb_nl_reply(struct sk_buff *msg, struct genl_info *info, int err);
void lb_nl_multicast(struct lb_dev *lb, struct sk_buff *msg, int err,
		     gfp_t gfp);
struct sk_buff *lb_nl_event(struct lb_dev *lb, int cmd, void **hdr, gfp_t gfp);
void lb_nl_dev_ntf(struct lb_dev *lb);
void lb_nl_dev_del_ntf(struct lb_dev *lb);
void lb_nl_peer_ntf(struct lb_peer *peer, int cmd);
void lb_nl_path_ntf(struct lb_path *path, enum lb_path_state old, int cmd);

#endif /* _LB_NETLINK_H */
