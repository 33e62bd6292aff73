/* SPDX-License-Identifier: GPL-2.0 */
/* State of a path. */
#ifndef _LB_HEALTH_H
#define _LB_HEALTH_H

#include <lb/types.h>
#include <linux/lb.h>

/**
 * struct lb_seen - what is known of a path from its own host
 * @denied: the operator wants no data on it
 * @device: its member device is there (true also where it has none)
 * @running: the device is administratively up
 * @carrier: the device has carrier
 * @route: the last look-up found a route to the remote address
 * @proven: the other end answered a probe on it since it came up, or no probes
 *	are sent
 */
struct lb_seen {
	bool denied;
	bool device;
	bool running;
	bool carrier;
	bool route;
	bool proven;
};

enum lb_path_state lb_health(const struct lb_seen *seen,
			     enum lb_path_reason *reason);

#endif /* _LB_HEALTH_H */
