#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Whether lbctl(8) tells of every command and setting that lbctl knows, and of
# every state, reason and counter that the kernel has names for. LBCTL names the
# program, else it is build/bin/lbctl.

set -u
ROOT=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd -P)
LBCTL=$(readlink -f "${LBCTL:-$ROOT/build/bin/lbctl}")
PAGE=$ROOT/Documentation/man/lbctl.8
N=0
BAD=0

[ -x "$LBCTL" ] || { echo "1..0 # SKIP no lbctl at $LBCTL"; exit 4; }
# Without font changes and with plain dashes
TEXT=$(sed 's/\\f[BIR]//g; s/\\-/-/g; s/^\.[A-Z]* //; s/" *\([^"]*\) *"/\1/g' "$PAGE")

# told WHAT PATTERN
told()
{
	N=$((N + 1))
	if grep -qE -- "$2" <<<"$TEXT"; then
		echo "ok $N - $1"
	else
		echo "not ok $N - $1 is not in lbctl(8)"
		BAD=$((BAD + 1))
	fi
}

for o in dev peer path policy stats monitor show top; do
	while read -r line; do
		told "$line" "^lbctl $line( |\$)"
		case $o in
		monitor | show | top) ;;
		*) told "an example of $line" "^# lbctl (-[a-z]+ )*$line( |\$)" ;;
		esac
	done < <("$LBCTL" "$o" help | sed -n "s/.* \\[ OPTIONS \\] \\($o\\( [a-z]*\\)\\?\\).*/\\1/p" |
		sed 's/ $//')
done
for w in $("$LBCTL" dev help | grep -o '\[ [a-z-]* ' | tr -d '[]'); do
	[ "$w" = dev ] || told "setting $w" "^$w "
	[ "$w" = dev ] || told "an example of setting $w" "^# lbctl dev (add|set) lb0 .*$w "
done
while read -r table name; do
	case $table:$name in
	*STATS:rtt* | *:hold_longest) name=${name}_ns ;;
	esac
	told "$table $name" "(^|[ ,])$name([ ,]|\$)"
done < <(awk '/^#define LB_/ { sub(/_NAMES.*/, "", $2); t = $2 }
	/^\tX\(/ { gsub(/[")\\]/, "", $2); print t, $2 }' "$ROOT/include/lb/names.h")

echo "1..$N"
[ $BAD -eq 0 ]
