// SPDX-License-Identifier: GPL-2.0
/* lbctl dev: the devices and their settings */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "lbctl.h"
#include "names.h"
#include "obj.h"
#include "out.h"

#define KIND "lb"
#define FIRST_LINE 3	/* so many of the settings are shown on the first line */

static const struct kw settings[] = {
	{ .name = "policy", .attr = LB_A_CONFIG_POLICY, .type = KW_STRING, .max = 15 },
	{ .name = "port", .attr = LB_A_CONFIG_PORT, .type = KW_UINT, .size = 2, .min = 1 },
	{ .name = "lanes", .attr = LB_A_CONFIG_LANES, .type = KW_UINT, .size = 2,
	  .min = 1, .max = LB_LANES_MAX },
	{ .name = "early-rx", .attr = LB_A_CONFIG_EARLY_RX, .type = KW_ONOFF, .size = 1 },
	{ .name = "hold-min", .attr = LB_A_CONFIG_HOLD_MIN, .type = KW_TIME, .size = 4,
	  .unit = 1000, .max = 10000000 },
	{ .name = "hold-max", .attr = LB_A_CONFIG_HOLD_MAX, .type = KW_TIME, .size = 4,
	  .unit = 1000, .max = 10000000 },
	{ .name = "hold-memory", .attr = LB_A_CONFIG_HOLD_MEMORY, .type = KW_SIZE, .size = 4,
	  .min = 65536, .max = 1073741824 },
	{ .name = "fwmark", .attr = LB_A_CONFIG_FWMARK, .type = KW_HEX, .size = 4 },
	{ .name = "csum", .attr = LB_A_CONFIG_CSUM, .type = KW_ONOFF, .size = 1 },
	{ .name = "ttl", .attr = LB_A_CONFIG_TTL, .type = KW_UINT, .size = 1, .min = 1 },
	{ .name = "probe-interval", .attr = LB_A_CONFIG_PROBE_INTERVAL, .type = KW_TIME,
	  .size = 4, .unit = 1000000, .max = 60000 },
	{ .name = "seq-start", .attr = LB_A_CONFIG_SEQ_START, .type = KW_UINT, .size = 4 },
};

static int take_name(char ***words, const char **name)
{
	int ret = cmd_device(words, name);

	if (!ret && !*name)
		return cmd_bad("the name of a device is missing");
	return ret;
}

/*
 * What rtnetlink says to an unknown kind is no help, unless the module is there
 * and it was the module that said it.
 */
static int add_refused(const char *name, int err)
{
	int missing;

	if (err == -EEXIST) {
		fprintf(stderr, "Error: lb: there is a device %s already.\n", name);
		return EX_REFUSED;
	}
	if (err != -EOPNOTSUPP)
		return nl_refused(err);
	missing = nl_loaded();
	return nl_refused(missing ? missing : err);
}

