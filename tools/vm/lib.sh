# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Shared by the scripts in tools/vm; sourced, never run.

LB_CACHE=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/lb
LB_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
export LB_CACHE LB_ROOT

say()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die()
{
	say "$*"
	exit 2
}

# need COMMAND PACKAGE-GROUP: a missing tool is reported with its remedy.
need()
{
	command -v "$1" >/dev/null 2>&1 ||
		die "$1 is missing; run 'tools/deps $2' as root"
}

# The release string that a bzImage carries in its setup header.
bzimage_release()
{
	local off

	[ "$(od -An -tx1 -j514 -N4 "$1" 2>/dev/null | tr -d ' ')" = 48647253 ] ||
		return 1
	off=$(od -An -tu2 -j526 -N2 "$1" | tr -d ' ')
	tail -c +$((off + 513)) "$1" | head -c 256 | tr '\0' '\n' |
		sed -n '1s/ .*//p'
}
