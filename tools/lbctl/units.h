/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBCTL_UNITS_H
#define LBCTL_UNITS_H

#include "common.h"

#define UNITS_BUF 40

bool units_number(const char *s, u64 *val);
bool units_time(const char *s, u64 *ns);
bool units_size(const char *s, u64 *bytes);

const char *units_time_text(u64 ns, unsigned int decimals, char *buf);
const char *units_age_text(u64 ns, char *buf);
const char *units_size_text(u64 bytes, char *buf);
const char *units_rate_text(u64 bits, char *buf);
u64 units_ratio(u64 num, u64 den, u64 scale);
const char *units_percent_text(u64 num, u64 den, char *buf);

#endif /* LBCTL_UNITS_H */
