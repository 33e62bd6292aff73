/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBCTL_OBJ_H
#define LBCTL_OBJ_H

#include <linux/lb.h>

#include "common.h"
struct nlattr;
struct nl_msgs;
struct nlmsghdr;

/* A message about a path; the attributes stay in the message */
struct path_info {
	const struct nlattr *tb[LB_A_PATH_MAX + 1];
	const struct nlattr *stats[LB_A_PATH_STATS_MAX + 1];
};

int dev_get(const char *name, struct nl_msgs *answer);
void dev_drops_show(const struct nlmsghdr *nlh, bool zeros);
void dev_show_one(const struct nlmsghdr *nlh);

int peer_get(const char *dev, struct nl_msgs *answer);
void peer_show_one(const struct nlmsghdr *nlh);

int path_get(const char *dev, struct nl_msgs *answer);
void path_read(const struct nlmsghdr *nlh, struct path_info *p);
void path_show_one(const struct path_info *p);

#endif /* LBCTL_OBJ_H */
