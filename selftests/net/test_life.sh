#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
#
# Devices, peers, paths, members, namespaces and the module come and go, alone
# and under traffic. Nothing hangs and nothing is left; the harness looks at the
# kernel's log for the rest.

# Functions are called by ok, step and until_true.
# shellcheck disable=SC2317

# shellcheck source=selftests/net/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"
STEP_MAX=20 # seconds; what waits for a lost reference takes for ever
LONGEST=0
TRAFFIC=()

# step COMMAND...: it succeeds, and how long it took is noted.
step()
{
	local begin=${EPOCHREALTIME/./} rc took

	"$@"
	rc=$?
	took=$(((${EPOCHREALTIME/./} - begin) / 1000))
	[ "$took" -le "$LONGEST" ] || LONGEST=$took
	[ "$rc" = 0 ] || echo "failed ($rc) after $took ms: $*"
	return "$rc"
}

longest()
{
	num "$1: each step ended in time" "$LONGEST" -lt $((STEP_MAX * 1000))
	diag "the longest step took $LONGEST ms"
	LONGEST=0
}

# flood NS ADDR...: traffic to there, and back, until calm.
flood()
{
	ip netns exec "$1" "$HERE/udp.py" flood "${@:2}" &
	TRAFFIC+=($!)
}

calm()
{
	[ ${#TRAFFIC[@]} = 0 ] || kill -9 "${TRAFFIC[@]}" 2>/dev/null
	wait "${TRAFFIC[@]}" 2>/dev/null
	TRAFFIC=()
}

flows()
{
	until_true 15 ip netns exec "$A" ping -q -c 1 -W 1 10.99.0.2 && return
	echo "no traffic flows"
	state "$A"
	state "$B"
	return 1
}

state()
{
	local object

	for object in dev peer path; do
		lbctl -n "$1" -j -s "$object" show
	done
}

# Memory that the kernel can't give back, in kB, once what waits for a grace
# period is freed: the least of some looks.
kernel_memory()
{
	local least='' now i

	for ((i = 0; i < 10; i++)); do
		echo 3 >/proc/sys/vm/drop_caches
		now=$(awk '/^(SUnreclaim|Percpu|VmallocUsed):/ { n += $2 }
			   END { print n }' /proc/meminfo)
		[ -n "$least" ] && [ "$now" -ge "$least" ] || least=$now
		sleep 0.2
	done
	echo "$least"
}

# Devices with a peer and two paths each, all up; all deleted again, at once.
many_devices()
{
	local n=$1 i

	for ((i = 1; i <= n; i++)); do
		echo "link add name t$i group 7 type lb"
	done | ip -n "$C" -batch - || return
	for ((i = 1; i <= n; i++)); do
		echo "peer add t$i 10.9.0.1 alias fd09::1"
		echo "path add t$i peer 10.9.0.1 local 10.0.1.1 remote 10.0.1.$((i + 1)) dev p1 entropy 2"
	done | lbctl -n "$C" -b - || return
	ip -n "$C" link set group 7 up &&
		step ip -n "$C" link del group 7
}

# Peers and paths of a device that is up; the next turn takes the addresses.
many_peers()
{
	local n=$1 i

	for ((i = 1; i <= n; i++)); do
		echo "peer add lb0 10.9.0.1 alias fd09::1"
		echo "path add lb0 peer 10.9.0.1 local 10.0.1.1 remote 10.0.1.2 dev p1"
		echo "path add lb0 peer 10.9.0.1 local fd00:1::1 remote fd00:1::2 dev p1 entropy 3"
		echo "path del lb0 peer 10.9.0.1 local 10.0.1.1 remote 10.0.1.2 dev p1"
		echo "peer del lb0 10.9.0.1"
	done | lbctl -n "$C" -b -
}

# Devices one by one.
single_devices()
{
	local i

	for ((i = 0; i < $1; i++)); do
		step lbctl -n "$C" -b - <<-END || return
			dev add lb1 port 4800
			peer add lb1 10.9.0.1
			path add lb1 peer 10.9.0.1 local 10.0.1.1 remote 10.0.1.2 dev p1
			dev del lb1
		END
	done
}

come_and_go()
{
	local i

	for ((i = 0; i < $1; i++)); do
		many_devices 100 || return
	done
	many_peers $(($1 * 100)) && single_devices 20
}

test_alone()
{
	local before

	ns_add C
	ip -n "$C" -batch - <<-END
		link add name p1 type dummy
		addr add 10.0.1.1/24 dev p1
		link set dev p1 up
	END
	lbctl -n "$C" dev add lb0
	ip -n "$C" link set dev lb0 up
	# What is allocated once, and the caches' slack, come first.
	ok "devices, peers and paths come and go" come_and_go 1
	before=$(kernel_memory)
	ok "1000 times" come_and_go 10
	# A leak of a peer would be 1000 kB and more.
	num "memory did not grow" $(($(kernel_memory) - before)) -lt 900
	longest "alone"
	is "only the device that stays is left" \
		"$(get "$C" dev '[.[].dev] | join(" ")')" lb0
	is "it has no peer left" "$(get "$C" dev '.[0].peers')" 0
	lbctl -n "$C" dev del lb0
	is "no device is left" "$(lbctl -n "$C" -j dev show | jq length)" 0
}

# A and B keep on sending while these change things 50 times.

loop_members()
{
	local i

	for ((i = 0; i < 50; i++)); do
		step ip -n "$A" -batch - <<-END || return
			link del dev p1
			link add name p1 type veth peer name p1 netns $B
			addr add 10.0.1.1/24 dev p1
			link set dev p1 up
		END
		ip -n "$B" -batch - <<-END || return
			addr add 10.0.1.2/24 dev p1
			link set dev p1 up
		END
	done
	flows
}

loop_updown()
{
	local i

	for ((i = 0; i < 10; i++)); do
		# Five times down and up.
		step ip -n "$A" -batch - <<-END || return
			$(printf 'link set dev lb0 down\nlink set dev lb0 up\n%.0s' {1..5})
		END
	done
	flows
}

loop_policies()
{
	local i name names

	names=$(lbctl -j policy list | jq -r '.[].name') && [ -n "$names" ] ||
		return
	for ((i = 0; i < 10; i++)); do
		for name in $names; do
			echo "policy set lb0 $name"
		done
	done >"$SCRATCH/policies"
	for ((i = 0; i < 5; i++)); do
		step lbctl -n "$A" -b "$SCRATCH/policies" || return
	done
	flows
}

loop_paths()
{
	local i a b

	for ((i = 0; i < 100; i++)); do
		echo "path del lb0 peer 10.99.0.2 local 10.0.1.1 remote 10.0.1.2 dev p1"
		echo "path replace lb0 peer 10.99.0.2 local 10.0.2.1 remote 10.0.2.2 dev p2 entropy $((i % 8 + 1)) weight $((i % 3 + 1))"
		echo "path add lb0 peer 10.99.0.2 local 10.0.1.1 remote 10.0.1.2 dev p1 entropy 4"
		echo "path set lb0 peer 10.99.0.2 local 10.0.1.1 remote 10.0.1.2 dev p1 state denied"
	done | step lbctl -n "$A" -b - &
	a=$!
	for ((i = 0; i < 50; i++)); do
		echo "peer add lb0 10.99.0.7 alias fd99::7"
		echo "path add lb0 peer 10.99.0.7 local 10.0.1.2 remote 10.0.1.7 dev p1"
		echo "peer del lb0 10.99.0.1"
		echo "peer add lb0 10.99.0.1 alias fd99::1"
		echo "path add lb0 peer 10.99.0.1 local 10.0.1.2 remote 10.0.1.1 dev p1 entropy 2"
		echo "path add lb0 peer 10.99.0.1 local 10.0.2.2 remote 10.0.2.1 dev p2"
		echo "peer del lb0 10.99.0.7"
	done | step lbctl -n "$B" -b - &
	b=$!
	wait "$a" && wait "$b" && lbctl -n "$A" path set lb0 peer 10.99.0.2 \
		local 10.0.1.1 remote 10.0.1.2 dev p1 state allowed && flows
}

gone()
{
	! ip -n "$1" link show dev "$2"
}

# host NS SIDE PEER LINK NET: lb0 with a peer and one path, in two commands.
host()
{
	ip -n "$1" -batch - <<-END || return
		addr replace $5.$2/24 dev $4
		link set dev $4 up
		link add name lb0 type lb
		addr add 10.99.0.$2/24 dev lb0
		link set dev lb0 up
	END
	lbctl -n "$1" -b - <<-END
		peer add lb0 10.99.0.$3
		path add lb0 peer 10.99.0.$3 local $5.$2 remote $5.$3 dev $4
	END
}

# Ten more hosts, each with a link to A. The peers stay at A, which takes up
# the new links by their names.
ten_hosts()
{
	local i

	for i in {11..20}; do
		ip netns add "$ID-N$i" || return
		echo "link add name l$i type veth peer name l$i netns $ID-N$i"
		echo "addr add 10.1.$i.1/24 dev l$i"
		echo "link set dev l$i up"
	done | ip -n "$A" -batch - || return
	for i in {11..20}; do
		host "$ID-N$i" "$i" 1 "l$i" "10.1.$i" || return
	done
}

all_up()
{
	lbctl -n "$A" -j peer show |
		jq -e 'all(.[]; .state == "up" and .paths_good > 0)'
}

# Packets arrived from each of them since the last look.
all_heard()
{
	local now

	now=$(get "$A" path '[.[] | select(.local | startswith("10.1.")) | .rx_packets] | tostring')
	jq -e -n --argjson now "$now" --argjson before "$1" \
		'[$now, $before] | transpose | all(.[]; .[0] > .[1])'
}

# Namespaces go with their device, their end of a member and all that is under
# way to and from them. A doesn't stop.
loop_namespaces()
{
	local i round before

	for i in {11..20}; do
		NAMESPACES+=("$ID-N$i")
	done
	for ((round = 0; round < 5; round++)); do
		ten_hosts || return
		[ "$round" -gt 0 ] || for i in {11..20}; do
			echo "peer add lb0 10.99.0.$i"
			echo "path add lb0 peer 10.99.0.$i local 10.1.$i.1 remote 10.1.$i.$i dev l$i"
		done | lbctl -n "$A" -b - || return
		before=$(get "$A" path '[.[] | select(.local | startswith("10.1.")) | .rx_packets] | tostring')
		if ! step until_true 30 all_up ||
		   ! step until_true 30 all_heard "$before"; then
			echo "round $round"
			state "$A"
			return 1
		fi
		for i in {11..20}; do
			ip netns del "$ID-N$i" || return
		done
		for i in {11..20}; do
			step until_true "$STEP_MAX" gone "$A" "l$i" || return
		done
	done
	flows
}

load_again()
{
	insmod "$SCRATCH/lb.ko"
}

loop_modules()
{
	local i

	# Debug information takes most of the time to load it.
	strip -g -o "$SCRATCH/lb.ko" "$LB_MODULES/lb.ko" ||
		cp "$LB_MODULES/lb.ko" "$SCRATCH/lb.ko" || return
	for ((i = 0; i < 50; i++)); do
		# To refuse would be all right too.
		step rmmod lb || [ -d /sys/module/lb ] || return
		[ -d /sys/module/lb ] || load_again || return
		host "$A" 1 2 p1 10.0.1 && host "$B" 2 1 p1 10.0.1 &&
			step flows || return
	done
}

# The device is used in D, its paths stay in B.
move_device()
{
	ip -n "$B" link set dev lb0 netns "$D" &&
		ip -n "$D" -batch - <<-END && flows
			addr add 10.99.0.2/24 dev lb0
			link set dev lb0 up
		END
}

test_traffic()
{
	ok "a pair of hosts" lb_pair 2
	flood "$A" 10.99.0.2
	flood "$B" 10.99.0.1
	ok "a member is deleted and made again" loop_members
	ok "the device goes down and up" loop_updown
	ok "the policy changes" loop_policies
	ok "peers and paths change at both ends" loop_paths
	longest "under traffic"

	flood "$A" 10.99.0.{11..20}
	ok "other hosts' namespaces are deleted" loop_namespaces
	longest "namespaces"
	ok "the module is removed" loop_modules
	longest "module"
	calm
}

# The device works elsewhere and goes with the namespace it was made in.
test_moved()
{
	ns_add D
	flood "$A" 10.99.0.2
	ok "the device moves to another namespace" move_device
	flood "$D" 10.99.0.1
	ok "the namespace it was made in is deleted" step ip netns del "$B"
	ok "the device goes with it" step until_true $STEP_MAX gone "$D" lb0
	ok "that namespace is empty" step until_true $STEP_MAX gone "$A" p1
	ok "the other end stays" ip -n "$A" link show dev lb0 up
	longest "moved"
	calm
}

tap_begin
ok "the module loads" lb_load
test_alone
test_traffic
test_moved
tap_end
