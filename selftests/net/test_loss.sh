#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 480
#
# Loss: only those wait who must, what was not lost arrives once, and the books
# agree with the network's. The sequence wraps; memory is bounded.

# Functions are called by ok and until_true.
# shellcheck disable=SC2317

# shellcheck source=selftests/net/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

T=/sys/kernel/tracing
SPORT=7000

tracefs()
{
	mountpoint -q "$T" || mount -t tracefs tracefs "$T"
}

hold()
{
	lbctl -n "$B" dev set lb0 hold-min 0 && lbctl -n "$B" -b - <<-END
		dev set lb0 hold-max $1
		dev set lb0 hold-min $1
	END
}

peer()
{
	get "$B" peer ".[0] | $1"
}

at_rest()
{
	[ "$(peer .held_now)" = 0 ]
}

# Of the path by p2.
path()
{
	get "$1" path ".[] | select(.device == \"p2\") | .$2"
}

books()
{
	is "$1: each hole was closed once" "$(peer .holes)" \
		"$(peer '[.filled, .timed_out, .flushed, .known_lost] | add')"
	is "$1: nothing is held" "$(peer '[.held_now, .held_bytes] | join(" ")')" \
		"0 0"
	is "$1: no jump, no copy" "$(peer '[.resync, .duplicate] | join(" ")')" \
		"0 0"
}

# Only data of lb goes through netem: byte 28 is version and type.
lossy()
{
	tc -n "$A" -batch - <<-END
		qdisc add dev p2 root handle 1: prio bands 2 priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
		qdisc add dev p2 parent 1:2 handle 20: netem loss 1% limit 10000
		filter add dev p2 parent 1: protocol ip u32 match ip dport 4799 0xffff match u8 0x10 0xff at 28 flowid 1:2
	END
}

told()
{
	[ "$(path "$A" lost)" = "$1" ]
}

netem_drops()
{
	tc -n "$A" -j -s qdisc show dev p2 | jq '.[] | select(.kind == "netem") | .drops'
}

test_percent()
{
	local dropped sent got json

	ok "a path loses 1 %" lossy
	ok "it is waited for long" hold 200ms
	lbctl -n "$A" stats reset lb0
	lbctl -n "$B" stats reset lb0
	udp_begin "$B" 9000
	ok "flows" in_ns "$A" "$HERE/udp_seq.py" send 10.99.0.2 9000 \
		--count 1000 --rate 3000 --flows 8 --sport 6000
	udp_end 9000 >"$SCRATCH/json"
	json=$(cat "$SCRATCH/json")
	diag "$json"
	ok "nothing is held in the end" until_true 20 at_rest
	dropped=$(netem_drops)
	num "netem dropped some" "$dropped" -gt 0
	ok "the path loses nothing any more" tc -n "$A" qdisc del dev p2 root
	# What was lost last shows by what comes after it.
	in_ns "$A" ping -q -c 20 -i 0.02 10.99.0.2 >/dev/null
	sent=$(get "$A" dev '.[0].tx_packets')
	got=$(get "$B" dev '.[0].rx_packets')
	is "what was not dropped arrived" "$got" $((sent - dropped))
	is "once" "$(jq .duplicated <<<"$json")" 0
	num "what is missing is what was dropped" "$(jq .lost <<<"$json")" \
		-le "$dropped"
	# The ends of the flows, five of each, are no numbers.
	num "all of it" "$(jq .lost <<<"$json")" -ge $((dropped - 40))
	is "the receiver knows" "$(path "$B" rx_lost)" "$dropped"
	ok "and tells the sender" until_true 10 told "$dropped"
	is "no other path is blamed" \
		"$(get "$A" path '[.[] | select(.device != "p2") | .lost] | add')" 0
	num "holes were given up" "$(peer '.timed_out + .known_lost')" -gt 0
	books "1 %"
}

# send SPORT COUNT: a flow to nobody; the device counts what is delivered.
send()
{
	in_ns "$A" "$HERE/udp.py" send 10.99.0.2 9 --sport "$1" --count "$2" \
		--size 300
}

delivered()
{
	get "$B" dev '.[0].rx_packets'
}

got()
{
	[ "$(delivered)" -eq "$1" ]
}

# drop_one SPORT: the next packet of that flow is lost.
drop_one()
{
	# In outer UDP: header 8, lb 24, inner IP 20, then the source port.
	in_ns "$A" nft -f - <<-END || return
		table inet lose {
			chain out {
				type filter hook output priority 0
				udp dport 4799 @th,64,8 16 @th,416,16 $1 drop
			}
		}
	END
	send "$1" 1
	in_ns "$A" nft delete table inet lose
}

