// SPDX-License-Identifier: GPL-2.0
/* State of a path from what is known of it. */

#include <lb/health.h>

/**
 * lb_health() - the state a path should be in
 * @seen: what is known
 * @reason: set to why
 *
 * Return: the state. The gravest cause wins, and the operator's word is graver
 * than any.
 */
enum lb_path_state lb_health(const struct lb_seen *seen,
			     enum lb_path_reason *reason)
{
	if (seen->denied) {
		*reason = LB_PATH_REASON_OPERATOR;
		return LB_PATH_STATE_DENIED;
	}
	if (!seen->device)
		*reason = LB_PATH_REASON_NO_DEVICE;
	else if (!seen->running)
		*reason = LB_PATH_REASON_ADMIN;
	else if (!seen->carrier)
		*reason = LB_PATH_REASON_CARRIER;
	else if (!seen->route)
		*reason = LB_PATH_REASON_NO_ROUTE;
	else if (!seen->proven)
		*reason = LB_PATH_REASON_UNPROVEN;
	else
		*reason = LB_PATH_REASON_NONE;

	switch (*reason) {
	case LB_PATH_REASON_NONE:
		return LB_PATH_STATE_GOOD;
	case LB_PATH_REASON_NO_ROUTE:
	case LB_PATH_REASON_UNPROVEN:
		return LB_PATH_STATE_SKIP;
	default:
		return LB_PATH_STATE_BAD;
	}
}
