#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 360
#
# Entropy: routers that know nothing of lb spread one flow over all their equal
# ways, by the outer source port, and the receiver's GRO merges it again.
#
#	A --- R === S --- B	four links between R and S
#
# 10.1.N.0/24 and fd01:N::/64: N is 0 for A - R, 5 for S - B, 1 to 4 between.

# Functions are called by ok and until_true.
# shellcheck disable=SC2317

# shellcheck source=selftests/net/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

PORT=9000
BYTES=$((3 << 20))
LINKS='' RX=0 IP=0

# wire NS DEV SIDE NS DEV SIDE N: a link and the addresses of its ends.
wire()
{
	ip link add name "$2" netns "$1" type veth peer name "$5" netns "$4" &&
		wire_end "$1" "$2" "$3" "$7" && wire_end "$4" "$5" "$6" "$7"
}

wire_end()
{
	ip -n "$1" -batch - <<-END
		addr add 10.1.$4.$3/24 dev $2
		addr add fd01:$4::$3/64 dev $2 nodad
		link set dev $2 up
	END
}

# ways NS SIDE PREFIX4 PREFIX6: to there by all four links.
ways()
{
	local i four=() six=()
	for i in 1 2 3 4; do
		four+=(nexthop via "10.1.$i.$2")
		six+=(nexthop via "fd01:$i::$2")
	done
	ip -n "$1" route add "$3" "${four[@]}" &&
		ip -n "$1" -6 route add "$4" "${six[@]}"
}

topology()
{
	local ns i
	ns_add A R S B || return
	for ns in "$R" "$S"; do
		# Policy 1 hashes addresses and ports of the outer packet.
		in_ns "$ns" sysctl -qw net.ipv4.ip_forward=1 \
			net.ipv6.conf.all.forwarding=1 \
			net.ipv4.conf.all.rp_filter=0 \
			net.ipv4.conf.default.rp_filter=0 \
			net.ipv4.fib_multipath_hash_policy=1 \
			net.ipv6.fib_multipath_hash_policy=1 || return
	done
	wire "$A" up 1 "$R" down 2 0 || return
	for i in 1 2 3 4; do
		wire "$R" "x$i" 1 "$S" "x$i" 2 "$i" || return
	done
	wire "$S" down 2 "$B" up 1 5 || return
	ways "$R" 2 10.1.5.0/24 fd01:5::/64 || return
	ways "$S" 1 10.1.0.0/24 fd01:0::/64 || return
	ip -n "$A" route add default via 10.1.0.2 &&
		ip -n "$A" -6 route add default via fd01:0::2 &&
		ip -n "$B" route add default via 10.1.5.2 &&
		ip -n "$B" -6 route add default via fd01:5::2
}

# group FAMILY ENTROPY [WORDS]: one path group at each end, no other.
group()
{
	local a=10.1.0.1 b=10.1.5.1
	[ "$1" = 4 ] || { a=fd01:0::1 b=fd01:5::1; }
	lbctl -n "$A" path flush lb0 && lbctl -n "$B" path flush lb0 &&
		lbctl -n "$A" path add lb0 peer 10.99.0.2 local "$a" remote "$b" \
			entropy "$2" "${@:3}" &&
		lbctl -n "$B" path add lb0 peer 10.99.0.1 local "$b" remote "$a" \
			entropy "$2" "${@:3}" &&
		until_true 30 in_ns "$A" ping -q -c 1 -W 1 10.99.0.2
}

pair()
{
	local family=$1
	lb_dev "$A" 1 probe-interval 0 && lb_dev "$B" 2 probe-interval 0 &&
		lbctl -n "$A" peer add lb0 10.99.0.2 alias fd99::2 &&
		lbctl -n "$B" peer add lb0 10.99.0.1 alias fd99::1 &&
		group "$family" 64 dev up
}

# Packets that R sent over each of the four links.
links_sent()
{
	ip -n "$R" -j -s link show |
		jq -r '[.[] | select(.ifname | test("^x")) | .stats64.tx.packets] |
			join(" ")'
}

rx_packets()
{
	get "$B" dev '.[0].rx_packets'
}

# flow ADDRESS NAME: one TCP flow from A to B. LINKS is what the links carried
# in percent, least first, RX the packets that lb0 took in, IP those that the IP
# layer saw, which NAME counts.
flow()
{
	local links rx ip
	links=$(links_sent) rx=$(rx_packets) ip=$(snmp "$B" "$2")
	tcp_send "$A" "$1" "$PORT" "$BYTES" || return
	LINKS=$(jq -nr --arg a "$links" --arg b "$(links_sent)" '
		[($b / " "), ($a / " ") | map(tonumber)] | transpose |
		map(.[0] - .[1]) | add as $n | map(100 * . / $n | floor) |
		sort | join(" ")')
	RX=$(($(rx_packets) - rx))
	IP=$(($(snmp "$B" "$2") - ip))
}

# spread WHAT FAMILIES: flows over all links; GRO is seen with FAMILIES inside.
spread()
{
	local inner address name
	for inner in 4 6; do
		address=10.99.0.2 name=IpInReceives
		[ $inner = 4 ] || { address=fd99::2 name=Ip6InReceives; }
		ok "$1, inner IPv$inner: a TCP flow" flow $address $name
		diag "links: $LINKS % of packets; $RX packets, $IP after GRO"
		num "$1, inner IPv$inner: each link carries more than 5 %" \
			"${LINKS%% *}" -gt 5
		num "$1, inner IPv$inner: the packets are those of the flow" \
			"$RX" -ge $((BYTES / 1500))
		[[ $2 = *$inner* ]] || continue
		num "$1, inner IPv$inner: GRO merges across paths" \
			$((IP * 2)) -le "$RX"
	done
}

tap_begin
ok "the module loads" lb_load
ok "two routers with four links" topology
ok "a pair of hosts" pair 4
ok "somebody listens" tcp_begin "$B" "$PORT"

for outer in 4 6; do
	what="outer IPv$outer"
	ok "$what: 64 paths in a group" group $outer 64 dev up
	spread "$what" "4 6"
	ok "$what: 1 path" group $outer 1 dev up
	ok "$what, 1 path: a TCP flow" flow 10.99.0.2 IpInReceives
	diag "links: $LINKS % of packets"
	# What is not data: neighbour discovery.
	num "$what, 1 path: on one link" "${LINKS##* }" -ge 95
	early=$(get "$B" dev '.[0].rx_early')
	socket=$(get "$B" dev '.[0].rx_socket')
	ok "$what: 64 paths without a device" group $outer 64
	# Outer packets count as well then: only those of the other family
	# are told from them.
	spread "$what without a device" $((10 - outer))
	is "$what without a device: not by the hook" \
		"$(get "$B" dev '.[0].rx_early')" "$early"
	num "$what without a device: by the socket" \
		"$(get "$B" dev '.[0].rx_socket')" -ge $((socket + 2 * BYTES / 1500))
done
is "no duplicate came" "$(get "$B" peer '.[0].duplicate')" 0
tap_end
