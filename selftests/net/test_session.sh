#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 600
#
# Sessions: first packets wait for one, a host that restarts gets another by
# itself, packets of no session are dropped; several devices, peers, families.

# Functions are called by ok and until_true.
# shellcheck disable=SC2317

# shellcheck source=selftests/net/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# reaches NS ADDR: a packet and its answer get through.
reaches()
{
	in_ns "$1" ping -q -c 1 -W 1 "$2"
}

# all_arrive DESC NS ADDR [N]: none of N packets is lost.
all_arrive()
{
	local n=${4-50} text

	text=$(in_ns "$2" ping -q -c "$n" -i 0.005 -W 5 "$3")
	has "$1" "$text" " $n received"
}

# The device of a host, with N paths. It goes up with all of them: what comes in
# by one that isn't there yet would be dropped.
host()
{
	lbctl -n "$1" dev add lb0 && lb_paths "$1" "$2" "$3" &&
		ip -n "$1" -batch - <<-END
			addr add 10.99.0.$2/24 dev lb0
			addr add fd99::$2/64 dev lb0 nodad
			link set dev lb0 up
		END
}

tx_id()
{
	get "$1" peer '.[0].session_tx // 0'
}

rx_id()
{
	get "$1" peer '.[0].session_rx // 0'
}

# ids_agree: each sends in the session that the other one receives in.
ids_agree()
{
	[ "$(tx_id "$A")" = "$(rx_id "$B")" ] &&
		[ "$(tx_id "$B")" = "$(rx_id "$A")" ]
}

test_first()
{
	local waiting

	# A speaks before there is anybody to listen.
	host "$A" 1 2
	in_ns "$A" ping -q -c 5 -i 0.01 -W 20 10.99.0.2 >"$SCRATCH/ping" &
	waiting=$!
	ok "packets are sent while there is no peer" until_true 10 waits
	is "there is no session yet" "$(tx_id "$A")" 0
	host "$B" 2 2
	wait "$waiting"
	has "they are kept and delivered" "$(cat "$SCRATCH/ping")" " 5 received"

	# And now at once, with no waiting for anything in between.
	lbctl -n "$A" dev del lb0
	lbctl -n "$B" dev del lb0
	host "$B" 2 2
	host "$A" 1 2
	all_arrive "the first packets of a new pair arrive" "$A" 10.99.0.2 20
	all_arrive "and of the other one" "$B" fd99::1 20
	is "nobody dropped one for want of a session" \
		"$(drops "$A" tx-no-session) $(drops "$B" tx-no-session)" "0 0"
	ok "both ends name the same sessions" until_true 5 ids_agree
}

# The stack has handed the packets to the device; requests go out.
waits()
{
	[ "$(get "$A" dev '.[0].control_tx')" -ge 2 ]
}

# What stands in lb_xmit's queue is seen nowhere, but what overflows it is.
test_waiting_bound()
{
	lbctl -n "$A" peer add lb0 10.99.0.9
	lbctl -n "$A" path add lb0 peer 10.99.0.9 local 10.0.1.1 \
		remote 10.0.1.9 dev p1
	ok "packets for a peer that never answers" in_ns "$A" \
		"$HERE/udp.py" send 10.99.0.9 9 --count 600
	num "the queue of waiting packets has a bound" \
		"$(drops "$A" tx-no-session)" -ge 300
	all_arrive "the other peer doesn't mind" "$A" 10.99.0.2
	ok "the peer is deleted with what waits" \
		lbctl -n "$A" peer del lb0 10.99.0.9
}

test_restart()
{
	local before id

	ok "a session" reaches "$A" 10.99.0.2
	before=$(get "$A" peer '.[0].sessions')
	id=$(tx_id "$A")
	lbctl -n "$B" dev del lb0
	has "nobody answers while the other host is away" \
		"$(in_ns "$A" ping -q -c 2 -i 0.1 -W 1 10.99.0.2)" " 0 received"
	host "$B" 2 2
	ok "traffic comes back by itself" until_true 10 reaches "$A" 10.99.0.2
	num "in a new session" "$(tx_id "$A")" -ne "$id"
	num "which was counted" "$(get "$A" peer '.[0].sessions')" -gt "$before"
	all_arrive "nothing is lost then" "$A" 10.99.0.2
	ok "both ends name the same sessions" until_true 5 ids_agree

	# Nothing but probes tells A of it this time, and B speaks first.
	id=$(tx_id "$A")
	lbctl -n "$B" dev del lb0
	host "$B" 2 2
	all_arrive "the restarted host's first packets arrive" "$B" 10.99.0.1 20
	ok "and its answers" until_true 10 reaches "$A" 10.99.0.2
	num "in a new session again" "$(tx_id "$A")" -ne "$id"

	lbctl -n "$B" dev del lb0
	lbctl -n "$A" dev del lb0
	host "$A" 1 2
	host "$B" 2 2
	all_arrive "both restarted" "$B" 10.99.0.1 20

	id=$(tx_id "$A")
	ip -n "$A" link set dev lb0 down
	is "a device that is down has no session" "$(tx_id "$A")" 0
	is "its peer is down" "$(get "$A" peer '.[0].state')" down
	ip -n "$A" link set dev lb0 up
	ok "down and up again" until_true 10 reaches "$A" 10.99.0.2
	all_arrive "nothing is lost then" "$A" 10.99.0.2
	ok "the other end sends as well" until_true 10 reaches "$B" 10.99.0.1
	ip -n "$B" link set dev lb0 down
	ip -n "$B" link set dev lb0 up
	ok "the same at the other end" until_true 10 reaches "$A" 10.99.0.2
}