static int dev_add(char **words)
{
	struct nlattr *info, *data;
	struct ifinfomsg *ifi;
	struct nl_req req;
	const char *name;
	u64 seen;
	int ret;

	ret = take_name(&words, &name);
	if (ret)
		return ret;
	nl_route(&req, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
	ifi = nl_extra(&req, sizeof(*ifi));
	ifi->ifi_family = AF_UNSPEC;
	nl_put_str(&req, IFLA_IFNAME, name);
	info = mnl_attr_nest_start(&req.nlh, IFLA_LINKINFO);
	nl_put_str(&req, IFLA_INFO_KIND, KIND);
	data = mnl_attr_nest_start(&req.nlh, IFLA_INFO_DATA);
	ret = cmd_kw(words, settings, ARRAY_SIZE(settings), &req, &seen);
	if (ret)
		return ret;
	mnl_attr_nest_end(&req.nlh, data);
	mnl_attr_nest_end(&req.nlh, info);
	ret = nl_do(&req, NULL);
	return ret ? add_refused(name, ret) : EX_OK;
}

/* Find the device by name, and make sure that it is one of ours */
static int find_link(const char *name, int *ifindex)
{
	const struct nlattr *tb[IFLA_MAX + 1], *info[IFLA_INFO_MAX + 1];
	struct nl_msgs answer = {};
	const struct nlmsghdr *nlh;
	struct nl_req req;
	char kind[32] = "";
	int ret;

	nl_route(&req, RTM_GETLINK, 0);
	nl_extra(&req, sizeof(struct ifinfomsg));
	nl_put_str(&req, IFLA_IFNAME, name);
	ret = nl_do(&req, &answer);
	if (ret == -ENODEV) {
		fprintf(stderr, "Error: lb: there is no device %s.\n", name);
		ret = EX_REFUSED;
	} else if (ret) {
		ret = nl_refused(ret);
	}
	nlh = nl_next(&answer, NULL);
	if (!ret && nlh) {
		*ifindex = nl_link(nlh, tb, IFLA_MAX);
		nl_nested(tb[IFLA_LINKINFO], info, IFLA_INFO_MAX);
		nl_str(info[IFLA_INFO_KIND], kind, sizeof(kind));
	}
	nl_free(&answer);
	if (!ret && strcmp(kind, KIND)) {
		fprintf(stderr, "Error: lb: %s is not an lb device.\n", name);
		ret = EX_REFUSED;
	}
	return ret;
}

static int dev_del(char **words)
{
	struct ifinfomsg *ifi;
	struct nl_req req;
	const char *name;
	int ret, ifindex = 0;

	ret = take_name(&words, &name);
	if (!ret)
		ret = cmd_end(words);
	if (!ret)
		ret = find_link(name, &ifindex);
	if (ret)
		return ret;
	/* By number: the name may mean another device by now */
	nl_route(&req, RTM_DELLINK, 0);
	ifi = nl_extra(&req, sizeof(*ifi));
	ifi->ifi_index = ifindex;
	return nl_run(&req, NULL);
}

static int dev_set(char **words)
{
	struct nlattr *config;
	struct nl_req req;
	const char *name;
	u64 seen;
	int ret;

	ret = take_name(&words, &name);
	if (ret)
		return ret;
	if (!*words)
		return cmd_bad("nothing to set");
	nl_genl(&req, LB_CMD_DEV_SET, 0);
	nl_put_str(&req, LB_A_DEV_IFNAME, name);
	config = mnl_attr_nest_start(&req.nlh, LB_A_DEV_CONFIG);
	ret = cmd_kw(words, settings, ARRAY_SIZE(settings), &req, &seen);
	if (ret)
		return ret;
	mnl_attr_nest_end(&req.nlh, config);
	return nl_run(&req, NULL);
}

static void setting_show(const struct kw *k, const struct nlattr *a)
{
	char key[32], text[64], *c;
	u64 val = nl_uint(a);

	snprintf(key, sizeof(key), "%s%s", k->name, k->type == KW_TIME ? "_ns" : "");
	for (c = key; *c; c++)
		if (*c == '-')
			*c = '_';
	switch (k->type) {
	case KW_STRING:
		out_str(key, k->name, OUT_PLAIN, nl_str(a, text, sizeof(text)));
		break;
	case KW_ONOFF:
		out_onoff(key, k->name, val);
		break;
	case KW_TIME:
		out_time(key, k->name, val * k->unit);
		break;
	case KW_SIZE:
		out_size(key, k->name, val);
		break;
	case KW_HEX:
		out_hex(key, k->name, val);
		break;
	default:
		out_u64(key, k->name, val);
	}
}

static void number_show(const struct nlattr *a, const char *key, const char *label)
{
	if (a)
		out_u64(key, label, nl_uint(a));
}

/**
 * dev_drops_show - show what a device dropped, by reason
 * @nlh: message about the device
 * @zeros: in text, also reasons that never occurred
 */
void dev_drops_show(const struct nlmsghdr *nlh, bool zeros)
{
	const struct nlattr *tb[LB_A_DROP_COUNT_MAX + 1], *a;
	unsigned int shown = 0;
	size_t len;

	out_sub("drops", '{');
	for (a = nl_first(nlh, &len); nl_whole(a, len); a = nl_attr_next(a, &len)) {
		const char *name;
		u64 n;

		if (mnl_attr_get_type(a) != LB_A_DEV_DROP)
			continue;
		nl_nested(a, tb, LB_A_DROP_COUNT_MAX);
		n = nl_uint(tb[LB_A_DROP_COUNT_PACKETS]);
		if (!n && !zeros && !opts.json)
			continue;
		if (shown++ % 4 == 0) {
			out_line();
			out_word(OUT_PLAIN, "drops");
		}
		name = name_drop(nl_uint(tb[LB_A_DROP_COUNT_REASON]));
		out_u64(name, name, n);
	}
	out_sub_end('}');
}

/**
 * dev_show_one - show a device
 * @nlh: message about it
 */
void dev_show_one(const struct nlmsghdr *nlh)
{
	const struct nlattr *tb[LB_A_DEV_MAX + 1], *config[LB_A_CONFIG_MAX + 1];
	char name[IFNAMSIZ];
	size_t i;

	nl_attrs(nlh, tb, LB_A_DEV_MAX);
	nl_nested(tb[LB_A_DEV_CONFIG], config, LB_A_CONFIG_MAX);
	out_str("dev", "", OUT_NAME, nl_str(tb[LB_A_DEV_IFNAME], name, sizeof(name)));
	number_show(tb[LB_A_DEV_IFINDEX], "ifindex", opts.details ? "ifindex" : NULL);
	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		if (i == FIRST_LINE && !opts.brief)
			out_line();
		if (config[settings[i].attr] && (i < FIRST_LINE || opts.json || !opts.brief))
			setting_show(&settings[i], config[settings[i].attr]);
	}
	if (!opts.brief)
		out_line();
	number_show(tb[LB_A_DEV_PEERS], "peers", "peers");
	number_show(tb[LB_A_DEV_PATHS], "paths", "paths");
	number_show(tb[LB_A_DEV_MAX_MTU], "max_mtu", "max-mtu");
	number_show(tb[LB_A_DEV_RX_QUEUES], "rx_queues", opts.details ? "rx-queues" : NULL);
	if (opts.stats) {
		counters_show(&dev_counters, tb[LB_A_DEV_STATS]);
		dev_drops_show(nlh, opts.details || opts.stats > 1);
	}
}

