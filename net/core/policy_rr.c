// SPDX-License-Identifier: GPL-2.0
/* rr: the paths in turn. */

#include <lb/policy.h>

struct rr {
	atomic_t next;
};

static void rr_init(void *priv, struct lb_rnd *rnd)
{
	struct rr *rr = priv;

	/* Hosts that start together should not step together. */
	atomic_set(&rr->next, lb_rnd_u32(rnd));
}

/*
 * The counter wraps at 2^32, where one turn is cut short unless the number of
 * paths divides it.
 */
static u32 rr_select(void *priv, const struct lb_choices *set,
		     const struct lb_pick *pick)
{
	struct rr *rr = priv;

	return (u32)atomic_inc_return(&rr->next) % set->n;
}

const struct lb_policy_ops lb_policy_rr = {
	.name		= "rr",
	.doc		= "paths in turn, whatever their weight",
	.priv_size	= sizeof(struct rr),
	.init		= rr_init,
	.select		= rr_select,
};
