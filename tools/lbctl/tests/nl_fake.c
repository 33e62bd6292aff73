// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel for lbctl to talk to, to be loaded before libmnl with LD_PRELOAD: two
 * devices, a few peers and paths, and some events. What LBCTL_FAKE holds makes it
 * behave badly: "absent" has no family, "odd" has names that are hard to write,
 * "broken" ends dumps with an error, "busy" disturbs every dump, "short" sends
 * messages without most attributes. Each request is written to the file that
 * LBCTL_FAKE_LOG names: command, flags, and attributes as NAME=hex.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/lb.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAMILY	33
#define GROUP	7
#define PORTID	4242
#define ROOM	1048576

struct mnl_socket {
	int bus;
	int listens;
	char *data;
	size_t len;
	size_t at;
};

static struct nlmsghdr *msg;	/* being put together */

static int mode(const char *name)
{
	const char *env = getenv("LBCTL_FAKE");

	return env && !strcmp(env, name);
}

static struct nlmsghdr *begin(struct mnl_socket *s, unsigned int type, unsigned int flags,
			      unsigned int seq)
{
	msg = mnl_nlmsg_put_header(s->data + s->len);
	msg->nlmsg_type = type;
	msg->nlmsg_flags = flags;
	msg->nlmsg_seq = seq;
	msg->nlmsg_pid = PORTID;
	return msg;
}

static void begin_genl(struct mnl_socket *s, unsigned int type, unsigned int cmd,
		       unsigned int flags, unsigned int seq)
{
	struct genlmsghdr *g;

	begin(s, type, flags, seq);
	g = mnl_nlmsg_put_extra_header(msg, sizeof(*g));
	g->cmd = cmd;
	g->version = 1;
}

static void finish(struct mnl_socket *s)
{
	s->len += MNL_ALIGN(msg->nlmsg_len);
}

static void put_u64(unsigned int type, unsigned long long val)
{
	mnl_attr_put_u64(msg, type, val);
}

static void put_v4(unsigned int type, unsigned int addr)
{
	unsigned char a[16] = { [10] = 0xff, 0xff, addr >> 24, addr >> 16, addr >> 8, addr };

	mnl_attr_put(msg, type, sizeof(a), a);
}

static const char *dev_name(unsigned int dev)
{
	if (mode("odd"))
		return dev ? "\"\\\033\xff\xc3\x28" : "l\xc3\xb6\x7f'";
	return dev ? "lb1" : "lb0";
}

static void answer_error(struct mnl_socket *s, const struct nlmsghdr *req, int err,
			 const char *text)
{
	struct nlmsgerr *e;

	begin(s, NLMSG_ERROR, text ? NLM_F_ACK_TLVS | NLM_F_CAPPED : NLM_F_CAPPED,
	      req->nlmsg_seq);
	e = mnl_nlmsg_put_extra_header(msg, sizeof(*e));
	e->error = err;
	e->msg = *req;
	if (text)
		mnl_attr_put_strz(msg, NLMSGERR_ATTR_MSG, text);
	finish(s);
}

static void answer_done(struct mnl_socket *s, const struct nlmsghdr *req)
{
	unsigned int flags = NLM_F_MULTI | (mode("busy") ? NLM_F_DUMP_INTR : 0);
	int err = mode("broken") ? -EIO : 0, *p;

	begin(s, NLMSG_DONE, flags | (err ? NLM_F_ACK_TLVS : 0), req->nlmsg_seq);
	p = mnl_nlmsg_put_extra_header(msg, sizeof(*p));
	*p = err;
	if (err)
		mnl_attr_put_strz(msg, NLMSGERR_ATTR_MSG, "lb: the dump broke off");
	finish(s);
}

