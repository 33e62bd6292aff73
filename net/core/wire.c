// SPDX-License-Identifier: GPL-2.0
/* Header codec. */

#include <lb/wire.h>

/**
 * lb_wire_decode() - read a header
 * @buf: the UDP payload; need not be aligned
 * @len: bytes that can be read there
 * @w: filled on success
 *
 * Return: 0, -EMSGSIZE if it is too short, -EPROTONOSUPPORT for another
 * version, -EINVAL for an unknown type.
 */
int lb_wire_decode(const void *buf, u32 len, struct lb_wire *w)
{
	struct lb_hdr h;

	if (len < sizeof(h))
		return -EMSGSIZE;
	memcpy(&h, buf, sizeof(h));
	if (h.ver_type >> 4 != LB_WIRE_VERSION)
		return -EPROTONOSUPPORT;
	w->type = h.ver_type & 0xf;
	if (w->type > LB_WIRE_CLOSE)
		return -EINVAL;
	w->flags = h.flags;
	w->path = be16_to_cpu(h.path);
	w->lane = be16_to_cpu(h.lane);
	w->session = be32_to_cpu(h.session);
	w->path_seq = be32_to_cpu(h.path_seq);
	w->lane_seq = be32_to_cpu(h.lane_seq);
	w->stamp = be32_to_cpu(h.stamp);
	return 0;
}

/**
 * lb_wire_encode() - write a header
 * @buf: room for struct lb_hdr; need not be aligned
 * @w: what to write
 */
void lb_wire_encode(void *buf, const struct lb_wire *w)
{
	struct lb_hdr h = {
		.ver_type	= LB_WIRE_VERSION << 4 | w->type,
		.flags		= w->flags,
		.path		= cpu_to_be16(w->path),
		.session	= cpu_to_be32(w->session),
		.path_seq	= cpu_to_be32(w->path_seq),
		.lane		= cpu_to_be16(w->lane),
		.lane_seq	= cpu_to_be32(w->lane_seq),
		.stamp		= cpu_to_be32(w->stamp),
	};

	memcpy(buf, &h, sizeof(h));
}
