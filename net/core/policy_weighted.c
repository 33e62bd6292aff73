// SPDX-License-Identifier: GPL-2.0
/*
 * weighted: each path its share in every window of packets.
 *
 * The n-th packet goes to the place {n * phi} of the weights laid end to end,
 * phi the golden ratio. The multiples of phi are the most evenly spread sequence
 * there is (three-distance theorem), and any window of it is a shifted copy of
 * its beginning, so in N packets a path is off its share by no more than the
 * order of log N packets, whatever the weights. One counter is all the state.
 */

#include <lb/policy.h>

#define GOLDEN	0x9e3779b9U	/* 2^32 / phi */

struct weighted {
	atomic_t next;
};

static void weighted_init(void *priv, struct lb_rnd *rnd)
{
	struct weighted *w = priv;

	atomic_set(&w->next, lb_rnd_u32(rnd));
}

static u32 weighted_select(void *priv, const struct lb_choices *set,
			   const struct lb_pick *pick)
{
	struct weighted *w = priv;

	return lb_choices_at(set, (u32)atomic_inc_return(&w->next) * GOLDEN);
}

const struct lb_policy_ops lb_policy_weighted = {
	.name		= "weighted",
	.doc		= "by weight, evenly in every window of packets",
	.priv_size	= sizeof(struct weighted),
	.init		= weighted_init,
	.select		= weighted_select,
};
