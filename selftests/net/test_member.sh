#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 600
#
# Paths follow their member devices: carrier, admin state, their end, a new one
# of the same name, a route that is missing; and members of other kinds.

# Functions are called by ok and until_true.
# shellcheck disable=SC2317

# shellcheck source=selftests/net/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# state NS LOCAL: state and reason of the paths with that local address.
state()
{
	get "$1" path "[.[] | select(.local == \"$2\") | .state + \" \" + .reason] | unique | join(\",\")"
}

# becomes DESC NS LOCAL STATE: the paths come to that state and reason.
is_state()
{
	[ "$(state "$1" "$2")" = "$3" ]
}

becomes()
{
	until_true 10 is_state "$2" "$3" "$4"
	is "$1" "$(state "$2" "$3")" "$4"
}

# all_arrive DESC [NS ADDR]: no packet is lost; all 100 were put on their way
# after what came before in the test.
all_arrive()
{
	local text

	text=$(in_ns "${2-$A}" ping -q -c 100 -i 0.005 -W 3 "${3-10.99.0.2}")
	has "$1" "$text" "100 received"
}

none_arrives()
{
	local text

	text=$(in_ns "$A" ping -q -c 3 -i 0.1 -W 1 10.99.0.2)
	has "$1" "$text" " 0 received"
}

sent_on()
{
	get "$A" path "[.[] | select(.local == \"$1\") | .tx_packets] | add"
}

# Data goes, both ways, with no operator's help.
flows()
{
	until_true 10 in_ns "$A" ping -q -c 1 -W 1 10.99.0.2
}

test_carrier()
{
	local before

	all_arrive "two good paths"
	ip -n "$B" link set dev p1 down
	all_arrive "no packet is lost once the carrier is off"
	becomes "no carrier" "$A" 10.0.1.1 "bad carrier"
	becomes "down at the other end" "$B" 10.0.1.2 "bad admin"
	is "the other path is good" "$(state "$A" 10.0.2.1)" "good none"
	before=$(sent_on 10.0.1.1)
	all_arrive "traffic goes on"
	is "nothing was sent on the bad path" "$(sent_on 10.0.1.1)" "$before"
	has "the peer is told to have one good path" \
		"$(get "$A" peer '.[0].paths_good')" '^1$'
	ip -n "$B" link set dev p1 up
	becomes "carrier is back" "$A" 10.0.1.1 "good none"
	becomes "and at the other end" "$B" 10.0.1.2 "good none"
	all_arrive "with both paths again"
	num "the path is used again" "$(sent_on 10.0.1.1)" -gt "$before"
	num "its changes were counted" \
		"$(get "$A" path '.[0].transitions')" -ge 2

	ip -n "$A" link set dev p2 down
	all_arrive "no packet is lost once the member is down"
	becomes "admin down" "$A" 10.0.2.1 "bad admin"
	ip -n "$A" link set dev p2 up
	becomes "admin up" "$A" 10.0.2.1 "good none"
	all_arrive "with both again"
}

# add_p1 NAME: the links of p1 again, in A under that name.
add_p1()
{
	ip -n "$A" -batch - <<-END
		link add name $1 type veth peer name p1 netns $B
		addr add 10.0.1.1/24 dev $1
		link set dev $1 up
	END
	ip -n "$B" -batch - <<-END
		addr add 10.0.1.2/24 dev p1
		link set dev p1 up
	END
}

device()
{
	get "$A" path "[.[] | select(.local == \"10.0.1.1\") | .device][0]"
}

