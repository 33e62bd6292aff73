/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LB_COMPAT_NET_GENETLINK_H
#define _LB_COMPAT_NET_GENETLINK_H

#include <linux/version.h>
#include_next <net/genetlink.h>

/**
 * lb_compat_dump_attrs() - attributes of a dump request
 * @cb: the dump
 *
 * They moved into a struct genl_info with 6.6.
 *
 * Return: the attributes by type, may be NULL.
 */
static inline struct nlattr **lb_compat_dump_attrs(struct netlink_callback *cb)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
	return genl_dumpit_info(cb)->attrs;
#else
	return genl_dumpit_info(cb)->info.attrs;
#endif
}

#endif /* _LB_COMPAT_NET_GENETLINK_H */
