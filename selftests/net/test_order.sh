#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 360
#
# Order: paths of very unequal delay, and what arrives is in order all the same,
# whole, and once.

# Functions are called by ok and until_true.
# shellcheck disable=SC2317

# shellcheck source=selftests/net/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

PORT=9000
BYTES=$((6 << 20))

# Path N is that much slower, both ways.
DELAY=(0 1ms 5ms 10ms 20ms)

# An emulated machine stalls, and packets then come later than the network's
# delays make them: such a stall is to be waited for, not given up.
PATIENT=(hold-min 10s hold-max 10s hold-memory 64mb)
DEFAULT=(hold-min 0 hold-max 20ms hold-memory 16mb)

delays()
{
	local ns i
	for ns in "$A" "$B"; do
		for i in 1 2 3 4; do
			tc -n "$ns" qdisc replace dev "p$i" root \
				netem delay "${DELAY[i]}" limit 50000 || return
		done
	done
}

# TCP would take a stall for a loss too: no retransmission but for loss that the
# order of packets shows, which there must not be.
calm_tcp()
{
	local ns other=2
	for ns in "$A" "$B"; do
		in_ns "$ns" sysctl -qw net.ipv4.tcp_early_retrans=0 || return
		ip -n "$ns" route add "10.99.0.$other/32" dev lb0 \
			rto_min 20s || return
		ip -n "$ns" route add "fd99::$other/128" dev lb0 \
			rto_min 20s || return
		other=1
	done
}

# paths FAMILY: the outer packets'.
paths()
{
	local i net
	for i in 1 2 3 4; do
		net=10.0.$i.
		[ "$1" = 4 ] || net=fd00:$i::
		lbctl -n "$A" path add lb0 peer 10.99.0.2 local "${net}1" \
			remote "${net}2" dev "p$i" &&
			lbctl -n "$B" path add lb0 peer 10.99.0.1 \
				local "${net}2" remote "${net}1" dev "p$i" ||
			return
	done
}

use_family()
{
	lbctl -n "$A" path flush lb0 && lbctl -n "$B" path flush lb0 &&
		paths "$1" && until_true 30 in_ns "$A" ping -q -c 4 -i 0.2 10.99.0.2
}

peer()
{
	get "$B" peer ".[0] | $1"
}

settings()
{
	lbctl -n "$A" dev set lb0 "$@" && lbctl -n "$B" dev set lb0 "$@"
}

reset()
{
	lbctl -n "$A" stats reset lb0 && lbctl -n "$B" stats reset lb0
}

udp_stream()
{
	udp_begin "$B" "$PORT" "${@:2}" &&
		in_ns "$A" "$HERE/udp_seq.py" send "$1" "$PORT" --count 2000 \
			--rate 2000 --size 300 && udp_end "$PORT"
}

# in_order WHAT ADDRESS: TCP and UDP to there, and nothing shows the delays.
in_order()
{
	local what=$1 ofo retrans
	ok "$what: counters at zero" reset
	ofo=$(snmp "$B" TcpExtTCPOFOQueue) retrans=$(snmp "$A" TcpRetransSegs)
	ok "$what: a file by TCP" tcp_send "$A" "$2" "$PORT" "$BYTES"
	num "$what: TCP saw nothing out of order" \
		"$(($(snmp "$B" TcpExtTCPOFOQueue) - ofo))" -eq 0
	num "$what: TCP sent nothing again" \
		"$(($(snmp "$A" TcpRetransSegs) - retrans))" -eq 0
	ok "$what: UDP once, and in order" udp_stream "$2" --in-order
	diag "$(cat "$OUT")"
	num "$what: packets were held" "$(peer .held)" -gt 1000
	num "$what: for the time that the delays differ by" \
		"$(peer .hold_longest_ns)" -ge 10000000
	diag "held $(peer .held), longest $(peer .hold_longest_ns) ns"
	is "$what: every hole was filled" \
		"$(peer '.holes == .filled')" true
	is "$what: none was given up" \
		"$(peer '[.timed_out, .known_lost, .flushed, .resync] | join(" ")')" \
		"0 0 0 0"
	is "$what: no packet was late, none came twice" \
		"$(peer '[.late, .duplicate] | join(" ")')" "0 0"
	is "$what: none is held any more" \
		"$(peer '[.held_now, .held_bytes] | join(" ")')" "0 0"
	is "$what: all paths carried them" \
		"$(get "$B" path '[.[] | .rx_packets > 100] | all')" true
}

tap_begin
ok "the module loads" lb_load
modprobe -q sch_netem || skip_all "no netem"
ok "a pair of hosts with four paths" lb_pair 4
ok "the paths' delays are 1, 5, 10 and 20 ms" delays
ok "TCP is patient" calm_tcp
ok "somebody listens" tcp_begin "$B" "$PORT"

ok "lb is patient" settings "${PATIENT[@]}"
in_order "IPv4 in IPv4" 10.99.0.2
in_order "IPv6 in IPv4" fd99::2
ok "paths over IPv6" use_family 6
in_order "IPv4 in IPv6" 10.99.0.2

# By default no packet is held for as long as a stall may take. Then order may
# be given up, but nothing else.
ok "lb is as it is by default" settings "${DEFAULT[@]}"
ok "default: counters at zero" reset
ok "default: UDP, each packet once" udp_stream 10.99.0.2
diag "$(cat "$OUT")"
ok "default: a file by TCP" tcp_send "$A" 10.99.0.2 "$PORT" "$BYTES"
is "default: nothing came twice" "$(peer .duplicate)" 0
diag "held $(peer .held), timed out $(peer .timed_out), late $(peer .late)"
tap_end