test_name()
{
	local old new

	old=$(ip -n "$A" -j link show dev p1 | jq '.[0].ifindex')
	ip -n "$A" link del dev p1
	all_arrive "no packet is lost once the member is gone"
	becomes "no device" "$A" 10.0.1.1 "bad no-device"
	is "the path keeps the name" "$(device)" p1
	add_p1 p1
	new=$(ip -n "$A" -j link show dev p1 | jq '.[0].ifindex')
	num "the new one has another index" "$new" -ne "$old"
	becomes "it comes back by its name" "$A" 10.0.1.1 "good none"
	becomes "at the other end too" "$B" 10.0.1.2 "good none"
	stats_used "the new device is used"

	ip -n "$A" link del dev p1
	add_p1 other
	becomes "a device of another name is not taken" "$A" 10.0.1.1 \
		"bad no-device"
	ip -n "$A" link set dev other down
	ip -n "$A" link set dev other name p1
	ip -n "$A" link set dev p1 up
	becomes "a device that gets the name is" "$A" 10.0.1.1 "good none"
	stats_used "it is used"

	# Not every kernel renames a device that is up.
	ip -n "$A" link set dev p1 down
	ip -n "$A" link set dev p1 name p1new
	ip -n "$A" link set dev p1new up
	becomes "a renamed member stays one" "$A" 10.0.1.1 "good none"
	is "the new name is shown" "$(device)" p1new
	stats_used "it is used under the new name"
	ok "paths are found by the new name" lbctl -n "$A" path set lb0 \
		peer 10.99.0.2 local 10.0.1.1 remote 10.0.1.2 dev p1new weight 2
	ip -n "$A" link set dev p1new down
	ip -n "$A" link set dev p1new name p1
	ip -n "$A" link set dev p1 up
	becomes "renamed back" "$A" 10.0.1.1 "good none"

	ns_add M
	ip -n "$A" link set dev p1 netns "$M"
	becomes "a member in another namespace is gone" "$A" 10.0.1.1 \
		"bad no-device"
	all_arrive "traffic goes on without it"
	ip -n "$M" link set dev p1 netns "$A"
	ip -n "$A" addr add 10.0.1.1/24 dev p1
	ip -n "$A" link set dev p1 up
	becomes "it comes back" "$A" 10.0.1.1 "good none"
	stats_used "and is used"
}

# Data goes over the first path, and so through its device.
stats_used()
{
	local before

	before=$(sent_on 10.0.1.1)
	all_arrive "$1: nothing is lost"
	num "$1" "$(sent_on 10.0.1.1)" -ge $((before + 30))
}

test_all_bad()
{
	ip -n "$A" link set dev p1 down
	ip -n "$B" link set dev p2 down
	becomes "the first path is bad" "$A" 10.0.1.1 "bad admin"
	becomes "the second path is bad" "$A" 10.0.2.1 "bad carrier"
	none_arrives "nothing arrives"
	ip -n "$B" link set dev p2 up
	becomes "one is good again" "$A" 10.0.2.1 "good none"
	ok "traffic resumes" flows
	all_arrive "and nothing is lost then"
	ip -n "$A" link set dev p1 up
	becomes "the other is good again" "$A" 10.0.1.1 "good none"
}

# A way over a gateway that is withdrawn: with a device as well the remote host
# must not be taken for a neighbour.
test_gateway()
{
	ip -n "$B" addr add 10.77.0.2/32 dev lo
	ip -n "$A" route add 10.77.0.0/24 via 10.0.1.2 dev p1
	lbctl -n "$B" path add lb0 peer 10.99.0.1 local 10.77.0.2 \
		remote 10.0.1.1 dev p1
	ok "a path over a gateway" lbctl -n "$A" path add lb0 peer 10.99.0.2 \
		local 10.0.1.1 remote 10.77.0.2 dev p1
	all_arrive "it is used"
	is "it is good" "$(remote_state 10.77.0.2)" "good none"
	ip -n "$A" route del 10.77.0.0/24
	all_arrive "no packet is lost for a route that is withdrawn"
	until_true 10 is_gateway "skip no-route"
	is "it is skipped" "$(remote_state 10.77.0.2)" "skip no-route"
	is "the others are good" "$(remote_state 10.0.1.2)" "good none"
	ip -n "$A" route add 10.77.0.0/24 via 10.0.1.2 dev p1
	until_true 10 is_gateway "good none"
	is "it is good again" "$(remote_state 10.77.0.2)" "good none"
	all_arrive "it is used again"
	ip -n "$A" route add unreachable 10.77.0.2
	all_arrive "nor for one that says unreachable"
	until_true 10 is_gateway "skip no-route"
	is "it is skipped again" "$(remote_state 10.77.0.2)" "skip no-route"
	ip -n "$A" route del unreachable 10.77.0.2
}

