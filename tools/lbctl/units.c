// SPDX-License-Identifier: GPL-2.0
/* Numbers with and without units, read strictly and written so that they can be read again */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "units.h"

#define NS_PER_US	1000ULL
#define NS_PER_MS	1000000ULL
#define NS_PER_SEC	1000000000ULL

struct unit {
	const char *name;
	u64 mul;
	u64 div;
};

static const struct unit time_units[] = {
	{ "ns", 1, 1 },
	{ "nsec", 1, 1 },
	{ "nsecs", 1, 1 },
	{ "us", NS_PER_US, 1 },
	{ "usec", NS_PER_US, 1 },
	{ "usecs", NS_PER_US, 1 },
	{ "ms", NS_PER_MS, 1 },
	{ "msec", NS_PER_MS, 1 },
	{ "msecs", NS_PER_MS, 1 },
	{ "s", NS_PER_SEC, 1 },
	{ "sec", NS_PER_SEC, 1 },
	{ "secs", NS_PER_SEC, 1 },
};

static const struct unit size_units[] = {
	{ "b", 1, 1 },
	{ "k", 1024, 1 },
	{ "kb", 1024, 1 },
	{ "m", 1024 * 1024, 1 },
	{ "mb", 1024 * 1024, 1 },
	{ "g", 1024 * 1024 * 1024, 1 },
	{ "gb", 1024 * 1024 * 1024, 1 },
	{ "kbit", 1024, 8 },
	{ "mbit", 1024 * 1024, 8 },
	{ "gbit", 1024 * 1024 * 1024, 8 },
};

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/**
 * units_number - read a whole number, decimal or 0x hexadecimal
 * @s: the word
 * @val: where to put it
 *
 * Return: true if the whole word is such a number and fits
 */
bool units_number(const char *s, u64 *val)
{
	int base = 10;
	u64 v = 0;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
	}
	if (!*s)
		return false;
	for (; *s; s++) {
		int d = digit(*s);

		if (d >= base || __builtin_mul_overflow(v, (u64)base, &v) ||
		    __builtin_add_overflow(v, (u64)d, &v))
			return false;
	}
	*val = v;
	return true;
}

/* Read digits[.digits]unit exactly; anything that would be rounded is refused */
static bool with_unit(const char *s, const struct unit *units, size_t n, bool bare,
		      u64 *val)
{
	const struct unit *u = NULL;
	bool digits = false;
	u128 v = 0, scale = 1;
	size_t i;

	for (; isdigit((unsigned char)*s); s++) {
		v = v * 10 + (unsigned int)(*s - '0');
		if (v > UINT64_MAX)
			return false;
		digits = true;
	}
	if (!digits)
		return false;
	if (*s == '.') {
		if (!isdigit((unsigned char)*++s))
			return false;
		for (; isdigit((unsigned char)*s); s++) {
			if (scale >= NS_PER_SEC)
				return false;
			v = v * 10 + (unsigned int)(*s - '0');
			scale *= 10;
		}
	}
	if (!*s) {
		if ((!bare && v) || scale != 1)
			return false;
		*val = v;
		return true;
	}
	for (i = 0; i < n; i++)
		if (!strcasecmp(s, units[i].name))
			u = &units[i];
	if (!u)
		return false;
	v *= u->mul;
	scale *= u->div;
	if (v % scale)
		return false;
	v /= scale;
	if (v > UINT64_MAX)
		return false;
	*val = v;
	return true;
}

/**
 * units_time - read a length of time in the units of tc(8)
 * @s: the word, like 20ms or 1.5us; only 0 needs no unit
 * @ns: where to put it, in nanoseconds
 *
 * Return: true if the whole word is one and is exact
 */
bool units_time(const char *s, u64 *ns)
{
	return with_unit(s, time_units, ARRAY_SIZE(time_units), false, ns);
}

/**
 * units_size - read an amount of memory in the units of tc(8)
 * @s: the word, like 800kb or 16m; bytes without a unit
 * @bytes: where to put it
 *
 * Return: true if the whole word is one and is exact
 */
bool units_size(const char *s, u64 *bytes)
{
	return with_unit(s, size_units, ARRAY_SIZE(size_units), true, bytes);
}

