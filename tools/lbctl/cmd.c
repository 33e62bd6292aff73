// SPDX-License-Identifier: GPL-2.0
/* Words of the command line: objects, commands, help */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "lbctl.h"

static const struct object *const objects[] = {
	&obj_dev, &obj_peer, &obj_path, &obj_policy, &obj_stats, &obj_monitor,
	&obj_show, &obj_top,
};

/**
 * cmd_bad - say what is wrong with the command line
 * @fmt: as of printf(), without the full stop
 *
 * Return: EX_WORDS
 */
int cmd_bad(const char *fmt, ...)
{
	va_list ap;

	fputs("Error: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputs(".\n", stderr);
	return EX_WORDS;
}

/**
 * cmd_prefix - whether a word begins a longer one
 * @word: the word, not empty
 * @full: the longer one
 *
 * Return: true if so
 */
bool cmd_prefix(const char *word, const char *full)
{
	return *word && !strncmp(word, full, strlen(word));
}

/* The names in @list that @word begins, or all for NULL, into @buf */
static void names_text(const char *word, const char *const *list, size_t n, char *buf,
		       size_t size)
{
	size_t i, len = 0;

	buf[0] = 0;
	for (i = 0; i < n && len < size; i++)
		if (list[i] && (!word || cmd_prefix(word, list[i])))
			len += snprintf(buf + len, size - len, "%s%s", len ? ", " : "", list[i]);
}

/**
 * cmd_choose - find a word, or the only one that a word begins
 * @word: what the user wrote
 * @list: the words there are; holes are NULL
 * @n: how many
 * @what: what they are, for the error message
 *
 * Return: the index; -1 after an error message
 */
int cmd_choose(const char *word, const char *const *list, size_t n, const char *what)
{
	char names[512];
	int found = -1;
	size_t i, hits = 0;

	for (i = 0; i < n; i++) {
		if (!list[i] || !cmd_prefix(word, list[i]))
			continue;
		found = i;
		hits++;
		if (!strcmp(word, list[i]))
			return i;
	}
	if (hits == 1)
		return found;
	names_text(hits ? word : NULL, list, n, names, sizeof(names));
	if (hits)
		cmd_bad("%s \"%s\" is ambiguous: %s", what, word, names);
	else
		cmd_bad("%s \"%s\" is not known, there are: %s", what, word, names);
	return -1;
}

/**
 * cmd_end - check that no word is left
 * @words: what is left
 *
 * Return: EX_OK or EX_WORDS
 */
int cmd_end(char **words)
{
	if (*words)
		return cmd_bad("\"%s\" is one word too many", *words);
	return EX_OK;
}

static bool is_help(const char *word)
{
	return word && (!strcmp(word, "help") || !strcmp(word, "-h") ||
			!strcmp(word, "-help") || !strcmp(word, "--help"));
}

static void usage_line(const struct object *o, const struct cmd *c, bool first)
{
	const char *usage = c ? c->usage : o->usage;

	printf("%s lbctl [ OPTIONS ] %s%s%s%s%s\n", first ? "Usage:" : "      ", o->name,
	       c ? " " : "", c ? c->words[0] : "", *usage ? " " : "", usage);
}

static int object_help(const struct object *o, const struct cmd *only)
{
	size_t i;

	if (!o->cmds || only)
		usage_line(o, only, true);
	for (i = 0; !only && i < o->n_cmds; i++)
		usage_line(o, &o->cmds[i], !i);
	if (o->notes)
		printf("%s", o->notes);
	return EX_OK;
}

/**
 * cmd_help - print what there is
 *
 * Return: EX_OK
 */
int cmd_help(void)
{
	size_t i;

	fputs("Usage: lbctl [ OPTIONS ] OBJECT { COMMAND | help }\n"
	      "       lbctl [ OPTIONS ] [ -force ] -b FILE\n"
	      "OBJECT:\n", stdout);
	for (i = 0; i < ARRAY_SIZE(objects); i++)
		printf("       %-8s %s\n", objects[i]->name, objects[i]->doc);
	fputs("OPTIONS:\n"
	      "       -j[son]      JSON             -p[retty]    JSON with lines and indentation\n"
	      "       -s[tats]     counters         -d[etails]   more about each\n"
	      "       -o[neline]   one line each    -br[ief]     less about each\n"
	      "       -t[imestamp] time of events   -c[olor]     colours [={always|auto|never}]\n"
	      "       -n[etns] NETNS                -b[atch] FILE, - for standard input\n"
	      "       -force       go on after a batch line that failed\n"
	      "       -V[ersion]   -h[elp]\n", stdout);
	return EX_OK;
}

static const struct cmd *find_cmd(const struct object *o, const char *word)
{
	const struct cmd *found = NULL;
	const char *names[16] = {};
	size_t i, w, hits = 0;

	for (i = 0; i < o->n_cmds && i < ARRAY_SIZE(names); i++) {
		bool hit = false;

		for (w = 0; w < ARRAY_SIZE(o->cmds[i].words) && o->cmds[i].words[w]; w++) {
			if (!strcmp(word, o->cmds[i].words[w]))
				return &o->cmds[i];
			if (!hit && cmd_prefix(word, o->cmds[i].words[w])) {
				hit = true;
				names[hits++] = o->cmds[i].words[w];
				found = &o->cmds[i];
			}
		}
	}
	if (hits == 1)
		return found;
	if (!hits)
		for (i = 0; i < o->n_cmds && i < ARRAY_SIZE(names); i++)
			names[hits++] = o->cmds[i].words[0];
	cmd_choose(word, names, hits, "command");
	return NULL;
}

static int find_object(const char *word)
{
	const char *names[ARRAY_SIZE(objects)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(objects); i++)
		names[i] = objects[i]->name;
	return cmd_choose(word, names, ARRAY_SIZE(objects), "object");
}

/**
 * cmd_object - do one command
 * @words: object, command and so on, ends with NULL
 *
 * Return: exit status
 */
int cmd_object(char **words)
{
	const struct object *o = &obj_show;
	const struct cmd *c = NULL;
	int i;

	if (*words) {
		if (is_help(*words) && !words[1])
			return cmd_help();
		if (is_help(*words)) {
			i = find_object(words[1]);
			return i < 0 ? EX_WORDS : object_help(objects[i], NULL);
		}
		if (**words == '-')
			return cmd_bad("option \"%s\" goes before the object", *words);
		i = find_object(*words);
		if (i < 0)
			return EX_WORDS;
		o = objects[i];
		words++;
	}
	if (is_help(*words))
		return object_help(o, NULL);
	if (!o->cmds)
		return o->run(words);

	if (*words) {
		c = find_cmd(o, *words);
		if (!c)
			return EX_WORDS;
		words++;
		if (is_help(*words) && !words[1])
			return object_help(o, c);
		return c->run(words);
	}
	for (i = 0; i < (int)o->n_cmds; i++)
		if (!strcmp(o->cmds[i].words[0], "show"))
			c = &o->cmds[i];
	return c->run(words);
}
