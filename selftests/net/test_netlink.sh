#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 480
#
# Netlink: whatever is wrong is refused, with a reason, and changes nothing;
# dumps are whole.

# Functions are called by ok.
# shellcheck disable=SC2317

# shellcheck source=selftests/net/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

setup()
{
	ns_add A B && links "$A" "$B" 2 &&
		lbctl -n "$A" -b - <<-END && ip -n "$A" link set dev lb1 up
		dev add lb0
		dev add lb1
		dev add lb2
		dev set lb2 hold-min 1ms
		peer add lb0 10.99.0.2 alias fd99::2
		path add lb0 peer 10.99.0.2 local 10.0.1.1 remote 10.0.1.2 dev p1 entropy 3 weight 2
		path add lb0 peer 10.99.0.2 local fd00:2::1 remote fd00:2::2 dev p2
		peer add lb2 10.97.0.2
	END
}

# checks COMMAND...: the points of nl_check.py.
checks()
{
	local result desc why end="no line"

	while IFS=$'\t' read -r result desc why; do
		end=
		[ "$result" = ok ]
		point $? "$desc"
		[ -z "$why" ] || diag "$why"
	done < <(in_ns "$A" "$@" 2>"$OUT" || echo "not ok	$* came to its end")
	[ -z "$end" ] || point 1 "$* wrote something"
	[ ! -s "$OUT" ] || diag "$(cat "$OUT")"
}

tap_begin
ok "the module loads" lb_load
ok "devices, peers, paths" setup
"$HERE/lb_spec.py" check
case $? in
0) point 0 "the specification is read as PyYAML reads it" ;;
4) skip "the specification is read as PyYAML reads it" "no PyYAML" ;;
*) point 1 "the specification is read as PyYAML reads it" ;;
esac
for what in policy sense link full dump; do
	checks "$HERE/nl_check.py" "$what"
done
checks setpriv --reuid 65534 --clear-groups "$HERE/nl_check.py" unprivileged
is "no device was made" "$(lbctl -n "$A" -j dev show | jq -c '[.[].dev]')" \
	'["lb0","lb1","lb2"]'
tap_end
