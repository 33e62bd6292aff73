// SPDX-License-Identifier: GPL-2.0
/* lbctl show, lbctl top: one screen for a person */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "lbctl.h"
#include "names.h"
#include "out.h"
#include "overview.h"
#include "units.h"

#define PPM		1000000
#define NS_PER_SEC	1000000000ULL

static bool of_peer(const struct group *g, const struct peer_info *p)
{
	return !strcmp(g->peer, p->addr) && !strcmp(g->dev, p->dev);
}

static u64 per_second(u64 val, u64 span)
{
	return span ? (u128)val * NS_PER_SEC / span : 0;
}

static void group_json(const struct group *g, const struct peer_info *p, u64 span)
{
	unsigned int i;

	out_sub(NULL, '{');
	out_u64("group", NULL, g->id);
	out_str("local", NULL, OUT_PLAIN, g->local);
	out_str("remote", NULL, OUT_PLAIN, g->remote);
	if (*g->member)
		out_str("device", NULL, OUT_PLAIN, g->member);
	for (i = 0; i < PATH_STATES; i++)
		out_u64(name_path_state(i), NULL, g->n[i]);
	out_u64("tx_packets", NULL, g->tx_packets);
	out_u64("tx_bytes", NULL, g->tx_bytes);
	out_u64("share_ppm", NULL, units_ratio(g->rate_packets, p->rate_packets, PPM));
	if (span) {
		out_u64("tx_packets_per_s", NULL, per_second(g->rate_packets, span));
		out_u64("tx_bytes_per_s", NULL, per_second(g->rate_bytes, span));
	}
	out_u64("rtt_ns", NULL, g->rtt_n ? g->rtt_sum / g->rtt_n : 0);
	out_u64("lost", NULL, g->lost);
	out_u64("loss_ppm", NULL, units_ratio(g->lost, g->tx_packets, PPM));
	if (g->changed) {
		out_sub("last_change", '{');
		out_u64("age_ns", NULL, g->age);
		out_u64("entropy", NULL, g->port);
		out_str("state", NULL, OUT_PLAIN, name_path_state(g->state));
		out_str("reason", NULL, OUT_PLAIN, name_path_reason(g->reason));
		out_sub_end('}');
	}
	out_sub_end('}');
}

static void peer_json(const struct peer_info *p, const struct overview *ov)
{
	size_t i;

	out_sub(NULL, '{');
	out_str("peer", NULL, OUT_PLAIN, p->addr);
	out_str("state", NULL, OUT_PLAIN, name_peer_state(p->state));
	out_u64("age_ns", NULL, p->age);
	out_u64("paths", NULL, p->paths);
	out_u64("paths_good", NULL, p->good);
	out_sub("groups", '[');
	for (i = 0; i < ov->n_groups; i++)
		if (of_peer(&ov->groups[i], p))
			group_json(&ov->groups[i], p, ov->span);
	out_sub_end(']');
	out_sub_end('}');
}

static void show_json(const struct overview *ov)
{
	size_t i, k;

	out_list();
	for (i = 0; i < ov->n_devs; i++) {
		const struct dev_info *d = &ov->devs[i];

		out_obj();
		out_str("dev", NULL, OUT_PLAIN, d->name);
		out_str("policy", NULL, OUT_PLAIN, d->policy);
		out_u64("port", NULL, d->port);
		out_u64("dropped", NULL, d->drops);
		out_sub("peers", '[');
		for (k = 0; k < ov->n_peers; k++)
			if (!strcmp(ov->peers[k].dev, d->name))
				peer_json(&ov->peers[k], ov);
		out_sub_end(']');
		out_obj_end();
	}
	out_list_end();
}

/* Widths of the columns that hold names */
struct widths {
	int local;
	int remote;
	int member;
};

static void wider(int *width, const char *text)
{
	int len = strlen(text);

	if (len > *width)
		*width = len;
}

static void count_text(unsigned int n, enum out_color color)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	out_puts(n ? color : OUT_PLAIN, -6, text);
}

static void change_text(const struct group *g)
{
	char age[UNITS_BUF];

	if (!g->changed) {
		puts("  -");
		return;
	}
	printf("  %s ago: port %u ", units_age_text(g->age, age), g->port);
	out_puts(g->state == LB_PATH_STATE_GOOD ? OUT_GOOD :
		 g->state == LB_PATH_STATE_BAD ? OUT_BAD : OUT_WARN, 0,
		 name_path_state(g->state));
	if (g->reason != LB_PATH_REASON_NONE)
		printf(", %s", name_path_reason(g->reason));
	putchar('\n');
}

static void group_text(const struct group *g, const struct peer_info *p,
		       const struct widths *w, u64 span)
{
	char text[UNITS_BUF];

	fputs("    ", stdout);
	out_puts(OUT_ADDR, w->local + 2, g->local);
	out_puts(OUT_ADDR, w->remote + 2, g->remote);
	out_puts(OUT_NAME, w->member, *g->member ? g->member : "-");
	count_text(g->n[LB_PATH_STATE_GOOD], OUT_GOOD);
	count_text(g->n[LB_PATH_STATE_SKIP], OUT_WARN);
	count_text(g->n[LB_PATH_STATE_BAD], OUT_BAD);
	count_text(g->n[LB_PATH_STATE_DENIED], OUT_WARN);
	out_puts(OUT_PLAIN, -9, units_percent_text(g->rate_packets, p->rate_packets, text));
	if (span) {
		units_rate_text(per_second(g->rate_bytes, span) * 8, text);
		out_puts(OUT_PLAIN, -11, text);
	}
	snprintf(text, sizeof(text), "-");
	if (g->rtt_n)
		units_time_text(g->rtt_sum / g->rtt_n, 1, text);
	out_puts(OUT_PLAIN, -9, text);
	units_percent_text(g->lost, g->tx_packets, text);
	out_puts(g->lost ? OUT_WARN : OUT_PLAIN, -9, text);
	change_text(g);
}

