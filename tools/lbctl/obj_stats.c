// SPDX-License-Identifier: GPL-2.0
/* lbctl stats: the counters of a device, and why packets were dropped */
#include <linux/lb.h>

#include "cmd.h"
#include "lbctl.h"
#include "names.h"
#include "obj.h"
#include "out.h"

static int stats_show(char **words)
{
	const struct nlattr *tb[LB_A_DEV_MAX + 1];
	struct nl_msgs answer = {};
	const struct nlmsghdr *nlh;
	char name[IFNAMSIZ];
	const char *dev;
	int ret;

	ret = cmd_device(&words, &dev);
	if (!ret)
		ret = cmd_end(words);
	if (!ret)
		ret = dev_get(dev, &answer);
	if (!ret) {
		out_list();
		for (nlh = nl_next(&answer, NULL); nlh; nlh = nl_next(&answer, nlh)) {
			nl_attrs(nlh, tb, LB_A_DEV_MAX);
			out_obj();
			out_str("dev", "", OUT_NAME,
				nl_str(tb[LB_A_DEV_IFNAME], name, sizeof(name)));
			counters_show(&dev_counters, tb[LB_A_DEV_STATS]);
			dev_drops_show(nlh, opts.details);
			out_obj_end();
		}
		out_list_end();
	}
	nl_free(&answer);
	return ret;
}

static int stats_reset(char **words)
{
	struct nl_req req;
	const char *dev;
	int ret;

	ret = cmd_device(&words, &dev);
	if (!ret && !dev)
		ret = cmd_bad("the name of a device is missing");
	if (!ret)
		ret = cmd_end(words);
	if (ret)
		return ret;
	nl_genl(&req, LB_CMD_STATS_RESET, 0);
	nl_put_str(&req, LB_A_DEV_IFNAME, dev);
	return nl_run(&req, NULL);
}

static const struct cmd cmds[] = {
	{ { "show", "list", "get" }, "[ DEV ]", stats_show },
	{ { "reset" }, "DEV", stats_reset },
};

const struct object obj_stats = {
	.name = "stats",
	.doc = "counters of a device, and why packets were dropped",
	.cmds = cmds,
	.n_cmds = ARRAY_SIZE(cmds),
	.notes = "DEV := [ dev ] NAME    reset sets those of its peers and paths to zero too\n",
};
