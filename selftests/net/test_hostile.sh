#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 480
#
# What an enemy may send, who knows the port, the addresses and even the session:
# each packet is counted by the reason for which it was dropped, and changes
# nothing.

# Functions are called by ok and until_true.
# shellcheck disable=SC2317

# shellcheck source=selftests/net/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

GOOD=$SCRATCH/good	# a data packet of A's on p1

setup()
{
	lb_pair 2 4 hold-min 100ms hold-max 100ms || return
	# Somebody without a peer, and another peer.
	ip -n "$A" addr add 10.0.1.9/24 dev p1
	ip -n "$A" addr add 10.0.1.8/24 dev p1
	lbctl -n "$B" -b - <<-END
		peer add lb0 10.99.0.8
		path add lb0 peer 10.99.0.8 local 10.0.1.2 remote 10.0.1.8 dev p1
	END
}

forge()
{
	in_ns "$A" "$HERE/lb_forge.py" "$@"
}

# good: a data packet, one that has just been sent, is noted.
good()
{
	rm -f "$GOOD"
	forge tap p1 "$GOOD" &
	until_true 20 grep -q ready "$GOOD" || return
	in_ns "$A" ping -q -c 6 -i 0.02 -W 5 10.99.0.2 >/dev/null || return
	wait $!
}

sessions()
{
	get "$A" peer '[.[] | select(.peer == "10.99.0.2") |
		.state, .session_tx, .session_rx] | join(" ")'
	get "$B" peer '[.[] | select(.peer == "10.99.0.1") |
		.state, .session_tx, .session_rx] | join(" ")'
}

arrives()
{
	local text
	text=$(in_ns "$A" ping -q -c 20 -i 0.01 -W 5 10.99.0.2)
	[[ $text == *" 20 received, 0% packet loss"* ]] || return
	[[ $text != *duplicates* ]]
}

# Why and how many.
rx_reasons()
{
	get "$B" dev '.[0].drops | to_entries[] |
		select(.key | startswith("rx-")) | "\(.key) \(.value)"'
}

rx_drops()
{
	rx_reasons | awk '{ n += $2 } END { print n }'
}

# grown REASON FROM BY
grown()
{
	[ "$(drops "$B" "$1")" -eq $(($2 + $3)) ]
}

counted()
{
	[ "$(rx_reasons)" = "$1" ]
}

# bad DESC REASON COUNT ARGUMENT...: forged packets are dropped for that reason,
# and for that alone.
bad()
{
	local desc=$1 reason=$2 count=$3 want rc=0
	shift 3
	want=$(rx_reasons | awk -v r="$reason" -v n="$count" \
		'$1 == r { $2 += n } { print }')
	forge send p1 "$GOOD" "$@" && until_true 5 counted "$want" || rc=1
	point "$rc" "$desc: counted as $reason, and as nothing else"
	[ "$rc" = 0 ] || diag "$(diff <(echo "$want") <(rx_reasons))"
}

test_header()
{
	bad "other versions" rx-version 2 ver=0 --copies 2
	bad "the next version" rx-version 1 ver=2
	bad "an unknown type" rx-type 1 type=7
	bad "another unknown type" rx-type 1 type=15
	bad "feedback, which nobody sends yet" rx-type 1 type=1
	bad "half a header" rx-header 1 --cut 12
	bad "all but a byte of a header" rx-header 1 --cut 23
	bad "one byte" rx-header 1 --cut 1
	bad "a lane out of range" rx-lane 1 lane=16
	bad "a lane far out of range" rx-lane 1 lane=65535
	bad "a path out of range" rx-path 1 path=4096
	bad "a path far out of range" rx-path 1 path=65535
	bad "no session" rx-session 1 session=0
	bad "an unknown session" rx-session 1 session=+1
	bad "a session of the other direction" rx-session 1 \
		session="$(get "$A" peer '.[0].session_rx')"
}

test_inner()
{
	bad "inside is not IP" rx-inner 1 inner=00
	bad "inside is another version of IP" rx-inner 1 inner=65
	bad "the flag says IPv6, inside is IPv4" rx-inner 1 flags=1
	bad "an IP header too short" rx-inner 1 inner=44
	bad "an IP header longer than the packet" rx-inner 1 inner=4f \
		--cut 60
	bad "nothing inside" rx-inner 1 --cut 24
	bad "half an IP header inside" rx-inner 1 --cut 34
	bad "inside longer than the packet" rx-inner 1 --cut 60
	bad "a length below the header" rx-inner 1 inner=45000013
	bad "a length of 65535" rx-inner 1 inner=4500ffff
	bad "IPv6 inside longer than the packet" rx-inner 1 flags=1 \
		inner=600000000fff1140
}

