/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBCTL_H
#define LBCTL_H

#include "common.h"

/* Exit status, as of ip(8) */
#define EX_OK		0
#define EX_WORDS	1	/* something is wrong with the command line */
#define EX_REFUSED	2	/* the kernel said no */

/**
 * struct lbctl_opts - the options before the object
 * @json: -j
 * @pretty: -p
 * @details: -d
 * @oneline: -o
 * @brief: -br
 * @timestamp: -t
 * @force: -force, goes on after a failed line of a batch
 * @color: whether text is coloured
 * @stats: how often -s was given
 */
struct lbctl_opts {
	bool json;
	bool pretty;
	bool details;
	bool oneline;
	bool brief;
	bool timestamp;
	bool force;
	bool color;
	unsigned int stats;
};

extern struct lbctl_opts opts;

struct object;

extern const struct object obj_dev;
extern const struct object obj_peer;
extern const struct object obj_path;
extern const struct object obj_policy;
extern const struct object obj_stats;
extern const struct object obj_monitor;
extern const struct object obj_show;
extern const struct object obj_top;

/* batch.c */
typedef int (*batch_fn)(char **words);
int batch_run(const char *file, batch_fn run);

#endif /* LBCTL_H */
