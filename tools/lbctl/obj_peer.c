// SPDX-License-Identifier: GPL-2.0
/* lbctl peer: the hosts at the other end */
#include <libmnl/libmnl.h>
#include <linux/lb.h>
#include <netinet/in.h>
#include <string.h>

#include "cmd.h"
#include "lbctl.h"
#include "names.h"
#include "obj.h"
#include "out.h"

static const struct kw key_words[] = {
	{ .name = "alias", .attr = LB_A_PEER_ALIAS, .type = KW_ADDR, .multi = true },
};

/* DEV [ addr ] ADDR, put into @req; @need: neither may be left out */
static int take_key(char ***words, struct nl_req *req, bool need, const char **dev,
		    bool *have_addr)
{
	u8 addr[16];
	char **w = *words;
	int ret;

	*dev = NULL;
	*have_addr = false;
	/* Without a device the first word may be the address */
	if (need || !*w || (!cmd_addr(*w, addr) && strcmp(*w, "addr"))) {
		ret = cmd_device(&w, dev);
		if (ret)
			return ret;
		if (!*dev && need)
			return cmd_bad("the name of a device is missing");
		if (*dev)
			nl_put_str(req, LB_A_PEER_IFNAME, *dev);
	}
	if (*w && !strcmp(*w, "addr") && !*++w)
		return cmd_bad("\"addr\" needs an address");
	if (!*w && need)
		return cmd_bad("the address of the peer is missing");
	if (*w) {
		if (!cmd_addr(*w, addr))
			return cmd_bad("peer: \"%s\" is not an address", *w);
		nl_put(req, LB_A_PEER_ADDR, addr, sizeof(addr));
		*have_addr = true;
		w++;
	}
	*words = w;
	return EX_OK;
}

static int change(char **words, u8 cmd, u16 flags)
{
	struct nl_req req;
	const char *dev;
	u64 seen;
	bool addr;
	int ret;

	nl_genl(&req, cmd, flags);
	ret = take_key(&words, &req, true, &dev, &addr);
	if (ret)
		return ret;
	if (cmd == LB_CMD_PEER_DEL)
		ret = cmd_end(words);
	else
		ret = cmd_kw(words, key_words, ARRAY_SIZE(key_words), &req, &seen);
	if (!ret && cmd == LB_CMD_PEER_SET && !seen)
		ret = cmd_bad("nothing to set");
	return ret ? ret : nl_run(&req, NULL);
}

static int peer_add(char **words)
{
	return change(words, LB_CMD_PEER_NEW, NLM_F_CREATE | NLM_F_EXCL);
}

static int peer_replace(char **words)
{
	return change(words, LB_CMD_PEER_NEW, NLM_F_CREATE | NLM_F_REPLACE);
}

static int peer_set(char **words)
{
	return change(words, LB_CMD_PEER_SET, 0);
}

static int peer_del(char **words)
{
	return change(words, LB_CMD_PEER_DEL, 0);
}

static void aliases_show(const struct nlmsghdr *nlh)
{
	char text[INET6_ADDRSTRLEN];
	const struct nlattr *a;
	size_t len;

	/* Events don't carry them */
	if (nl_cmd(nlh) == LB_CMD_PEER_NTF)
		return;
	out_sub("alias", '[');
	for (a = nl_first(nlh, &len); nl_whole(a, len); a = nl_attr_next(a, &len)) {
		if (mnl_attr_get_type(a) != LB_A_PEER_ALIAS)
			continue;
		if (opts.json)
			out_item(nl_addr(a, text, sizeof(text)));
		else
			out_str(NULL, "alias", OUT_ADDR, nl_addr(a, text, sizeof(text)));
	}
	out_sub_end(']');
}

/**
 * peer_show_one - show a peer
 * @nlh: message about it
 */