test_addresses()
{
	bad "a stranger with the session" rx-path 1 src=10.0.1.9
	bad "another peer with the session" rx-path 1 src=10.0.1.8
	bad "a stranger without" rx-no-peer 1 src=10.0.1.9 session=+1
	bad "a stranger's probe" rx-path 1 src=10.0.1.9 type=2
	bad "a stranger's request" rx-no-peer 1 src=10.0.1.9 type=4
	bad "a stranger ends the session" rx-no-peer 1 src=10.0.1.9 type=6
	bad "another peer ends the session" rx-control 1 src=10.0.1.8 type=6
}

# Their bodies: 24 bytes of INIT, 8 + 40 of an answer to a probe.
test_control()
{
	local nonce=1122334455667788 rx

	rx=$(get "$B" peer '.[] | select(.peer == "10.99.0.1") | .session_tx')
	bad "an end of another session" rx-control 1 type=6 session=+1
	bad "an end of the other direction's" rx-control 1 type=6
	bad "an answer with a wrong nonce" rx-control 1 type=5 \
		--body "${nonce}0000000000100002$(printf '00%.0s' {1..8})"
	bad "an answer with nonce 0" rx-control 1 type=5 \
		--body "$(printf '00%.0s' {1..8})0000000000100002$(printf '00%.0s' {1..8})"
	bad "an answer without a body" rx-control 1 type=5 --body ""
	bad "a request without a body" rx-control 1 type=4 --body ""
	bad "a request with half a body" rx-control 1 type=4 --body "$nonce"
	bad "a request with nonce 0" rx-control 1 type=4 \
		--body "$(printf '00%.0s' {1..8})0000000000100002$(printf '00%.0s' {1..8})"
	bad "a request for no lanes" rx-control 1 type=4 \
		--body "${nonce}0000000000000002$(printf '00%.0s' {1..8})"
	bad "an answer to a probe, other session" rx-control 1 type=3 \
		--body "0000000000010000$(printf '00%.0s' {1..40})"
	bad "without a body" rx-control 1 type=3 session="$rx" --body ""
	bad "to a probe that was never sent" rx-control 1 type=3 \
		session="$rx" path=0 path_seq=0x40000000 stamp=0 \
		--body "0000000000010000$(printf '00%.0s' {1..40})"
	bad "of a path that isn't there" rx-control 1 type=3 \
		session="$rx" path=4000 path_seq=1 \
		--body "0000000000010000$(printf '00%.0s' {1..40})"
	bad "a probe of a path out of range" rx-path 1 type=2 path=4096
}

# A peer that was never probed: nothing that it could answer.
test_unasked()
{
	local id rx

	ok "no more probes" lbctl -n "$B" dev set lb0 probe-interval 0
	lbctl -n "$B" path replace lb0 peer 10.99.0.1 local 10.0.1.2 \
		remote 10.0.1.1 dev p1 entropy 2
	rx=$(get "$B" peer '.[] | select(.peer == "10.99.0.1") | .session_tx')
	id=$(get "$B" path '[.[] | select(.peer == "10.99.0.1") | .id] | max')
	bad "an answer to no probe of a path without probes" rx-control 1 \
		type=3 session="$rx" path="$id" path_seq=0 stamp=0 \
		--body "0000000000010000$(printf '%04x' "$id")$(printf '00%.0s' {1..38})"
	is "it has no round trip" "$(get "$B" path \
		".[] | select(.peer == \"10.99.0.1\" and .id == $id) | .rtt_ns")" 0
	lbctl -n "$B" path replace lb0 peer 10.99.0.1 local 10.0.1.2 \
		remote 10.0.1.1 dev p1 entropy 1
	lbctl -n "$B" dev set lb0 probe-interval 100ms
}

peer()
{
	get "$B" peer ".[] | select(.peer == \"10.99.0.1\") | $1"
}

test_sequence()
{
	local resync
	resync=$(peer .resync)
	good
	bad "a lane sequence far ahead" rx-sequence 1 lane_seq=+1000000
	ok "traffic goes on" arrives
	bad "another one, half the numbers away" rx-sequence 1 \
		lane_seq=+2147483647
	ok "traffic goes on" arrives
	good
	bad "the same one again and again" rx-sequence 20 \
		lane_seq=+1000000 --copies 20
	ok "traffic goes on" arrives
	bad "far behind" rx-sequence 1 lane_seq=-2000000
	bad "far behind, again and again" rx-sequence 20 \
		lane_seq=-2000000 --copies 20
	ok "traffic goes on" arrives
	is "no lane jumped" "$(peer .resync)" "$resync"
}

