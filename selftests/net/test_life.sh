#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 480
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

# flood NS ADDR: small and large packets, UDP and echo requests, until killed.
flood()
{
	ip netns exec "$1" ping -q -i 0.005 -s 1000 "$2" >/dev/null 2>&1 &
	TRAFFIC+=($!)
	ip netns exec "$1" "$HERE/udp.py" flood "$2" >/dev/null 2>&1 &
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
	local ns o

	until_true 15 ip netns exec "$A" ping -q -c 1 -W 1 10.99.0.2 && return
	echo "no traffic flows"
	for ns in "$A" "$B"; do
		for o in dev peer path; do
			lbctl -n "$ns" -j -s "$o" show
		done
	done
	return 1
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

	for ((i = 0; i < 50; i++)); do
		step ip -n "$A" link set dev lb0 down &&
			step ip -n "$A" link set dev lb0 up || return
	done
	flows
}

loop_policies()
{
	local i name names

	names=$(lbctl -j policy list | jq -r '.[].name') && [ -n "$names" ] ||
		return
	for ((i = 0; i < 50; i++)); do
		for name in $names; do
			echo "policy set lb0 $name"
		done
	done | step lbctl -n "$A" -b - && flows
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
	wait "$a" && wait "$b" && flows
}

# B's end: its links, its device. A waits for the member by its name.
join_b()
{
	ip -n "$A" -batch - <<-END || return
		link add name p1 type veth peer name p1 netns $B
		addr add 10.0.1.1/24 dev p1
		link set dev p1 up
	END
	ip -n "$B" -batch - <<-END || return
		addr add 10.0.1.2/24 dev p1
		link set dev p1 up
	END
	lb_dev "$B" 2 && lb_paths "$B" 2 1
}

gone()
{
	! ip -n "$1" link show dev "$2"
}

# One namespace goes after the other, with its device, its end of the members
# and all that is under way to it.
loop_namespaces()
{
	local i busy

	for ((i = 0; i < 50; i++)); do
		ip netns exec "$B" ping -q -i 0.005 -s 1000 10.99.0.1 \
			>/dev/null 2>&1 &
		busy=$!
		step flows || return
		# It goes as soon as no process lives there; A doesn't stop.
		ip netns del "$B" && kill -9 "$busy" || return
		wait "$busy" 2>/dev/null
		step until_true "$STEP_MAX" gone "$A" p1 || return
		ip netns add "$B" && join_b || return
	done
	flows
}

loop_modules()
{
	local i

	for ((i = 0; i < 50; i++)); do
		# Refused would be all right too.
		step rmmod lb || [ -d /sys/module/lb ] || return
		[ -d /sys/module/lb ] || lb_load || return
		lb_dev "$A" 1 && lb_paths "$A" 1 1 &&
			lb_dev "$B" 2 && lb_paths "$B" 2 1 && step flows ||
			return
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

	# These would keep the namespace.
	calm
	flood "$A" 10.99.0.2
	ok "the other host goes" ip netns del "$B"
	ok "its links go" step until_true $STEP_MAX gone "$A" p1
	ok "another one comes" ip netns add "$B"
	ok "it joins" step join_b
	ok "the other host's namespace is deleted" loop_namespaces
	longest "namespaces"

	flood "$B" 10.99.0.1
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