inject()
{
	in_ns "$A" "$HERE/rawudp.py" "$@"
}

test_unknown()
{
	local before id n

	ok "a pair" until_true 10 reaches "$A" 10.99.0.2
	id=$(tx_id "$A")
	before=$(drops "$B" rx-session)
	n=$(get "$B" dev '.[0].rx_packets')
	ok "packets of a session that there is not" \
		inject 10.0.1.1 10.0.1.2 --count 7
	is "are dropped and counted" "$(($(drops "$B" rx-session) - before))" 7
	is "and not delivered" "$(get "$B" dev '.[0].rx_packets')" "$n"
	is "the session stays" "$(tx_id "$A")" "$id"

	# Whoever only guesses can start handshakes, and break nothing by it.
	before=$(get "$B" dev '.[0].control_rx')
	ok "requests by somebody else" inject 10.0.1.1 10.0.1.2 --type init \
		--count 5
	num "are seen" "$(get "$B" dev '.[0].control_rx')" -ge $((before + 5))
	all_arrive "they change nothing" "$A" 10.99.0.2
	is "the session in use stays" "$(tx_id "$A")" "$id"
	is "and is the one that the other end knows" "$(rx_id "$B")" "$id"
}

test_dead_path()
{
	lbctl -n "$A" dev del lb0
	lbctl -n "$B" dev del lb0
	ip -n "$B" link set dev p1 down
	host "$B" 2 2
	host "$A" 1 2
	all_arrive "the first path has no carrier" "$A" 10.99.0.2 20
	ip -n "$B" link set dev p1 up

	lbctl -n "$A" dev del lb0
	lbctl -n "$B" dev del lb0
	# Dead without a sign of it.
	in_ns "$A" nft -f - <<-END
		table inet dead {
			chain out {
				type filter hook output priority 0
				oifname "p1" udp dport 4799 counter drop
			}
		}
	END
	host "$B" 2 2
	host "$A" 1 2
	ok "the first path is silent" until_true 10 has_session "$A"
	num "requests were lost on it" "$(in_ns "$A" nft -j list table inet dead |
		jq '[.. | .counter? // empty | .packets] | add')" -gt 0
	in_ns "$A" nft delete table inet dead
	ok "traffic" until_true 10 reaches "$A" 10.99.0.2
	all_arrive "nothing is lost without the filter" "$A" 10.99.0.2
}

# has_session NS: the peer agreed to one, whatever its paths are.
has_session()
{
	lbctl -n "$1" -j peer show | jq -e '.[0].state == "up"'
}

# second NS SIDE: lb1 with another port, and lb2 with the same port as lb0 and
# addresses of another family.
second()
{
	local ns=$1 me=$2 other=$((3 - $2))

	lbctl -n "$ns" -b - <<-END || return
		dev add lb1 port 4800
		peer add lb1 10.98.0.$other
		path add lb1 peer 10.98.0.$other local 10.0.1.$me remote 10.0.1.$other dev p1
		path add lb1 peer 10.98.0.$other local 10.0.2.$me remote 10.0.2.$other dev p2
		dev add lb2
		peer add lb2 10.97.0.$other
		path add lb2 peer 10.97.0.$other local fd00:1::$me remote fd00:1::$other dev p1
	END
	ip -n "$ns" addr replace "fd00:1::$me/64" dev p1 nodad
	ip -n "$ns" -batch - <<-END
		addr add 10.98.0.$me/24 dev lb1
		link set dev lb1 up
		addr add 10.97.0.$me/24 dev lb2
		link set dev lb2 up
	END
}

