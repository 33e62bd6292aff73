/* SPDX-License-Identifier: GPL-2.0 */
/* Policies: how the next path is chosen. */
#ifndef _LB_POLICY_H
#define _LB_POLICY_H

#include <lb/hash.h>

/**
 * struct lb_choice - one path that may be chosen
 * @id: the path's id on the wire
 * @weight: its weight, at least 1
 * @cum: sum of the weights up to and with this one
 */
struct lb_choice {
	u16 id;
	u16 weight;
	u32 cum;
};

/**
 * struct lb_choices - the paths that may be chosen, never changed once published
 * @n: number of paths
 * @weight: sum of their weights
 * @area: @set_size bytes of the policy for this set
 * @path: the paths, by ascending id
 *
 * The caller builds a new set whenever a path comes, goes or changes its state,
 * and readers see the old or the new one whole.
 */
struct lb_choices {
	u32 n;
	u32 weight;
	void *area;
	struct lb_choice *path;
};

/**
 * struct lb_pick - a packet that wants a path
 * @hash: of its flow
 * @len: its length in bytes
 * @now: time, nanoseconds
 * @rnd: random state of the caller
 */
struct lb_pick {
	u32 hash;
	u32 len;
	u64 now;
	struct lb_rnd *rnd;
};

/**
 * struct lb_policy_ops - a policy
 * @name: as the operator writes it
 * @doc: one line for the operator
 * @priv_size: bytes of state per peer, zeroed before @init
 * @set_size: bytes of state per set of choices, may be NULL
 * @init: prepare the state of a peer, may be NULL
 * @release: undo @init, may be NULL
 * @path_event: a new set @set follows @old (NULL at first); fill its area. May
 *	be NULL
 * @select: index of a path of @set, which has at least one. Called from several
 *	CPUs at once, without locks
 */
struct lb_policy_ops {
	const char *name;
	const char *doc;
	u32 priv_size;
	u32 (*set_size)(u32 n);
	void (*init)(void *priv, struct lb_rnd *rnd);
	void (*release)(void *priv);
	void (*path_event)(void *priv, struct lb_choices *set,
			   const struct lb_choices *old);
	u32 (*select)(void *priv, const struct lb_choices *set,
		      const struct lb_pick *pick);
};

extern const struct lb_policy_ops lb_policy_rr;
extern const struct lb_policy_ops lb_policy_weighted;
extern const struct lb_policy_ops lb_policy_random;
extern const struct lb_policy_ops lb_policy_flow;

extern const struct lb_policy_ops * const lb_policies[];
extern const u32 lb_policies_count;

const struct lb_policy_ops *lb_policy_find(const char *name);
u32 lb_choices_size(const struct lb_policy_ops *ops, u32 n);
void lb_choices_init(struct lb_choices *set, void *mem, u32 n);
void lb_choices_add(struct lb_choices *set, u16 id, u16 weight);
u32 lb_choices_at(const struct lb_choices *set, u32 x);

#endif /* _LB_POLICY_H */
