// SPDX-License-Identifier: GPL-2.0
/* random: a path drawn for each packet, in proportion to the weights. */

#include <lb/policy.h>

static u32 random_select(void *priv, const struct lb_choices *set,
			 const struct lb_pick *pick)
{
	return lb_choices_at(set, lb_rnd_u32(pick->rnd));
}

const struct lb_policy_ops lb_policy_random = {
	.name	= "random",
	.doc	= "drawn for each packet, by weight",
	.select	= random_select,
};