/* @val / @scale with at most @decimals digits after the point, no trailing zeros */
static const char *fraction(char *buf, u64 val, u64 scale, unsigned int decimals,
			    const char *unit)
{
	int len = snprintf(buf, UNITS_BUF, "%llu", val / scale);
	u64 rest = val % scale;
	int end = len;

	buf[len++] = '.';
	while (rest && decimals--) {
		rest *= 10;
		buf[len++] = '0' + rest / scale;
		if (rest / scale)
			end = len;
		rest %= scale;
	}
	snprintf(buf + end, UNITS_BUF - end, "%s", unit);
	return buf;
}

/**
 * units_time_text - write a length of time with the unit that fits best
 * @ns: nanoseconds
 * @decimals: digits after the point at most; 9 is exact
 * @buf: of UNITS_BUF bytes
 *
 * Return: @buf
 */
const char *units_time_text(u64 ns, unsigned int decimals, char *buf)
{
	if (ns >= NS_PER_SEC)
		fraction(buf, ns, NS_PER_SEC, decimals, "s");
	else if (ns >= NS_PER_MS)
		fraction(buf, ns, NS_PER_MS, decimals, "ms");
	else if (ns >= NS_PER_US)
		fraction(buf, ns, NS_PER_US, decimals, "us");
	else if (ns)
		snprintf(buf, UNITS_BUF, "%lluns", ns);
	else
		snprintf(buf, UNITS_BUF, "0s");
	return buf;
}

/**
 * units_age_text - write how long ago something was, roughly
 * @ns: nanoseconds
 * @buf: of UNITS_BUF bytes
 *
 * Return: @buf
 */
const char *units_age_text(u64 ns, char *buf)
{
	u64 s = ns / NS_PER_SEC;

	if (s >= 86400)
		snprintf(buf, UNITS_BUF, "%llud%lluh", s / 86400, s % 86400 / 3600);
	else if (s >= 3600)
		snprintf(buf, UNITS_BUF, "%lluh%llum", s / 3600, s % 3600 / 60);
	else if (s >= 60)
		snprintf(buf, UNITS_BUF, "%llum%llus", s / 60, s % 60);
	else
		units_time_text(ns, 1, buf);
	return buf;
}

/**
 * units_size_text - write an amount of memory, exactly
 * @bytes: bytes
 * @buf: of UNITS_BUF bytes
 *
 * Return: @buf
 */
const char *units_size_text(u64 bytes, char *buf)
{
	static const char *const names[] = { "b", "kb", "mb", "gb" };
	unsigned int i = 0;

	while (bytes && bytes % 1024 == 0 && i + 1 < ARRAY_SIZE(names)) {
		bytes /= 1024;
		i++;
	}
	snprintf(buf, UNITS_BUF, "%llu%s", bytes, names[i]);
	return buf;
}

/**
 * units_rate_text - write a bit rate, rounded
 * @bits: bits per second
 * @buf: of UNITS_BUF bytes
 *
 * Return: @buf
 */
const char *units_rate_text(u64 bits, char *buf)
{
	static const char *const names[] = { "bit", "kbit", "mbit", "gbit", "tbit" };
	u64 scale = 1;
	unsigned int i = 0;

	while (bits / scale >= 1000 && i + 1 < ARRAY_SIZE(names)) {
		scale *= 1000;
		i++;
	}
	fraction(buf, bits, scale, 1, names[i]);
	return buf;
}

/**
 * units_ratio - a part of a whole
 * @num: the part
 * @den: the whole; 0 gives 0
 * @scale: what the whole counts as, a million for ppm
 *
 * Return: the ratio times @scale, rounded
 */
u64 units_ratio(u64 num, u64 den, u64 scale)
{
	if (!den)
		return 0;
	return ((u128)num * scale + den / 2) / den;
}

/**
 * units_percent_text - write a part of a whole in percent
 * @num: the part
 * @den: the whole; 0 gives "-"
 * @buf: of UNITS_BUF bytes
 *
 * Return: @buf
 */
const char *units_percent_text(u64 num, u64 den, char *buf)
{
	u64 r = units_ratio(num, den, 10000);

	if (!den)
		snprintf(buf, UNITS_BUF, "-");
	else if (!r && num)
		snprintf(buf, UNITS_BUF, "<0.01%%");
	else
		snprintf(buf, UNITS_BUF, "%llu.%02llu%%", r / 100, r % 100);
	return buf;
}
