// SPDX-License-Identifier: GPL-2.0
/* lbctl path: the ways to a peer */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <netinet/in.h>
#include <string.h>

#include "cmd.h"
#include "lbctl.h"
#include "names.h"
#include "obj.h"
#include "out.h"

/* Numbers of words that are no attributes */
#define A_STATE		62
#define A_GROUP		63

#define KW_PEER		{ .name = "peer", .attr = LB_A_PATH_PEER, .type = KW_ADDR }
#define KW_LOCAL	{ .name = "local", .attr = LB_A_PATH_LOCAL, .type = KW_ADDR }
#define KW_REMOTE	{ .name = "remote", .attr = LB_A_PATH_REMOTE, .type = KW_ADDR }
#define KW_DEV		{ .name = "dev", .attr = LB_A_PATH_DEVICE, .type = KW_IFNAME }
#define KW_PORT		{ .name = "port", .attr = LB_A_PATH_ENTROPY, .type = KW_UINT, .size = 2, \
			  .min = 1 }
#define KW_WEIGHT	{ .name = "weight", .attr = LB_A_PATH_WEIGHT, .type = KW_UINT, \
			  .size = 2, .min = 1 }

static const struct kw new_words[] = {
	KW_PEER, KW_LOCAL, KW_REMOTE, KW_DEV, KW_PORT, KW_WEIGHT,
	{ .name = "entropy", .attr = LB_A_PATH_ENTROPIES, .type = KW_UINT, .size = 2,
	  .min = 1, .max = LB_ENTROPIES_MAX },
};

static const struct kw set_words[] = {
	KW_PEER, KW_LOCAL, KW_REMOTE, KW_DEV, KW_PORT, KW_WEIGHT,
	{ .name = "state", .attr = LB_A_PATH_DENIED, .type = KW_DENIED, .size = 1 },
};

static const struct kw del_words[] = {
	KW_PEER, KW_LOCAL, KW_REMOTE, KW_DEV, KW_PORT,
};

static u64 want_group, want_state;

static const struct kw show_words[] = {
	KW_PEER,
	{ .name = "id", .attr = LB_A_PATH_ID, .type = KW_UINT, .size = 4 },
	{ .name = "group", .attr = A_GROUP, .type = KW_UINT, .size = 4, .store = &want_group },
	{ .name = "state", .attr = A_STATE, .type = KW_STATE, .store = &want_state },
};

static int change(char **words, u8 cmd, u16 flags, const struct kw *kws, size_t n)
{
	const u64 what = kw_bit(LB_A_PATH_WEIGHT) | kw_bit(LB_A_PATH_DENIED);
	struct nl_req req;
	const char *dev;
	u64 seen;
	int ret;

	ret = cmd_device(&words, &dev);
	if (!ret && !dev)
		ret = cmd_bad("the name of a device is missing");
	if (ret)
		return ret;
	nl_genl(&req, cmd, flags);
	nl_put_str(&req, LB_A_PATH_IFNAME, dev);
	ret = cmd_kw(words, kws, n, &req, &seen);
	if (!ret)
		ret = cmd_need(kws, n, seen, LB_A_PATH_PEER);
	if (!ret)
		ret = cmd_need(kws, n, seen, LB_A_PATH_LOCAL);
	if (!ret)
		ret = cmd_need(kws, n, seen, LB_A_PATH_REMOTE);
	if (!ret && cmd == LB_CMD_PATH_SET && !(seen & what))
		ret = cmd_bad("nothing to set: neither \"weight\" nor \"state\" is given");
	return ret ? ret : nl_run(&req, NULL);
}

static int path_add(char **words)
{
	return change(words, LB_CMD_PATH_NEW, NLM_F_CREATE | NLM_F_EXCL, new_words,
		      ARRAY_SIZE(new_words));
}

static int path_replace(char **words)
{
	return change(words, LB_CMD_PATH_NEW, NLM_F_CREATE | NLM_F_REPLACE, new_words,
		      ARRAY_SIZE(new_words));
}

static int path_set(char **words)
{
	return change(words, LB_CMD_PATH_SET, 0, set_words, ARRAY_SIZE(set_words));
}

static int path_del(char **words)
{
	return change(words, LB_CMD_PATH_DEL, 0, del_words, ARRAY_SIZE(del_words));
}

/**
 * path_read - sort out a message about a path
 * @nlh: the message
 * @p: set to what is in it
 */
void path_read(const struct nlmsghdr *nlh, struct path_info *p)
{
	nl_attrs(nlh, p->tb, LB_A_PATH_MAX);
	nl_nested(p->tb[LB_A_PATH_STATS], p->stats, LB_A_PATH_STATS_MAX);
}

