#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tools/vm/splat finds each kind of kernel report and leaves alone what only
# looks like one.

set -u
SPLAT=$(cd "$(dirname "$0")/../.." && pwd)/tools/vm/splat
DIR=$(mktemp -d) || exit 1
trap 'rm -rf "$DIR"' EXIT
N=0

# point STATUS NAME: one TAP point, ok if STATUS is 0.
point()
{
	N=$((N + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $N - $2"
	else
		echo "not ok $N - $2"
	fi
}

# expect STATUS NAME LINE...: what splat says of a log with these lines.
expect()
{
	local want=$1 name=$2

	shift 2
	{
		echo '[    0.000000] Linux version 6.1.0 (gcc) #1 SMP PREEMPT_DYNAMIC'
		printf '%s\n' "$@"
		echo '[    9.000000] lb-vm: end of log'
	} >"$DIR/log"
	"$SPLAT" "$DIR/log" >"$DIR/out" 2>&1
	[ $? -eq "$want" ]
	point $? "$name"
}

bad()
{
	expect 1 "found: $1" "${@:2}"
}

good()
{
	expect 0 "no splat: $1" "${@:2}"
}

bad "WARN" '[    1.234567] WARNING: CPU: 0 PID: 1 at net/core/dev.c:10 f+0x1/0x2 [lb]'
bad "cut here" '[    1.234567] ------------[ cut here ]------------'
bad "null pointer" '[    1.2] BUG: kernel NULL pointer dereference, address: 0000000000000010'
bad "oops" '[   12.000000] Oops: 0002 [#1] PREEMPT SMP NOPTI'
bad "kernel BUG at" '[   12.000000] kernel BUG at mm/slub.c:435!'
bad "slab corruption" '[   12.000000] BUG kmalloc-64 (Tainted: G O): Poison overwritten'
bad "scheduling while atomic" '[   12.0] BUG: scheduling while atomic: ip/77/0x00000200'
bad "invalid wait context" '[   12.0] [ BUG: Invalid wait context ]'
bad "KASAN" '[   12.000000] BUG: KASAN: slab-out-of-bounds in f+0x10/0x20 [lb]'
bad "KASAN range" '[   12.0] KASAN: null-ptr-deref in range [0x0000000000000010-0x0000000000000017]'
bad "UBSAN" '[   12.000000] UBSAN: shift-out-of-bounds in net/lb/dev.c:10:5'
bad "general protection" '[   12.0] general protection fault, probably for non-canonical address 0xdead: 0000 [#1]'
bad "divide error" '[   12.000000] divide error: 0000 [#1] PREEMPT SMP'
bad "page fault on another CPU type" '[   12.0] Unable to handle kernel paging request at virtual address 10'
bad "panic" '[   12.000000] Kernel panic - not syncing: sysrq triggered crash'
bad "soft lockup" '[   62.000000] watchdog: BUG: soft lockup - CPU#0 stuck for 26s! [ip:77]'
bad "hard lockup" '[   62.0] NMI watchdog: Watchdog detected hard LOCKUP on cpu 1'
bad "RCU stall" '[   62.000000] rcu: INFO: rcu_preempt self-detected stall on CPU'
bad "RCU stall of others" '[   62.0] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:'
bad "RCU expedited stall" '[   62.0] rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 1-... }'
bad "hung task" '[  242.000000] INFO: task rmmod:812 blocked for more than 120 seconds.'
bad "lockdep circle" '[   12.0] WARNING: possible circular locking dependency detected'
bad "lockdep RCU" '[   12.000000] WARNING: suspicious RCU usage'
bad "lockdep state" '[   12.000000] WARNING: inconsistent lock state'
bad "lockdep key" '[   12.000000] INFO: trying to register non-static key.'
bad "kmemleak object" '[   12.0] unreferenced object 0xffff888003a5b000 (size 1024):'
bad "kmemleak count" '[   12.0] kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)'
bad "netdev reference" '[   30.0] unregister_netdevice: waiting for lb0 to become free. Usage count = 2'
bad "leaked reference" '[   30.000000] leaked reference.'
bad "reference tracker" '[   30.0] ref_tracker: netdev@00000000a2 has 1/1 users at'
bad "line with a level" '<4>[   30.000000] WARNING: CPU: 1 PID: 2 at f'
bad "line with a caller" '[   30.000000][  T123] WARNING: CPU: 1 PID: 2 at f'
bad "line with a CPU caller" '[   30.000000][    C1] BUG: spinlock bad magic on CPU#1'
bad "after stray bytes" $'\xff\xfe\x01' '[    1.234567] WARNING: CPU: 0 PID: 1 at f'

good "plain boot"
good "the word bug" '[    1.0] ACPI: a bug in the table was worked around' \
	'[    1.0] [Firmware Bug]: TSC doesnt count with P0 frequency!'
good "DEBUG" '[    1.000000] DEBUG: all is well'
good "a program's warning" '[    5.000000] systemd[1]: WARNING: unit is old'
good "output without a time" 'WARNING: this comes from a script' 'BUG: and this'
good "an inner WARNING" '[    0.1] Spectre V2 : WARNING: Unprivileged eBPF is enabled'
good "out-of-tree module" '[    5.0] lb: loading out-of-tree module taints kernel.' \
	'[    5.0] lb: module verification failed: signature and/or required key missing - tainting kernel'
good "watchdog set-up" '[    0.3] NMI watchdog: Perf NMI watchdog permanently disabled' \
	'[    0.4] watchdog: Delayed init of the lockup detector failed: -19'
good "RCU set-up" '[    0.1] rcu: Hierarchical RCU implementation.' \
	'[    0.1] rcu: RCU calculated value of scheduler-enlistment delay is 25 jiffies.'
good "panic set-up" '[    0.0] Command line: panic=-1 oops=panic' \
	'[    0.0] lb: on Oops: the counter is shown'
good "warnings counter" '[    2.000000] lb: WARNINGS 0'

printf '[    1.0] WARNING: CPU: 0\n[    1.0] Call Trace:\n[    1.0]  f+0x1/0x2 [lb]\n' >"$DIR/log"
"$SPLAT" "$DIR/log" | grep -q 'f+0x1/0x2 \[lb\]'
point $? "the lines after a report are shown"

"$SPLAT" "$DIR/none" >/dev/null 2>&1
[ $? -eq 2 ]
point $? "a missing file is an error, not a clean log"

"$SPLAT" "$DIR" >/dev/null 2>&1
[ $? -eq 2 ]
point $? "a directory is an error, not a clean log"

"$SPLAT" >/dev/null 2>&1
[ $? -eq 2 ]
point $? "no argument is an error"

echo "1..$N"
