// SPDX-License-Identifier: GPL-2.0
/* All that can be known of a path, and the state that follows. */

#include <lb/health.h>

#include "tap.h"

/* @seen has a digit each for denied, device, running, carrier, route. */
static const struct {
	const char *seen;
	enum lb_path_state state;
	enum lb_path_reason reason;
} cases[] = {
	{ "00000", LB_PATH_STATE_BAD,	 LB_PATH_REASON_NO_DEVICE },
	{ "00001", LB_PATH_STATE_BAD,	 LB_PATH_REASON_NO_DEVICE },
	{ "00010", LB_PATH_STATE_BAD,	 LB_PATH_REASON_NO_DEVICE },
	{ "00011", LB_PATH_STATE_BAD,	 LB_PATH_REASON_NO_DEVICE },
	{ "00100", LB_PATH_STATE_BAD,	 LB_PATH_REASON_NO_DEVICE },
	{ "00101", LB_PATH_STATE_BAD,	 LB_PATH_REASON_NO_DEVICE },
	{ "00110", LB_PATH_STATE_BAD,	 LB_PATH_REASON_NO_DEVICE },
	{ "00111", LB_PATH_STATE_BAD,	 LB_PATH_REASON_NO_DEVICE },
	{ "01000", LB_PATH_STATE_BAD,	 LB_PATH_REASON_ADMIN },
	{ "01001", LB_PATH_STATE_BAD,	 LB_PATH_REASON_ADMIN },
	{ "01010", LB_PATH_STATE_BAD,	 LB_PATH_REASON_ADMIN },
	{ "01011", LB_PATH_STATE_BAD,	 LB_PATH_REASON_ADMIN },
	{ "01100", LB_PATH_STATE_BAD,	 LB_PATH_REASON_CARRIER },
	{ "01101", LB_PATH_STATE_BAD,	 LB_PATH_REASON_CARRIER },
	{ "01110", LB_PATH_STATE_SKIP,	 LB_PATH_REASON_NO_ROUTE },
	{ "01111", LB_PATH_STATE_GOOD,	 LB_PATH_REASON_NONE },
	{ "10000", LB_PATH_STATE_DENIED, LB_PATH_REASON_OPERATOR },
	{ "10001", LB_PATH_STATE_DENIED, LB_PATH_REASON_OPERATOR },
	{ "10010", LB_PATH_STATE_DENIED, LB_PATH_REASON_OPERATOR },
	{ "10011", LB_PATH_STATE_DENIED, LB_PATH_REASON_OPERATOR },
	{ "10100", LB_PATH_STATE_DENIED, LB_PATH_REASON_OPERATOR },
	{ "10101", LB_PATH_STATE_DENIED, LB_PATH_REASON_OPERATOR },
	{ "10110", LB_PATH_STATE_DENIED, LB_PATH_REASON_OPERATOR },
	{ "10111", LB_PATH_STATE_DENIED, LB_PATH_REASON_OPERATOR },
	{ "11000", LB_PATH_STATE_DENIED, LB_PATH_REASON_OPERATOR },
	{ "11001", LB_PATH_STATE_DENIED, LB_PATH_REASON_OPERATOR },
	{ "11010", LB_PATH_STATE_DENIED, LB_PATH_REASON_OPERATOR },
	{ "11011", LB_PATH_STATE_DENIED, LB_PATH_REASON_OPERATOR },
	{ "11100", LB_PATH_STATE_DENIED, LB_PATH_REASON_OPERATOR },
	{ "11101", LB_PATH_STATE_DENIED, LB_PATH_REASON_OPERATOR },
	{ "11110", LB_PATH_STATE_DENIED, LB_PATH_REASON_OPERATOR },
	{ "11111", LB_PATH_STATE_DENIED, LB_PATH_REASON_OPERATOR },
};

int main(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *s = cases[i].seen;
		struct lb_seen seen = {
			.denied		= s[0] == '1',
			.device		= s[1] == '1',
			.running	= s[2] == '1',
			.carrier	= s[3] == '1',
			.route		= s[4] == '1',
		};
		enum lb_path_reason reason = 0xff;

		is(lb_health(&seen, &reason), cases[i].state, "%s state", s);
		is(reason, cases[i].reason, "%s reason", s);
	}
	is(ARRAY_SIZE(cases), 1 << 5, "every combination was tried");
	return tap_done();
}
