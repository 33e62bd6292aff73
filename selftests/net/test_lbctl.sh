#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 480
#
# lbctl against the real module: exit status and messages, JSON by the letter,
# batches, namespaces, routes, monitor.

# Functions are called by ok and until_true.
# shellcheck disable=SC2317

# shellcheck source=selftests/net/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# All that can change, less ages and counters.
state()
{
	printf '%s show\n' dev peer path | lbctl -n "$A" -j -d -b - |
		sed 's/"age_ns":[0-9]*//g'
}

# no STATUS PATTERN WORD...: lbctl fails like that, and nothing changes.
no()
{
	local status=$1 pattern=$2 text rc after good=0
	shift 2
	text=$(lbctl -n "$A" "$@" 2>&1 >/dev/null)
	rc=$?
	after=$(state)
	[ "$rc" = "$status" ] && [[ $text =~ $pattern ]] &&
		[ "$after" = "$STATE" ] || good=1
	point "$good" "lbctl $*: refused, and nothing is changed"
	[ "$good" = 0 ] || diag "status $rc, expected $status; $text"$'\n'"$(
		diff <(echo "$STATE") <(echo "$after"))"
	STATE=$after
}

test_usage()
{
	local path="path add lb0 peer 10.99.0.2 local 10.0.1.1 remote 10.0.1.2"

	no 1 "Error: " nonsense
	no 1 "Error: " -nonsense dev show
	no 1 "Error: " dev nonsense lb0
	no 1 "Error: " dev add
	no 1 "Error: " dev set lb0
	no 1 "Error: " dev set lb0 port
	no 1 "Error: " dev set lb0 port 0
	no 1 "Error: " dev set lb0 port 65536
	no 1 "Error: " dev set lb0 ttl 9 lanes 257
	no 1 "Error: " dev set lb0 ttl 9 hold-max 11s
	no 1 "Error: " dev set lb0 ttl 9 hold-max 5
	no 1 "Error: " dev set lb0 ttl 9 ttl 8
	no 1 "Error: " dev set lb0 ttl 9 nonsense 1
	no 1 "Error: " dev set lb0 ttl -1
	no 1 "Error: " dev set lb0 ttl 0x
	no 1 "Error: " dev add lb0123456789abcdef
	no 1 "Error: " peer add lb0
	no 1 "Error: " peer add lb0 10.99.0
	no 1 "Error: " peer add lb0 10.99.0.256
	no 1 "Error: " peer add lb0 fd99:::1
	no 1 "Error: " peer add lb0 10.99.0.9 alias
	# shellcheck disable=SC2086 # words
	{
		no 1 "Error: " $path entropy 0
		no 1 "Error: " $path entropy 257
		no 1 "Error: " $path weight 0
		no 1 "Error: " $path port 0
	}
	no 1 "Error: " path add lb0 peer 10.99.0.2 local 10.0.1.1
	no 1 "Error: " path set lb0 peer 10.99.0.2 local 10.0.1.1 \
		remote 10.0.1.2 dev p1
	no 1 "Error: " path show lb0 state nonsense
	no 1 "Error: " policy set lb0
	no 1 "Error: " -b "$SCRATCH/nonsense"
}

test_refused()
{
	local e="^Error: lb: .*\."

	no 2 "$e" dev set lb9 ttl 9
	no 2 "$e" dev set lo ttl 9
	no 2 "$e" dev del lo
	no 2 "$e" dev add lb0
	no 2 "$e" dev add lb9 policy nonsense
	no 2 "$e" dev add lb9 hold-min 1s
	no 2 "$e" dev set lb0 hold-min 1s ttl 9
	no 2 "$e" dev set lb0 port 4800
	no 2 "$e" policy set lb0 nonsense
	no 2 "$e" peer add lb0 10.99.0.2
	no 2 "$e" peer add lb0 224.0.0.1
	no 2 "$e" peer add lb0 10.99.0.9 alias 10.99.0.2
	no 2 "$e" peer del lb0 10.99.0.9
	no 2 "$e" peer show lb9
	no 2 "$e" path show lb9
	no 2 "$e" dev show lb9
	no 2 "$e" dev show lo
	no 2 "$e" stats reset lb9
	no 2 "$e" path add lb0 peer 10.99.0.2 local 10.0.1.1 \
		remote 10.0.1.2 dev p1
	no 2 "$e" path add lb0 peer 10.99.0.2 local 10.0.1.1 remote fd00:1::2
	no 2 "$e" path add lb0 peer 10.99.0.2 local 10.0.1.1 \
		remote 10.0.1.2 dev p77
	no 2 "$e" path add lb0 peer 10.99.0.2 local 10.0.1.1 \
		remote 10.0.1.2 port 65535 entropy 2
	no 2 "$e" path del lb0 peer 10.99.0.2 local 10.0.1.1 remote 10.0.1.2
	no 2 "$e" path set lb0 peer 10.99.0.2 local 10.0.1.1 \
		remote 10.0.1.2 dev p1 port 1 weight 3
}

