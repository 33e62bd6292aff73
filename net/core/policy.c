// SPDX-License-Identifier: GPL-2.0
/* The list of policies, and the sets they choose from. */

#include <lb/policy.h>

const struct lb_policy_ops * const lb_policies[] = {
	&lb_policy_rr,
	&lb_policy_weighted,
	&lb_policy_random,
	&lb_policy_flow,
};

const u32 lb_policies_count = ARRAY_SIZE(lb_policies);

/**
 * lb_policy_find() - look a policy up
 * @name: as the operator writes it
 *
 * Return: the policy, or NULL.
 */
const struct lb_policy_ops *lb_policy_find(const char *name)
{
	u32 i;

	for (i = 0; i < lb_policies_count; i++)
		if (!strcmp(lb_policies[i]->name, name))
			return lb_policies[i];
	return NULL;
}

/**
 * lb_choices_size() - memory that a set needs beside struct lb_choices
 * @ops: the policy that will choose from it
 * @n: number of paths
 *
 * Return: bytes.
 */
u32 lb_choices_size(const struct lb_policy_ops *ops, u32 n)
{
	return n * sizeof(struct lb_choice) +
	       (ops->set_size ? ops->set_size(n) : 0);
}

/**
 * lb_choices_init() - make an empty set
 * @set: the set
 * @mem: lb_choices_size() bytes, zeroed
 * @n: number of paths that will be added
 */
void lb_choices_init(struct lb_choices *set, void *mem, u32 n)
{
	set->n = 0;
	set->weight = 0;
	set->path = mem;
	set->area = set->path + n;
}

/**
 * lb_choices_add() - add a path to a set
 * @set: the set, with room for it
 * @id: the path's id
 * @weight: its weight, at least 1
 */
void lb_choices_add(struct lb_choices *set, u16 id, u16 weight)
{
	set->weight += weight;
	set->path[set->n++] = (struct lb_choice) {
		.id	= id,
		.weight	= weight,
		.cum	= set->weight,
	};
}

/**
 * lb_choices_at() - the path at a place of the weights laid end to end
 * @set: the set, not empty
 * @x: 32 bits that say how far along
 *
 * Return: index of the path.
 */
u32 lb_choices_at(const struct lb_choices *set, u32 x)
{
	u32 want = lb_scale(x, set->weight);
	u32 lo = 0, hi = set->n - 1;

	while (lo < hi) {
		u32 mid = (lo + hi) / 2;

		if (set->path[mid].cum > want)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}