/**
 * dev_get - ask for one device or all
 * @name: its name, NULL for all
 * @answer: takes the messages; the caller frees it
 *
 * Return: EX_OK or EX_REFUSED
 */
int dev_get(const char *name, struct nl_msgs *answer)
{
	struct nl_req req;

	nl_genl(&req, LB_CMD_DEV_GET, name ? 0 : NLM_F_DUMP);
	if (name)
		nl_put_str(&req, LB_A_DEV_IFNAME, name);
	return nl_run(&req, answer);
}

static int dev_show(char **words)
{
	struct nl_msgs answer = {};
	const struct nlmsghdr *nlh;
	const char *name;
	int ret;

	ret = cmd_device(&words, &name);
	if (!ret)
		ret = cmd_end(words);
	if (!ret)
		ret = dev_get(name, &answer);
	if (!ret) {
		out_list();
		for (nlh = nl_next(&answer, NULL); nlh; nlh = nl_next(&answer, nlh)) {
			out_obj();
			dev_show_one(nlh);
			out_obj_end();
		}
		out_list_end();
	}
	nl_free(&answer);
	return ret;
}

static const struct cmd cmds[] = {
	{ { "add" }, "DEV [ SETTINGS ]", dev_add },
	{ { "del", "delete" }, "DEV", dev_del },
	{ { "set", "change" }, "DEV SETTINGS", dev_set },
	{ { "show", "list", "get" }, "[ DEV ]", dev_show },
};

const struct object obj_dev = {
	.name = "dev",
	.doc = "devices and their settings",
	.cmds = cmds,
	.n_cmds = ARRAY_SIZE(cmds),
	.notes = "SETTINGS := [ port PORT ] [ policy NAME ] [ lanes N ] [ early-rx { on | off } ]\n"
		 "            [ hold-min TIME ] [ hold-max TIME ] [ hold-memory SIZE ]\n"
		 "            [ fwmark MARK ] [ csum { on | off } ] [ ttl N ]\n"
		 "            [ probe-interval TIME ] [ seq-start N ]\n"
		 "DEV := [ dev ] NAME    TIME := 50us, 20ms, 1s ...    SIZE := 800kb, 16mb ...\n",
};
