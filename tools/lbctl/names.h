/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBCTL_NAMES_H
#define LBCTL_NAMES_H

#include "common.h"

struct nlattr;

/**
 * struct counters - a nest of counters
 * @names: by attribute number, NULL where there is none
 * @max: highest number
 * @times: bits of those that are nanoseconds
 */
struct counters {
	const char *const *names;
	unsigned int max;
	u64 times;
};

extern const struct counters dev_counters;
extern const struct counters peer_counters;
extern const struct counters path_counters;

const char *name_peer_state(u32 val);
const char *name_path_state(u32 val);
const char *name_path_reason(u32 val);
const char *name_drop(u32 val);
int name_find_path_state(const char *name);

void counters_show(const struct counters *set, const struct nlattr *nest);

#endif /* LBCTL_NAMES_H */