remote_state()
{
	get "$A" path "[.[] | select(.remote == \"$1\") | .state + \" \" + .reason][0]"
}

is_gateway()
{
	[ "$(remote_state 10.77.0.2)" = "$1" ]
}

# Without a device in its name IPv4 needs a route; IPv6 does always.
test_route()
{
	lbctl -n "$A" -b - <<-END
		path flush lb0
		path add lb0 peer 10.99.0.2 local 10.0.1.1 remote 10.0.1.2
		path add lb0 peer 10.99.0.2 local fd00:2::1 remote fd00:2::2 dev p2
	END
	# IPv6 addresses go with the link.
	ip -n "$A" addr replace fd00:2::1/64 dev p2 nodad
	ip -n "$B" addr replace fd00:2::2/64 dev p2 nodad
	lbctl -n "$B" path add lb0 peer 10.99.0.1 local fd00:2::2 \
		remote fd00:2::1 dev p2
	ok "paths of two families" flows
	all_arrive "both good"
	ip -n "$A" route del 10.0.1.0/24 dev p1
	all_arrive "no packet is lost for a missing route"
	becomes "no route, IPv4" "$A" 10.0.1.1 "skip no-route"
	ip -n "$A" route add 10.0.1.0/24 dev p1 src 10.0.1.1
	becomes "the route is back" "$A" 10.0.1.1 "good none"
	ip -n "$A" route del fd00:2::/64 dev p2
	all_arrive "no packet is lost for it"
	becomes "no route, IPv6" "$A" fd00:2::1 "skip no-route"
	ip -n "$A" route add 10.0.1.2/32 dev p1
	ip -n "$A" route add fd00:2::/64 dev p2
	becomes "it is back" "$A" fd00:2::1 "good none"
	all_arrive "both are used"
	lbctl -n "$B" path del lb0 peer 10.99.0.1 local fd00:2::2 \
		remote fd00:2::1 dev p2
}

test_refused()
{
	local text

	text=$(lbctl -n "$A" path add lb0 peer 10.99.0.2 local 10.0.1.1 \
		remote 10.0.1.9 dev lo 2>&1; echo "status $?")
	has "the loopback device is refused" "$text" "loopback.*status 2"
	text=$(lbctl -n "$A" path add lb0 peer 10.99.0.2 local 10.0.1.1 \
		remote 10.0.1.9 dev lb0 2>&1; echo "status $?")
	has "the device itself is refused" "$text" "lb device.*status 2"
	lbctl -n "$A" dev add lb1 port 4800
	text=$(lbctl -n "$A" path add lb0 peer 10.99.0.2 local 10.0.1.1 \
		remote 10.0.1.9 dev lb1 2>&1; echo "status $?")
	has "another lb device is refused" "$text" "lb device.*status 2"
	lbctl -n "$A" dev del lb1
	text=$(lbctl -n "$A" path add lb0 peer 10.99.0.2 local 10.0.1.1 \
		remote 10.0.1.9 dev nosuch 2>&1; echo "status $?")
	has "a device that is not there is refused" "$text" "no such.*status 2"
}

# kind NAME DEVICE NET: paths over these devices alone, with NET1 and NET2.
kind()
{
	local n

	lbctl -n "$A" -b - <<-END
		path flush lb0
		path add lb0 peer 10.99.0.2 local ${3}1 remote ${3}2 dev $2 entropy 2
	END
	lbctl -n "$B" -b - <<-END
		path flush lb0
		path add lb0 peer 10.99.0.1 local ${3}2 remote ${3}1 dev $2 entropy 2
	END
	becomes "$1: its paths are good" "$A" "${3}1" "good none"
	ok "$1: traffic" flows
	n=$(get "$B" dev '.[0].rx_early')
	all_arrive "$1: nothing is lost"
	num "$1: packets come by the hook" "$(get "$B" dev '.[0].rx_early')" \
		-ge $((n + 100))
}

