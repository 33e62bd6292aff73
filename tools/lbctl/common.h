/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LBCTL_COMMON_H
#define LBCTL_COMMON_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel's words, as the rest of the project has them */
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define u128		unsigned __int128

#endif /* LBCTL_COMMON_H */
