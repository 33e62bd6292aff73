#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 480
#
# Policies: the shares of the paths, in every window of packets; changes under
# traffic lose nothing.

# Functions are called by ok and until_true.
# shellcheck disable=SC2317

# shellcheck source=selftests/net/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

PORT=9000
TAP=$SCRATCH/tap

weight()
{
	lbctl -n "$A" path set lb0 peer 10.99.0.2 local "10.0.$1.1" \
		remote "10.0.$1.2" dev "p$1" weight "$2"
}

weights()
{
	weight 1 "$1" && weight 2 "$2" && weight 3 "$3" && weight 4 "$4"
}

state()
{
	lbctl -n "$A" path set lb0 peer 10.99.0.2 local "10.0.$1.1" \
		remote "10.0.$1.2" dev "p$1" state "$2"
}

policy()
{
	lbctl -n "$A" policy set lb0 "$1"
}

check()
{
	local what=$1
	shift
	"$HERE/lb_tap.py" "$what" "$TAP" "$@"
}

# send PORT [OPTIONS]: from A to B.
send()
{
	local port=$1
	shift
	in_ns "$A" "$HERE/udp_seq.py" send 10.99.0.2 "$port" "$@"
}

# spray FLOWS COUNT: that many packets of each flow, and what path they took.
spray()
{
	local flows=$1 count=$2 pid
	rm -f "$TAP"
	udp_begin "$B" "$PORT" || return
	ip netns exec "$A" "$HERE/lb_tap.py" capture "$TAP" $((flows * count)) &
	pid=$!
	until_true 30 grep -q ready "$TAP" || return
	send "$PORT" --flows "$flows" --count "$count" --sport 20000 || return
	wait "$pid" && udp_end "$PORT"
}

sent()
{
	get "$A" path 'map(.tx_packets) | join(" ")'
}

# since BEFORE: packets on each path since then.
since()
{
	local now
	now=$(sent)
	jq -nr --arg a "$1" --arg b "$now" '
		[($b / " "), ($a / " ") | map(tonumber)] | transpose |
		map(.[0] - .[1]) | join(" ")'
}

# close_to "GOT..." "WEIGHTS..." PERCENT: each is as near to its share.
close_to()
{
	echo "$1 for $2"
	jq -en --arg a "$1" --arg b "$2" --argjson p "$3" '
		[($a / " "), ($b / " ") | map(tonumber)] as [$got, $want] |
		($got | add) as $n | ($want | add) as $w | $n > 0 and
		([range($got | length) | ($n * $want[.] / $w) as $due |
		  ($got[.] - $due | fabs) <= $p / 100 * $due] | all)'
}

spread()
{
	# shellcheck disable=SC2086
	printf '%s\n' $1 | sort -n | sed -n '1p;$p' | tr '\n' ' ' |
		awk '{ print $2 - $1 }'
}

tap_begin
ok "the module loads" lb_load
# Without probes all that is captured is data.
ok "a pair of hosts with four paths" lb_pair 4 4 probe-interval 0

