/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBCTL_JSON_H
#define LBCTL_JSON_H

#include <stdio.h>

#include "common.h"

#define JSON_DEPTH 8

/**
 * struct json - a JSON text being written
 * @f: where to
 * @pretty: new lines and indentation
 * @depth: open objects and arrays
 * @filled: for each open one, whether something is in it already
 */
struct json {
	FILE *f;
	bool pretty;
	unsigned int depth;
	bool filled[JSON_DEPTH + 1];
};

void json_start(struct json *j, FILE *f, bool pretty);
void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j, char bracket);
void json_str(struct json *j, const char *key, const char *val);
void json_u64(struct json *j, const char *key, u64 val);
void json_bool(struct json *j, const char *key, bool val);

#endif /* LBCTL_JSON_H */