static void put_dev(unsigned int dev)
{
	struct nlattr *nest;
	unsigned int i;

	mnl_attr_put_strz(msg, LB_A_DEV_IFNAME, dev_name(dev));
	if (mode("short"))
		return;
	mnl_attr_put_u32(msg, LB_A_DEV_IFINDEX, 10 + dev);
	nest = mnl_attr_nest_start(msg, LB_A_DEV_CONFIG);
	mnl_attr_put_u16(msg, LB_A_CONFIG_PORT, 4799);
	mnl_attr_put_strz(msg, LB_A_CONFIG_POLICY, "rr");
	mnl_attr_put_u16(msg, LB_A_CONFIG_LANES, 16);
	mnl_attr_put_u8(msg, LB_A_CONFIG_EARLY_RX, 1);
	mnl_attr_put_u32(msg, LB_A_CONFIG_HOLD_MIN, 50);
	mnl_attr_put_u32(msg, LB_A_CONFIG_HOLD_MAX, 20000);
	mnl_attr_put_u32(msg, LB_A_CONFIG_HOLD_MEMORY, 16 << 20);
	mnl_attr_put_u32(msg, LB_A_CONFIG_FWMARK, 0x10);
	mnl_attr_put_u8(msg, LB_A_CONFIG_CSUM, 0);
	mnl_attr_put_u8(msg, LB_A_CONFIG_TTL, 64);
	mnl_attr_put_u32(msg, LB_A_CONFIG_PROBE_INTERVAL, 100);
	mnl_attr_nest_end(msg, nest);
	mnl_attr_put_u32(msg, LB_A_DEV_PEERS, 2);
	mnl_attr_put_u32(msg, LB_A_DEV_PATHS, 8);
	mnl_attr_put_u32(msg, LB_A_DEV_RX_QUEUES, 4);
	mnl_attr_put_u32(msg, LB_A_DEV_MAX_MTU, 1448);
	nest = mnl_attr_nest_start(msg, LB_A_DEV_STATS);
	for (i = LB_A_DEV_STATS_PAD + 1; i <= LB_A_DEV_STATS_MAX; i++)
		put_u64(i, i == LB_A_DEV_STATS_TX_PACKETS ? 2000 : i);
	mnl_attr_nest_end(msg, nest);
	for (i = 0; i <= LB_DROP_MAX + 1; i++) {
		nest = mnl_attr_nest_start(msg, LB_A_DEV_DROP);
		mnl_attr_put_u32(msg, LB_A_DROP_COUNT_REASON, i);
		put_u64(LB_A_DROP_COUNT_PACKETS, i == LB_DROP_TX_NO_PEER ? 3 : 0);
		mnl_attr_nest_end(msg, nest);
	}
}

static void put_peer(unsigned int n)
{
	struct nlattr *nest;
	unsigned int i;

	mnl_attr_put_strz(msg, LB_A_PEER_IFNAME, dev_name(0));
	put_v4(LB_A_PEER_ADDR, 0x0a630002 + n);
	if (mode("short"))
		return;
	put_v4(LB_A_PEER_ALIAS, 0x0a640002 + n);
	put_v4(LB_A_PEER_ALIAS, 0x0a650002 + n);
	mnl_attr_put_u32(msg, LB_A_PEER_STATE, n ? 77 : LB_PEER_STATE_UP);
	mnl_attr_put_u32(msg, LB_A_PEER_SESSION_TX, 0xdeadbeef);
	mnl_attr_put_u32(msg, LB_A_PEER_PATHS, 4);
	mnl_attr_put_u32(msg, LB_A_PEER_PATHS_GOOD, 3);
	put_u64(LB_A_PEER_AGE, 192000000000ULL);
	nest = mnl_attr_nest_start(msg, LB_A_PEER_STATS);
	for (i = LB_A_PEER_STATS_PAD + 1; i <= LB_A_PEER_STATS_MAX; i++)
		put_u64(i, i);
	mnl_attr_nest_end(msg, nest);
}

/* Paths 0 to 3 are of the first peer, two in each of its two groups */
static void put_path(unsigned int n, int event)
{
	struct nlattr *nest;
	unsigned int i;

	mnl_attr_put_strz(msg, LB_A_PATH_IFNAME, dev_name(0));
	put_v4(LB_A_PATH_PEER, 0x0a630002 + n / 4);
	if (mode("short"))
		return;
	mnl_attr_put_u32(msg, LB_A_PATH_ID, n % 4);
	mnl_attr_put_u32(msg, LB_A_PATH_GROUP, 1 + n / 2);
	put_v4(LB_A_PATH_LOCAL, 0xc0000201 + n / 2 % 2 * 4);
	put_v4(LB_A_PATH_REMOTE, 0xc6336401 + n / 2 % 2 * 4);
	if (n % 4 < 2)
		mnl_attr_put_strz(msg, LB_A_PATH_DEVICE, "eth1");
	mnl_attr_put_u16(msg, LB_A_PATH_ENTROPY, 49152 + n % 2);
	mnl_attr_put_u32(msg, LB_A_PATH_STATE, n == 1 ? LB_PATH_STATE_BAD : LB_PATH_STATE_GOOD);
	mnl_attr_put_u32(msg, LB_A_PATH_REASON, n == 1 ? LB_PATH_REASON_CARRIER : 0);
	if (event) {
		mnl_attr_put_u32(msg, LB_A_PATH_OLD_STATE, LB_PATH_STATE_GOOD);
		return;
	}
	mnl_attr_put_u16(msg, LB_A_PATH_WEIGHT, 1);
	mnl_attr_put_u8(msg, LB_A_PATH_DENIED, 0);
	mnl_attr_put_u32(msg, LB_A_PATH_MTU, 1448);
	put_u64(LB_A_PATH_AGE, (n + 1) * 1500000000ULL);
	nest = mnl_attr_nest_start(msg, LB_A_PATH_STATS);
	for (i = LB_A_PATH_STATS_PAD + 1; i <= LB_A_PATH_STATS_MAX; i++)
		put_u64(i, i == LB_A_PATH_STATS_TX_PACKETS ? 2000 + n :
			i == LB_A_PATH_STATS_RTT ? 9000 :
			i == LB_A_PATH_STATS_RTT_MIN ? 8500 : 10 * i);
	mnl_attr_nest_end(msg, nest);
}

