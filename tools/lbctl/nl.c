// SPDX-License-Identifier: GPL-2.0
/* Requests to the kernel: sockets, the genetlink family, answers, refusals */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/lb.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lbctl.h"
#include "nl.h"

#define RECV_SIZE	65536
#define DUMP_TRIES	5
#define EVENT_BUFFER	(4 * 1024 * 1024)

static struct mnl_socket *sockets[2];	/* route, generic */
static unsigned int sequence;
static u16 family;			/* 0: not known yet */
static u32 events_group;
static char refusal[512];		/* why the last request was refused */

static struct mnl_socket *sock_new(int bus)
{
	struct mnl_socket *s = mnl_socket_open2(bus, SOCK_CLOEXEC);
	int one = 1;

	if (!s)
		return NULL;
	mnl_socket_setsockopt(s, NETLINK_EXT_ACK, &one, sizeof(one));
	mnl_socket_setsockopt(s, NETLINK_CAP_ACK, &one, sizeof(one));
	mnl_socket_setsockopt(s, NETLINK_GET_STRICT_CHK, &one, sizeof(one));
	if (mnl_socket_bind(s, 0, MNL_SOCKET_AUTOPID) < 0) {
		int err = errno;

		mnl_socket_close(s);
		errno = err;
		return NULL;
	}
	return s;
}

static struct mnl_socket *sock_get(int bus)
{
	struct mnl_socket **s = &sockets[bus == NETLINK_GENERIC];

	if (!*s)
		*s = sock_new(bus);
	return *s;
}

/**
 * nl_close - close the sockets and forget the family
 */
void nl_close(void)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (sockets[i])
			mnl_socket_close(sockets[i]);
		sockets[i] = NULL;
	}
	family = 0;
}

/* Take the extack's text out of the attributes at @data */
static void extack(const void *data, size_t len)
{
	const struct nlattr *a = data;

	refusal[0] = 0;
	for (; nl_whole(a, len); a = nl_attr_next(a, &len))
		if (mnl_attr_get_type(a) == NLMSGERR_ATTR_MSG)
			nl_str(a, refusal, sizeof(refusal));
}

static int error_msg(const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *e = mnl_nlmsg_get_payload(nlh);
	size_t len = mnl_nlmsg_get_payload_len(nlh);
	size_t skip = sizeof(*e);

	refusal[0] = 0;
	if (len < sizeof(*e))
		return -EBADMSG;
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS) {
		/* The request follows whole unless the kernel capped it */
		if (!(nlh->nlmsg_flags & NLM_F_CAPPED) && e->msg.nlmsg_len >= sizeof(e->msg))
			skip += MNL_ALIGN(e->msg.nlmsg_len - sizeof(e->msg));
		if (skip < len)
			extack((const char *)e + skip, len - skip);
	}
	if (!e->error && refusal[0]) {
		fprintf(stderr, "Warning: %s.\n", refusal);
		refusal[0] = 0;
	}
	return e->error;
}

/* The end of a dump says how it went too */
static int done_msg(const struct nlmsghdr *nlh)
{
	const char *data = mnl_nlmsg_get_payload(nlh);
	size_t len = mnl_nlmsg_get_payload_len(nlh);
	int err = 0;

	refusal[0] = 0;
	if (len < sizeof(err))
		return 0;
	memcpy(&err, data, sizeof(err));
	if (err < 0 && len > sizeof(err))
		extack(data + sizeof(err), len - sizeof(err));
	return err < 0 ? err : 0;
}

static int keep(struct nl_msgs *m, const struct nlmsghdr *nlh)
{
	size_t len = MNL_ALIGN(nlh->nlmsg_len);
	char *p;

	if (m->len + len > m->room) {
		size_t room = m->room ? m->room : RECV_SIZE;

		while (room < m->len + len)
			room *= 2;
		p = realloc(m->data, room);
		if (!p)
			return -ENOMEM;
		m->data = p;
		m->room = room;
	}
	memset(m->data + m->len, 0, len);
	memcpy(m->data + m->len, nlh, nlh->nlmsg_len);
	m->len += len;
	return 0;
}

/* Read the answer to the end. Return: 0, 1 if a dump was disturbed, or -errno */
static int receive(struct mnl_socket *s, const struct nlmsghdr *req, struct nl_msgs *answer)
{
	unsigned int portid = mnl_socket_get_portid(s);
	static union {
		char bytes[RECV_SIZE];
		struct nlmsghdr nlh;
	} buf;
	bool disturbed = false;
	const struct nlmsghdr *nlh;
	ssize_t got;
	int len, err;

	for (;;) {
		got = mnl_socket_recvfrom(s, &buf, sizeof(buf));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		len = got;
		for (nlh = &buf.nlh; mnl_nlmsg_ok(nlh, len);
		     nlh = mnl_nlmsg_next(nlh, &len)) {
			if (nlh->nlmsg_pid != portid || nlh->nlmsg_seq != req->nlmsg_seq)
				continue;
			if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
				disturbed = true;
			if (nlh->nlmsg_type == NLMSG_ERROR)
				return error_msg(nlh);
			if (nlh->nlmsg_type == NLMSG_DONE) {
				err = done_msg(nlh);
				return err ? err : disturbed;
			}
			if (nlh->nlmsg_type < NLMSG_MIN_TYPE || !answer)
				continue;
			err = keep(answer, nlh);
			if (err)
				return err;
		}
	}
}

