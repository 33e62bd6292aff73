#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 120
#
# The thin thread: two hosts, two paths, traffic on both, a clean end.

# shellcheck source=selftests/net/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

tap_begin
ok "the module loads" lb_load
ok "a pair of hosts with two paths comes up" lb_pair 2
ok "ping, IPv4" in_ns "$A" ping -q -c 20 -i 0.01 10.99.0.2
ok "ping, IPv6" in_ns "$A" ping -q -c 20 -i 0.01 fd99::2
is "both paths carried packets" \
	"$(get "$A" path '[.[] | .tx_packets > 10] | all')" true
is "both arrived" "$(get "$B" path '[.[] | .rx_packets > 10] | all')" true
is "round trips are known" \
	"$(get "$A" path '[.[] | .rtt_ns > 0] | all')" true
num "packets came by the hook" "$(get "$B" dev '.[0].rx_early')" -ge 40
ok "the kind is lb" sh -c "ip -n $A -d link show dev lb0 | grep -qw lb"
num "the device counts sent packets" \
	"$(ip -n "$A" -j -s link show dev lb0 | jq '.[0].stats64.tx.packets')" -ge 40
num "the device counts received packets" \
	"$(ip -n "$B" -j -s link show dev lb0 | jq '.[0].stats64.rx.packets')" -ge 40
ok "ip link deletes it" ip -n "$A" link del dev lb0
ok "ip link adds one" ip -n "$A" link add dev lb7 type lb
has "rmmod is refused or clean while a device exists" \
	"$(rmmod lb 2>&1; echo "status $?")" "status [01]"
tap_end
