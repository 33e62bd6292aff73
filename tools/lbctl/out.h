/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBCTL_OUT_H
#define LBCTL_OUT_H

#include "common.h"

enum out_color {
	OUT_PLAIN,
	OUT_NAME,
	OUT_ADDR,
	OUT_GOOD,
	OUT_WARN,
	OUT_BAD,
};

/*
 * One call writes both forms. In text a value follows its label, the label of
 * a command line where there is one; in JSON it is found under its key.
 * A NULL label leaves a value out of the text, a NULL key out of the JSON.
 */
void out_list(void);
void out_list_end(void);
void out_lines(void);
void out_obj(void);
void out_obj_end(void);
void out_sub(const char *key, char bracket);
void out_sub_end(char bracket);

void out_line(void);
void out_word(enum out_color color, const char *word);
void out_str(const char *key, const char *label, enum out_color color, const char *val);
void out_item(const char *val);
void out_pad(unsigned int width, unsigned int used);
void out_u64(const char *key, const char *label, u64 val);
void out_hex(const char *key, const char *label, u64 val);
void out_onoff(const char *key, const char *label, bool val);
void out_time(const char *key, const char *label, u64 ns);
void out_age(const char *key, const char *label, u64 ns);
void out_size(const char *key, const char *label, u64 bytes);

const char *out_color(enum out_color color);
void out_puts(enum out_color color, int width, const char *str);
int out_flush(void);

#endif /* LBCTL_OUT_H */
