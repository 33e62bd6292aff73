#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 600
#
# The two doors of received packets, the ingress hook and the socket; what goes
# past them untouched, wrong checksums, and congestion marks.

# Functions are called by ok and until_true.
# shellcheck disable=SC2317

# shellcheck source=selftests/net/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"
TAPS=()

reaches()
{
	in_ns "$A" ping -q -c 1 -W 1 "$1"
}

counter()
{
	get "$B" dev ".[0].$1"
}

# by DOOR N DESC [ADDR]: N packets arrive, none is lost; B took all of them by
# that door and none by the other.
by()
{
	local door=$1 n=$2 desc=$3 addr=${4-10.99.0.2} early socket other text

	early=$(counter rx_early)
	socket=$(counter rx_socket)
	text=$(in_ns "$A" ping -q -c "$n" -i 0.01 -W 5 "$addr")
	has "$desc: arrives" "$text" " $n received"
	early=$(($(counter rx_early) - early))
	socket=$(($(counter rx_socket) - socket))
	if [ "$door" = early ]; then
		num "$desc: by the hook" "$early" -ge "$n"
		other=$socket
	else
		num "$desc: by the socket" "$socket" -ge "$n"
		other=$early
	fi
	is "$desc: not by the other door" "$other" 0
}

# tap NS DEV FILTER: tcpdump runs there.
tap()
{
	local file=$SCRATCH/tap.$1.$2

	ip netns exec "$1" tcpdump -Z root -U -n -i "$2" -w "$file" "$3" \
		2>"$file.err" &
	TAPS+=($!)
	until_true 30 grep -q 'listening on' "$file.err"
}

untap()
{
	kill "${TAPS[@]}"
	wait "${TAPS[@]}" 2>/dev/null
	TAPS=()
}

# tapped NS DEV FILTER: how many packets it saw that match.
tapped()
{
	tcpdump -n -r "$SCRATCH/tap.$1.$2" "$3" 2>/dev/null | wc -l
}

test_hook()
{
	by early 50 "IPv4"
	by early 50 "IPv6" fd99::2

	# The hook gets a packet that others hold too.
	ok "a tap on a member" tap "$B" p1 "udp port 4799"
	ok "a tap on another" tap "$B" p2 "udp port 4799"
	ok "a tap on the device" tap "$B" lb0 "icmp or icmp6"
	by early 50 "tapped"
	by early 50 "tapped, IPv6" fd99::2
	untap
	num "the taps saw the datagrams" $(($(tapped "$B" p1 "udp port 4799") +
		$(tapped "$B" p2 "udp port 4799"))) -ge 200
	num "the tap saw requests" \
		"$(tapped "$B" lb0 "icmp and dst 10.99.0.2")" -eq 50
	num "the tap saw answers" \
		"$(tapped "$B" lb0 "icmp and src 10.99.0.2")" -eq 50
	num "the tap saw IPv6" "$(tapped "$B" lb0 "icmp6 and dst fd99::2")" \
		-ge 50

	in_ns "$B" nft -f - <<-END
		table inet t {
			chain in {
				type filter hook input priority 0
				udp dport 4799 counter drop
			}
		}
	END
	by early 50 "a filter in INPUT doesn't matter"
	is "it saw no packet" "$(filtered)" 0
}

filtered()
{
	in_ns "$B" nft -j list table inet t |
		jq '[.. | .counter? // empty | .packets] | add'
}

test_socket()
{
	local text

	# The filter is still there.
	ok "without the hook" lbctl -n "$B" dev set lb0 early-rx off
	is "it is shown to be off" "$(counter early_rx)" false
	text=$(in_ns "$A" ping -q -c 3 -i 0.1 -W 1 10.99.0.2)
	has "the filter matters" "$text" " 0 received"
	num "it saw packets" "$(filtered)" -ge 3
	in_ns "$B" nft delete table inet t
	by socket 50 "without the filter"
	by socket 50 "without the filter, IPv6" fd99::2
	ok "a tap on a member" tap "$B" p1 "udp port 4799"
	by socket 20 "tapped"
	untap
	ok "with the hook again" lbctl -n "$B" dev set lb0 early-rx on
	by early 20 "with it again"

	ok "without it from the start" lbctl -n "$B" dev del lb0
	lb_dev "$B" 2 early-rx off
	lb_paths "$B" 2 2
	ok "a new session" until_true 10 reaches 10.99.0.2
	by socket 20 "without it from the start"
	lbctl -n "$B" dev set lb0 early-rx on
	by early 20 "switched on while up"
}

