/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LB_COMPAT_LINUX_HRTIMER_H
#define _LB_COMPAT_LINUX_HRTIMER_H

#include <linux/version.h>
#include_next <linux/hrtimer.h>

/**
 * lb_compat_hrtimer_setup() - prepare a timer
 * @timer: the timer
 * @function: called when it fires
 * @clock: CLOCK_*
 * @mode: HRTIMER_MODE_*
 *
 * hrtimer_setup() is there from 6.13 on, and hrtimer_init() until 6.14.
 */
static inline void
lb_compat_hrtimer_setup(struct hrtimer *timer,
			enum hrtimer_restart (*function)(struct hrtimer *),
			clockid_t clock, enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	hrtimer_init(timer, clock, mode);
	timer->function = function;
#else
	hrtimer_setup(timer, function, clock, mode);
#endif
}

#endif /* _LB_COMPAT_LINUX_HRTIMER_H */
