#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
#
# What tools/vm/vm promises: the command's arguments, output and status come
# through unchanged, nothing reaches the host's files, and each kind of bad end
# has its status. Boots four machines.

set -u
ROOT=$(cd "$(dirname "$0")/../.." && pwd -P)
VM=$ROOT/tools/vm/vm
DIR=$(mktemp -d) || exit 1
trap 'rm -rf "$DIR"' EXIT
N=0

# point STATUS NAME: one TAP point, ok if STATUS is 0.
point()
{
	N=$((N + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $N - $2"
		return
	fi
	echo "not ok $N - $2"
	sed 's/^/# /' "$DIR/err" | tail -n 30
}

# vm ARG...: sets STATUS; output goes to $DIR/out and $DIR/err.
vm()
{
	"$VM" "$@" >"$DIR/out" 2>"$DIR/err"
	STATUS=$?
}

# same NAME WANTED: the output has the line "NAME WANTED".
same()
{
	grep -qxF "$1 $2" "$DIR/out"
	point $? "guest: $1 is as expected"
}

# What the guest runs, with arguments that any quoting would spoil.
# shellcheck disable=SC2016,SC1003 # literally so
args=('a  b' "it's" '"q"' '' '*' $'two\nlines' '$HOME `id` \' -- $'\xff\x01')
# shellcheck disable=SC2016 # for the guest's shell
guest='
	printf "%s\0" "$@" | od -An -tx1 | tr -d " \n" | sed "s/^/args /"
	echo
	echo "cwd $PWD"
	echo "var ${LB_TEST_VAR:-}"
	echo "modules $LB_MODULES" | sed "s,$(uname -r),REL,"
	echo "user $(id -u)"
	echo "host $(hostname)"
	echo "tmp $(test -e "$LB_TEST_DIR" || echo fresh)"
	echo "stdin $(wc -c)"
	modprobe veth && echo "veth $(test -d /sys/module/veth && echo loaded)"
	ip netns add lb-x && echo "netns $(ip netns list)"
	echo "lo $(ip -br link show lo | grep -c ,UP)"
	touch "$PWD/written-by-guest" && echo "write $(ls written-by-guest)"
	echo "again here" >/dev/stdout
	echo "stderr here" >&2
	sleep 1000 &
	head -c 3000000 /dev/zero | tr "\0" x | sed "s/^/big /"
	exit 3
'
cd "$ROOT/selftests/vm" || exit 1
LB_TEST_DIR=$DIR LB_TEST_VAR='x y' vm -- bash -c "$guest" guest "${args[@]}"
[ "$STATUS" -eq 3 ]
point $? "the command's status is the machine's"
same args "$(printf '%s\0' "${args[@]}" | od -An -tx1 | tr -d ' \n')"
same cwd "$ROOT/selftests/vm"
same var "x y"
same modules "$ROOT/build/REL"
same user 0
same host lb-vm
same tmp fresh
same stdin 0
same veth loaded
same netns lb-x
same lo 1
same write written-by-guest
same again here
same stderr here
[ "$(grep -a '^big ' "$DIR/out" | tr -d '\n' | wc -c)" -eq 3000004 ]
point $? "long output is complete, though a process was left behind"
! grep -aq $'\r' "$DIR/out"
point $? "no carriage returns were added"
# But for what is done once: fetching the kernel and trying KVM.
! grep -Ev '^(kernel|vm: trying)' "$DIR/err" >/dev/null
point $? "nothing else is printed"
[ ! -e written-by-guest ]
point $? "the host's files stay as they are"

vm -- sh -c 'echo before; sleep 1; echo c >/proc/sysrq-trigger; sleep 60'
[ "$STATUS" -eq 125 ] && grep -q '^before$' "$DIR/out" &&
	grep -q 'Kernel panic - not syncing' "$DIR/err"
point $? "a panic is 125, and the console is shown"

vm -- sh -c 'echo "WARNING: CPU: 0 PID: 1 at x" >/dev/kmsg'
[ "$STATUS" -eq 125 ] && grep -q 'WARNING: CPU: 0 PID: 1 at x' "$DIR/err"
point $? "a splat is 125, and is shown"

# Long enough for a boot, so that it is the command that is cut off.
begin=$SECONDS
vm --timeout 20 -- sh -c 'echo started; sleep 1000'
[ "$STATUS" -eq 124 ] && grep -q '^started$' "$DIR/out" && [ $((SECONDS - begin)) -lt 60 ]
point $? "a time-out is 124, and output until then is kept"

vm --cpus none -- true
[ "$STATUS" -eq 2 ]
point $? "wrong usage is 2"

echo "1..$N"
