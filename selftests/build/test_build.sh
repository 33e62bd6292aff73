#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 900
#
# The modules build without a word, by gcc with W=1 and sparse and by clang, for
# each kernel; lbctl and the unit tests by clang. Runs on the host.

set -u
top=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
n=0
failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# silent DESC COMMAND...: a point: it succeeds and prints nothing.
silent()
{
	local desc=$1 out rc
	shift
	out=$("$@" 2>&1)
	rc=$?
	n=$((n + 1))
	if [ $rc = 0 ] && [ -z "$out" ]; then
		echo "ok $n - $desc"
		return
	fi
	failed=1
	echo "not ok $n - $desc"
	echo "# status $rc"
	head -n 30 <<<"# ${out//$'\n'/$'\n'# }"
}

# Own copies of the sources, so that this disturbs no other build.
tree()
{
	rm -rf "${work:?}/$1"
	mkdir -p "$work/$1"
	cp -r "$top/Kbuild" "$top/net" "$top/include" "$work/$1/"
}

# shellcheck disable=SC2317 # called by silent
build()
{
	local dir=$1 kdir=$2
	shift 2
	make -s -C "$kdir" M="$work/$dir" -j"$(nproc)" LB_VERSION=test W=1 \
		CONFIG_DEBUG_INFO_BTF_MODULES= "$@" modules
}

echo "TAP version 13"
for k in 6.1 6.12; do
	kdir=$("$top/tools/vm/kernel" --headers "$k" 2>/dev/null) || exit 1
	tree gcc
	silent "modules for $k: gcc, W=1, sparse" \
		build gcc "$kdir" C=2 CF=-D__CHECK_ENDIAN__
	tree clang
	# No objtool: it looks for what only gcc's options bring.
	silent "modules for $k: clang, W=1" \
		build clang "$kdir" CC="$top/selftests/build/clang" CONFIG_OBJTOOL=
done
silent "lbctl: clang" make -s -C "$top/tools/lbctl" O="$work/bin" CC=clang
silent "unit tests: clang" sh -c \
	"make -s -C '$top/selftests/unit' O='$work/unit' CC=clang SANITIZE= | grep -v '^  '; true"
silent "kernel versions are known to net/compat alone" sh -c \
	"grep -rl LINUX_VERSION_CODE '$top/net/core' '$top/net/lb' '$top/include'; true"
echo "1..$n"
exit $failed
