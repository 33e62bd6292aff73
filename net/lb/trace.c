// SPDX-License-Identifier: GPL-2.0
/* The trace points live here. */

#include <linux/netdevice.h>

#define CREATE_TRACE_POINTS
#include <trace/events/lb.h>