static void state_show(const char *key, const char *label, const struct nlattr *a)
{
	u32 state = nl_uint(a);

	if (a)
		out_str(key, label, state == LB_PATH_STATE_GOOD ? OUT_GOOD :
			state == LB_PATH_STATE_BAD ? OUT_BAD : OUT_WARN,
			name_path_state(state));
}

static void number_show(const struct nlattr *a, const char *key, const char *label)
{
	if (a)
		out_u64(key, label, nl_uint(a));
}

static void addr_show(const struct nlattr *a, const char *key, const char *label)
{
	char text[INET6_ADDRSTRLEN];

	if (a)
		out_str(key, label, OUT_ADDR, nl_addr(a, text, sizeof(text)));
}

/**
 * path_show_one - show a path
 * @p: what is known of it
 *
 * The text begins with the words that name the path in other commands.
 */
void path_show_one(const struct path_info *p)
{
	const struct nlattr *const *tb = p->tb;
	char name[IFNAMSIZ];
	u32 reason;

	out_str("dev", "", OUT_NAME, nl_str(tb[LB_A_PATH_IFNAME], name, sizeof(name)));
	addr_show(tb[LB_A_PATH_PEER], "peer", "peer");
	number_show(tb[LB_A_PATH_ID], "id", opts.details && !opts.brief ? "id" : NULL);
	number_show(tb[LB_A_PATH_GROUP], "group", opts.details && !opts.brief ? "group" : NULL);
	addr_show(tb[LB_A_PATH_LOCAL], "local", "local");
	addr_show(tb[LB_A_PATH_REMOTE], "remote", "remote");
	if (tb[LB_A_PATH_DEVICE])
		out_str("device", "dev", OUT_NAME,
			nl_str(tb[LB_A_PATH_DEVICE], name, sizeof(name)));
	number_show(tb[LB_A_PATH_ENTROPY], "entropy", "port");
	number_show(tb[LB_A_PATH_WEIGHT], "weight", opts.brief ? NULL : "weight");
	if (tb[LB_A_PATH_DENIED])
		out_onoff("denied", NULL, nl_uint(tb[LB_A_PATH_DENIED]));
	if (tb[LB_A_PATH_OLD_STATE]) {
		state_show("old_state", "", tb[LB_A_PATH_OLD_STATE]);
		out_word(OUT_PLAIN, "->");
	}
	state_show("state", tb[LB_A_PATH_OLD_STATE] ? "" : "state", tb[LB_A_PATH_STATE]);
	if (tb[LB_A_PATH_REASON]) {
		reason = nl_uint(tb[LB_A_PATH_REASON]);
		out_str("reason", reason == LB_PATH_REASON_NONE ? NULL : "reason", OUT_PLAIN,
			name_path_reason(reason));
	}
	if (tb[LB_A_PATH_AGE])
		out_age("age_ns", opts.brief ? NULL : "for", nl_uint(tb[LB_A_PATH_AGE]));
	number_show(tb[LB_A_PATH_MTU], "mtu", opts.details && !opts.brief ? "mtu" : NULL);
	if (opts.stats)
		counters_show(&path_counters, tb[LB_A_PATH_STATS]);
}

/**
 * path_get - ask for the paths of one device or of all
 * @dev: its name, NULL for all
 * @answer: takes the messages; the caller frees it
 *
 * Return: EX_OK or EX_REFUSED
 */
int path_get(const char *dev, struct nl_msgs *answer)
{
	struct nl_req req;

	nl_genl(&req, LB_CMD_PATH_GET, NLM_F_DUMP);
	if (dev)
		nl_put_str(&req, LB_A_PATH_IFNAME, dev);
	return nl_run(&req, answer);
}

static bool wanted(const struct path_info *p, u64 seen)
{
	if (seen & kw_bit(A_GROUP) && nl_uint(p->tb[LB_A_PATH_GROUP]) != want_group)
		return false;
	if (seen & kw_bit(A_STATE) && nl_uint(p->tb[LB_A_PATH_STATE]) != want_state)
		return false;
	return true;
}

/* DEV and keywords of a command about several paths; DEV may be left out */
static int take_filter(char **words, struct nl_req *req, const char **dev, u64 *seen)
{
	size_t i;
	int ret;

	*dev = NULL;
	*seen = 0;
	/* The first word is a device unless it is one of the keywords */
	for (i = 0; *words && i < ARRAY_SIZE(show_words); i++)
		if (!strcmp(*words, show_words[i].name))
			break;
	if (*words && i == ARRAY_SIZE(show_words)) {
		ret = cmd_device(&words, dev);
		if (ret)
			return ret;
		nl_put_str(req, LB_A_PATH_IFNAME, *dev);
	}
	return cmd_kw(words, show_words, ARRAY_SIZE(show_words), req, seen);
}

