// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/lb.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "netlink_gen.h"

#include <uapi/linux/lb.h>

/* Integer value ranges */
static const struct netlink_range_validation lb_a_config_hold_min_range = {
	.max	= 10000000ULL,
};

static const struct netlink_range_validation lb_a_config_hold_max_range = {
	.max	= 10000000ULL,
};

static const struct netlink_range_validation lb_a_config_hold_memory_range = {
	.min	= 65536ULL,
	.max	= 1073741824ULL,
};

static const struct netlink_range_validation lb_a_config_probe_interval_range = {
	.max	= 60000ULL,
};

/* Common nested types */
const struct nla_policy lb_config_nl_policy[LB_A_CONFIG_SEQ_START + 1] = {
	[LB_A_CONFIG_PORT] = NLA_POLICY_MIN(NLA_U16, 1),
	[LB_A_CONFIG_POLICY] = { .type = NLA_NUL_STRING, .len = 15, },
	[LB_A_CONFIG_LANES] = NLA_POLICY_RANGE(NLA_U16, 1, 256),
	[LB_A_CONFIG_EARLY_RX] = NLA_POLICY_MAX(NLA_U8, 1),
	[LB_A_CONFIG_HOLD_MIN] = NLA_POLICY_FULL_RANGE(NLA_U32, &lb_a_config_hold_min_range),
	[LB_A_CONFIG_HOLD_MAX] = NLA_POLICY_FULL_RANGE(NLA_U32, &lb_a_config_hold_max_range),
	[LB_A_CONFIG_HOLD_MEMORY] = NLA_POLICY_FULL_RANGE(NLA_U32, &lb_a_config_hold_memory_range),
	[LB_A_CONFIG_FWMARK] = { .type = NLA_U32, },
	[LB_A_CONFIG_CSUM] = NLA_POLICY_MAX(NLA_U8, 1),
	[LB_A_CONFIG_TTL] = NLA_POLICY_MIN(NLA_U8, 1),
	[LB_A_CONFIG_PROBE_INTERVAL] = NLA_POLICY_FULL_RANGE(NLA_U32, &lb_a_config_probe_interval_range),
	[LB_A_CONFIG_SEQ_START] = { .type = NLA_U32, },
};

