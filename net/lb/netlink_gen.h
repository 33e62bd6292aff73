/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/lb.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_LB_GEN_H
#define _LINUX_LB_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/lb.h>

/* Common nested types */
extern const struct nla_policy lb_config_nl_policy[LB_A_CONFIG_SEQ_START + 1];

extern const struct nla_policy lb_dev_get_nl_policy[LB_A_DEV_IFNAME + 1];

extern const struct nla_policy lb_dev_set_nl_policy[LB_A_DEV_CONFIG + 1];

extern const struct nla_policy lb_peer_new_nl_policy[LB_A_PEER_ALIAS + 1];

extern const struct nla_policy lb_peer_del_nl_policy[LB_A_PEER_ADDR + 1];

extern const struct nla_policy lb_peer_set_nl_policy[LB_A_PEER_ALIAS + 1];

extern const struct nla_policy lb_peer_get_nl_policy[LB_A_PEER_ADDR + 1];

extern const struct nla_policy lb_path_new_nl_policy[LB_A_PATH_WEIGHT + 1];

extern const struct nla_policy lb_path_del_nl_policy[LB_A_PATH_ENTROPY + 1];

extern const struct nla_policy lb_path_set_nl_policy[LB_A_PATH_DENIED + 1];

extern const struct nla_policy lb_path_get_nl_policy[LB_A_PATH_ID + 1];

extern const struct nla_policy lb_policy_get_nl_policy[LB_A_POLICY_NAME + 1];

extern const struct nla_policy lb_stats_reset_nl_policy[LB_A_DEV_IFNAME + 1];

/* Ops table for lb */
extern const struct genl_ops lb_nl_ops[12];

int lb_nl_dev_get_doit(struct sk_buff *skb, struct genl_info *info);
int lb_nl_dev_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int lb_nl_dev_set_doit(struct sk_buff *skb, struct genl_info *info);
int lb_nl_peer_new_doit(struct sk_buff *skb, struct genl_info *info);
int lb_nl_peer_del_doit(struct sk_buff *skb, struct genl_info *info);
int lb_nl_peer_set_doit(struct sk_buff *skb, struct genl_info *info);
int lb_nl_peer_get_doit(struct sk_buff *skb, struct genl_info *info);
int lb_nl_peer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int lb_nl_path_new_doit(struct sk_buff *skb, struct genl_info *info);
int lb_nl_path_del_doit(struct sk_buff *skb, struct genl_info *info);
int lb_nl_path_set_doit(struct sk_buff *skb, struct genl_info *info);
int lb_nl_path_get_doit(struct sk_buff *skb, struct genl_info *info);
int lb_nl_path_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int lb_nl_policy_get_doit(struct sk_buff *skb, struct genl_info *info);
int lb_nl_policy_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int lb_nl_stats_reset_doit(struct sk_buff *skb, struct genl_info *info);

enum {
	LB_NLGRP_EVENTS,
};

#endif /* _LINUX_LB_GEN_H */
