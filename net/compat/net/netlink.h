/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LB_COMPAT_NET_NETLINK_H
#define _LB_COMPAT_NET_NETLINK_H

#include <linux/version.h>
#include_next <net/netlink.h>

/* Up to 6.6 the range of a policy is not const, though nobody writes to it. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#undef NLA_POLICY_FULL_RANGE
#define NLA_POLICY_FULL_RANGE(tp, _range) {				\
	.type = NLA_ENSURE_UINT_OR_BINARY_TYPE(tp),			\
	.validation_type = NLA_VALIDATE_RANGE_PTR,			\
	.range = (struct netlink_range_validation *)(_range),		\
}
#endif

#endif /* _LB_COMPAT_NET_NETLINK_H */
