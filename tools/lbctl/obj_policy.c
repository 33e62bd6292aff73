// SPDX-License-Identifier: GPL-2.0
/* lbctl policy: how the next path is chosen */
#include <libmnl/libmnl.h>
#include <linux/lb.h>
#include <string.h>

#include "cmd.h"
#include "lbctl.h"
#include "obj.h"
#include "out.h"

static int policy_set(char **words)
{
	struct nlattr *config;
	struct nl_req req;
	const char *dev;
	int ret;

	ret = cmd_device(&words, &dev);
	if (!ret && !dev)
		ret = cmd_bad("the name of a device is missing");
	if (!ret && !*words)
		ret = cmd_bad("the name of a policy is missing");
	if (!ret)
		ret = cmd_end(words + 1);
	if (ret)
		return ret;
	if (!**words || strlen(*words) > 15)
		return cmd_bad("policy: \"%s\" is not a name", *words);
	nl_genl(&req, LB_CMD_DEV_SET, 0);
	nl_put_str(&req, LB_A_DEV_IFNAME, dev);
	config = mnl_attr_nest_start(&req.nlh, LB_A_DEV_CONFIG);
	nl_put_str(&req, LB_A_CONFIG_POLICY, *words);
	mnl_attr_nest_end(&req.nlh, config);
	return nl_run(&req, NULL);
}

static int policy_show(char **words)
{
	const struct nlattr *tb[LB_A_DEV_MAX + 1], *config[LB_A_CONFIG_MAX + 1];
	struct nl_msgs answer = {};
	const struct nlmsghdr *nlh;
	const char *dev;
	char text[64];
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
			nl_nested(tb[LB_A_DEV_CONFIG], config, LB_A_CONFIG_MAX);
			out_obj();
			out_str("dev", "", OUT_NAME,
				nl_str(tb[LB_A_DEV_IFNAME], text, sizeof(text)));
			out_str("policy", "policy", OUT_PLAIN,
				nl_str(config[LB_A_CONFIG_POLICY], text, sizeof(text)));
			out_obj_end();
		}
		out_list_end();
	}
	nl_free(&answer);
	return ret;
}

static int policy_list(char **words)
{
	const struct nlattr *tb[LB_A_POLICY_MAX + 1];
	struct nl_msgs answer = {};
	const struct nlmsghdr *nlh;
	char name[32], doc[512];
	struct nl_req req;
	int ret;

	ret = cmd_end(words);
	if (ret)
		return ret;
	nl_genl(&req, LB_CMD_POLICY_GET, NLM_F_DUMP);
	ret = nl_run(&req, &answer);
	if (!ret) {
		out_list();
		for (nlh = nl_next(&answer, NULL); nlh; nlh = nl_next(&answer, nlh)) {
			nl_attrs(nlh, tb, LB_A_POLICY_MAX);
			out_obj();
			out_str("name", "", OUT_NAME,
				nl_str(tb[LB_A_POLICY_NAME], name, sizeof(name)));
			nl_str(tb[LB_A_POLICY_DOC], doc, sizeof(doc));
			if (!opts.json && *doc && !opts.brief)
				out_pad(12, strlen(name));
			out_str("doc", opts.brief || !*doc ? NULL : "", OUT_PLAIN, doc);
			out_obj_end();
		}
		out_list_end();
	}
	nl_free(&answer);
	return ret;
}

static const struct cmd cmds[] = {
	{ { "set", "change" }, "DEV POLICY", policy_set },
	{ { "show", "get" }, "[ DEV ]", policy_show },
	{ { "list" }, "", policy_list },
};

const struct object obj_policy = {
	.name = "policy",
	.doc = "how the next path is chosen",
	.cmds = cmds,
	.n_cmds = ARRAY_SIZE(cmds),
	.notes = "DEV := [ dev ] NAME    POLICY := a name of lbctl policy list\n",
};