# both COMMANDS: the same for both hosts, X being 1 in A and 2 in B.
both()
{
	ip -n "$A" -batch - <<<"${1//X/1}" && ip -n "$B" -batch - <<<"${1//X/2}"
}

test_kinds()
{
	local n text

	ok "VLAN devices are made" both "link add link p1 name p1.7 type vlan id 7
		addr add 10.1.1.X/24 dev p1.7
		link set dev p1.7 up"
	kind VLAN p1.7 10.1.1.
	ip -n "$A" link set dev p1 down
	becomes "VLAN: without the device below" "$A" 10.1.1.1 "bad admin"
	ip -n "$A" link set dev p1 up
	ip -n "$A" link set dev p1.7 up
	becomes "VLAN: with it again" "$A" 10.1.1.1 "good none"

	ok "VRFs are made" both "link add name red type vrf table 7
		link set dev red up
		link set dev p3 master red"
	in_ns "$A" sysctl -qw net.ipv4.udp_l3mdev_accept=1
	in_ns "$B" sysctl -qw net.ipv4.udp_l3mdev_accept=1
	kind "VRF slave" p3 10.0.3.
	lbctl -n "$B" dev set lb0 early-rx off
	n=$(get "$B" dev '.[0].rx_socket')
	all_arrive "VRF slave: by the socket"
	num "VRF slave: the socket took them" \
		"$(get "$B" dev '.[0].rx_socket')" -ge $((n + 100))
	lbctl -n "$B" dev set lb0 early-rx on

	# Else the device below answers for the address, and gets the packets.
	in_ns "$A" sysctl -qw net.ipv4.conf.all.arp_ignore=1
	in_ns "$B" sysctl -qw net.ipv4.conf.all.arp_ignore=1
	ok "macvlan devices are made" both "link add link p2 name mv0 type macvlan mode bridge
		addr add 10.1.2.X/24 dev mv0
		link set dev mv0 up"
	kind macvlan mv0 10.1.2.

	ok "bonds are made" both "link add name bond0 type bond mode active-backup miimon 100
		link set dev p4 down
		link set dev p4 master bond0
		addr add 10.1.4.X/24 dev bond0
		link set dev bond0 up"
	kind bond bond0 10.1.4.

	ok "bridges are made" both "link add name br0 type bridge
		link set dev p5 master br0
		addr add 10.1.5.X/24 dev br0
		link set dev br0 up"
	kind bridge br0 10.1.5.

	ip -n "$A" -batch - <<-END
		link add name d0 type dummy
		addr add 10.1.6.1/24 dev d0
		link set dev d0 up
	END
	ok "dummy: it can be a member" lbctl -n "$A" path add lb0 \
		peer 10.99.0.2 local 10.1.6.1 remote 10.1.6.2 dev d0
	# Nobody answers there.
	becomes "dummy: its path is not used" "$A" 10.1.6.1 "skip unproven"
	ip -n "$A" link set dev d0 down
	becomes "dummy: it can go down" "$A" 10.1.6.1 "bad admin"
	ip -n "$A" link del dev d0
	becomes "dummy: it can go" "$A" 10.1.6.1 "bad no-device"
	all_arrive "dummy: nothing is lost"
}

tap_begin
ok "the module loads" lb_load
ns_add A B
links "$A" "$B" 5
ok "a host" lb_dev "$A" 1
ok "another" lb_dev "$B" 2
lb_paths "$A" 1 2
lb_paths "$B" 2 2
ok "traffic" flows
test_carrier
test_name
test_all_bad
test_refused
test_gateway
test_route
test_kinds
tap_end
