#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 240
#
# Trace points: they are there, tell what happens, and in words.

# Functions are called by ok and until_true.
# shellcheck disable=SC2317

# shellcheck source=selftests/net/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

T=/sys/kernel/tracing
EVENTS="lb_path_state lb_hole_open lb_hole_close lb_drop"

tracefs()
{
	mountpoint -q "$T" || mount -t tracefs tracefs "$T"
}

tracing()
{
	echo "$1" >"$T/events/lb/enable" && echo >"$T/trace"
}

# traced PATTERN: a line of the trace has it.
traced()
{
	grep -qE -- "$1" "$T/trace"
}

traces()
{
	ok "$1" until_true 10 traced "$2"
	traced "$2" || diag "$(grep -v '^#' "$T/trace" | tail -n 20)"
}

state()
{
	[ "$(get "$1" path '.[0].state')" = "$2" ]
}

ifindex()
{
	in_ns "$1" cat /sys/class/net/lb0/ifindex
}

test_path_state()
{
	local p i

	i=$(ifindex "$A")
	p="lb_path_state: ifindex=$i peer=::ffff:10\.99\.0\.2 path=0"
	tracing 1
	ip -n "$B" link set dev p1 down
	traces "no carrier" "$p good -> bad reason=carrier"
	ip -n "$B" link set dev p1 up
	traces "carrier again" "$p (bad|skip) -> good reason=none"
	ip -n "$A" link set dev p1 down
	traces "down" "$p good -> bad reason=admin"
	ip -n "$A" link set dev p1 up
	ok "up" until_true 10 state "$A" good
	lbctl -n "$A" path set lb0 peer 10.99.0.2 local 10.0.1.1 \
		remote 10.0.1.2 dev p1 state denied
	traces "denied" "$p good -> denied reason=operator"
	echo >"$T/trace"
	lbctl -n "$A" path set lb0 peer 10.99.0.2 local 10.0.1.1 \
		remote 10.0.1.2 dev p1 state allowed
	traces "allowed" "$p (denied|skip) -> good reason=none"
	# To all the same, nothing is told.
	echo >"$T/trace"
	lbctl -n "$A" path set lb0 peer 10.99.0.2 local 10.0.1.1 \
		remote 10.0.1.2 dev p1 state allowed weight 3
	is "what changes no state is not traced" \
		"$(grep -c lb_path_state "$T/trace")" 0
}

# One packet of a flow is lost, with those behind it in its lane. Port 7 is
# taken by nobody.
lose_one()
{
	in_ns "$A" nft -f - <<-END || return
		table inet lose {
			chain out {
				type filter hook output priority 0
				udp dport 4799 @th,64,8 16 drop
			}
		}
	END
	send 1
	in_ns "$A" nft delete table inet lose
	send 3
}

send()
{
	in_ns "$A" "$HERE/udp.py" send 10.99.0.2 7 --sport 7777 --count "$1"
}

test_holes()
{
	local i session head="lb_hole" line

	i=$(ifindex "$B")
	session=$(printf %08x "$(get "$A" peer '.[0].session_tx')")
	head="ifindex=$i session=$session lane=[0-9]+"
	ok "a long wait" lbctl -n "$B" dev set lb0 hold-max 300ms
	lbctl -n "$B" dev set lb0 hold-min 300ms
	# So that the lane has begun.
	send 3
	echo >"$T/trace"
	ok "a packet is lost" lose_one
	traces "a hole opens" "lb_hole_open: $head next=[0-9]+ first=[0-9]+"
	traces "and is given up" \
		"lb_hole_close: $head missing=1 after=[0-9]+ ns timed-out"
	line=$(grep -o 'lb_hole_open: .*' "$T/trace" | head -n 1)
	[[ $line =~ next=([0-9]+)\ first=([0-9]+) ]]
	is "one packet was missing" \
		$(((BASH_REMATCH[2] - BASH_REMATCH[1]) & 0xffffffff)) 1
	line=$(grep -o 'lb_hole_close: .*' "$T/trace" | head -n 1)
	[[ $line =~ after=([0-9]+) ]]
	num "not before its time" "${BASH_REMATCH[1]}" -ge 300000000
	is "both name one lane" "$(grep -o 'lb_hole.*lane=[0-9]*' "$T/trace" |
		grep -o 'lane=.*' | sort -u | wc -l)" 1

	ok "a path much slower" tc -n "$A" qdisc add dev p2 root \
		netem delay 50ms
	echo >"$T/trace"
	send 20
	traces "a hole is filled" \
		"lb_hole_close: $head missing=[0-9]+ after=[0-9]+ ns filled"
	tc -n "$A" qdisc del dev p2 root
}

test_drop()
{
	local i

	i=$(ifindex "$A")
	echo >"$T/trace"
	in_ns "$A" ping -q -c 1 -W 1 10.99.0.77
	traces "no peer" "lb_drop: ifindex=$i len=84 reason=tx-no-peer"
	i=$(ifindex "$B")
	in_ns "$A" "$HERE/rawudp.py" 10.0.1.1 10.0.1.2
	traces "no session" "lb_drop: ifindex=$i len=124 reason=rx-session"
	in_ns "$A" "$HERE/rawudp.py" 10.0.1.1 10.0.1.2 --bad-csum
	traces "wrong checksum" "lb_drop: ifindex=$i len=[0-9]+ reason=rx-checksum"
	tracing 0
	in_ns "$A" ping -q -c 1 -W 1 10.99.0.77
	is "nothing is traced when switched off" "$(grep -c lb_ "$T/trace")" 0
}

tap_begin
ok "the module loads" lb_load
ok "tracefs" tracefs
for e in $EVENTS; do
	ok "$e is there" test -e "$T/events/lb/$e/enable"
	has "$e has a format" "$(cat "$T/events/lb/$e/format")" "print fmt"
done
ok "a pair of hosts" lb_pair 2
ok "traffic" in_ns "$A" ping -q -c 10 -i 0.02 10.99.0.2
test_path_state
modprobe -q sch_netem || skip_all "no netem"
test_holes
test_drop
tap_end