# jsons WHAT: each object's JSON is JSON, with all options.
jsons()
{
	local o opts
	for o in "dev show" "peer show" "path show" "policy show" "policy list" \
		"stats show" show; do
		for opts in -j "-j -p" "-j -s -s -d" "-j -o -br"; do
			# shellcheck disable=SC2086 # words
			lbctl -n "$A" $opts $o >"$SCRATCH/json" &&
				"$HERE/lb_json.py" <"$SCRATCH/json" && continue
			echo "lbctl $opts $o:"
			cat "$SCRATCH/json"
			return 1
		done
	done
}

texts()
{
	local o opts
	for o in "dev show" "peer show" "path show" "policy list" "stats show" \
		show ""; do
		for opts in -s "-s -s -d" -o -br -d "-o -s -s" -c; do
			# shellcheck disable=SC2086 # words
			lbctl -n "$A" $opts $o >"$SCRATCH/text" &&
				[ -s "$SCRATCH/text" ] && continue
			echo "lbctl $opts $o"
			return 1
		done
	done
}

test_json()
{
	local name n=0

	is "no devices" "$(lbctl -n "$C" -j dev show)" "[]"
	is "no peers" "$(lbctl -n "$C" -j peer show)" "[]"
	is "no paths" "$(lbctl -n "$C" -j -s -s -d path show)" "[]"
	ok "JSON" jsons
	ok "text" texts
	is "one line each" "$(lbctl -n "$A" -o -s -s path show | wc -l)" 2
	is "in short too" "$(lbctl -n "$A" -br path show | wc -l)" 2
	for name in 'lb"x' 'l\b' 'l\u0041' "lb'x" 'lbé' $'lb\xff' '[x]' '{x}' \
		'-lb'; do
		ok "a device named $(printf %q "$name")" \
			lbctl -n "$A" dev add dev "$name" ttl 3
		lbctl -n "$A" peer add dev "$name" 10.98.0.2
		lbctl -n "$A" path add dev "$name" peer 10.98.0.2 \
			local 10.0.3.1 remote 10.0.3.$((++n))
		is "it is found" "$(lbctl -n "$A" -j dev show dev "$name" |
			jq -c '[.[].ttl]')" "[3]"
	done
	ok "JSON with such names" jsons
	is "the names are told as they are" \
		"$(lbctl -n "$A" -j dev show | jq -r '.[].dev' | head -n 5 |
		tail -n 4 | paste -sd' ')" 'lb"x l\b l\u0041 lb'"'x"
	for name in 'lb"x' 'l\b' 'l\u0041' "lb'x" 'lbé' $'lb\xff' '[x]' '{x}' \
		'-lb'; do
		lbctl -n "$A" dev del dev "$name"
	done
	is "all are gone again" "$(get "$A" dev 'length')" 1
}

batch()
{
	lbctl -n "$A" "$@" -b - <<-END 2>"$SCRATCH/err"
		# a comment
		peer add lb0 10.99.0.11

		peer add lb0 10.99.0.2
		peer add lb0 10.99.0.12
	END
}

peers()
{
	get "$A" peer '[.[].peer] | join(" ")'
}

test_batch()
{
	local rc

	batch
	rc=$?
	is "a batch fails with its first error" "$rc" 2
	has "and tells where" "$(cat "$SCRATCH/err")" "Error: lb: .*-:4"
	is "and stops there" "$(peers)" "10.99.0.2 10.99.0.11"
	lbctl -n "$A" peer del lb0 10.99.0.11
	batch -force
	rc=$?
	is "one that goes on fails too" "$rc" 2
	is "in the end" "$(peers)" "10.99.0.2 10.99.0.11 10.99.0.12"
	lbctl -n "$A" -b - <<-END
		peer del lb0 10.99.0.11
		peer del lb0 10.99.0.12
	END
	is "a good one does not" $? 0
	is "and did it" "$(peers)" "10.99.0.2"
	printf 'peer add lb0 10.99.0.13\nnonsense\n' | lbctl -n "$A" -b - \
		2>/dev/null
	is "a wrong word in a batch" $? 1
	lbctl -n "$A" peer del lb0 10.99.0.13
}

