/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LB_COMPAT_LINUX_NETDEVICE_H
#define _LB_COMPAT_LINUX_NETDEVICE_H

#include <linux/version.h>
#include_next <linux/netdevice.h>

/**
 * lb_compat_set_lltx() - the device locks its transmit side itself
 * @dev: a device not yet registered
 *
 * A feature bit up to 6.11, a field since.
 */
static inline void lb_compat_set_lltx(struct net_device *dev)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
	dev->features |= NETIF_F_LLTX;
#else
	dev->lltx = true;
#endif
}

#endif /* _LB_COMPAT_LINUX_NETDEVICE_H */
