/* SPDX-License-Identifier: GPL-2.0 */
/* net/gso.h came with 6.5; before, its declarations were in netdevice.h. */
#ifndef _LB_COMPAT_NET_GSO_H
#define _LB_COMPAT_NET_GSO_H

#include <linux/version.h>
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#include <linux/netdevice.h>
#else
#include_next <net/gso.h>
#endif

#endif /* _LB_COMPAT_NET_GSO_H */