raw()
{
	in_ns "$A" "$HERE/rawudp.py" "$@"
}

test_doubtful()
{
	local socket control

	# Priority tags: the stack takes these off after the hook.
	in_ns "$A" tc qdisc add dev p1 clsact
	in_ns "$A" tc qdisc add dev p2 clsact
	ok "tagged frames" in_ns "$A" tc filter add dev p1 egress \
		protocol ip matchall action vlan push id 0 priority 3
	in_ns "$A" tc filter add dev p2 egress protocol ip matchall \
		action vlan push id 0 priority 3
	by socket 20 "tagged"
	in_ns "$A" tc qdisc del dev p1 clsact
	in_ns "$A" tc qdisc del dev p2 clsact
	by early 20 "not tagged"

	# Only what is a whole datagram goes by the hook. The request comes in
	# three pieces.
	socket=$(counter rx_socket)
	control=$(counter control_rx)
	ok "fragments" raw 10.0.1.1 10.0.1.2 --type init --fragment 24
	ok "are put together by the stack" until_true 5 \
		rose rx_socket "$socket" 1
	num "and understood" "$(counter control_rx)" -gt "$control"
	socket=$(counter rx_socket)
	ok "fragments of another datagram" raw 10.0.1.1 10.0.1.2 \
		--type init --fragment 32 --count 3
	ok "all are taken" until_true 5 rose rx_socket "$socket" 3
	by early 20 "the others"
}

# rose COUNTER FROM BY
rose()
{
	[ "$(counter "$1")" -eq $(($2 + $3)) ]
}

dropped()
{
	[ "$(drops "$B" "$1")" -eq "$2" ]
}

# receive N: wait for so many datagrams.
receive()
{
	ip netns exec "$B" "$HERE/udp.py" recv 9002 "$1" 30 >"$SCRATCH/recv" &
	RECEIVER=$!
	until_true 30 listening "$B" udp 9002
}

# RECEIVED is what came.
received()
{
	wait "$RECEIVER"
	RECEIVED=$(grep -v ready "$SCRATCH/recv")
}

test_others()
{
	local early before

	ok "the member address answers" reaches 10.0.1.2
	ok "the member address answers, IPv6" reaches fd00:1::2
	before=$(counter rx_packets)
	ok "somebody serves TCP" tcp_begin "$B" 9003
	ok "TCP to the member address" tcp_send "$A" 10.0.1.2 9003 300000
	receive 1
	ok "UDP to the member address" in_ns "$A" "$HERE/udp.py" send \
		10.0.1.2 9002 --size 900
	received
	has "it arrives" "$RECEIVED" "^900 .*good"
	receive 1
	ok "UDP from the port's number to another" in_ns "$A" \
		"$HERE/rawudp.py" 10.0.1.1 10.0.1.2 --sport 4799 --dport 9002
	received
	has "it arrives as it was" "$RECEIVED" "^124 "
	is "the device saw none of that" "$(counter rx_packets)" "$before"

	ip -n "$A" addr add 10.0.1.9/24 dev p1
	early=$(counter rx_early)
	before=$(drops "$B" rx-no-peer)
	ok "to the port from an address of no peer" \
		raw 10.0.1.9 10.0.1.2 --count 4
	ok "is counted" until_true 5 dropped rx-no-peer $((before + 4))
	ok "a request from it" raw 10.0.1.9 10.0.1.2 --type init
	ok "is counted too" until_true 5 dropped rx-no-peer $((before + 5))
	before=$(drops "$B" rx-header)
	ok "a datagram without a whole header" in_ns "$A" "$HERE/udp.py" \
		send 10.0.1.2 4799 --from 10.0.1.1 --size 10
	ok "is counted" until_true 5 dropped rx-header $((before + 1))
	before=$(drops "$B" rx-version)
	ok "a header of another version" in_ns "$A" "$HERE/udp.py" send \
		10.0.1.2 4799 --from 10.0.1.1 --size 100
	ok "is counted" until_true 5 dropped rx-version $((before + 1))
	before=$(drops "$B" rx-type)
	ok "a packet of a type that there is not" in_ns "$A" "$HERE/udp.py" \
		send 10.0.1.2 4799 --from 10.0.1.1 \
		--hex "1f$(printf '00%.0s' {1..63})"
	ok "is counted" until_true 5 dropped rx-type $((before + 1))
	by early 20 "ours meanwhile"
}