test_duplicates()
{
	local before received tap

	good
	bad "a copy" rx-duplicate 1
	bad "copies" rx-duplicate 10 --copies 10

	forge tap p1 "$SCRATCH/stream" --count 100 &
	tap=$!
	until_true 20 grep -q ready "$SCRATCH/stream"
	udp_begin "$B" 9000 --in-order
	before=$(drops "$B" rx-duplicate)
	ok "a stream" in_ns "$A" "$HERE/udp_seq.py" send 10.99.0.2 9000 \
		--count 300 --rate 1000 --flows 2
	wait "$tap"
	received=$(get "$B" dev '.[0].rx_packets')
	ok "copies of a hundred of its packets" forge send p1 \
		"$SCRATCH/stream" --all
	ok "are all dropped" until_true 10 grown rx-duplicate "$before" 100
	is "and none is delivered" "$(get "$B" dev '.[0].rx_packets')" \
		"$received"
	ok "the stream came once, in order" udp_end 9000
}

# Holes that make the window move under a hole that stays open.
test_holes()
{
	local sum='[.filled, .timed_out, .flushed, .known_lost] | add'

	good
	lbctl -n "$B" dev set lb0 hold-max 8s
	lbctl -n "$B" dev set lb0 hold-min 8s
	for jump in 4000 8000 12000 12300; do
		ok "a sequence $jump ahead is held" forge send p1 "$GOOD" \
			lane_seq="+$jump"
	done
	ok "holes are there" until_true 5 held 4
	ok "and are given up in time" until_true 40 held 0
	is "each hole that opened was closed once" "$(peer .holes)" \
		"$(peer "$sum")"
	lbctl -n "$B" dev set lb0 hold-min 100ms
	lbctl -n "$B" dev set lb0 hold-max 100ms
	ok "traffic goes on" arrives
}

held()
{
	[ "$(peer .held_now)" -eq "$1" ]
}

# What the kernel dropped before anybody saw it.
kernel_drops()
{
	local sum=0 drops
	while read -r _ drops _; do
		sum=$((sum + 16#$drops))
	done </proc/net/softnet_stat
	echo $((sum + $(snmp "$B" UdpRcvbufErrors)))
}

all_counted()
{
	[ "$(rx_drops)" -eq "$1" ]
}

# noise WHO ADDRESS [OPTION]
noise()
{
	local before=$2 lost uncounted
	lost=$(kernel_drops)
	before=$(rx_drops)
	uncounted=$(forge noise "$2" 10.0.1.2 10000 "${@:3}")
	has "noise of $1 was sent" "$uncounted" '^[0-9]+$'
	ok "noise of $1 is counted" until_true 10 all_counted \
		$((before + 10000 - uncounted - $(kernel_drops) + lost))
	diag "$(rx_drops) from $before, $uncounted not to be counted"
	ok "noise of $1: traffic goes on" arrives
}

free_kb()
{
	awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo
}

memory_back()
{
	[ "$(free_kb)" -gt $(($1 - 65536)) ]
}

test_flood()
{
	local before free lowest now

	good
	before=$(get "$B" dev '.[0].control_rx')
	free=$(free_kb)
	lowest=$free
	forge inits p1 "$GOOD" 1000 &
	while kill -0 $! 2>/dev/null; do
		now=$(free_kb)
		[ "$now" -ge "$lowest" ] || lowest=$now
		arrives || diag "a ping was lost"
	done
	wait $!
	num "a flood of requests came" "$(get "$B" dev '.[0].control_rx')" \
		-ge $((before + 1000))
	num "memory is bounded meanwhile" $((free - lowest)) -lt 524288
	ok "and comes back" until_true 30 memory_back "$free"
	diag "$free kB free before, at least $lowest, $(free_kb) after"
}

tap_begin
ok "the module loads" lb_load
ok "a pair of hosts" setup
ok "traffic" arrives
ok "a packet to begin with" good
SESSIONS=$(sessions)
for t in header inner addresses control sequence duplicates holes; do
	"test_$t"
	is "$t: the sessions are what they were" "$(sessions)" "$SESSIONS"
	ok "$t: traffic goes on" arrives
done
noise "a peer" 10.0.1.1 --known
noise "a stranger" 10.0.1.9
is "the sessions are what they were" "$(sessions)" "$SESSIONS"
test_flood
is "the sessions are what they were" "$(sessions)" "$SESSIONS"
ok "traffic goes on" arrives
test_unasked
is "the sessions are what they were" "$(sessions)" "$SESSIONS"
tap_end
