/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBCTL_CMD_H
#define LBCTL_CMD_H

#include <linux/if.h>

#include "common.h"
#include "nl.h"

struct object;

/**
 * struct cmd - a command of an object
 * @words: its names, the first one is the one that help shows
 * @usage: what follows the name
 * @run: does it; @words is what follows, ends with NULL
 */
struct cmd {
	const char *words[4];
	const char *usage;
	int (*run)(char **words);
};

/**
 * struct object - a first word
 * @name: the word
 * @doc: what it is, in a few words
 * @cmds: its commands, NULL if it takes none
 * @n_cmds: how many
 * @run: for an object without commands
 * @usage: for an object without commands, what follows the name
 * @notes: explains words of @usage, NULL or lines of text
 */
struct object {
	const char *name;
	const char *doc;
	const struct cmd *cmds;
	size_t n_cmds;
	int (*run)(char **words);
	const char *usage;
	const char *notes;
};

enum kw_type {
	KW_UINT,	/* a number */
	KW_HEX,		/* a number, shown in hexadecimal */
	KW_ONOFF,
	KW_TIME,	/* a number of units of kw.unit nanoseconds */
	KW_SIZE,	/* bytes */
	KW_STRING,
	KW_IFNAME,
	KW_ADDR,
	KW_DENIED,	/* the words denied and allowed */
	KW_STATE,	/* name of a path's state */
};

/**
 * struct kw - a keyword with its value, and the attribute it stands for
 * @name: the keyword
 * @type: how the value is written
 * @attr: attribute number, below 64
 * @size: bytes of a number: 1, 2 or 4
 * @multi: may be given again
 * @min: least number
 * @max: largest number, 0 for what @size holds
 * @unit: nanoseconds per unit of a KW_TIME
 * @store: where a number goes that is not for the kernel
 */
struct kw {
	const char *name;
	enum kw_type type;
	u16 attr;
	u8 size;
	bool multi;
	u64 min;
	u64 max;
	u64 unit;
	u64 *store;
};

int cmd_object(char **words);
int cmd_help(void);

bool cmd_prefix(const char *word, const char *full);
int cmd_choose(const char *word, const char *const *list, size_t n, const char *what);
int cmd_ifname(const char *word);
bool cmd_addr(const char *word, u8 addr[16]);
int cmd_number(const char *name, const char *word, u64 min, u64 max,
	       u64 *val);
int cmd_kw(char **words, const struct kw *kws, size_t n, struct nl_req *req, u64 *seen);
int cmd_need(const struct kw *kws, size_t n, u64 seen, u16 attr);
int cmd_device(char ***words, const char **name);
int cmd_end(char **words);
int cmd_bad(const char *fmt, ...) __attribute((format(printf, 1, 2)));

static inline u64 kw_bit(u16 attr)
{
	return 1ULL << attr;
}

#endif /* LBCTL_CMD_H */