test_devices()
{
	local ns text

	ok "more devices" second "$A" 1
	ok "and at the other end" second "$B" 2
	all_arrive "another port" "$A" 10.98.0.2
	all_arrive "the same port, other addresses" "$A" 10.97.0.2
	all_arrive "the first device" "$A" 10.99.0.2
	has "each took its own packets" \
		"$(get "$B" dev '[.[].rx_packets >= 50] | all')" true
	ip -n "$B" link set dev lb0 down
	all_arrive "another one of the port is down" "$A" 10.97.0.2
	ip -n "$B" link set dev lb0 up
	text=$(lbctl -n "$A" path add lb1 peer 10.98.0.2 local 10.0.1.1 \
		remote 10.0.1.2 dev p2 2>&1)
	ok "the same addresses on another device of it" [ -z "$text" ]
	lbctl -n "$A" peer add lb2 10.97.0.7
	text=$(lbctl -n "$A" path add lb2 peer 10.97.0.7 local 10.0.1.1 \
		remote 10.0.1.2 dev p1 2>&1; echo "status $?")
	has "addresses of another peer are refused" "$text" \
		"another peer.*status 2"
	for ns in "$A" "$B"; do
		lbctl -n "$ns" dev del lb1
		lbctl -n "$ns" dev del lb2
	done
	ok "the first device is left" until_true 10 reaches "$A" 10.99.0.2
}

test_no_device()
{
	local me=1 ns other

	for ns in "$A" "$B"; do
		other=$((3 - me))
		lbctl -n "$ns" -b - <<-END
			path flush lb0
			path add lb0 peer 10.99.0.$other local 10.0.1.$me remote 10.0.1.$other
			path add lb0 peer 10.99.0.$other local 10.0.2.$me remote 10.0.2.$other
		END
		me=2
	done
	ok "paths without a device" until_true 10 reaches "$A" 10.99.0.2
	all_arrive "nothing is lost" "$A" 10.99.0.2
	is "both are used" \
		"$(get "$A" path '[.[] | .tx_packets > 10] | all')" true
	is "and no device is shown" \
		"$(get "$A" path '[.[] | .device // ""] | unique | join(",")')" ""
}

# A has two peers; they share no link.
test_peers()
{
	ns_add C
	ip -batch - <<-END
		link add name q1 netns $A type veth peer name q1 netns $C
	END
	ip -n "$A" addr add 10.0.9.1/24 dev q1
	ip -n "$A" link set dev q1 up
	ip -n "$C" addr add 10.0.9.3/24 dev q1
	ip -n "$C" link set dev q1 up
	lb_dev "$C" 3
	lbctl -n "$C" -b - <<-END
		peer add lb0 10.99.0.1 alias fd99::1
		path add lb0 peer 10.99.0.1 local 10.0.9.3 remote 10.0.9.1 dev q1 entropy 3
	END
	lbctl -n "$A" -b - <<-END
		peer add lb0 10.99.0.3 alias fd99::3 alias 10.99.0.33
		path add lb0 peer 10.99.0.3 local 10.0.9.1 remote 10.0.9.3 dev q1 entropy 3
	END
	all_arrive "a second peer" "$A" 10.99.0.3
	all_arrive "from the second peer" "$C" 10.99.0.1
	all_arrive "the first one" "$A" 10.99.0.2
	all_arrive "an alias of the other family" "$A" fd99::3
	is "each peer's packets are counted" "$(get "$A" peer \
		'[.[] | .tx_packets >= 50] | tostring')" "[true,true]"
	is "aliases are shown" "$(get "$A" peer \
		'[.[] | select(.peer == "10.99.0.3") | .alias[]] | join(" ")')" \
		"fd99::3 10.99.0.33"

	# The next hop names the peer, in whichever family.
	ip -n "$C" addr add 10.55.0.1/32 dev lo
	ip -n "$C" addr add fd55::1/128 dev lo
	ip -n "$A" route add 10.55.0.0/24 via 10.99.0.3 dev lb0
	ip -n "$A" route add fd55::/64 via fd99::3 dev lb0
	all_arrive "a route over the peer" "$A" 10.55.0.1
	all_arrive "a route over its alias" "$A" fd55::1
	ip -n "$A" route replace 10.55.0.0/24 via inet6 fd99::3 dev lb0
	all_arrive "IPv4 over a next hop of IPv6" "$A" 10.55.0.1
	ip -n "$A" route replace 10.55.0.0/24 via 10.99.0.33 dev lb0 onlink
	all_arrive "an alias of the same family" "$A" 10.55.0.1
	has "an address of no peer is unreachable" \
		"$(in_ns "$A" ping -c 1 -W 1 10.99.0.77)" "[Uu]nreachable"
	num "and counted" "$(drops "$A" tx-no-peer)" -ge 1
}

tap_begin
ok "the module loads" lb_load
ns_add A B
links "$A" "$B" 2
test_first
test_waiting_bound
test_restart
test_unknown
test_dead_path
test_devices
test_no_device
test_peers
tap_end
