// SPDX-License-Identifier: GPL-2.0
/* Text for people and JSON for programs, from the same calls */
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "lbctl.h"
#include "out.h"
#include "units.h"

static struct json js;
static bool fresh = true;	/* nothing on this line of text yet */

static const char *const colors[] = {
	[OUT_PLAIN] = "",
	[OUT_NAME] = "\033[36m",
	[OUT_ADDR] = "\033[35m",
	[OUT_GOOD] = "\033[32m",
	[OUT_WARN] = "\033[33m",
	[OUT_BAD] = "\033[1;31m",
};

/**
 * out_color - escape sequence that begins a colour
 * @color: which; OUT_PLAIN gives the one that ends it
 *
 * Return: the sequence, "" when text is not coloured
 */
const char *out_color(enum out_color color)
{
	if (!opts.color)
		return "";
	return color == OUT_PLAIN ? "\033[0m" : colors[color];
}

/**
 * out_puts - write a word of text, safe for a terminal
 * @color: its colour
 * @width: pad to this many columns; negative pads on the left
 * @str: the word; control characters are shown as \xNN
 */
void out_puts(enum out_color color, int width, const char *str)
{
	int want = width < 0 ? -width : width;
	int pad = want - (int)strlen(str);
	const char *s;

	if (pad > 0 && width < 0)
		printf("%*s", pad, "");
	if (color != OUT_PLAIN)
		fputs(out_color(color), stdout);
	for (s = str; *s; s++) {
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			printf("\\x%02x", (unsigned char)*s);
		else
			putchar(*s);
	}
	if (color != OUT_PLAIN)
		fputs(out_color(OUT_PLAIN), stdout);
	if (pad > 0 && width > 0)
		printf("%*s", pad, "");
}

/**
 * out_list - begin a list of objects
 */
void out_list(void)
{
	json_start(&js, stdout, opts.pretty);
	fresh = true;
	if (opts.json)
		json_open(&js, NULL, '[');
}

/**
 * out_list_end - end it
 */
void out_list_end(void)
{
	if (opts.json)
		json_close(&js, ']');
}

/**
 * out_lines - begin a stream of objects, one a line
 */
void out_lines(void)
{
	json_start(&js, stdout, false);
	fresh = true;
}

/**
 * out_obj - begin an object of the list
 */
void out_obj(void)
{
	if (opts.json)
		json_open(&js, NULL, '{');
}

/**
 * out_obj_end - end it; ends the line of text too
 */
void out_obj_end(void)
{
	if (opts.json) {
		json_close(&js, '}');
	} else if (!fresh) {
		putchar('\n');
		fresh = true;
	}
}

/**
 * out_sub - open an object or array inside an object; nothing in text
 * @key: its key
 * @bracket: '{' or '['
 */
void out_sub(const char *key, char bracket)
{
	if (opts.json)
		json_open(&js, key, bracket);
}

/**
 * out_sub_end - close it
 * @bracket: '}' or ']'
 */
void out_sub_end(char bracket)
{
	if (opts.json)
		json_close(&js, bracket);
}

/**
 * out_line - go on in a further, indented line of the same object
 */
void out_line(void)
{
	if (opts.json || fresh)
		return;
	fputs(opts.oneline ? "\\   " : "\n   ", stdout);
}

static bool lead(const char *label)
{
	if (opts.json || !label)
		return false;
	if (!fresh)
		putchar(' ');
	fresh = false;
	if (*label)
		printf("%s ", label);
	return true;
}

/**
 * out_word - a word that is in the text only
 * @color: its colour
 * @word: the word
 */
void out_word(enum out_color color, const char *word)
{
	if (lead(""))
		out_puts(color, 0, word);
}

/**
 * out_str - a string
 * @key: its key in JSON
 * @label: its label in text
 * @color: its colour in text
 * @val: the string
 */
void out_str(const char *key, const char *label, enum out_color color, const char *val)
{
	if (opts.json && key)
		json_str(&js, key, val);
	else if (lead(label))
		out_puts(color, 0, val);
}

/**
 * out_item - a string in an array of JSON; nothing in text
 * @val: the string
 */
void out_item(const char *val)
{
	if (opts.json)
		json_str(&js, NULL, val);
}

/**
 * out_pad - in text, fill up a column
 * @width: its width
 * @used: what is written of it
 */
void out_pad(unsigned int width, unsigned int used)
{
	if (!opts.json && used < width)
		printf("%*s", (int)(width - used), "");
}

/**
 * out_u64 - a number
 * @key: its key in JSON
 * @label: its label in text
 * @val: the number
 */
void out_u64(const char *key, const char *label, u64 val)
{
	if (opts.json && key)
		json_u64(&js, key, val);
	else if (lead(label))
		printf("%llu", val);
}

/**
 * out_hex - a number that people like in hexadecimal
 * @key: its key in JSON
 * @label: its label in text
 * @val: the number
 */
void out_hex(const char *key, const char *label, u64 val)
{
	if (opts.json && key)
		json_u64(&js, key, val);
	else if (lead(label))
		printf("0x%llx", val);
}

/**
 * out_onoff - a switch
 * @key: its key in JSON, where it is true or false
 * @label: its label in text, where it is on or off
 * @val: the switch
 */
void out_onoff(const char *key, const char *label, bool val)
{
	if (opts.json && key)
		json_bool(&js, key, val);
	else if (lead(label))
		fputs(val ? "on" : "off", stdout);
}

/**
 * out_time - a length of time
 * @key: its key in JSON, where it is in nanoseconds
 * @label: its label in text, where it has a unit
 * @ns: nanoseconds
 */
void out_time(const char *key, const char *label, u64 ns)
{
	char buf[UNITS_BUF];

	if (opts.json && key)
		json_u64(&js, key, ns);
	else if (lead(label))
		fputs(units_time_text(ns, 9, buf), stdout);
}

/**
 * out_age - how long something is so already
 * @key: its key in JSON, where it is in nanoseconds
 * @label: its label in text, where it is rounded
 * @ns: nanoseconds
 */
void out_age(const char *key, const char *label, u64 ns)
{
	char buf[UNITS_BUF];

	if (opts.json && key)
		json_u64(&js, key, ns);
	else if (lead(label))
		fputs(units_age_text(ns, buf), stdout);
}

/**
 * out_size - an amount of memory
 * @key: its key in JSON, where it is in bytes
 * @label: its label in text, where it has a unit
 * @bytes: bytes
 */
void out_size(const char *key, const char *label, u64 bytes)
{
	char buf[UNITS_BUF];

	if (opts.json && key)
		json_u64(&js, key, bytes);
	else if (lead(label))
		fputs(units_size_text(bytes, buf), stdout);
}

/**
 * out_flush - hand on what was written so far
 *
 * Return: EX_OK, or EX_REFUSED when it could not be written
 */
int out_flush(void)
{
	if (fflush(stdout) || ferror(stdout)) {
		perror("lbctl: standard output");
		clearerr(stdout);
		return EX_REFUSED;
	}
	return EX_OK;
}
