/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBCTL_NL_H
#define LBCTL_NL_H

#include <linux/netlink.h>

#include "common.h"
struct mnl_socket;

/**
 * struct nl_req - a request being put together
 * @bus: NETLINK_ROUTE or NETLINK_GENERIC
 * @buf: the message
 * @nlh: its header
 */
struct nl_req {
	int bus;
	union {
		char buf[8192];
		struct nlmsghdr nlh;
	};
};

/**
 * struct nl_msgs - messages of an answer
 * @data: one after the other
 * @len: bytes
 * @room: bytes there is room for
 */
struct nl_msgs {
	char *data;
	size_t len;
	size_t room;
};

void nl_genl(struct nl_req *req, u8 cmd, u16 flags);
void nl_route(struct nl_req *req, u16 type, u16 flags);
void *nl_extra(struct nl_req *req, size_t len);
bool nl_put(struct nl_req *req, u16 type, const void *data, size_t len);
bool nl_put_uint(struct nl_req *req, u16 type, unsigned int size, u64 val);
bool nl_put_str(struct nl_req *req, u16 type, const char *str);

int nl_do(struct nl_req *req, struct nl_msgs *answer);
int nl_run(struct nl_req *req, struct nl_msgs *answer);
int nl_refused(int err);
int nl_loaded(void);
void nl_free(struct nl_msgs *msgs);
void nl_close(void);

struct mnl_socket *nl_listen(void);
bool nl_is_lb(const struct nlmsghdr *nlh);

const struct nlmsghdr *nl_next(const struct nl_msgs *msgs, const struct nlmsghdr *nlh);
u8 nl_cmd(const struct nlmsghdr *nlh);
const struct nlattr *nl_first(const struct nlmsghdr *nlh, size_t *len);
void nl_attrs(const struct nlmsghdr *nlh, const struct nlattr **tb, unsigned int max);
int nl_link(const struct nlmsghdr *nlh, const struct nlattr **tb, unsigned int max);
void nl_nested(const struct nlattr *nest, const struct nlattr **tb, unsigned int max);
const struct nlattr *nl_whole(const struct nlattr *a, size_t len);
const struct nlattr *nl_attr_next(const struct nlattr *a, size_t *len);
u64 nl_uint(const struct nlattr *a);
const char *nl_str(const struct nlattr *a, char *buf, size_t size);
const char *nl_addr(const struct nlattr *a, char *buf, size_t size);

#endif /* LBCTL_NL_H */