void peer_show_one(const struct nlmsghdr *nlh)
{
	const struct nlattr *tb[LB_A_PEER_MAX + 1];
	char name[IFNAMSIZ], addr[INET6_ADDRSTRLEN];
	const char *detail = opts.details ? "" : NULL;
	u32 state;

	nl_attrs(nlh, tb, LB_A_PEER_MAX);
	out_str("dev", "", OUT_NAME, nl_str(tb[LB_A_PEER_IFNAME], name, sizeof(name)));
	out_str("peer", "", OUT_ADDR, nl_addr(tb[LB_A_PEER_ADDR], addr, sizeof(addr)));
	aliases_show(nlh);
	if (tb[LB_A_PEER_STATE]) {
		state = nl_uint(tb[LB_A_PEER_STATE]);
		out_str("state", "state", state == LB_PEER_STATE_UP ? OUT_GOOD :
			state == LB_PEER_STATE_INIT ? OUT_WARN : OUT_BAD,
			name_peer_state(state));
	}
	if (tb[LB_A_PEER_AGE])
		out_age("age_ns", "for", nl_uint(tb[LB_A_PEER_AGE]));
	if (tb[LB_A_PEER_PATHS])
		out_u64("paths", "paths", nl_uint(tb[LB_A_PEER_PATHS]));
	if (tb[LB_A_PEER_PATHS_GOOD])
		out_u64("paths_good", "good", nl_uint(tb[LB_A_PEER_PATHS_GOOD]));
	if (detail)
		out_line();
	if (tb[LB_A_PEER_SESSION_TX])
		out_hex("session_tx", detail ? "session-tx" : NULL,
			nl_uint(tb[LB_A_PEER_SESSION_TX]));
	if (tb[LB_A_PEER_SESSION_RX])
		out_hex("session_rx", detail ? "session-rx" : NULL,
			nl_uint(tb[LB_A_PEER_SESSION_RX]));
	if (tb[LB_A_PEER_LANES_TX])
		out_u64("lanes_tx", detail ? "lanes-tx" : NULL,
			nl_uint(tb[LB_A_PEER_LANES_TX]));
	if (tb[LB_A_PEER_LANES_RX])
		out_u64("lanes_rx", detail ? "lanes-rx" : NULL,
			nl_uint(tb[LB_A_PEER_LANES_RX]));
	if (opts.stats)
		counters_show(&peer_counters, tb[LB_A_PEER_STATS]);
}

/**
 * peer_get - ask for the peers of one device or of all
 * @dev: its name, NULL for all
 * @answer: takes the messages; the caller frees it
 *
 * Return: EX_OK or EX_REFUSED
 */
int peer_get(const char *dev, struct nl_msgs *answer)
{
	struct nl_req req;

	nl_genl(&req, LB_CMD_PEER_GET, NLM_F_DUMP);
	if (dev)
		nl_put_str(&req, LB_A_PEER_IFNAME, dev);
	return nl_run(&req, answer);
}

static int peer_show(char **words)
{
	struct nl_msgs answer = {};
	const struct nlmsghdr *nlh;
	struct nl_req req;
	const char *dev;
	bool addr;
	int ret;

	nl_genl(&req, LB_CMD_PEER_GET, NLM_F_DUMP);
	ret = take_key(&words, &req, false, &dev, &addr);
	if (!ret)
		ret = cmd_end(words);
	if (ret)
		return ret;
	/* One that is named and isn't there is an error, not an empty list */
	if (dev && addr)
		req.nlh.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	ret = nl_run(&req, &answer);
	if (!ret) {
		out_list();
		for (nlh = nl_next(&answer, NULL); nlh; nlh = nl_next(&answer, nlh)) {
			out_obj();
			peer_show_one(nlh);
			out_obj_end();
		}
		out_list_end();
	}
	nl_free(&answer);
	return ret;
}

/* Delete the peers of a device one by one */
static int peer_flush(char **words)
{
	struct nl_msgs answer = {};
	const struct nlmsghdr *nlh;
	const char *dev;
	int ret;

	ret = cmd_device(&words, &dev);
	if (!ret && !dev)
		ret = cmd_bad("the name of a device is missing");
	if (!ret)
		ret = cmd_end(words);
	if (!ret)
		ret = peer_get(dev, &answer);
	for (nlh = nl_next(&answer, NULL); !ret && nlh; nlh = nl_next(&answer, nlh)) {
		const struct nlattr *tb[LB_A_PEER_MAX + 1];
		struct nl_req req;

		nl_attrs(nlh, tb, LB_A_PEER_MAX);
		if (!tb[LB_A_PEER_ADDR])
			continue;
		nl_genl(&req, LB_CMD_PEER_DEL, 0);
		nl_put_str(&req, LB_A_PEER_IFNAME, dev);
		nl_put(&req, LB_A_PEER_ADDR, mnl_attr_get_payload(tb[LB_A_PEER_ADDR]),
		       mnl_attr_get_payload_len(tb[LB_A_PEER_ADDR]));
		ret = nl_run(&req, NULL);
	}
	nl_free(&answer);
	return ret;
}

static const struct cmd cmds[] = {
	{ { "add" }, "DEV ADDR [ alias ADDR ]...", peer_add },
	{ { "replace" }, "DEV ADDR [ alias ADDR ]...", peer_replace },
	{ { "set", "change" }, "DEV ADDR alias ADDR ...", peer_set },
	{ { "del", "delete" }, "DEV ADDR", peer_del },
	{ { "flush" }, "DEV", peer_flush },
	{ { "show", "list", "get" }, "[ DEV ] [ ADDR ]", peer_show },
};

const struct object obj_peer = {
	.name = "peer",
	.doc = "the hosts at the other end",
	.cmds = cmds,
	.n_cmds = ARRAY_SIZE(cmds),
	.notes = "DEV := [ dev ] NAME    ADDR := [ addr ] overlay address, IPv4 or IPv6\n",
};