test_checksum()
{
	local bad session

	bad=$(drops "$B" rx-checksum)
	session=$(drops "$B" rx-session)
	ok "a right checksum" raw 10.0.1.1 10.0.1.2 --count 3
	ok "is none that is counted" until_true 5 \
		dropped rx-session $((session + 3))
	is "as wrong" "$(drops "$B" rx-checksum)" "$bad"
	ok "a wrong one" raw 10.0.1.1 10.0.1.2 --count 3 --bad-csum
	ok "is" until_true 5 dropped rx-checksum $((bad + 3))
	is "and is looked at no further" "$(drops "$B" rx-session)" \
		$((session + 3))

	lbctl -n "$A" path add lb0 peer 10.99.0.2 local fd00:1::1 \
		remote fd00:1::2 dev p1
	lbctl -n "$B" path add lb0 peer 10.99.0.1 local fd00:1::2 \
		remote fd00:1::1 dev p1
	ok "a right checksum, IPv6" raw fd00:1::1 fd00:1::2
	ok "is right" until_true 5 dropped rx-session $((session + 4))
	ok "a wrong one, IPv6" raw fd00:1::1 fd00:1::2 --bad-csum
	ok "is counted" until_true 5 dropped rx-checksum $((bad + 4))
	by early 30 "a path of each family"
	ok "no outer checksum" lbctl -n "$A" dev set lb0 csum off
	by early 30 "without an outer checksum"
	lbctl -n "$B" dev set lb0 early-rx off
	by socket 30 "without one, by the socket"
	lbctl -n "$B" dev set lb0 early-rx on
	lbctl -n "$A" dev set lb0 csum on
}

marked()
{
	get "$1" path "[.[].$2] | add"
}

# send_marked DESC ADDR TOS WANT: with CE outside, inside it arrives as WANT.
send_marked()
{
	receive 10
	ok "$1: sent" in_ns "$A" "$HERE/udp.py" send "$2" 9002 --tos "$3" \
		--count 10
	received
	is "$1: all arrive, inside marked as they can be" \
		"$(sort <<<"$RECEIVED" | uniq -c | awk '{ print $1, $3, $4 }')" \
		"10 $4 good"
}

told()
{
	[ "$(marked "$A" ce)" -ge "$1" ]
}

test_ecn()
{
	local ce

	send_marked "no mark outside" 10.99.0.2 2 2
	is "no path has marks" "$(marked "$B" rx_ce)" 0
	ok "a router marks" in_ns "$A" nft -f - <<-END
		table inet router {
			chain out {
				type filter hook output priority 0
				udp dport 4799 ip ecn set ce
				udp dport 4799 ip6 ecn set ce
			}
		}
	END
	# 0 not-ECT, 1 and 2 ECT, 3 CE; 40 is a DSCP to keep.
	send_marked "not-ECT" 10.99.0.2 40 40
	send_marked "ECT(0)" 10.99.0.2 42 43
	send_marked "ECT(1)" 10.99.0.2 1 3
	send_marked "not-ECT, IPv6" fd99::2 40 40
	send_marked "ECT(0), IPv6" fd99::2 42 43
	ce=$(marked "$B" rx_ce)
	num "marks are counted for the paths" "$ce" -ge 50
	is "for each" "$(get "$B" path '[.[] | .rx_ce > 5] | all')" true
	ok "and the sender is told" until_true 10 told 50
	lbctl -n "$B" dev set lb0 early-rx off
	send_marked "by the socket" 10.99.0.2 2 3
	num "is counted" "$(marked "$B" rx_ce)" -ge $((ce + 10))
	lbctl -n "$B" dev set lb0 early-rx on
	in_ns "$A" nft delete table inet router
	send_marked "no mark any more" 10.99.0.2 2 2
}

tap_begin
ok "the module loads" lb_load
ok "a pair of hosts" lb_pair 2
test_hook
test_socket
test_doubtful
test_others
test_checksum
test_ecn
tap_end
