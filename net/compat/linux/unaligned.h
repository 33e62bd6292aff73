/* SPDX-License-Identifier: GPL-2.0 */
/* asm/unaligned.h up to 6.11. */
#ifndef _LB_COMPAT_LINUX_UNALIGNED_H
#define _LB_COMPAT_LINUX_UNALIGNED_H

#include <linux/version.h>
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#include <asm/unaligned.h>
#else
#include_next <linux/unaligned.h>
#endif

#endif /* _LB_COMPAT_LINUX_UNALIGNED_H */
