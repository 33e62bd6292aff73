/* SPDX-License-Identifier: GPL-2.0 */
/* Test Anything Protocol, as much of it as these tests need. */
#ifndef _TAP_H
#define _TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* No test takes that long: a loop without end is a failure too. */
#define TAP_SECONDS	120

/*
 * struct tap - what was tested so far
 * @points: number of them
 * @failed: how many of them failed
 * @good: whether the last one held
 */
struct tap {
	unsigned int points;
	unsigned int failed;
	bool good;
};

static struct tap tap;

static inline void tap_head(bool good)
{
	if (!tap.points)
		alarm(TAP_SECONDS);
	tap.good = good;
	tap.points++;
	tap.failed += !good;
	printf("%sok %u - ", good ? "" : "not ", tap.points);
}

static inline bool tap_tail(const char *file, int line, const char *what)
{
	printf("\n");
	if (!tap.good)
		printf("#   failed at %s:%d: %s\n", file, line, what);
	fflush(stdout);
	return tap.good;
}

static inline bool tap_tail_is(const char *file, int line, long long got,
			       long long want)
{
	printf("\n");
	if (!tap.good)
		printf("#   failed at %s:%d: got %lld, expected %lld\n", file,
		       line, got, want);
	fflush(stdout);
	return tap.good;
}

/* A point: @cond holds. The rest is printf() of what that means. */
#define ok(cond, ...)							\
	(tap_head(cond), printf(__VA_ARGS__),				\
	 tap_tail(__FILE__, __LINE__, #cond))

/* A point: the integer @got is @want. */
#define is(got, want, ...)						\
({									\
	long long got_ = (long long)(got);				\
	long long want_ = (long long)(want);				\
									\
	tap_head(got_ == want_);					\
	printf(__VA_ARGS__);						\
	tap_tail_is(__FILE__, __LINE__, got_, want_);			\
})

#define diag(...)	(printf("#   "), printf(__VA_ARGS__), printf("\n"))

/* Print the plan. Return: exit status of the test. */
static inline int tap_done(void)
{
	printf("1..%u\n", tap.points);
	return tap.failed || !tap.points;
}

/* Memory of exactly @size bytes, so that the sanitizer sees any step beyond. */
static inline void *tap_alloc(size_t size)
{
	void *p = calloc(1, size);

	if (!p && size) {
		printf("Bail out! no memory\n");
		exit(1);
	}
	return p;
}

#endif /* _TAP_H */
