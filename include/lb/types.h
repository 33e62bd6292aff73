/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of net/core need of their surroundings, in the kernel and in
 * userspace. They take time as u64 nanoseconds, and no locks.
 */
#ifndef _LB_TYPES_H
#define _LB_TYPES_H

#ifdef __KERNEL__

#include <linux/types.h>
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <asm/byteorder.h>

#else

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <linux/types.h>
#include <asm/byteorder.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define NSEC_PER_USEC		1000ULL
#define NSEC_PER_MSEC		1000000ULL
#define NSEC_PER_SEC		1000000000ULL
#define BITS_PER_LONG		(8 * (int)sizeof(long))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define __ffs(x)		((unsigned long)__builtin_ctzl(x))
#define max_t(t, a, b)		((t)(a) > (t)(b) ? (t)(a) : (t)(b))
#define min_t(t, a, b)		((t)(a) < (t)(b) ? (t)(a) : (t)(b))

#define cpu_to_be16(x)		__cpu_to_be16(x)
#define cpu_to_be32(x)		__cpu_to_be32(x)
#define cpu_to_be64(x)		__cpu_to_be64(x)
#define be16_to_cpu(x)		__be16_to_cpu(x)
#define be32_to_cpu(x)		__be32_to_cpu(x)
#define be64_to_cpu(x)		__be64_to_cpu(x)

typedef struct { int counter; } atomic_t;
#define atomic_inc_return(v)	__atomic_add_fetch(&(v)->counter, 1, __ATOMIC_SEQ_CST)
#define atomic_set(v, i)	__atomic_store_n(&(v)->counter, (i), __ATOMIC_RELAXED)

#endif /* __KERNEL__ */

#endif /* _LB_TYPES_H */
