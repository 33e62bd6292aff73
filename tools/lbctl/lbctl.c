// SPDX-License-Identifier: GPL-2.0
/* lbctl: configures and shows lb, packet spraying for Linux hosts */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "lbctl.h"
#include "nl.h"
#include "out.h"

#ifndef LB_VERSION
#define LB_VERSION "0.1"
#endif

#define NETNS_DIR "/var/run/netns/"

struct lbctl_opts opts;

/* Options that only set something; those with a value are in option() */
struct flag {
	const char *words[5];
	bool *set;
	unsigned int *count;
};

static const struct flag flags[] = {
	{ { "j", "json" }, .set = &opts.json },
	{ { "p", "pretty" }, .set = &opts.pretty },
	{ { "s", "stats", "statistics" }, .count = &opts.stats },
	{ { "d", "details" }, .set = &opts.details },
	{ { "o", "oneline" }, .set = &opts.oneline },
	{ { "br", "brief" }, .set = &opts.brief },
	{ { "t", "ts", "timestamp" }, .set = &opts.timestamp },
	{ { "force" }, .set = &opts.force },
};

static int enter_netns(const char *name)
{
	char path[sizeof(NETNS_DIR) + 256];
	int fd, ret = EX_OK;

	if (!*name || strlen(name) > 255 || strchr(name, '/') || !strcmp(name, ".") ||
	    !strcmp(name, ".."))
		return cmd_bad("\"%s\" is not a name of a network namespace", name);
	snprintf(path, sizeof(path), NETNS_DIR "%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return cmd_bad("cannot open network namespace \"%s\": %s", name,
			       strerror(errno));
	if (setns(fd, CLONE_NEWNET) < 0) {
		fprintf(stderr, "Error: cannot enter network namespace \"%s\": %s.\n", name,
			strerror(errno));
		ret = EX_REFUSED;
	}
	close(fd);
	return ret;
}

static int set_color(const char *when)
{
	if (!*when || !strcmp(when, "=always"))
		opts.color = true;
	else if (!strcmp(when, "=auto"))
		opts.color = isatty(STDOUT_FILENO);
	else if (!strcmp(when, "=never"))
		opts.color = false;
	else
		return cmd_bad("color: \"%s\" is not always, auto or never", when + 1);
	return EX_OK;
}

static bool set_flag(const char *word)
{
	size_t i, w;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		for (w = 0; w < ARRAY_SIZE(flags[i].words) && flags[i].words[w]; w++) {
			if (strcmp(word, flags[i].words[w]))
				continue;
			if (flags[i].set)
				*flags[i].set = true;
			else
				++*flags[i].count;
			return true;
		}
	}
	return false;
}

static bool is_one(const char *word, const char *brief, const char *full)
{
	return !strcmp(word, brief) || !strcmp(word, full);
}

/*
 * Read the options at the beginning of @words. Return: how many words they are;
 * -1 when the program is to end with *@status.
 */
static int read_options(char **words, const char **batch, const char **netns, int *status)
{
	char **w;

	for (w = words; *w && **w == '-' && (*w)[1]; w++) {
		const char *word = *w + 1;

		if (*word == '-')
			word++;
		if (!*word) {
			w++;
			break;
		}
		if (set_flag(word))
			continue;
		*status = EX_OK;
		if (is_one(word, "h", "help")) {
			cmd_help();
			return -1;
		} else if (is_one(word, "V", "Version") || !strcmp(word, "version")) {
			puts("lbctl " LB_VERSION);
			return -1;
		} else if (is_one(word, "b", "batch") || is_one(word, "n", "netns")) {
			if (!w[1]) {
				*status = cmd_bad("option \"%s\" needs a value", *w);
				return -1;
			}
			*(*word == 'b' ? batch : netns) = *++w;
		} else if (*word == 'c' && strcspn(word, "=") <= 5 &&
			   !strncmp(word, "color", strcspn(word, "="))) {
			*status = set_color(word + strcspn(word, "="));
			if (*status)
				return -1;
		} else {
			*status = cmd_bad("option \"%s\" is not known, try: lbctl -h", *w);
			return -1;
		}
	}
	return w - words;
}

int main(int argc, char **argv)
{
	const char *batch = NULL, *netns = NULL;
	char **words = argv + (argc > 0);
	int status = EX_OK, n;

	n = read_options(words, &batch, &netns, &status);
	if (n >= 0) {
		words += n;
		if (opts.json)
			opts.color = false;
		if (batch && *words)
			status = cmd_bad("\"%s\" is one word too many beside a batch", *words);
		if (!status && netns)
			status = enter_netns(netns);
		if (!status && batch)
			status = batch_run(batch, cmd_object);
		else if (!status)
			status = cmd_object(words);
	}
	nl_close();
	n = out_flush();
	return status ? status : n;
}
