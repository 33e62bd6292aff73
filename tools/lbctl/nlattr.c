// SPDX-License-Identifier: GPL-2.0
/* Reading messages and attributes; nothing in them is taken on trust */
#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nl.h"

/**
 * nl_free - free the messages of an answer
 * @msgs: the messages
 */
void nl_free(struct nl_msgs *msgs)
{
	free(msgs->data);
	memset(msgs, 0, sizeof(*msgs));
}

/**
 * nl_next - walk the messages of an answer
 * @msgs: the messages
 * @nlh: the one before, NULL for the first
 *
 * Return: the next one, NULL after the last
 */
const struct nlmsghdr *nl_next(const struct nl_msgs *msgs, const struct nlmsghdr *nlh)
{
	const char *at = msgs->data;

	if (nlh)
		at = (const char *)nlh + MNL_ALIGN(nlh->nlmsg_len);
	if (!at || at >= msgs->data + msgs->len)
		return NULL;
	return (const struct nlmsghdr *)at;
}

/**
 * nl_cmd - the command of a generic netlink message
 * @nlh: the message
 *
 * Return: the command, 0 if it is too short to have one
 */
u8 nl_cmd(const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *g = mnl_nlmsg_get_payload(nlh);

	return mnl_nlmsg_get_payload_len(nlh) < sizeof(*g) ? 0 : g->cmd;
}

/**
 * nl_whole - check that all of an attribute is there
 * @a: where it should be
 * @len: bytes from @a on
 *
 * Return: @a, or NULL
 */
const struct nlattr *nl_whole(const struct nlattr *a, size_t len)
{
	if (len < sizeof(*a) || a->nla_len < sizeof(*a) || a->nla_len > len)
		return NULL;
	return a;
}

/**
 * nl_attr_next - walk attributes
 * @a: one that is whole
 * @len: bytes from @a on; lowered
 *
 * Return: where the next one would be; check it with nl_whole()
 */
const struct nlattr *nl_attr_next(const struct nlattr *a, size_t *len)
{
	size_t step = MNL_ALIGN(a->nla_len);

	if (step > *len)
		step = *len;
	*len -= step;
	return (const struct nlattr *)((const char *)a + step);
}

static const struct nlattr *after(const struct nlmsghdr *nlh, size_t head, size_t *len)
{
	size_t all = mnl_nlmsg_get_payload_len(nlh);

	head = MNL_ALIGN(head);
	if (head > all)
		head = all;
	*len = all - head;
	return (const struct nlattr *)((const char *)mnl_nlmsg_get_payload(nlh) + head);
}

/**
 * nl_first - the first attribute of a generic netlink message
 * @nlh: the message
 * @len: set to the bytes of all attributes
 *
 * Return: where it would be; check it with nl_whole()
 */
const struct nlattr *nl_first(const struct nlmsghdr *nlh, size_t *len)
{
	return after(nlh, sizeof(struct genlmsghdr), len);
}

static void table(const struct nlattr *a, size_t len, const struct nlattr **tb,
		  unsigned int max)
{
	memset(tb, 0, sizeof(*tb) * (max + 1));
	for (; nl_whole(a, len); a = nl_attr_next(a, &len))
		if (mnl_attr_get_type(a) <= max)
			tb[mnl_attr_get_type(a)] = a;
}

/**
 * nl_attrs - sort the attributes of a generic netlink message into a table
 * @nlh: the message
 * @tb: the table, of @max + 1 entries
 * @max: highest number wanted
 */
void nl_attrs(const struct nlmsghdr *nlh, const struct nlattr **tb, unsigned int max)
{
	size_t len;
	const struct nlattr *a = nl_first(nlh, &len);

	table(a, len, tb, max);
}

/**
 * nl_link - sort the attributes of a message about a link into a table
 * @nlh: the message
 * @tb: the table, of @max + 1 entries
 * @max: highest number wanted
 *
 * Return: number of the link
 */
int nl_link(const struct nlmsghdr *nlh, const struct nlattr **tb, unsigned int max)
{
	const struct ifinfomsg *ifi = mnl_nlmsg_get_payload(nlh);
	size_t len;
	const struct nlattr *a = after(nlh, sizeof(*ifi), &len);

	table(a, len, tb, max);
	return mnl_nlmsg_get_payload_len(nlh) < sizeof(*ifi) ? 0 : ifi->ifi_index;
}

/**
 * nl_nested - sort the attributes inside an attribute into a table
 * @nest: the attribute, or NULL
 * @tb: the table, of @max + 1 entries
 * @max: highest number wanted
 */
void nl_nested(const struct nlattr *nest, const struct nlattr **tb, unsigned int max)
{
	if (nest)
		table(mnl_attr_get_payload(nest), mnl_attr_get_payload_len(nest), tb, max);
	else
		memset(tb, 0, sizeof(*tb) * (max + 1));
}

/**
 * nl_uint - read a number of any size
 * @a: the attribute, or NULL
 *
 * Return: the number; 0 if there is none
 */
u64 nl_uint(const struct nlattr *a)
{
	u64 v64;
	u32 v32;
	u16 v16;

	if (!a)
		return 0;
	switch (mnl_attr_get_payload_len(a)) {
	case 1:
		return mnl_attr_get_u8(a);
	case 2:
		memcpy(&v16, mnl_attr_get_payload(a), sizeof(v16));
		return v16;
	case 4:
		memcpy(&v32, mnl_attr_get_payload(a), sizeof(v32));
		return v32;
	case 8:
		memcpy(&v64, mnl_attr_get_payload(a), sizeof(v64));
		return v64;
	}
	return 0;
}

/**
 * nl_str - read a string
 * @a: the attribute, or NULL
 * @buf: where to put it
 * @size: room there
 *
 * Return: @buf; "" if there is none
 */
const char *nl_str(const struct nlattr *a, char *buf, size_t size)
{
	size_t len = a ? strnlen(mnl_attr_get_payload(a), mnl_attr_get_payload_len(a)) : 0;

	if (len >= size)
		len = size - 1;
	if (len)
		memcpy(buf, mnl_attr_get_payload(a), len);
	buf[len] = 0;
	return buf;
}

/**
 * nl_addr - read an address
 * @a: the attribute, or NULL
 * @buf: where to put its text
 * @size: room there, INET6_ADDRSTRLEN
 *
 * Return: @buf; "?" if there is none
 */
const char *nl_addr(const struct nlattr *a, char *buf, size_t size)
{
	static const u8 v4_mapped[12] = { [10] = 0xff, [11] = 0xff };
	const u8 *addr = a ? mnl_attr_get_payload(a) : NULL;

	if (!a || mnl_attr_get_payload_len(a) != 16)
		snprintf(buf, size, "?");
	else if (!memcmp(addr, v4_mapped, sizeof(v4_mapped)))
		inet_ntop(AF_INET, addr + 12, buf, size);
	else
		inet_ntop(AF_INET6, addr, buf, size);
	return buf;
}
