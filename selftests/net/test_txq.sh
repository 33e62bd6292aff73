#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 240
#
# A NIC with several transmit queues sends the packets of one path out of order.
# What arrives late that way is not lost, and is delivered in order.

# Functions are called by ok and until_true.
# shellcheck disable=SC2317

# shellcheck source=selftests/net/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

PORT=9000
TAP=$SCRATCH/tap
COUNT=2000

# The path sequence's last byte, from the start of an outer IPv4 packet.
SEQ_LOW=39

# Two links, each of four queues.
links_mq()
{
	local i
	ns_add A B || return
	for i in 1 2; do
		ip link add name "p$i" numtxqueues 4 numrxqueues 4 netns "$A" \
			type veth peer name "p$i" numtxqueues 4 numrxqueues 4 \
			netns "$B" || return
		ip -n "$A" -batch - <<-END || return
			addr add 10.0.$i.1/24 dev p$i
			link set dev p$i up
		END
		ip -n "$B" -batch - <<-END || return
			addr add 10.0.$i.2/24 dev p$i
			link set dev p$i up
		END
	done
}

# Queue N of a device is slower the higher N is. On a real NIC the CPU or a hash
# decides on the queue; here consecutive packets of a path go to all in turn, so
# that reordering is certain.
queues()
{
	local dev delay=(0 2ms 6ms 12ms) q
	for dev in p1 p2; do
		tc -n "$A" qdisc replace dev "$dev" root handle 1: mq || return
		for q in 0 1 2 3; do
			tc -n "$A" qdisc replace dev "$dev" parent 1:$((q + 1)) \
				netem delay "${delay[q]}" limit 20000 || return
		done
		tc -n "$A" qdisc add dev "$dev" clsact || return
		for q in 0 1 2 3; do
			tc -n "$A" filter add dev "$dev" egress protocol ip \
				u32 match u8 "$q" 3 at "$SEQ_LOW" \
				action skbedit queue_mapping "$q" || return
		done
	done
}

pair()
{
	local settings=(hold-min 10s hold-max 10s)
	# Stalls of an emulated machine are waited for.
	lb_dev "$A" 1 "${settings[@]}" && lb_dev "$B" 2 "${settings[@]}" &&
		lb_paths "$A" 1 2 && lb_paths "$B" 2 2 &&
		until_true 30 lb_up "$A" && until_true 30 lb_up "$B"
}

stream()
{
	local pid
	udp_begin "$B" "$PORT" --in-order || return
	ip netns exec "$B" "$HERE/lb_tap.py" capture --incoming "$TAP" "$COUNT" &
	pid=$!
	until_true 30 grep -q ready "$TAP" &&
		in_ns "$A" "$HERE/udp_seq.py" send 10.99.0.2 "$PORT" \
			--count "$COUNT" --rate 2000 &&
		wait "$pid" && udp_end "$PORT"
}

answers()
{
	get "$A" path 'map(.probes_answered) | min'
}

answered()
{
	[ "$(answers)" -ge "$1" ]
}

# The sender hears of loss by probes: two on each path from now on, as one may be
# under way.
at_rest()
{
	until_true 30 answered $(($(answers) + 2))
}

lost()
{
	is "$1: no packet is reported lost to the sender" \
		"$(get "$A" path 'map(.lost) | join(" ")')" "0 0"
	is "$1: nor is one missed by the receiver" \
		"$(get "$B" path 'map(.rx_lost) | join(" ")')" "0 0"
	is "$1: as many came on each path as were sent" \
		"$(get "$B" path 'map(.rx_packets) | join(" ")')" \
		"$(get "$A" path 'map(.tx_packets) | join(" ")')"
	is "$1: none came twice, none was late, none was given up" \
		"$(get "$B" peer '.[0] | [.duplicate, .late, .timed_out,
			.known_lost, .flushed] | join(" ")')" "0 0 0 0 0"
}

tap_begin
ok "the module loads" lb_load
modprobe -qa sch_netem act_skbedit cls_u32 ||
	skip_all "no netem, skbedit or u32"
ok "two links of four queues" links_mq
ok "the queues differ in delay" queues
ok "a pair of hosts" pair

ok "UDP: all arrives once, in order" stream
diag "$(cat "$OUT")"
late=$("$HERE/lb_tap.py" disorder "$TAP")
diag "packets behind a later one of their path: $late"
is "UDP: both paths are reordered" \
	"$(for n in $late; do [ "$n" -gt 100 ] && echo yes; done)" $'yes\nyes'
ok "UDP: answers to probes" at_rest
lost UDP
num "UDP: packets were held" "$(get "$B" peer '.[0].held')" -gt 100

ofo=$(snmp "$B" TcpExtTCPOFOQueue)
ok "somebody listens" tcp_begin "$B" "$PORT"
ok "TCP: all arrives" tcp_send "$A" 10.99.0.2 "$PORT" $((2 << 20))
is "TCP: in order" "$(snmp "$B" TcpExtTCPOFOQueue)" "$ofo"
ok "TCP: answers to probes" at_rest
lost TCP
tap_end