# The lane that a flow has, by a hole of its.
test_lanes()
{
	local before n=32 held lane

	ok "tracefs" tracefs
	ok "a hole is waited for long" hold 10s
	send $SPORT 3
	lbctl -n "$B" stats reset lb0
	before=$(delivered)
	echo >"$T/trace"
	echo 1 >"$T/events/lb/enable"
	ok "a packet of a flow is lost" drop_one $SPORT
	send $SPORT 5
	ok "those behind it wait" until_true 5 holds 5
	# shellcheck disable=SC2046 # a word for each
	in_ns "$A" "$HERE/udp_many.py" 10.99.0.2 $(seq $((SPORT + 1)) $((SPORT + n)))
	held=$(($(peer .held_now) - 5))
	ok "other flows do not" until_true 5 got $((before + n - held))
	num "but those of its lane" "$held" -lt 12
	is "there is one hole" "$(peer .holes)" 1
	lane=$(grep -o 'lb_hole_open.*' "$T/trace" | grep -o 'lane=[0-9]*' |
		sort -u)
	has "of one lane" "$lane" '^lane=[0-9]+$'
	is "nothing was given up so far" "$(peer .timed_out)" 0
	ok "the hole is given up" until_true 30 at_rest
	is "everything is there" "$(delivered)" $((before + n + 5))
	has "the lane is the one that waited" "$(grep 'lb_hole_close' "$T/trace")" \
		"$lane missing=1 .*timed-out"
	echo 0 >"$T/events/lb/enable"
	books "lanes"
}

holds()
{
	[ "$(peer .held_now)" -eq "$1" ]
}

test_memory()
{
	local most=0 now

	ok "little memory" lbctl -n "$B" dev set lb0 hold-memory 65536
	hold 10s
	send $SPORT 3
	lbctl -n "$B" stats reset lb0
	ok "a packet is lost" drop_one $SPORT
	send $SPORT 1500 &
	while kill -0 $! 2>/dev/null; do
		now=$(peer .held_bytes)
		[ "$now" -le "$most" ] || most=$now
	done
	wait $!
	now=$(peer .held_bytes)
	[ "$now" -le "$most" ] || most=$now
	num "what is held stays near the bound" "$most" -le $((65536 + 8192))
	num "packets were held" "$(peer .held)" -gt 10
	is "the hole was given up for the memory" \
		"$(peer '[.flushed, .timed_out] | join(" ")')" "1 0"
	ok "nothing is held" until_true 30 at_rest
	lbctl -n "$B" dev set lb0 hold-memory 16mb
	books "memory"
}

# wrap START: a session whose lanes begin there.
wrap()
{
	local start=$1 first

	lbctl -n "$A" dev set lb0 seq-start "$start"
	ip -n "$A" link set dev lb0 down
	ip -n "$A" link set dev lb0 up
	ok "$start: a session" until_true 20 lb_up "$A"
	ok "$start: traffic" until_true 20 in_ns "$A" ping -q -c 1 -W 1 10.99.0.2
	lbctl -n "$B" stats reset lb0
	in_ns "$A" "$HERE/lb_tap.py" capture "$SCRATCH/tap" 300 &
	until_true 20 grep -q ready "$SCRATCH/tap"
	udp_begin "$B" 9001 --in-order
	in_ns "$A" "$HERE/udp_seq.py" send 10.99.0.2 9001 --count 100 \
		--rate 1000 --flows 4 --sport 6000 >/dev/null
	ok "$start: all in order, once" udp_end 9001
	wait $!
	# Lanes of none of the flows stay at their begin; no lane is far from it.
	first=$(awk -v s="$start" '$1 !~ /#/ { d = ($5 - s + 4294967296) % 4294967296
		if (n++ == 0 || d < min) min = d
		if (d > max) max = d } END { print min, max }' "$SCRATCH/tap")
	has "$start: the numbers are those asked for" "$first" \
		'^[0-9]{1,2} [0-9]{2,3}$'
	is "$start: nothing was given up" \
		"$(peer '[.timed_out, .flushed, .known_lost, .late] | join(" ")')" \
		"0 0 0 0"
	is "$start: no path lost anything" \
		"$(get "$B" path '[.[].rx_lost] | add')" 0
	books "$start"
	rm "$SCRATCH/tap"
}

tap_begin
ok "the module loads" lb_load
modprobe -q sch_netem || skip_all "no netem"
ok "a pair of hosts with four paths" lb_pair 4
ok "traffic" in_ns "$A" ping -q -c 20 -i 0.02 10.99.0.2
# Otherwise the kernel asks for them again some time.
ip -n "$A" neigh show | awk '$1 ~ /^10\./ { print $1, $3, $5 }' |
	while read -r addr dev mac; do
		ip -n "$A" neigh replace "$addr" lladdr "$mac" dev "$dev" \
			nud permanent
	done
test_percent
test_lanes
test_memory
hold 2s
for start in 4294967290 0 2147483640; do
	wrap $start
done
tap_end
