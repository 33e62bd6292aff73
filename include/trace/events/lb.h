/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM lb

#if !defined(_TRACE_LB_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_LB_H

#include <linux/in6.h>
#include <linux/tracepoint.h>
#include <lb/names.h>

#ifndef LB_TRACE_SYMBOLS
#define LB_TRACE_SYMBOLS

/* How a hole was closed. */
enum lb_hole_end {
	LB_HOLE_FILLED,
	LB_HOLE_KNOWN_LOST,
	LB_HOLE_TIMED_OUT,
	LB_HOLE_FLUSHED,
	LB_HOLE_RESYNC,
};

#define LB_SYMBOL(value, name)		{ value, name },
#define LB_LAST_SYMBOL			{ -1, "?" }

#endif

#define LB_SHOW_DROP(v)							\
	__print_symbolic(v, LB_DROP_NAMES(LB_SYMBOL) LB_LAST_SYMBOL)
#define LB_SHOW_PATH_STATE(v)						\
	__print_symbolic(v, LB_PATH_STATE_NAMES(LB_SYMBOL) LB_LAST_SYMBOL)
#define LB_SHOW_PATH_REASON(v)						\
	__print_symbolic(v, LB_PATH_REASON_NAMES(LB_SYMBOL) LB_LAST_SYMBOL)

#define LB_SHOW_HOLE_END(v)						\
	__print_symbolic(v,						\
		{ LB_HOLE_FILLED,	"filled" },			\
		{ LB_HOLE_KNOWN_LOST,	"known-lost" },			\
		{ LB_HOLE_TIMED_OUT,	"timed-out" },			\
		{ LB_HOLE_FLUSHED,	"flushed" },			\
		{ LB_HOLE_RESYNC,	"resync" })

/* A path changed its state. */
TRACE_EVENT(lb_path_state,
	TP_PROTO(int ifindex, const struct in6_addr *peer, u16 path, u32 old,
		 u32 state, u32 reason),
	TP_ARGS(ifindex, peer, path, old, state, reason),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__array(u8, peer, 16)
		__field(u16, path)
		__field(u32, old)
		__field(u32, state)
		__field(u32, reason)
	),
	TP_fast_assign(
		__entry->ifindex = ifindex;
		memcpy(__entry->peer, peer, 16);
		__entry->path = path;
		__entry->old = old;
		__entry->state = state;
		__entry->reason = reason;
	),
	TP_printk("ifindex=%d peer=%pI6c path=%u %s -> %s reason=%s",
		  __entry->ifindex, __entry->peer, __entry->path,
		  LB_SHOW_PATH_STATE(__entry->old),
		  LB_SHOW_PATH_STATE(__entry->state),
		  LB_SHOW_PATH_REASON(__entry->reason))
);

/* A packet came ahead of one that is missing. */
TRACE_EVENT(lb_hole_open,
	TP_PROTO(int ifindex, u32 session, u32 lane, u32 next, u32 first),
	TP_ARGS(ifindex, session, lane, next, first),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, session)
		__field(u32, lane)
		__field(u32, next)
		__field(u32, first)
	),
	TP_fast_assign(
		__entry->ifindex = ifindex;
		__entry->session = session;
		__entry->lane = lane;
		__entry->next = next;
		__entry->first = first;
	),
	TP_printk("ifindex=%d session=%08x lane=%u next=%u first=%u",
		  __entry->ifindex, __entry->session, __entry->lane,
		  __entry->next, __entry->first)
);

/* The missing packets came, or are waited for no longer. */
TRACE_EVENT(lb_hole_close,
	TP_PROTO(int ifindex, u32 session, u32 lane, u32 missing, u64 ns,
		 u32 how),
	TP_ARGS(ifindex, session, lane, missing, ns, how),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, session)
		__field(u32, lane)
		__field(u32, missing)
		__field(u64, ns)
		__field(u32, how)
	),
	TP_fast_assign(
		__entry->ifindex = ifindex;
		__entry->session = session;
		__entry->lane = lane;
		__entry->missing = missing;
		__entry->ns = ns;
		__entry->how = how;
	),
	TP_printk("ifindex=%d session=%08x lane=%u missing=%u after=%llu ns %s",
		  __entry->ifindex, __entry->session, __entry->lane,
		  __entry->missing, __entry->ns,
		  LB_SHOW_HOLE_END(__entry->how))
);

/* A packet was dropped. */
TRACE_EVENT(lb_drop,
	TP_PROTO(int ifindex, unsigned int len, u32 reason),
	TP_ARGS(ifindex, len, reason),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(unsigned int, len)
		__field(u32, reason)
	),
	TP_fast_assign(
		__entry->ifindex = ifindex;
		__entry->len = len;
		__entry->reason = reason;
	),
	TP_printk("ifindex=%d len=%u reason=%s", __entry->ifindex,
		  __entry->len, LB_SHOW_DROP(__entry->reason))
);

#endif /* _TRACE_LB_H */

#include <trace/define_trace.h>