reaches()
{
	in_ns "$A" ping -q -c 3 -i 0.1 -W 5 "$1"
}

# The same names and addresses in two other namespaces, beside the first ones.
test_namespaces()
{
	ok "as many again, named and numbered the same" links "$C" "$D" 2
	lb_dev "$C" 1
	lb_dev "$D" 2
	lb_paths "$C" 1 2
	lb_paths "$D" 2 2
	ok "they have a session" until_true 20 lb_up "$C"
	ok "and reach each other" in_ns "$C" ping -q -c 20 -i 0.02 10.99.0.2
	num "by their own device" "$(get "$D" dev '.[0].rx_packets')" -ge 20
	ok "and those before do" reaches 10.99.0.2
	lbctl -n "$C" dev set lb0 ttl 7
	is "settings are those of one namespace" "$(get "$A" dev '.[0].ttl')" 64
	lbctl -n nonsense-$$ dev show 2>/dev/null
	is "a namespace that isn't there" $? 1
}

test_routes()
{
	ip -n "$B" addr add 172.16.1.1/32 dev lo
	ip -n "$B" addr add 172.16.2.1/32 dev lo
	ip -n "$A" route add 172.16.1.0/24 via 10.99.0.2
	ok "a network behind the peer" reaches 172.16.1.1
	ip -n "$A" route add 172.16.2.0/24 via inet6 fd99::2 dev lb0
	ok "by a next hop of IPv6" reaches 172.16.2.1
}

told()
{
	grep -qE -- "$1" "$2"
}

test_monitor()
{
	local p

	lbctl -n "$A" -j monitor >"$SCRATCH/json" 2>"$SCRATCH/err" &
	p=$!
	lbctl -n "$A" -t monitor >"$SCRATCH/text" &
	p="$p $!"
	# Until it listens nothing is told: make changes until one is.
	until_true 20 touch_weight "$SCRATCH/json"
	until_true 20 touch_weight "$SCRATCH/text"
	ip -n "$B" link set dev p2 down
	ok "a link goes: told" until_true 10 \
		told '"device":"p2".*"state":"bad".*"carrier"' "$SCRATCH/json"
	ip -n "$B" link set dev p2 up
	ok "it comes: told" until_true 30 \
		told '"device":"p2".*"state":"good"' \
		"$SCRATCH/json"
	ok "in text" until_true 10 told 'p2 .*good -> bad.*carrier' \
		"$SCRATCH/text"
	lbctl -n "$A" -b - <<-END
		dev add lb5
		peer add lb5 10.95.0.2
		path add lb5 peer 10.95.0.2 local 10.0.1.1 remote 10.0.1.5
		dev del lb5
	END
	for o in path peer dev; do
		ok "a deleted $o is told" until_true 10 \
			told "\"event\":\"$o\",\"deleted\":true,.*lb5" \
			"$SCRATCH/json"
		ok "in text" until_true 10 told "$o.*deleted.*lb5" \
			"$SCRATCH/text"
	done
	# shellcheck disable=SC2086 # words
	kill $p
	# shellcheck disable=SC2086 # words
	wait $p 2>/dev/null
	ok "an object a line" json_lines
	ok "no line of text without a time" sh -c \
		"! grep -vE '^\[[0-9T:.-]+\]' '$SCRATCH/text'"
}

# Something that is told.
touch_weight()
{
	lbctl -n "$A" path set lb0 peer 10.99.0.2 local 10.0.1.1 \
		remote 10.0.1.2 dev p1 state denied
	lbctl -n "$A" path set lb0 peer 10.99.0.2 local 10.0.1.1 \
		remote 10.0.1.2 dev p1 state allowed
	[ -s "$1" ]
}

json_lines()
{
	"$HERE/lb_json.py" --lines <"$SCRATCH/json"
}

# shows WORD...: lbctl shows devices, peers and paths.
shows()
{
	lbctl -n "$A" "$@" >"$SCRATCH/text" && grep -q lb0 "$SCRATCH/text" &&
		grep -q 10.99.0.2 "$SCRATCH/text"
}

tap_begin
ok "the module loads" lb_load
ok "a pair of hosts" lb_pair 2
ns_add C D
STATE=$(state)
has "there is a state to compare" "$STATE" '"state":"up".*"entropy":'
test_usage
test_refused
test_json
test_batch
test_namespaces
test_routes
test_monitor
ok "lbctl" shows
ok "lbctl show" shows show
ok "lbctl top -n 1" shows top -n 1
tap_end
