// SPDX-License-Identifier: GPL-2.0
/* A JSON writer: valid whatever the strings hold */
#include <string.h>

#include "json.h"

/* Length of the UTF-8 character at @s, 0 if there is none */
static unsigned int utf8_len(const unsigned char *s)
{
	unsigned int len, i;
	u32 c;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		len = 2;
	else if ((s[0] & 0xf0) == 0xe0)
		len = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		len = 4;
	else
		return 0;

	c = s[0] & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (len == 3 && (c < 0x800 || (c >= 0xd800 && c <= 0xdfff)))
		return 0;
	if (len == 4 && (c < 0x10000 || c > 0x10ffff))
		return 0;
	return len;
}

static void put_string(FILE *f, const char *str)
{
	const unsigned char *s = (const unsigned char *)str;
	unsigned int len;

	fputc('"', f);
	while (*s) {
		len = utf8_len(s);
		if (!len) {
			fputs("\\ufffd", f);
			s++;
			continue;
		}
		if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if (*s < 0x20 || *s == 0x7f)
			fprintf(f, "\\u%04x", *s);
		else
			fwrite(s, 1, len, f);
		s += len;
	}
	fputc('"', f);
}

static void indent(struct json *j)
{
	unsigned int i;

	fputc('\n', j->f);
	for (i = 0; i < j->depth; i++)
		fputs("    ", j->f);
}

/* What comes before any value: comma, place and key */
static void lead(struct json *j, const char *key)
{
	if (j->filled[j->depth])
		fputc(',', j->f);
	if (j->depth && j->pretty)
		indent(j);
	j->filled[j->depth] = true;
	if (key) {
		put_string(j->f, key);
		fputs(j->pretty ? ": " : ":", j->f);
	}
}

/**
 * json_start - begin a text
 * @j: the writer
 * @f: where to write
 * @pretty: break lines and indent
 */
void json_start(struct json *j, FILE *f, bool pretty)
{
	memset(j, 0, sizeof(*j));
	j->f = f;
	j->pretty = pretty;
}

/**
 * json_open - open an object or array
 * @j: the writer
 * @key: its key, NULL inside arrays and at the top
 * @bracket: '{' or '['
 */
void json_open(struct json *j, const char *key, char bracket)
{
	lead(j, key);
	fputc(bracket, j->f);
	if (j->depth < JSON_DEPTH)
		j->depth++;
	j->filled[j->depth] = false;
}

/**
 * json_close - close what was opened last
 * @j: the writer
 * @bracket: '}' or ']'; at the top a new line follows
 */
void json_close(struct json *j, char bracket)
{
	bool filled = j->filled[j->depth];

	if (j->depth)
		j->depth--;
	if (filled && j->pretty)
		indent(j);
	fputc(bracket, j->f);
	if (!j->depth) {
		fputc('\n', j->f);
		j->filled[0] = false;
	}
}

/**
 * json_str - write a string
 * @j: the writer
 * @key: its key
 * @val: any bytes; what is not UTF-8 becomes U+FFFD
 */
void json_str(struct json *j, const char *key, const char *val)
{
	lead(j, key);
	put_string(j->f, val);
}

/**
 * json_u64 - write a whole number
 * @j: the writer
 * @key: its key
 * @val: the number
 */
void json_u64(struct json *j, const char *key, u64 val)
{
	lead(j, key);
	fprintf(j->f, "%llu", val);
}

/**
 * json_bool - write true or false
 * @j: the writer
 * @key: its key
 * @val: which
 */
void json_bool(struct json *j, const char *key, bool val)
{
	lead(j, key);
	fputs(val ? "true" : "false", j->f);
}
