#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# lbctl's command line, without a module: what is a mistake, what it says then,
# help, and what happens where there is no lb. LBCTL names the program, else it is
# build/bin/lbctl.

set -u
ROOT=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd -P)
LBCTL=$(readlink -f "${LBCTL:-$ROOT/build/bin/lbctl}")
N=0
BAD=0

[ -x "$LBCTL" ] || { echo "1..0 # SKIP no lbctl at $LBCTL"; exit 4; }
TMP=$(mktemp -d) || exit 1
trap 'rm -rf "$TMP"' EXIT

# check STATUS TEXT [WORD...]: lbctl WORD... ends with STATUS, and TEXT is in what
# it says, on standard error unless STATUS is 0.
check()
{
	local want=$1 text=$2 got out=$TMP/err what
	shift 2
	what="lbctl $*"

	"$LBCTL" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	got=$?
	[ "$want" -ne 0 ] || out=$TMP/out
	N=$((N + 1))
	if [ $got -ne "$want" ]; then
		echo "not ok $N - $what: exit status $got, not $want"
	elif [ -n "$text" ] && ! grep -qF -- "$text" "$out"; then
		echo "not ok $N - $what: says nothing of: $text"
	elif [ "$want" -ne 0 ] && [ -s "$TMP/out" ]; then
		echo "not ok $N - $what: writes to standard output"
	else
		echo "ok $N - $what"
		return
	fi
	sed 's/^/# /' "$TMP/out" "$TMP/err"
	BAD=$((BAD + 1))
}

usage() { check 1 "$@"; }
fine() { check 0 "$@"; }
refused() { check 2 "$@"; }

# batch STATUS TEXT LINES [OPTION...]
batch()
{
	local want=$1 text=$2
	printf '%b' "$3" >"$TMP/batch"
	shift 3
	cd "$TMP" || exit 1
	check "$want" "$text" "$@" -b batch
	cd "$OLDPWD" || exit 1
}

test_help()
{
	local o

	fine "Usage: lbctl" help
	fine "Usage: lbctl" -h
	fine "Usage: lbctl" --help
	fine "lbctl " -V
	fine "lbctl " -Version
	for o in dev peer path policy stats monitor show top; do
		fine "lbctl [ OPTIONS ] $o" "$o" help
		fine "lbctl [ OPTIONS ] $o" help "$o"
	done
	fine "dev add DEV" dev add help
	fine "SETTINGS :=" dev set help
	fine "peer set DEV" peer change help
	fine "path add DEV" pa a help
	fine "stats reset DEV" st r help
}

test_words()
{
	usage '"class" is not known' class show
	usage '"-x" is not known' -x
	usage 'option "-j" goes before' path show -j
	usage 'ambiguous: peer, path, policy' p
	usage 'ambiguous: set, show' dev s
	usage '"nix" is not known' dev nix
	usage '"dev"' dev add dev
	usage 'name of a device is missing' dev add
	usage 'name of a device is missing' dev del
	usage 'name of a device is missing' peer add
	usage 'name of a device is missing' path add
	usage 'name of a device is missing' policy set
	usage 'name of a device is missing' stats reset
	usage 'not a name of a device' dev add sixteen-letters-
	usage 'not a name of a device' dev add ''
	usage 'not a name of a device' dev add a/b
	usage 'not a name of a device' dev add 'a b'
	usage 'not a name of a device' dev show ..
	usage '"more" is one word too many' dev show lb0 more
	usage '"more" is one word too many' dev del lb0 more
	usage '"more" is one word too many' stats reset lb0 more
	usage '"more" is one word too many' policy set lb0 rr more
	usage '"more" is one word too many' policy list more
	usage '"more" is one word too many' monitor peer lb0 more
	usage '"more" is one word too many' show lb0 more
	usage '"more" is one word too many' top lb0 more
	usage 'nothing to set' dev set lb0
	usage 'nothing to set' peer set lb0 10.0.0.1
	usage 'nothing to set' path set lb0 peer 10.0.0.1 local 10.1.0.1 remote 10.1.0.2
	usage 'given twice' dev set lb0 port 1 port 2
	usage '"port" needs a value' dev set lb0 port
	usage '"bogus" is not known' dev set lb0 bogus 1
	usage 'ambiguous: hold-min, hold-max, hold-memory' dev set lb0 hold-m 1ms
}

