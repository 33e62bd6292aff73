#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 600
#
# The device's MTU follows its paths; what is too big is told, to local and to
# forwarded senders; GSO packets and all kinds of checksums arrive whole.

# Functions are called by ok and until_true.
# shellcheck disable=SC2317

# shellcheck source=selftests/net/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

mtu()
{
	ip -n "$1" -j link show dev lb0 | jq '.[0].mtu'
}

path_a()
{
	lbctl -n "$A" path "$1" lb0 peer 10.99.0.2 local "$2" remote "$3" dev "$4"
}

reaches()
{
	in_ns "$1" ping -q -c 1 -W 1 "$2"
}

test_device()
{
	local text

	is "1500 - 52 with IPv4 outside" "$(mtu "$A")" 1448
	is "a path shows it" "$(get "$A" path '.[0].mtu')" 1448
	ip -n "$A" link set dev p2 mtu 1400
	is "the smallest path counts, at once" "$(mtu "$A")" 1348
	is "the path shows its own" \
		"$(get "$A" path '[.[].mtu] | sort | tostring')" "[1348,1448]"
	ip -n "$A" link set dev p1 mtu 9000
	is "a larger one does not" "$(mtu "$A")" 1348
	ip -n "$A" link set dev p2 mtu 8000
	is "a larger MTU is followed too" "$(mtu "$A")" 7948
	path_a del 10.0.2.1 10.0.2.2 p2
	is "a path that goes takes its limit along" "$(mtu "$A")" 8948
	path_a add 10.0.2.1 10.0.2.2 p2
	is "a path that comes brings it" "$(mtu "$A")" 7948

	ip -n "$A" link set dev lb0 mtu 1300
	ip -n "$A" link set dev p2 mtu 1500
	is "a smaller MTU of the operator stays" "$(mtu "$A")" 1300
	ip -n "$A" link set dev p2 mtu 1340
	is "until a path is smaller still" "$(mtu "$A")" 1288
	ip -n "$A" link set dev p2 mtu 1500
	is "and comes back" "$(mtu "$A")" 1300
	text=$(ip -n "$A" link set dev lb0 mtu 1449 2>&1; echo "status $?")
	has "one that no path can carry is refused" "$text" "status [12]"
	is "it stays then" "$(mtu "$A")" 1300
	ip -n "$A" link set dev lb0 mtu 1448
	is "the largest one is possible" "$(mtu "$A")" 1448
	ip -n "$A" link set dev p2 mtu 1450
	is "and follows the paths again" "$(mtu "$A")" 1398
	ip -n "$A" link set dev p2 mtu 1500

	ip -n "$A" link set dev p1 mtu 1500
	ok "a path with IPv6 outside" path_a add fd00:1::1 fd00:1::2 p1
	is "1500 - 72 with it" "$(mtu "$A")" 1428
	path_a del fd00:1::1 fd00:1::2 p1
	is "back to IPv4" "$(mtu "$A")" 1448

	# A member that is gone limits nothing; the one that comes back does.
	ip -n "$A" -batch - <<-END
		link add name d0 mtu 1380 type dummy
		addr add 10.0.8.1/24 dev d0
		link set dev d0 up
	END
	path_a add 10.0.8.1 10.0.8.2 d0
	is "a third member" "$(mtu "$A")" 1328
	ip -n "$A" link del dev d0
	is "is gone" "$(mtu "$A")" 1448
	ip -n "$A" link add name d0 mtu 1390 type dummy
	is "is back with another MTU" "$(mtu "$A")" 1338
	path_a del 10.0.8.1 10.0.8.2 d0
	is "is no member any more" "$(mtu "$A")" 1448
	ip -n "$A" link del dev d0

	ip -n "$A" link add name d0 mtu 1000 type dummy
	text=$(path_a add 10.0.8.1 10.0.8.2 d0 2>&1; echo "status $?")
	has "a member that is too small is refused" "$text" "MTU.*status 2"
	ip -n "$A" link del dev d0
}

# ping_df NS SIZE ADDR: one packet of SIZE bytes, not to be fragmented.
ping_df()
{
	local head=28

	[[ $3 != *:* ]] || head=48
	in_ns "$1" ping -M "do" -c 1 -W 2 -s $(($2 - head)) "$3" 2>&1
}

