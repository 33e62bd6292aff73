// SPDX-License-Identifier: GPL-2.0
/* Arguments: numbers, addresses, names, and keywords that stand for attributes */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "lbctl.h"
#include "names.h"
#include "units.h"

/**
 * cmd_ifname - check the name of a device
 * @word: the name
 *
 * Return: EX_OK or EX_WORDS
 */
int cmd_ifname(const char *word)
{
	size_t len = strlen(word);

	if (!len || len >= IFNAMSIZ || strpbrk(word, "/: \t\n\v\f\r") || !strcmp(word, ".") ||
	    !strcmp(word, ".."))
		return cmd_bad("\"%s\" is not a name of a device", word);
	return EX_OK;
}

/**
 * cmd_addr - read an address
 * @word: IPv4 or IPv6
 * @addr: where to put it; IPv4 as ::ffff:a.b.c.d
 *
 * Return: true if it is one
 */
bool cmd_addr(const char *word, u8 addr[16])
{
	if (inet_pton(AF_INET6, word, addr) == 1)
		return true;
	memset(addr, 0, 10);
	memset(addr + 10, 0xff, 2);
	return inet_pton(AF_INET, word, addr + 12) == 1;
}

/**
 * cmd_number - read a number
 * @name: what it is, for the error message
 * @word: the number
 * @min: least
 * @max: largest
 * @val: where to put it
 *
 * Return: EX_OK or EX_WORDS
 */
int cmd_number(const char *name, const char *word, u64 min, u64 max, u64 *val)
{
	if (!units_number(word, val) || *val < min || *val > max)
		return cmd_bad("%s: \"%s\" is not a number from %llu to %llu", name, word,
			       (unsigned long long)min, (unsigned long long)max);
	return EX_OK;
}

/**
 * cmd_device - take the lb device that a command is about
 * @words: "dev NAME" or "NAME"; moved on
 * @name: set to the name, NULL if no word is left
 *
 * Return: EX_OK or EX_WORDS
 */
int cmd_device(char ***words, const char **name)
{
	char **w = *words;

	*name = NULL;
	if (!*w)
		return EX_OK;
	if (!strcmp(*w, "dev")) {
		w++;
		if (!*w)
			return cmd_bad("\"dev\" needs the name of a device");
	} else if (**w == '-') {
		return cmd_bad("option \"%s\" goes before the object", *w);
	}
	*name = *w;
	*words = w + 1;
	return cmd_ifname(*name);
}

static u64 kw_max(const struct kw *k)
{
	if (k->max)
		return k->max;
	return k->size >= 8 ? UINT64_MAX : (1ULL << 8 * k->size) - 1;
}

static int kw_time(const struct kw *k, const char *word, u64 *val)
{
	char unit[UNITS_BUF], min[UNITS_BUF], max[UNITS_BUF];

	if (units_time(word, val) && *val % k->unit == 0) {
		*val /= k->unit;
		if (*val >= k->min && *val <= kw_max(k))
			return EX_OK;
	}
	units_time_text(k->unit, 9, unit);
	units_time_text(k->min * k->unit, 9, min);
	units_time_text(kw_max(k) * k->unit, 9, max);
	return cmd_bad("%s: \"%s\" is not a time from %s to %s with a unit, in steps of %s",
		       k->name, word, min, max, unit);
}

static int kw_size(const struct kw *k, const char *word, u64 *val)
{
	char min[UNITS_BUF], max[UNITS_BUF];

	if (units_size(word, val) && *val >= k->min && *val <= kw_max(k))
		return EX_OK;
	units_size_text(k->min, min);
	units_size_text(kw_max(k), max);
	return cmd_bad("%s: \"%s\" is not a size from %s to %s", k->name, word, min, max);
}

static int kw_choice(const struct kw *k, const char *word, u64 *val)
{
	static const char *const onoff[] = { "off", "on" };
	static const char *const denied[] = { "allowed", "denied" };
	int i;

	if (k->type == KW_STATE)
		i = name_find_path_state(word);
	else
		i = cmd_choose(word, k->type == KW_ONOFF ? onoff : denied, 2, k->name);
	*val = i;
	return i < 0 ? EX_WORDS : EX_OK;
}

static int kw_value(const struct kw *k, const char *word, struct nl_req *req)
{
	u8 addr[16];
	u64 val = 0;
	bool fits;
	int ret;

	switch (k->type) {
	case KW_ADDR:
		if (!cmd_addr(word, addr))
			return cmd_bad("%s: \"%s\" is not an address", k->name, word);
		fits = nl_put(req, k->attr, addr, sizeof(addr));
		break;
	case KW_IFNAME:
		ret = cmd_ifname(word);
		if (ret)
			return ret;
		fits = nl_put_str(req, k->attr, word);
		break;
	case KW_STRING:
		if (!*word || strlen(word) > kw_max(k))
			return cmd_bad("%s: \"%s\" is not a name", k->name, word);
		fits = nl_put_str(req, k->attr, word);
		break;
	default:
		if (k->type == KW_TIME)
			ret = kw_time(k, word, &val);
		else if (k->type == KW_SIZE)
			ret = kw_size(k, word, &val);
		else if (k->type == KW_UINT || k->type == KW_HEX)
			ret = cmd_number(k->name, word, k->min, kw_max(k), &val);
		else
			ret = kw_choice(k, word, &val);
		if (ret)
			return ret;
		if (k->store) {
			*k->store = val;
			return EX_OK;
		}
		fits = nl_put_uint(req, k->attr, k->size, val);
	}
	return fits ? EX_OK : cmd_bad("too many words at \"%s\"", word);
}

/**
 * cmd_kw - read keywords with their values into a request
 * @words: the words, all of them are taken
 * @kws: the keywords there are
 * @n: how many
 * @req: gets the attributes
 * @seen: gets the kw_bit() of those that were given
 *
 * Return: EX_OK or EX_WORDS
 */
int cmd_kw(char **words, const struct kw *kws, size_t n, struct nl_req *req, u64 *seen)
{
	const char *names[32];
	size_t i;
	int found, ret;

	for (i = 0; i < n && i < ARRAY_SIZE(names); i++)
		names[i] = kws[i].name;
	*seen = 0;
	for (; *words; words += 2) {
		const struct kw *k;

		found = cmd_choose(*words, names, i, "word");
		if (found < 0)
			return EX_WORDS;
		k = &kws[found];
		if (!words[1])
			return cmd_bad("\"%s\" needs a value", k->name);
		if (*seen & kw_bit(k->attr) && !k->multi)
			return cmd_bad("\"%s\" is given twice", k->name);
		*seen |= kw_bit(k->attr);
		ret = kw_value(k, words[1], req);
		if (ret)
			return ret;
	}
	return EX_OK;
}

/**
 * cmd_need - check that a keyword was given
 * @kws: the keywords there are
 * @n: how many
 * @seen: those that were given
 * @attr: attribute of the one that is needed
 *
 * Return: EX_OK or EX_WORDS
 */
int cmd_need(const struct kw *kws, size_t n, u64 seen, u16 attr)
{
	size_t i;

	if (seen & kw_bit(attr))
		return EX_OK;
	for (i = 0; i < n; i++)
		if (kws[i].attr == attr)
			return cmd_bad("\"%s\" is missing", kws[i].name);
	return EX_WORDS;
}