test_values()
{
	local bad

	for bad in 0 65536 -1 +1 1x '' ' 1' 0x 0x10000 1.5 99999999999999999999 port; do
		usage "port: \"$bad\"" dev set lb0 port "$bad"
	done
	for bad in 5 1 11s -1ms 1.5.5ms 1xs ms 500ns .5ms 5.ms 99999999999999999999s; do
		usage "hold-max: \"$bad\"" dev set lb0 hold-max "$bad"
	done
	for bad in 1 64 2gb 1tb mb -16mb 65536.5; do
		usage "hold-memory: \"$bad\"" dev set lb0 hold-memory "$bad"
	done
	usage 'probe-interval: "1us"' dev set lb0 probe-interval 1us
	usage 'probe-interval: "61s"' dev set lb0 probe-interval 61s
	usage 'lanes: "257"' dev set lb0 lanes 257
	usage 'lanes: "0"' dev set lb0 lanes 0
	usage 'ttl: "0"' dev set lb0 ttl 0
	usage 'ttl: "256"' dev set lb0 ttl 256
	usage 'fwmark: "0x100000000"' dev set lb0 fwmark 0x100000000
	usage 'csum "maybe" is not known' dev set lb0 csum maybe
	usage 'early-rx "o" is ambiguous: off, on' dev set lb0 early-rx o
	usage 'policy: "sixteen-letters-"' dev set lb0 policy sixteen-letters-
	usage 'policy: "sixteen-letters-"' policy set lb0 sixteen-letters-
	usage 'name of a policy is missing' policy set lb0

	usage 'address of the peer is missing' peer add lb0
	usage '"10.0.0" is not an address' peer add lb0 10.0.0
	usage '"10.0.0.1/24" is not an address' peer add lb0 10.0.0.1/24
	usage '"fe80::1%lo" is not an address' peer add lb0 fe80::1%lo
	usage '"alias" needs a value' peer add lb0 10.0.0.1 alias
	usage 'alias: "x" is not an address' peer add lb0 10.0.0.1 alias x

	usage '"peer" is missing' path add lb0 local 10.1.0.1 remote 10.1.0.2
	usage '"local" is missing' path add lb0 peer 10.0.0.1 remote 10.1.0.2
	usage '"remote" is missing' path add lb0 peer 10.0.0.1 local 10.1.0.1
	usage '"remote" needs a value' path add lb0 peer 10.0.0.1 local 10.1.0.1 remote
	set -- peer 10.0.0.1 local 10.1.0.1 remote 10.1.0.2
	usage 'entropy: "0"' path add lb0 "$@" entropy 0
	usage 'entropy: "257"' path add lb0 "$@" entropy 257
	usage 'port: "0"' path add lb0 "$@" port 0
	usage 'weight: "0"' path add lb0 "$@" weight 0
	usage 'weight: "65536"' path set lb0 "$@" weight 65536
	usage '"entropy" is not known' path del lb0 "$@" entropy 4
	usage 'state "bad" is not known' path set lb0 "$@" state bad
	usage 'state "odd" is not known' path show state odd
	usage '"sixteen-letters-" is not a name of a device' \
		path add lb0 "$@" dev sixteen-letters-
	usage '"peer" needs a value' path show peer
	usage '"peer" needs a value' path flush lb0 peer
	usage 'name of a device is missing' path flush
	usage 'name of a device is missing' peer flush
	usage '"id" needs a device' path show id 1
	usage 'interval: "1"' top -d 1
	usage 'count: "0"' top -n 0
	usage '"-n" needs a value' top -n
}

test_options()
{
	usage 'needs a value' -n
	usage 'needs a value' -b
	usage 'cannot open network namespace "no-such-netns": No such file' \
		-n no-such-netns dev show
	usage 'not a name of a network namespace' -n ../x dev show
	usage '"sometimes" is not always, auto or never' -c=sometimes dev
	usage '"dev" is one word too many beside a batch' -b - dev
	usage 'cannot open' -b /nonexistent
	fine "Usage: lbctl" -j -p -s -s -d -o -br -t -c -force help
}

test_batch()
{
	fine '' -b -
	batch 0 '' '# nothing\n\n   \t# more of it\n'
	batch 0 'dev add DEV' 'dev add help # and so on\n'
	batch 0 'dev add DEV' '"dev" '\''add'\'' h"el"p\n'
	batch 0 'dev add DEV' 'dev \\\nadd \\\nhelp\n'
	batch 0 'dev add DEV' 'dev add help'
	batch 1 'Command failed batch:1' 'dev nix\nhelp\n'
	batch 1 "Command failed batch:3" '\n\nnix\ndev nix\n'
	batch 1 "Command failed batch:4" '\n\nnix\ndev nix\n' -force
	batch 1 'a quote is not closed' 'dev add "lb0\n'
	batch 1 'zero byte' 'dev\0add\n'
	batch 1 'more than' "$(printf 'a %.0s' {1..300})"
}

test_absent()
{
	local w

	if "$LBCTL" dev show >/dev/null 2>&1; then
		N=$((N + 1))
		echo "ok $N - without the module # SKIP it is loaded"
		return
	fi
	for w in "" show dev peer path policy "policy list" stats monitor "top -n 1" \
		"-j show" "-j dev" "dev set lb0 port 1" "stats reset lb0" \
		"peer add lb0 10.0.0.1"; do
		# shellcheck disable=SC2086
		refused 'lb: the lb module is not loaded (modprobe lb)' $w
	done
	refused 'lb: lo is not an lb device' dev del lo
	refused 'lb: there is no device nix' dev del nix
}

test_help
test_words
test_values
test_options
test_batch
test_absent
echo "1..$N"
[ $BAD -eq 0 ]