test_local()
{
	has "a packet of the MTU goes" "$(ping_df "$A" 1448 10.99.0.2)" \
		" 1 received"
	has "one byte more is too long" "$(ping_df "$A" 1449 10.99.0.2)" \
		"[Mm]essage too long"
	has "a packet of the MTU goes, IPv6" "$(ping_df "$A" 1448 fd99::2)" \
		" 1 received"
	has "one byte more is too long, IPv6" "$(ping_df "$A" 1449 fd99::2)" \
		"[Mm]essage too long"
	has "a larger one goes in fragments" \
		"$(in_ns "$A" ping -M dont -c 1 -W 2 -s 4000 10.99.0.2)" \
		" 1 received"
	has "and with IPv6" \
		"$(in_ns "$A" ping -M dont -c 1 -W 2 -s 4000 fd99::2)" \
		" 1 received"
}

copy()
{
	tcp_send "$1" "$2" 9000 500000
}

# The PMTU that a namespace has learnt for an address.
learnt()
{
	ip -n "$1" -j route get "$2" | jq '.[0].metrics[0].mtu'
}

# C sends over A, which does not tell it of the smaller MTU but by ICMP.
test_forward()
{
	ns_add C
	ip link add name c1 netns "$C" type veth peer name c1 netns "$A"
	ip -n "$C" -batch - <<-END
		addr add 10.20.0.2/24 dev c1
		addr add fd20::2/64 dev c1 nodad
		link set dev c1 up
	END
	ip -n "$A" -batch - <<-END
		addr add 10.20.0.1/24 dev c1
		addr add fd20::1/64 dev c1 nodad
		link set dev c1 up
	END
	ip -n "$C" route add 10.99.0.0/24 via 10.20.0.1
	ip -n "$C" route add fd99::/64 via fd20::1
	ip -n "$B" route add 10.20.0.0/24 via 10.99.0.1 dev lb0
	ip -n "$B" route add fd20::/64 via fd99::1 dev lb0
	in_ns "$A" sysctl -qw net.ipv4.ip_forward=1 \
		net.ipv6.conf.all.forwarding=1 net.ipv4.icmp_ratelimit=0 \
		net.ipv6.icmp.ratelimit=0
	ok "forwarding" until_true 10 reaches "$C" 10.99.0.2
	ok "forwarding, IPv6" until_true 10 reaches "$C" fd99::2

	has "a packet of the MTU is forwarded" \
		"$(ping_df "$C" 1448 10.99.0.2)" " 1 received"
	has "a larger one is answered with the MTU" \
		"$(ping_df "$C" 1500 10.99.0.2)" "mtu ?= ?1448"
	is "which is learnt" "$(learnt "$C" 10.99.0.2)" 1448
	has "a packet of the MTU is forwarded, IPv6" \
		"$(ping_df "$C" 1448 fd99::2)" " 1 received"
	has "a larger one is answered with the MTU, IPv6" \
		"$(ping_df "$C" 1500 fd99::2)" "mtu ?[=:] ?1448"
	is "which is learnt, IPv6" "$(learnt "$C" fd99::2)" 1448
	ok "TCP works with that" copy "$C" 10.99.0.2
	ok "TCP works with that, IPv6" copy "$C" fd99::2

	# As if nobody had asked yet: TCP finds the MTU out for itself.
	ip -n "$C" route flush cache
	ip -n "$C" -6 route flush cache
	ok "TCP finds it out" copy "$C" 10.99.0.2
	ok "TCP finds it out, IPv6" copy "$C" fd99::2

	# The route claims more than the device has: the device answers itself.
	ip -n "$C" route flush cache
	ip -n "$A" route add 10.99.0.2/32 dev lb0 mtu 1500
	has "a route claims too much" "$(ping_df "$C" 1500 10.99.0.2)" \
		"mtu ?= ?1448"
	num "the device dropped it and counted that" \
		"$(drops "$A" tx-too-big)" -ge 1
	ip -n "$A" route del 10.99.0.2/32 dev lb0
}