ok "policy weighted" policy weighted
for w in 1:2:3:4 1:1:1:5; do
	# shellcheck disable=SC2086
	ok "weights $w" weights ${w//:/ }
	ok "$w: all arrive" spray 1 3000
	is "$w: all were seen" "$(grep -vc '#' "$TAP")" 3000
	ok "$w: every window of 1000 has the shares, to 2 %" check weighted $w
	diag "$(cat "$OUT")"
done

ok "policy rr" policy rr
ok "rr: all arrive" spray 1 2000
is "rr: all were seen" "$(grep -vc '#' "$TAP")" 2000
ok "rr: within one packet in every window of one flow" check turns 4
diag "$(cat "$OUT")"
before=$(sent)
udp_begin "$B" "$PORT"
udp_begin "$B" $((PORT + 1))
send "$PORT" --flows 3 --count 500 >"$OUT" &
pid=$!
send $((PORT + 1)) --flows 2 --count 700 >"$OUT"
wait "$pid"
ok "rr: several flows arrive" udp_end "$PORT"
ok "rr: and those of another program" udp_end $((PORT + 1))
after=$(since "$before")
diag "packets: $after"
num "rr: within one packet over the whole" "$(spread "$after")" -le 1

ok "policy random" policy random
ok "random: weights 1:2:3:4" weights 1 2 3 4
ok "random: all arrive" spray 1 4000
# The smallest share is off by 30 % once in 10^9 runs.
ok "random: roughly by weight" \
	close_to "$(check shares 4)" "1 2 3 4" 30
ok "random: not the even spread of weighted" sh -c "! $HERE/lb_tap.py weighted $TAP 1:2:3:4"

ok "policy flow" policy flow
ok "flow: weights alike" weights 1 1 1 1
ok "flow: 64 flows arrive" spray 64 10
check flows >"$SCRATCH/before"
is "flow: all flows were seen" "$(wc -l <"$SCRATCH/before")" 64
is "flow: each is on one path" "$(grep -c , "$SCRATCH/before")" 0
is "flow: all paths are used" \
	"$(cut -d' ' -f2 "$SCRATCH/before" | sort -u | tr '\n' ' ')" "0 1 2 3 "
ok "flow: path 2 is denied" state 3 denied
ok "flow: the flows arrive" spray 64 10
check flows >"$SCRATCH/denied"
is "flow: those of other paths stay" \
	"$(grep -v ' 2$' "$SCRATCH/before" | comm -23 - "$SCRATCH/denied")" ""
is "flow: those of the denied path are elsewhere" \
	"$(grep -c '[ ,]2' "$SCRATCH/denied")" 0
is "flow: each is on one path still" "$(grep -c , "$SCRATCH/denied")" 0
ok "flow: path 2 is allowed again" state 3 allowed
ok "flow: the flows arrive again" spray 64 10
check flows >"$SCRATCH/allowed"
is "flow: only to the path that came did flows move" \
	"$(comm -13 "$SCRATCH/denied" "$SCRATCH/allowed" | grep -vc ' 2$')" 0
ok "flow: some did" grep -q ' 2$' "$SCRATCH/allowed"

# Changes under traffic.

# The paths are read one after another, and packets go on: per cent.
SKEW=25

# passed N: so many packets were sent in all.
passed()
{
	[ "$(get "$A" peer '.[0].tx_packets')" -ge "$1" ]
}

note()
{
	{
		lbctl -n "$A" -j -s path show
		lbctl -n "$B" -j -s path show
	} | jq -sc 'add | map([.tx_packets, .tx_bytes, .rx_packets, .rx_bytes]) |
		add' >>"$SCRATCH/counters"
}

# go_on N: so many more are.
go_on()
{
	note && until_true 60 passed $(($(get "$A" peer '.[0].tx_packets') + $1))
}

udp_begin "$B" "$PORT"
ip netns exec "$A" "$HERE/udp_seq.py" send 10.99.0.2 "$PORT" --flows 4 \
	--rate 1000 >"$SCRATCH/sent" &
pid=$!
go_on 100
ok "live: weights 1:2:3:4" weights 1 2 3 4
for p in random weighted rr flow weighted; do
	ok "live: policy $p" policy $p
	is "live: it is shown" \
		"$(lbctl -n "$A" -j policy show lb0 | jq -r '.. | .policy? // empty' | head -n 1)" $p
	before=$(sent)
	ok "live: traffic goes on" go_on 600
	after=$(since "$before")
	case $p in
	weighted) ok "live: weighted has the shares" \
		close_to "$after" "1 2 3 4" $SKEW ;;
	rr) ok "live: rr goes by turns" close_to "$after" "1 1 1 1" $SKEW ;;
	random) ok "live: random is roughly by weight" \
		close_to "$after" "1 2 3 4" 60 ;;
	flow) diag "flow: $after" ;;
	esac
done
ok "live: weights 4:3:2:1" weights 4 3 2 1
before=$(sent)
ok "live: traffic goes on" go_on 600
ok "live: the shares follow" close_to "$(since "$before")" "4 3 2 1" $SKEW
ok "live: path 0 is denied" state 1 denied
before=$(sent)
ok "live: traffic goes on" go_on 600
after=$(since "$before")
# One packet may have been on its way out.
num "live: not over the denied path" "${after%% *}" -le 1
ok "live: over the others, by weight" close_to "${after#* }" "3 2 1" $SKEW
ok "live: path 0 is allowed" state 1 allowed
before=$(sent)
ok "live: traffic goes on" go_on 600
ok "live: over all, by weight" close_to "$(since "$before")" "4 3 2 1" $SKEW
note
kill -TERM "$pid"
wait "$pid"
ok "live: nothing was lost, nothing came twice" udp_end "$PORT"
is "live: as many came as were sent" \
	"$(jq .received "$SCRATCH/udp.$PORT")" "$(jq .sent "$SCRATCH/sent")"
is "live: no counter went back" "$(jq -s '. as $all |
	[range(1; length) as $i | range($all[0] | length) |
	 $all[$i][.] >= $all[$i - 1][.]] | all' "$SCRATCH/counters")" true
is "no packet was dropped for want of a path" "$(drops "$A" tx-no-path)" 0
tap_end