static void peer_text(const struct peer_info *p, const struct overview *ov,
		      const struct widths *w)
{
	char age[UNITS_BUF];
	bool head = false;
	size_t i;

	fputs("  peer ", stdout);
	out_puts(OUT_ADDR, 0, p->addr);
	putchar(' ');
	out_puts(p->state == LB_PEER_STATE_UP ? OUT_GOOD :
		 p->state == LB_PEER_STATE_INIT ? OUT_WARN : OUT_BAD, 0,
		 name_peer_state(p->state));
	printf(" for %s, %llu of %llu paths good\n",
	       units_age_text(p->age, age), p->good, p->paths);
	for (i = 0; i < ov->n_groups; i++) {
		if (!of_peer(&ov->groups[i], p))
			continue;
		if (!head)
			printf("    %-*s%-*s%-*s%6s%6s%6s%6s%9s%s%9s%9s  %s\n",
			       w->local + 2, "LOCAL", w->remote + 2, "REMOTE", w->member,
			       "DEV", "GOOD", "SKIP", "BAD", "DENY", "SHARE",
			       ov->span ? "       RATE" : "", "RTT", "LOSS", "LAST CHANGE");
		head = true;
		group_text(&ov->groups[i], p, w, ov->span);
	}
}

static void show_text(const struct overview *ov)
{
	struct widths w = { 5, 6, 3 };
	size_t i, k;

	for (i = 0; i < ov->n_groups; i++) {
		wider(&w.local, ov->groups[i].local);
		wider(&w.remote, ov->groups[i].remote);
		wider(&w.member, ov->groups[i].member);
	}
	for (i = 0; i < ov->n_devs; i++) {
		const struct dev_info *d = &ov->devs[i];

		out_puts(OUT_NAME, 0, d->name);
		printf(" policy %s port %u, peers %llu, paths %llu, drops %llu\n", d->policy,
		       d->port, d->peers, d->paths, d->drops);
		for (k = 0; k < ov->n_peers; k++)
			if (!strcmp(ov->peers[k].dev, d->name))
				peer_text(&ov->peers[k], ov, &w);
	}
	if (!ov->n_devs)
		puts("no lb device (lbctl dev add lb0 makes one)");
}

static int show(char **words)
{
	struct overview ov = {};
	const char *dev;
	int ret;

	ret = cmd_device(&words, &dev);
	if (!ret)
		ret = cmd_end(words);
	if (!ret)
		ret = overview_take(dev, NULL, &ov);
	if (!ret && opts.json)
		show_json(&ov);
	else if (!ret)
		show_text(&ov);
	overview_free(&ov);
	return ret;
}

/* [ DEV ] [ -n COUNT ] [ -d TIME ], in any order */
static int top_words(char **words, const char **dev, u64 *count, u64 *delay)
{
	static const char *const names[] = { "count", "interval" };
	int ret = EX_OK, i;

	*dev = NULL;
	while (!ret && *words) {
		if (!strcmp(*words, "-n"))
			i = 0;
		else if (!strcmp(*words, "-d"))
			i = 1;
		else
			for (i = 0; i < 2 && strcmp(*words, names[i]); i++)
				;
		if (i == 2) {
			if (*dev)
				return cmd_end(words);
			ret = cmd_device(&words, dev);
			continue;
		}
		if (!words[1])
			return cmd_bad("\"%s\" needs a value", *words);
		if (i == 0)
			ret = cmd_number(names[i], words[1], 1, UINT32_MAX, count);
		else if (!units_time(words[1], delay) || *delay < 10000000 ||
			 *delay > 86400 * NS_PER_SEC)
			ret = cmd_bad("interval: \"%s\" is not a time from 10ms to 86400s",
				      words[1]);
		words += 2;
	}
	return ret;
}

static int top(char **words)
{
	struct overview before = {}, ov = {};
	u64 count = 0, delay = NS_PER_SEC, i;
	const char *dev;
	int ret;

	ret = top_words(words, &dev, &count, &delay);
	for (i = 0; !ret; i++) {
		struct timespec ts = { delay / NS_PER_SEC, delay % NS_PER_SEC };

		ret = overview_take(dev, before.time ? &before : NULL, &ov);
		if (ret)
			break;
		if (opts.json) {
			show_json(&ov);
		} else {
			if (isatty(STDOUT_FILENO))
				fputs("\033[H\033[J", stdout);
			else if (i)
				putchar('\n');
			show_text(&ov);
		}
		overview_free(&before);
		before = ov;
		memset(&ov, 0, sizeof(ov));
		ret = out_flush();
		if (i + 1 == count)
			break;
		if (!ret)
			nanosleep(&ts, NULL);
	}
	overview_free(&before);
	overview_free(&ov);
	return ret;
}

const struct object obj_show = {
	.name = "show",
	.doc = "everything on one screen; done when no object is given",
	.run = show,
	.usage = "[ DEV ]",
};

const struct object obj_top = {
	.name = "top",
	.doc = "the same, live, until Ctrl-C",
	.run = top,
	.usage = "[ DEV ] [ { count | -n } N ] [ { interval | -d } TIME ]",
};
