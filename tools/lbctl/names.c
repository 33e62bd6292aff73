// SPDX-License-Identifier: GPL-2.0
/* Names of states, reasons and counters, from the interface's own tables */
#include <lb/names.h>
#include <stdio.h>

#include "cmd.h"
#include "lbctl.h"
#include "names.h"
#include "nl.h"
#include "out.h"

#define NAME(val, name) \
	[val] = name,

static const char *const peer_states[] = { LB_PEER_STATE_NAMES(NAME) };
static const char *const path_states[] = { LB_PATH_STATE_NAMES(NAME) };
static const char *const path_reasons[] = { LB_PATH_REASON_NAMES(NAME) };
static const char *const drops[] = { LB_DROP_NAMES(NAME) };
static const char *const dev_stats[] = { LB_DEV_STATS_NAMES(NAME) };
static const char *const peer_stats[] = { LB_PEER_STATS_NAMES(NAME) };
static const char *const path_stats[] = { LB_PATH_STATS_NAMES(NAME) };

const struct counters dev_counters = {
	.names = dev_stats,
	.max = ARRAY_SIZE(dev_stats) - 1,
};

const struct counters peer_counters = {
	.names = peer_stats,
	.max = ARRAY_SIZE(peer_stats) - 1,
	.times = 1ULL << LB_A_PEER_STATS_HOLD_LONGEST,
};

const struct counters path_counters = {
	.names = path_stats,
	.max = ARRAY_SIZE(path_stats) - 1,
	.times = 1ULL << LB_A_PATH_STATS_RTT | 1ULL << LB_A_PATH_STATS_RTT_MIN |
		 1ULL << LB_A_PATH_STATS_RTT_MEAN,
};

/* A later kernel may say more than this program knows */
static const char *name_of(const char *const *names, size_t n, u32 val)
{
	static char unknown[16];

	if (val < n && names[val])
		return names[val];
	snprintf(unknown, sizeof(unknown), "%u", val);
	return unknown;
}

/**
 * name_peer_state - name of a peer's state
 * @val: LB_PEER_STATE_*
 *
 * Return: the name, the number as text if it has none
 */
const char *name_peer_state(u32 val)
{
	return name_of(peer_states, ARRAY_SIZE(peer_states), val);
}

/**
 * name_path_state - name of a path's state
 * @val: LB_PATH_STATE_*
 *
 * Return: the name, the number as text if it has none
 */
const char *name_path_state(u32 val)
{
	return name_of(path_states, ARRAY_SIZE(path_states), val);
}

/**
 * name_path_reason - name of the reason of a path's state
 * @val: LB_PATH_REASON_*
 *
 * Return: the name, the number as text if it has none
 */
const char *name_path_reason(u32 val)
{
	return name_of(path_reasons, ARRAY_SIZE(path_reasons), val);
}

/**
 * name_drop - name of the reason of a drop
 * @val: LB_DROP_*
 *
 * Return: the name, the number as text if it has none
 */
const char *name_drop(u32 val)
{
	return name_of(drops, ARRAY_SIZE(drops), val);
}

/**
 * name_find_path_state - number of a path's state
 * @name: its name, or a beginning of it that is unique
 *
 * Return: LB_PATH_STATE_*; -1 after an error message
 */
int name_find_path_state(const char *name)
{
	return cmd_choose(name, path_states, ARRAY_SIZE(path_states), "state");
}

/**
 * counters_show - show a nest of counters
 * @set: what they are
 * @nest: the nest, or NULL
 */
void counters_show(const struct counters *set, const struct nlattr *nest)
{
	const struct nlattr *tb[64];
	unsigned int i, shown = 0;
	char key[48], label[48], *c;

	nl_nested(nest, tb, set->max);
	for (i = 0; i <= set->max; i++) {
		if (!tb[i] || !set->names[i])
			continue;
		if (shown++ % 6 == 0)
			out_line();
		snprintf(label, sizeof(label), "%s", set->names[i]);
		for (c = label; *c; c++)
			if (*c == '_')
				*c = '-';
		if (set->times & 1ULL << i) {
			snprintf(key, sizeof(key), "%s_ns", set->names[i]);
			out_time(key, label, nl_uint(tb[i]));
		} else {
			out_u64(set->names[i], label, nl_uint(tb[i]));
		}
	}
}
