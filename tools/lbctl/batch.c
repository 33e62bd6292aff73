// SPDX-License-Identifier: GPL-2.0
/* Commands from a file, one a line */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lbctl.h"
#include "out.h"

#define MAX_WORDS 256

/*
 * Read a line that may go on after a backslash at its end. Return: its length,
 * -1 at the end of the file. @number counts the lines read.
 */
static ssize_t get_line(FILE *f, char **line, size_t *room, unsigned long *number)
{
	static char *more;
	static size_t more_room;
	ssize_t len, add;

	len = getline(line, room, f);
	if (len < 0)
		return len;
	++*number;
	while (len >= 2 && !strcmp(*line + len - 2, "\\\n")) {
		add = getline(&more, &more_room, f);
		if (add < 0)
			break;
		++*number;
		if (*room < (size_t)(len + add + 1)) {
			char *p = realloc(*line, len + add + 1);

			if (!p)
				return -1;
			*line = p;
			*room = len + add + 1;
		}
		memcpy(*line + len - 2, more, add + 1);
		len += add - 2;
	}
	return len;
}

/*
 * Cut a line into words in place. Quotes of both kinds keep blanks in a word, a
 * word that begins with # ends the line. Return: number of words, -1 after an
 * error message.
 */
static int split(char *s, char **words)
{
	const char *const blank = " \t\r\n\v\f";
	int n = 0;

	for (;;) {
		char *to;

		s += strspn(s, blank);
		if (!*s || *s == '#')
			break;
		if (n == MAX_WORDS) {
			cmd_bad("more than %d words", MAX_WORDS);
			return -1;
		}
		words[n++] = s;
		to = s;
		while (*s && !strchr(blank, *s)) {
			char quote = *s;

			if (quote != '"' && quote != '\'') {
				*to++ = *s++;
				continue;
			}
			for (s++; *s && *s != quote; )
				*to++ = *s++;
			if (!*s) {
				cmd_bad("a quote is not closed");
				return -1;
			}
			s++;
		}
		if (*s)
			s++;
		*to = 0;
	}
	words[n] = NULL;
	return n;
}

/**
 * batch_run - do the commands of a file
 * @file: its name, "-" for standard input
 * @run: does one
 *
 * Return: exit status of the first command that failed
 */
int batch_run(const char *file, batch_fn run)
{
	char *words[MAX_WORDS + 1];
	unsigned long number = 0, first;
	char *line = NULL;
	int status = EX_OK;
	FILE *f = stdin;
	size_t room = 0;
	ssize_t len;

	if (strcmp(file, "-")) {
		f = fopen(file, "re");
		if (!f)
			return cmd_bad("cannot open \"%s\": %s", file, strerror(errno));
	}
	for (first = 1; (len = get_line(f, &line, &room, &number)) >= 0; first = number + 1) {
		int ret, n = -1;

		if (strlen(line) != (size_t)len)
			cmd_bad("there is a zero byte");
		else
			n = split(line, words);
		if (!n)
			continue;
		ret = n < 0 ? EX_WORDS : run(words);
		if (out_flush())
			ret = ret ? ret : EX_REFUSED;
		if (!ret)
			continue;
		fprintf(stderr, "Command failed %s:%lu\n", file, first);
		status = status ? status : ret;
		if (!opts.force)
			break;
	}
	if (ferror(f)) {
		cmd_bad("cannot read \"%s\": %s", file, strerror(errno));
		status = status ? status : EX_WORDS;
	}
	free(line);
	if (f != stdin)
		fclose(f);
	return status;
}