/* LB_CMD_DEV_GET - do */
const struct nla_policy lb_dev_get_nl_policy[LB_A_DEV_IFNAME + 1] = {
	[LB_A_DEV_IFINDEX] = { .type = NLA_U32, },
	[LB_A_DEV_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
};

/* LB_CMD_DEV_SET - do */
const struct nla_policy lb_dev_set_nl_policy[LB_A_DEV_CONFIG + 1] = {
	[LB_A_DEV_IFINDEX] = { .type = NLA_U32, },
	[LB_A_DEV_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[LB_A_DEV_CONFIG] = NLA_POLICY_NESTED(lb_config_nl_policy),
};

/* LB_CMD_PEER_NEW - do */
const struct nla_policy lb_peer_new_nl_policy[LB_A_PEER_ALIAS + 1] = {
	[LB_A_PEER_IFINDEX] = { .type = NLA_U32, },
	[LB_A_PEER_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[LB_A_PEER_ADDR] = NLA_POLICY_EXACT_LEN(16),
	[LB_A_PEER_ALIAS] = NLA_POLICY_EXACT_LEN(16),
};

/* LB_CMD_PEER_DEL - do */
const struct nla_policy lb_peer_del_nl_policy[LB_A_PEER_ADDR + 1] = {
	[LB_A_PEER_IFINDEX] = { .type = NLA_U32, },
	[LB_A_PEER_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[LB_A_PEER_ADDR] = NLA_POLICY_EXACT_LEN(16),
};

/* LB_CMD_PEER_SET - do */
const struct nla_policy lb_peer_set_nl_policy[LB_A_PEER_ALIAS + 1] = {
	[LB_A_PEER_IFINDEX] = { .type = NLA_U32, },
	[LB_A_PEER_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[LB_A_PEER_ADDR] = NLA_POLICY_EXACT_LEN(16),
	[LB_A_PEER_ALIAS] = NLA_POLICY_EXACT_LEN(16),
};

/* LB_CMD_PEER_GET - do */
const struct nla_policy lb_peer_get_nl_policy[LB_A_PEER_ADDR + 1] = {
	[LB_A_PEER_IFINDEX] = { .type = NLA_U32, },
	[LB_A_PEER_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[LB_A_PEER_ADDR] = NLA_POLICY_EXACT_LEN(16),
};

/* LB_CMD_PATH_NEW - do */
const struct nla_policy lb_path_new_nl_policy[LB_A_PATH_WEIGHT + 1] = {
	[LB_A_PATH_IFINDEX] = { .type = NLA_U32, },
	[LB_A_PATH_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[LB_A_PATH_PEER] = NLA_POLICY_EXACT_LEN(16),
	[LB_A_PATH_LOCAL] = NLA_POLICY_EXACT_LEN(16),
	[LB_A_PATH_REMOTE] = NLA_POLICY_EXACT_LEN(16),
	[LB_A_PATH_DEVICE] = { .type = NLA_NUL_STRING, .len = 15, },
	[LB_A_PATH_ENTROPY] = { .type = NLA_U16, },
	[LB_A_PATH_ENTROPIES] = NLA_POLICY_RANGE(NLA_U16, 1, 256),
	[LB_A_PATH_WEIGHT] = NLA_POLICY_MIN(NLA_U16, 1),
};

/* LB_CMD_PATH_DEL - do */
const struct nla_policy lb_path_del_nl_policy[LB_A_PATH_ENTROPY + 1] = {
	[LB_A_PATH_IFINDEX] = { .type = NLA_U32, },
	[LB_A_PATH_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[LB_A_PATH_PEER] = NLA_POLICY_EXACT_LEN(16),
	[LB_A_PATH_LOCAL] = NLA_POLICY_EXACT_LEN(16),
	[LB_A_PATH_REMOTE] = NLA_POLICY_EXACT_LEN(16),
	[LB_A_PATH_DEVICE] = { .type = NLA_NUL_STRING, .len = 15, },
	[LB_A_PATH_ENTROPY] = { .type = NLA_U16, },
};

/* LB_CMD_PATH_SET - do */
const struct nla_policy lb_path_set_nl_policy[LB_A_PATH_DENIED + 1] = {
	[LB_A_PATH_IFINDEX] = { .type = NLA_U32, },
	[LB_A_PATH_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[LB_A_PATH_PEER] = NLA_POLICY_EXACT_LEN(16),
	[LB_A_PATH_LOCAL] = NLA_POLICY_EXACT_LEN(16),
	[LB_A_PATH_REMOTE] = NLA_POLICY_EXACT_LEN(16),
	[LB_A_PATH_DEVICE] = { .type = NLA_NUL_STRING, .len = 15, },
	[LB_A_PATH_ENTROPY] = { .type = NLA_U16, },
	[LB_A_PATH_WEIGHT] = NLA_POLICY_MIN(NLA_U16, 1),
	[LB_A_PATH_DENIED] = NLA_POLICY_MAX(NLA_U8, 1),
};

/* LB_CMD_PATH_GET - do */
const struct nla_policy lb_path_get_nl_policy[LB_A_PATH_ID + 1] = {
	[LB_A_PATH_IFINDEX] = { .type = NLA_U32, },
	[LB_A_PATH_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
	[LB_A_PATH_PEER] = NLA_POLICY_EXACT_LEN(16),
	[LB_A_PATH_ID] = { .type = NLA_U32, },
};

/* LB_CMD_POLICY_GET - do */
const struct nla_policy lb_policy_get_nl_policy[LB_A_POLICY_NAME + 1] = {
	[LB_A_POLICY_NAME] = { .type = NLA_NUL_STRING, .len = 15, },
};

/* LB_CMD_STATS_RESET - do */
const struct nla_policy lb_stats_reset_nl_policy[LB_A_DEV_IFNAME + 1] = {
	[LB_A_DEV_IFINDEX] = { .type = NLA_U32, },
	[LB_A_DEV_IFNAME] = { .type = NLA_NUL_STRING, .len = 15, },
};

/* Ops table for lb */
const struct genl_ops lb_nl_ops[12] = {
	{
		.cmd		= LB_CMD_DEV_GET,
		.doit		= lb_nl_dev_get_doit,
		.dumpit		= lb_nl_dev_get_dumpit,
		.policy		= lb_dev_get_nl_policy,
		.maxattr	= LB_A_DEV_IFNAME,
	},
	{
		.cmd		= LB_CMD_DEV_SET,
		.doit		= lb_nl_dev_set_doit,
		.policy		= lb_dev_set_nl_policy,
		.maxattr	= LB_A_DEV_CONFIG,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= LB_CMD_PEER_NEW,
		.doit		= lb_nl_peer_new_doit,
		.policy		= lb_peer_new_nl_policy,
		.maxattr	= LB_A_PEER_ALIAS,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= LB_CMD_PEER_DEL,
		.doit		= lb_nl_peer_del_doit,
		.policy		= lb_peer_del_nl_policy,
		.maxattr	= LB_A_PEER_ADDR,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= LB_CMD_PEER_SET,
		.doit		= lb_nl_peer_set_doit,
		.policy		= lb_peer_set_nl_policy,
		.maxattr	= LB_A_PEER_ALIAS,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= LB_CMD_PEER_GET,
		.doit		= lb_nl_peer_get_doit,
		.dumpit		= lb_nl_peer_get_dumpit,
		.policy		= lb_peer_get_nl_policy,
		.maxattr	= LB_A_PEER_ADDR,
	},
	{
		.cmd		= LB_CMD_PATH_NEW,
		.doit		= lb_nl_path_new_doit,
		.policy		= lb_path_new_nl_policy,
		.maxattr	= LB_A_PATH_WEIGHT,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= LB_CMD_PATH_DEL,
		.doit		= lb_nl_path_del_doit,
		.policy		= lb_path_del_nl_policy,
		.maxattr	= LB_A_PATH_ENTROPY,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= LB_CMD_PATH_SET,
		.doit		= lb_nl_path_set_doit,
		.policy		= lb_path_set_nl_policy,
		.maxattr	= LB_A_PATH_DENIED,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd		= LB_CMD_PATH_GET,
		.doit		= lb_nl_path_get_doit,
		.dumpit		= lb_nl_path_get_dumpit,
		.policy		= lb_path_get_nl_policy,
		.maxattr	= LB_A_PATH_ID,
	},
	{
		.cmd		= LB_CMD_POLICY_GET,
		.doit		= lb_nl_policy_get_doit,
		.dumpit		= lb_nl_policy_get_dumpit,
		.policy		= lb_policy_get_nl_policy,
		.maxattr	= LB_A_POLICY_NAME,
	},
	{
		.cmd		= LB_CMD_STATS_RESET,
		.doit		= lb_nl_stats_reset_doit,
		.policy		= lb_stats_reset_nl_policy,
		.maxattr	= LB_A_DEV_IFNAME,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
};