static void put_policy(unsigned int n)
{
	mnl_attr_put_strz(msg, LB_A_POLICY_NAME, n ? "random" : "rr");
	mnl_attr_put_strz(msg, LB_A_POLICY_DOC, n ? "any path" : "one path after the other");
}

static void put_one(unsigned int cmd, unsigned int n)
{
	if (cmd == LB_CMD_DEV_GET)
		put_dev(n);
	else if (cmd == LB_CMD_PEER_GET)
		put_peer(n);
	else if (cmd == LB_CMD_PATH_GET)
		put_path(n, 0);
	else
		put_policy(n);
}

static void answer_get(struct mnl_socket *s, const struct nlmsghdr *req, unsigned int cmd)
{
	unsigned int n = cmd == LB_CMD_PATH_GET ? 8 : 2, i;
	int dump = (req->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;

	for (i = 0; i < (dump ? n : 1); i++) {
		begin_genl(s, FAMILY, cmd, dump ? NLM_F_MULTI : 0, req->nlmsg_seq);
		put_one(cmd, i);
		finish(s);
	}
	if (dump)
		answer_done(s, req);
	else
		answer_error(s, req, 0, NULL);
}

static void answer_family(struct mnl_socket *s, const struct nlmsghdr *req)
{
	struct nlattr *groups, *g;

	if (mode("absent")) {
		answer_error(s, req, -ENOENT, NULL);
		return;
	}
	begin_genl(s, GENL_ID_CTRL, CTRL_CMD_NEWFAMILY, 0, req->nlmsg_seq);
	mnl_attr_put_u16(msg, CTRL_ATTR_FAMILY_ID, FAMILY);
	groups = mnl_attr_nest_start(msg, CTRL_ATTR_MCAST_GROUPS);
	g = mnl_attr_nest_start(msg, 1);
	mnl_attr_put_strz(msg, CTRL_ATTR_MCAST_GRP_NAME, "events");
	mnl_attr_put_u32(msg, CTRL_ATTR_MCAST_GRP_ID, GROUP);
	mnl_attr_nest_end(msg, g);
	mnl_attr_nest_end(msg, groups);
	finish(s);
	answer_error(s, req, 0, NULL);
}

static int names(const struct nlmsghdr *req, unsigned int type, const char *name)
{
	const struct nlattr *a;

	mnl_attr_for_each(a, req, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(a) == type && !strcmp(mnl_attr_get_str(a), name))
			return 1;
	return 0;
}

static void answer_link(struct mnl_socket *s, const struct nlmsghdr *req)
{
	struct ifinfomsg *ifi;
	struct nlattr *info;

	if (req->nlmsg_type == RTM_NEWLINK && mode("absent")) {
		answer_error(s, req, -EOPNOTSUPP, "Unknown device type");
		return;
	}
	if (req->nlmsg_type == RTM_GETLINK) {
		begin(s, RTM_NEWLINK, 0, req->nlmsg_seq);
		ifi = mnl_nlmsg_put_extra_header(msg, sizeof(*ifi));
		ifi->ifi_index = 10;
		info = mnl_attr_nest_start(msg, IFLA_LINKINFO);
		mnl_attr_put_strz(msg, IFLA_INFO_KIND, mode("odd") ? "dummy" : "lb");
		mnl_attr_nest_end(msg, info);
		finish(s);
	}
	answer_error(s, req, 0, NULL);
}

#define CMD(c) \
	[LB_CMD_##c] = #c
#define DEV(a) \
	[LB_A_DEV_##a] = #a
#define CONFIG(a) \
	[LB_A_CONFIG_##a] = #a
#define PEER(a) \
	[LB_A_PEER_##a] = #a
#define PATH(a) \
	[LB_A_PATH_##a] = #a

static const char *const cmd_names[32] = {
	CMD(DEV_GET), CMD(DEV_SET), CMD(PEER_NEW), CMD(PEER_DEL), CMD(PEER_SET),
	CMD(PEER_GET), CMD(PATH_NEW), CMD(PATH_DEL), CMD(PATH_SET), CMD(PATH_GET),
	CMD(POLICY_GET), CMD(STATS_RESET),
};

static const char *const dev_attrs[32] = { DEV(IFNAME), DEV(CONFIG) };
static const char *const peer_attrs[32] = { PEER(IFNAME), PEER(ADDR), PEER(ALIAS) };

static const char *const path_attrs[32] = {
	PATH(IFNAME), PATH(PEER), PATH(ID), PATH(LOCAL), PATH(REMOTE), PATH(DEVICE),
	PATH(ENTROPY), PATH(ENTROPIES), PATH(WEIGHT), PATH(DENIED),
};

static const char *const config_attrs[32] = {
	CONFIG(PORT), CONFIG(POLICY), CONFIG(LANES), CONFIG(EARLY_RX), CONFIG(HOLD_MIN),
	CONFIG(HOLD_MAX), CONFIG(HOLD_MEMORY), CONFIG(FWMARK), CONFIG(CSUM), CONFIG(TTL),
	CONFIG(PROBE_INTERVAL), CONFIG(SEQ_START),
};

static const char *const link_attrs[32] = {
	[IFLA_IFNAME] = "IFNAME", [IFLA_LINKINFO] = "LINKINFO",
};

static const char *const info_attrs[32] = {
	[IFLA_INFO_KIND] = "KIND", [IFLA_INFO_DATA] = "DATA",
};

/* The names of what is in the nest @a, NULL if it is none */
static const char *const *inside(const char *const *names, const struct nlattr *a)
{
	unsigned int type = mnl_attr_get_type(a);

	if (names == dev_attrs && type == LB_A_DEV_CONFIG)
		return config_attrs;
	if (names == link_attrs && type == IFLA_LINKINFO)
		return info_attrs;
	if (names == info_attrs && type == IFLA_INFO_DATA)
		return config_attrs;
	return NULL;
}

static void log_attr(FILE *f, const char *const *names, const struct nlattr *a)
{
	unsigned int type = mnl_attr_get_type(a), i;
	const unsigned char *p = mnl_attr_get_payload(a);
	const struct nlattr *in;

	fprintf(f, " %s=", type < 32 && names[type] ? names[type] : "?");
	if (inside(names, a)) {
		fputc('{', f);
		mnl_attr_for_each_nested(in, a)
			log_attr(f, inside(names, a), in);
		fputs(" }", f);
		return;
	}
	for (i = 0; i < mnl_attr_get_payload_len(a); i++)
		fprintf(f, "%02x", p[i]);
}

static void log_request(const struct mnl_socket *s, const struct nlmsghdr *req)
{
	const char *file = getenv("LBCTL_FAKE_LOG"), *name = "?";
	const struct genlmsghdr *g = mnl_nlmsg_get_payload(req);
	const char *const *names = link_attrs;
	size_t head = sizeof(*g);
	const struct nlattr *a;
	FILE *f;

	f = file ? fopen(file, "a") : NULL;
	if (!f)
		return;
	if (s->bus == NETLINK_ROUTE) {
		head = sizeof(struct ifinfomsg);
		name = req->nlmsg_type == RTM_NEWLINK ? "NEWLINK" :
		       req->nlmsg_type == RTM_DELLINK ? "DELLINK" :
		       req->nlmsg_type == RTM_GETLINK ? "GETLINK" : "?";
	} else if (g->cmd < 32 && cmd_names[g->cmd]) {
		name = cmd_names[g->cmd];
		names = !strncmp(name, "PATH", 4) ? path_attrs :
			!strncmp(name, "PEER", 4) ? peer_attrs : dev_attrs;
	}
	fprintf(f, "%s %x", name, req->nlmsg_flags);
	mnl_attr_for_each(a, req, head)
		log_attr(f, names, a);
	fputc('\n', f);
	fclose(f);
}

ssize_t mnl_socket_sendto(const struct mnl_socket *nl, const void *buf, size_t len)
{
	struct mnl_socket *s = (struct mnl_socket *)nl;
	const struct nlmsghdr *req = buf;
	const struct genlmsghdr *g = mnl_nlmsg_get_payload(req);

	s->len = 0;
	s->at = 0;
	if (s->bus == NETLINK_GENERIC && req->nlmsg_type == GENL_ID_CTRL) {
		answer_family(s, req);
		return len;
	}
	log_request(s, req);
	if (s->bus == NETLINK_ROUTE)
		answer_link(s, req);
	else if (names(req, LB_A_DEV_IFNAME, "missing"))
		answer_error(s, req, -ENODEV, "lb: there is no lb device missing");
	else if (names(req, LB_A_DEV_IFNAME, "silent"))
		answer_error(s, req, -EPERM, NULL);
	else if (names(req, LB_A_DEV_IFNAME, "warned"))
		answer_error(s, req, 0, "lb: this is a warning");
	else if (g->cmd == LB_CMD_DEV_GET || g->cmd == LB_CMD_PEER_GET ||
		 g->cmd == LB_CMD_PATH_GET || g->cmd == LB_CMD_POLICY_GET)
		answer_get(s, req, g->cmd);
	else
		answer_error(s, req, 0, NULL);
	return len;
}

/* A listener hears each kind of event, loses some, hears one more, and is cut off */
static ssize_t hear(struct mnl_socket *s, void *buf)
{
	static int turn;
	size_t len;

	s->len = 0;
	switch (turn++) {
	case 0:
		begin_genl(s, FAMILY, LB_CMD_PATH_NTF, 0, 0);
		put_path(1, 1);
		finish(s);
		begin_genl(s, FAMILY + 1, LB_CMD_PATH_NTF, 0, 0);
		finish(s);
		break;
	case 1:
		begin_genl(s, FAMILY, LB_CMD_PEER_NTF, 0, 0);
		put_peer(0);
		finish(s);
		begin_genl(s, FAMILY, LB_CMD_DEV_NTF, 0, 0);
		put_dev(0);
		finish(s);
		break;
	case 2:
		errno = ENOBUFS;
		return -1;
	case 3:
		begin_genl(s, FAMILY, LB_CMD_PATH_NTF, 0, 0);
		put_path(3, 1);
		finish(s);
		break;
	default:
		errno = ENETDOWN;
		return -1;
	}
	len = s->len;
	memcpy(buf, s->data, len);
	return len;
}

ssize_t mnl_socket_recvfrom(const struct mnl_socket *nl, void *buf, size_t size)
{
	struct mnl_socket *s = (struct mnl_socket *)nl;
	const struct nlmsghdr *nlh = (void *)(s->data + s->at);
	size_t len;

	if (s->listens)
		return hear(s, buf);
	if (s->at >= s->len || MNL_ALIGN(nlh->nlmsg_len) > size) {
		errno = ENOMSG;
		return -1;
	}
	len = MNL_ALIGN(nlh->nlmsg_len);
	memcpy(buf, nlh, len);
	s->at += len;
	return len;
}

struct mnl_socket *mnl_socket_open2(int bus, int flags)
{
	struct mnl_socket *s = calloc(1, sizeof(*s));

	(void)flags;
	s->bus = bus;
	s->data = calloc(1, ROOM);
	return s;
}

int mnl_socket_close(struct mnl_socket *s)
{
	free(s->data);
	free(s);
	return 0;
}

int mnl_socket_bind(struct mnl_socket *s, unsigned int groups, pid_t pid)
{
	(void)s;
	(void)groups;
	(void)pid;
	return 0;
}

unsigned int mnl_socket_get_portid(const struct mnl_socket *s)
{
	(void)s;
	return PORTID;
}

int mnl_socket_get_fd(const struct mnl_socket *s)
{
	(void)s;
	return -1;
}

int mnl_socket_setsockopt(const struct mnl_socket *s, int type, void *buf, socklen_t len)
{
	(void)len;
	if (type == NETLINK_ADD_MEMBERSHIP) {
		if (*(int *)buf != GROUP) {
			errno = EINVAL;
			return -1;
		}
		((struct mnl_socket *)s)->listens = 1;
	}
	return 0;
}
