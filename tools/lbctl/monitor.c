// SPDX-License-Identifier: GPL-2.0
/* lbctl monitor: changes as they happen */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/lb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "lbctl.h"
#include "names.h"
#include "obj.h"
#include "out.h"

enum { WANT_DEV = 1, WANT_PEER = 2, WANT_PATH = 4, WANT_ALL = 7 };

static unsigned int wants;
static const char *only_dev;

/* What a line tells: news, an end, or the same again after a loss of events */
enum tells { NEWS, DELETED, AGAIN };

static void begin(const char *event, enum tells tells)
{
	struct timespec now;
	char text[40], full[64];
	struct tm tm;

	if (!opts.json)
		out_lines();
	out_obj();
	if (opts.timestamp) {
		clock_gettime(CLOCK_REALTIME, &now);
		if (opts.json)
			gmtime_r(&now.tv_sec, &tm);
		else
			localtime_r(&now.tv_sec, &tm);
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
		snprintf(full, sizeof(full), opts.json ? "%s.%06ldZ" : "[%s.%06ld]", text,
			 now.tv_nsec / 1000);
		out_str("time", "", OUT_PLAIN, full);
	}
	out_str("event", "", OUT_PLAIN, event);
	if (tells == AGAIN)
		out_onoff("again", NULL, true);
	if (tells == DELETED) {
		out_onoff("deleted", NULL, true);
		out_word(OUT_PLAIN, "deleted");
	}
}

static bool of_dev(const struct nlattr *ifname)
{
	char name[IFNAMSIZ];

	return !only_dev || !strcmp(nl_str(ifname, name, sizeof(name)), only_dev);
}

static void dev_event(const struct nlmsghdr *nlh, enum tells tells)
{
	const struct nlattr *tb[LB_A_DEV_MAX + 1];

	nl_attrs(nlh, tb, LB_A_DEV_MAX);
	if (!(wants & WANT_DEV) || !of_dev(tb[LB_A_DEV_IFNAME]))
		return;
	begin("dev", tells);
	dev_show_one(nlh);
	out_obj_end();
}

static void peer_event(const struct nlmsghdr *nlh, enum tells tells)
{
	const struct nlattr *tb[LB_A_PEER_MAX + 1];

	nl_attrs(nlh, tb, LB_A_PEER_MAX);
	if (!(wants & WANT_PEER) || !of_dev(tb[LB_A_PEER_IFNAME]))
		return;
	begin("peer", tells);
	peer_show_one(nlh);
	out_obj_end();
}

static void path_event(const struct nlmsghdr *nlh, enum tells tells)
{
	struct path_info p;

	path_read(nlh, &p);
	if (!(wants & WANT_PATH) || !of_dev(p.tb[LB_A_PATH_IFNAME]))
		return;
	begin("path", tells);
	path_show_one(&p);
	out_obj_end();
}

static void event(const struct nlmsghdr *nlh)
{
	if (!nl_is_lb(nlh))
		return;
	switch (nl_cmd(nlh)) {
	case LB_CMD_DEV_NTF:
		dev_event(nlh, NEWS);
		break;
	case LB_CMD_DEV_DEL_NTF:
		dev_event(nlh, DELETED);
		break;
	case LB_CMD_PEER_NTF:
		peer_event(nlh, NEWS);
		break;
	case LB_CMD_PEER_DEL_NTF:
		peer_event(nlh, DELETED);
		break;
	case LB_CMD_PATH_NTF:
		path_event(nlh, NEWS);
		break;
	case LB_CMD_PATH_DEL_NTF:
		path_event(nlh, DELETED);
		break;
	}
}

static int tell_again(int (*get)(const char *dev, struct nl_msgs *answer),
		      void (*tell)(const struct nlmsghdr *nlh, enum tells tells))
{
	struct nl_msgs answer = {};
	const struct nlmsghdr *nlh;
	int ret;

	/* Not only_dev, which may be gone by now */
	ret = get(NULL, &answer);
	for (nlh = nl_next(&answer, NULL); nlh && !ret; nlh = nl_next(&answer, nlh))
		tell(nlh, AGAIN);
	nl_free(&answer);
	return ret;
}

/* The kernel dropped events: say so, and tell how everything is now */
static int resync(void)
{
	int ret = EX_OK;

	begin("lost", NEWS);
	out_word(OUT_WARN, "events; everything as it is now:");
	out_obj_end();
	if (wants & WANT_DEV)
		ret = tell_again(dev_get, dev_event);
	if (!ret && wants & WANT_PEER)
		ret = tell_again(peer_get, peer_event);
	if (!ret && wants & WANT_PATH)
		ret = tell_again(path_get, path_event);
	return ret;
}

/* Whether there is something to be read at once */
static bool waiting(struct mnl_socket *s)
{
	struct pollfd p = { .fd = mnl_socket_get_fd(s), .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

/*
 * The kernel says at once that it dropped events, while older ones are waiting,
 * and drops more until all of these are read. So they come first.
 */
static int listen_to(struct mnl_socket *s)
{
	static union {
		char bytes[65536];
		struct nlmsghdr nlh;
	} buf;
	const struct nlmsghdr *nlh;
	int len, ret = EX_OK;
	bool lost = false;
	ssize_t got;

	out_lines();
	while (!ret) {
		if (lost && !waiting(s)) {
			lost = false;
			ret = resync();
			if (ret || out_flush())
				return EX_REFUSED;
		}
		got = mnl_socket_recvfrom(s, &buf, sizeof(buf));
		if (got < 0 && errno == ENOBUFS)
			lost = true;
		else if (got < 0 && errno != EINTR)
			return nl_refused(-errno);
		if (got < 0)
			continue;
		len = got;
		for (nlh = &buf.nlh; mnl_nlmsg_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len))
			event(nlh);
		if (out_flush())
			ret = EX_REFUSED;
	}
	return ret;
}

static int monitor(char **words)
{
	struct mnl_socket *s;
	int ret;

	wants = 0;
	for (; *words; words++) {
		if (!strcmp(*words, "all"))
			wants |= WANT_ALL;
		else if (!strcmp(*words, "peer"))
			wants |= WANT_PEER;
		else if (!strcmp(*words, "path"))
			wants |= WANT_PATH;
		else
			break;
	}
	if (!wants)
		wants = WANT_ALL;
	ret = cmd_device(&words, &only_dev);
	if (!ret)
		ret = cmd_end(words);
	if (ret)
		return ret;

	/* One line for each */
	opts.oneline = true;
	opts.brief = !opts.details;
	s = nl_listen();
	if (!s)
		return nl_refused(-errno);
	ret = listen_to(s);
	mnl_socket_close(s);
	return ret;
}

const struct object obj_monitor = {
	.name = "monitor",
	.doc = "changes of state as they happen",
	.run = monitor,
	.usage = "[ all | peer | path ]... [ DEV ]",
};
