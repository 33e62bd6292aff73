// SPDX-License-Identifier: GPL-2.0
/* Putting requests together */
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/lb.h>
#include <string.h>

#include "nl.h"

static void start(struct nl_req *req, int bus, u16 type, u16 flags)
{
	req->bus = bus;
	mnl_nlmsg_put_header(req->buf);
	req->nlh.nlmsg_type = type;
	req->nlh.nlmsg_flags = NLM_F_REQUEST | flags;
	if ((flags & NLM_F_DUMP) != NLM_F_DUMP)
		req->nlh.nlmsg_flags |= NLM_F_ACK;
}

/**
 * nl_genl - begin a request to lb
 * @req: where
 * @cmd: LB_CMD_*
 * @flags: NLM_F_*, besides NLM_F_REQUEST and NLM_F_ACK
 */
void nl_genl(struct nl_req *req, u8 cmd, u16 flags)
{
	struct genlmsghdr *g;

	start(req, NETLINK_GENERIC, 0, flags);
	g = mnl_nlmsg_put_extra_header(&req->nlh, sizeof(*g));
	g->cmd = cmd;
	g->version = LB_GENL_VERSION;
}

/**
 * nl_route - begin a request to rtnetlink
 * @req: where
 * @type: RTM_*
 * @flags: NLM_F_*, besides NLM_F_REQUEST and NLM_F_ACK
 */
void nl_route(struct nl_req *req, u16 type, u16 flags)
{
	start(req, NETLINK_ROUTE, type, flags);
}

/**
 * nl_extra - add a fixed header to a request
 * @req: the request, without attributes yet
 * @len: bytes
 *
 * Return: the header, zeroed
 */
void *nl_extra(struct nl_req *req, size_t len)
{
	return mnl_nlmsg_put_extra_header(&req->nlh, len);
}

/**
 * nl_put - add an attribute
 * @req: the request
 * @type: its number
 * @data: its value
 * @len: bytes
 *
 * Return: false when the request is full
 */
bool nl_put(struct nl_req *req, u16 type, const void *data, size_t len)
{
	return mnl_attr_put_check(&req->nlh, sizeof(req->buf), type, len, data);
}

/**
 * nl_put_uint - add a number
 * @req: the request
 * @type: number of the attribute
 * @size: bytes of the number: 1, 2 or 4
 * @val: the number
 *
 * Return: false when the request is full
 */
bool nl_put_uint(struct nl_req *req, u16 type, unsigned int size, u64 val)
{
	u32 v32 = val;
	u16 v16 = val;
	u8 v8 = val;

	if (size == 1)
		return nl_put(req, type, &v8, 1);
	if (size == 2)
		return nl_put(req, type, &v16, 2);
	return nl_put(req, type, &v32, 4);
}

/**
 * nl_put_str - add a string
 * @req: the request
 * @type: number of the attribute
 * @str: the string
 *
 * Return: false when the request is full
 */
bool nl_put_str(struct nl_req *req, u16 type, const char *str)
{
	return nl_put(req, type, str, strlen(str) + 1);
}