csum_errors()
{
	echo "$(snmp "$1" TcpInCsumErrors) $(snmp "$1" UdpInCsumErrors) $(snmp "$1" Udp6InCsumErrors) $(snmp "$1" IpExtInCsumErrors)"
}

# 40 datagrams in one call; the kernel cuts them.
gso_burst()
{
	local addr=$1 waiting n

	in_ns "$B" "$HERE/udp.py" recv 9001 40 20 >"$SCRATCH/recv" &
	waiting=$!
	until_true 20 grep -q ready "$SCRATCH/recv" || return
	in_ns "$A" "$HERE/udp.py" send "$addr" 9001 --gso 1000 --count 40 ||
		kill "$waiting"
	wait "$waiting"
	n=$(grep -c '^1000 .* good$' "$SCRATCH/recv")
	echo "$n of 40"
	[ "$n" = 40 ]
}

# larger_seen COMMAND...: A's stack hands the device packets above its MTU.
larger_seen()
{
	local pid rc

	ip netns exec "$A" timeout 60 tcpdump -Z root -i lb0 -Q out -c 1 \
		-w /dev/null 'greater 3000' 2>"$SCRATCH/dump" &
	pid=$!
	until_true 20 grep -q 'listening on' "$SCRATCH/dump" || return
	"$@" && wait "$pid"
	rc=$?
	kill "$pid" 2>/dev/null
	return "$rc"
}

# whole DESC: TCP and UDP of both families arrive, and no checksum is wrong.
whole()
{
	ok "$1: TCP" copy "$A" 10.99.0.2
	ok "$1: TCP, IPv6" copy "$A" fd99::2
	ok "$1: TCP the other way" copy "$B" 10.99.0.1
	ok "$1: UDP in one GSO packet" gso_burst 10.99.0.2
	ok "$1: UDP in one GSO packet, IPv6" gso_burst fd99::2
	is "$1: no checksum is wrong" "$(csum_errors "$B") $(csum_errors "$A")" \
		"0 0 0 0 0 0 0 0"
	is "$1: nor that of a datagram of ours" \
		"$(drops "$B" rx-checksum) $(drops "$A" rx-checksum)" "0 0"
	is "$1: no packet was cut or unreadable" \
		"$(drops "$B" rx-inner) $(drops "$A" tx-malformed)" "0 0"
}

offloads()
{
	local ns p

	for ns in "$A" "$B"; do
		for p in p1 p2; do
			in_ns "$ns" ethtool -K "$p" tx "$1" rx "$1" gso "$1" \
				gro "$1" || return
		done
	done
}

settings()
{
	lbctl -n "$A" dev set lb0 "$@" && lbctl -n "$B" dev set lb0 "$@"
}

test_offload()
{
	has "the device takes TSO packets" "$(in_ns "$A" ethtool -k lb0)" \
		"tcp-segmentation-offload: on"
	ok "packets above the MTU reach it" larger_seen copy "$A" 10.99.0.2
	whole "all offloads"
	ok "no outer checksum" settings csum off
	whole "no outer checksum"
	ok "members without offloads" offloads off
	whole "no offload, no outer checksum"
	ok "an outer checksum again" settings csum on
	whole "no offload"
	ok "the device takes no GSO packets" in_ns "$A" ethtool -K lb0 \
		gso off tso off
	ok "the other merges none" in_ns "$B" ethtool -K lb0 gro off
	whole "nor at the device"
	# UDP_SEGMENT needs this one, says the kernel.
	ok "the device makes no checksums" in_ns "$A" ethtool -K lb0 tx off
	ok "checksums by the stack: TCP" copy "$A" 10.99.0.2
	ok "checksums by the stack: TCP, IPv6" copy "$A" fd99::2
	is "checksums by the stack: none is wrong" "$(csum_errors "$B")" \
		"0 0 0 0"
	ok "members with offloads" offloads on
}

tap_begin
ok "the module loads" lb_load
ok "a pair of hosts" lb_pair 2
ok "one serves TCP" tcp_begin "$A" 9000
ok "the other serves TCP" tcp_begin "$B" 9000
test_device
ip -n "$A" addr replace fd99::1/64 dev lb0 nodad
test_local
test_forward
test_offload
tap_end