static int transact(struct nl_req *req, struct nl_msgs *answer)
{
	struct mnl_socket *s = sock_get(req->bus);
	int tries, err = 0;

	refusal[0] = 0;
	if (!s)
		return -errno;
	for (tries = 0; tries < DUMP_TRIES; tries++) {
		if (answer)
			answer->len = 0;
		if (!sequence)
			sequence = time(NULL);
		req->nlh.nlmsg_seq = ++sequence;
		if (mnl_socket_sendto(s, &req->nlh, req->nlh.nlmsg_len) < 0)
			return -errno;
		err = receive(s, &req->nlh, answer);
		if (err <= 0)
			break;
	}
	if (err > 0) {
		fputs("Warning: things kept changing, some may be shown twice or not at all.\n",
		      stderr);
		return 0;
	}
	if (err) {
		/* Leave nothing of this answer to the next request */
		mnl_socket_close(s);
		sockets[req->bus == NETLINK_GENERIC] = NULL;
	}
	return err;
}

static void find_group(const struct nlattr *groups)
{
	const struct nlattr *g;

	mnl_attr_for_each_nested(g, groups) {
		const struct nlattr *tb[CTRL_ATTR_MCAST_GRP_MAX + 1];
		char name[GENL_NAMSIZ];

		nl_nested(g, tb, CTRL_ATTR_MCAST_GRP_MAX);
		if (!strcmp(nl_str(tb[CTRL_ATTR_MCAST_GRP_NAME], name, sizeof(name)),
			    LB_MCGRP_EVENTS))
			events_group = nl_uint(tb[CTRL_ATTR_MCAST_GRP_ID]);
	}
}

static int resolve(void)
{
	const struct nlattr *tb[CTRL_ATTR_MAX + 1];
	const struct nlmsghdr *nlh;
	struct nl_msgs answer = {};
	struct nl_req req;
	int err;

	if (family)
		return 0;
	nl_genl(&req, CTRL_CMD_GETFAMILY, 0);
	req.nlh.nlmsg_type = GENL_ID_CTRL;
	nl_put_str(&req, CTRL_ATTR_FAMILY_NAME, LB_GENL_NAME);
	err = transact(&req, &answer);
	nlh = nl_next(&answer, NULL);
	if (!err && nlh) {
		nl_attrs(nlh, tb, CTRL_ATTR_MAX);
		family = nl_uint(tb[CTRL_ATTR_FAMILY_ID]);
		if (tb[CTRL_ATTR_MCAST_GROUPS])
			find_group(tb[CTRL_ATTR_MCAST_GROUPS]);
	}
	nl_free(&answer);
	if (err == -ENOENT || (!err && !family)) {
		snprintf(refusal, sizeof(refusal), "lb: the lb module is not loaded (modprobe lb)");
		return -ENOENT;
	}
	return err;
}

/**
 * nl_do - send a request and wait for its answer
 * @req: the request
 * @answer: takes the messages of the answer, or NULL; the caller frees it
 *
 * Return: 0 or -errno; nl_refused() tells it to the user
 */
int nl_do(struct nl_req *req, struct nl_msgs *answer)
{
	int err;

	if (req->bus == NETLINK_GENERIC) {
		err = resolve();
		if (err)
			return err;
		req->nlh.nlmsg_type = family;
	}
	return transact(req, answer);
}

/**
 * nl_run - nl_do() that tells the user when it was refused
 * @req: the request
 * @answer: takes the messages of the answer, or NULL; the caller frees it
 *
 * Return: EX_OK or EX_REFUSED
 */
int nl_run(struct nl_req *req, struct nl_msgs *answer)
{
	int err = nl_do(req, answer);

	return err ? nl_refused(err) : EX_OK;
}

/**
 * nl_refused - say why the last request failed
 * @err: what nl_do() returned
 *
 * Return: EX_REFUSED
 */
int nl_refused(int err)
{
	size_t len = strlen(refusal);

	if (!len)
		fprintf(stderr, "Error: lb: %s.\n", strerror(-err));
	else
		fprintf(stderr, "Error: %s%s\n", refusal, refusal[len - 1] == '.' ? "" : ".");
	return EX_REFUSED;
}

/**
 * nl_loaded - whether the kernel has lb
 *
 * Return: 0 or -errno; nl_refused() tells it to the user
 */
int nl_loaded(void)
{
	return resolve();
}

/**
 * nl_listen - open a socket that hears lb's events
 *
 * Return: the socket; NULL with errno set
 */
struct mnl_socket *nl_listen(void)
{
	struct mnl_socket *s;
	int group, size = EVENT_BUFFER;
	int err;

	refusal[0] = 0;
	err = resolve();
	if (err) {
		errno = -err;
		return NULL;
	}
	s = sock_new(NETLINK_GENERIC);
	if (!s)
		return NULL;
	if (setsockopt(mnl_socket_get_fd(s), SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		setsockopt(mnl_socket_get_fd(s), SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	group = events_group;
	if (mnl_socket_setsockopt(s, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0) {
		err = errno;
		mnl_socket_close(s);
		errno = err;
		return NULL;
	}
	return s;
}

/**
 * nl_is_lb - whether a message heard is one of lb
 * @nlh: the message
 *
 * Return: true if so
 */
bool nl_is_lb(const struct nlmsghdr *nlh)
{
	return nlh->nlmsg_type == family;
}