static int path_show(char **words)
{
	struct nl_msgs answer = {};
	const struct nlmsghdr *nlh;
	struct path_info p;
	struct nl_req req;
	const char *dev;
	u64 seen;
	int ret;

	nl_genl(&req, LB_CMD_PATH_GET, NLM_F_DUMP);
	ret = take_filter(words, &req, &dev, &seen);
	if (!ret && seen & kw_bit(LB_A_PATH_ID)) {
		if (!dev || !(seen & kw_bit(LB_A_PATH_PEER)))
			return cmd_bad("\"id\" needs a device and \"peer\" too");
		req.nlh.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	}
	if (ret)
		return ret;
	ret = nl_run(&req, &answer);
	if (!ret) {
		out_list();
		for (nlh = nl_next(&answer, NULL); nlh; nlh = nl_next(&answer, nlh)) {
			path_read(nlh, &p);
			if (!wanted(&p, seen))
				continue;
			out_obj();
			path_show_one(&p);
			out_obj_end();
		}
		out_list_end();
	}
	nl_free(&answer);
	return ret;
}

/* The words that name a group: all its paths have the same */
static const u16 group_key[] = {
	LB_A_PATH_PEER, LB_A_PATH_LOCAL, LB_A_PATH_REMOTE, LB_A_PATH_DEVICE,
};

static bool same(const struct nlattr *a, const struct nlattr *b)
{
	if (!a || !b)
		return a == b;
	return a->nla_len == b->nla_len && !memcmp(a, b, a->nla_len);
}

/* Delete the group of path @p, unless @last, deleted already, is of the same */
static int flush_group(const char *dev, const struct path_info *p, struct path_info *last)
{
	struct nl_req req;
	bool again = true;
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(group_key); i++)
		again = again && same(p->tb[group_key[i]], last->tb[group_key[i]]);
	if (again)
		return EX_OK;
	*last = *p;
	nl_genl(&req, LB_CMD_PATH_DEL, 0);
	nl_put_str(&req, LB_A_PATH_IFNAME, dev);
	for (i = 0; i < ARRAY_SIZE(group_key); i++) {
		const struct nlattr *a = p->tb[group_key[i]];

		if (a)
			nl_put(&req, group_key[i], mnl_attr_get_payload(a),
			       mnl_attr_get_payload_len(a));
	}
	/* The paths of a group need not follow each other */
	err = nl_do(&req, NULL);
	return err && err != -ENOENT ? nl_refused(err) : EX_OK;
}

static int path_flush(char **words)
{
	static const struct kw flush_words[] = { KW_PEER };
	struct nl_msgs answer = {};
	struct path_info p, last = {};
	const struct nlmsghdr *nlh;
	struct nl_req req;
	const char *dev;
	u64 seen;
	int ret;

	ret = cmd_device(&words, &dev);
	if (!ret && !dev)
		ret = cmd_bad("the name of a device is missing");
	if (ret)
		return ret;
	nl_genl(&req, LB_CMD_PATH_GET, NLM_F_DUMP);
	nl_put_str(&req, LB_A_PATH_IFNAME, dev);
	ret = cmd_kw(words, flush_words, ARRAY_SIZE(flush_words), &req, &seen);
	if (!ret)
		ret = nl_run(&req, &answer);
	for (nlh = nl_next(&answer, NULL); !ret && nlh; nlh = nl_next(&answer, nlh)) {
		path_read(nlh, &p);
		ret = flush_group(dev, &p, &last);
	}
	nl_free(&answer);
	return ret;
}

static const struct cmd cmds[] = {
	{ { "add" }, "DEV KEY [ port PORT ] [ entropy N ] [ weight N ]", path_add },
	{ { "replace" }, "DEV KEY [ port PORT ] [ entropy N ] [ weight N ]", path_replace },
	{ { "set", "change" },
	  "DEV KEY [ port PORT ] [ weight N ] [ state { denied | allowed } ]", path_set },
	{ { "del", "delete" }, "DEV KEY [ port PORT ]", path_del },
	{ { "flush" }, "DEV [ peer ADDR ]", path_flush },
	{ { "show", "list", "get" },
	  "[ DEV ] [ peer ADDR ] [ id ID ] [ group GROUP ] [ state STATE ]", path_show },
};

const struct object obj_path = {
	.name = "path",
	.doc = "the ways to a peer, by pairs of addresses",
	.cmds = cmds,
	.n_cmds = ARRAY_SIZE(cmds),
	.notes = "KEY := peer ADDR local ADDR remote ADDR [ dev MEMBER ]\n"
		 "DEV := [ dev ] NAME    STATE := { good | skip | bad | denied }\n"
		 "entropy N makes N paths of the pair, which differ in the UDP source port;\n"
		 "port PORT is the first one of these, or in set and del a single path.\n",
};
