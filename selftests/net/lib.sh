# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the selftests of lb share. A test sources this file, calls tap_begin,
# then functions below, and tap_end as the last thing.
#
#	ok DESC COMMAND...	a point: COMMAND is true
#	is DESC GOT WANT	a point: two strings are equal
#	has DESC TEXT PATTERN	a point: TEXT matches an extended regex
#	skip DESC REASON	a point that can't be tested here
#
# Namespaces made by ns_add, and the module, are gone after the test however it
# ends.

set -u
export LC_ALL=C

TAP_N=0
TAP_FAILED=0
NAMESPACES=()
UDP_PID=()
ID=lb-$$
OUT=$(mktemp)
SCRATCH=$(mktemp -d)	# for a test's files
HERE=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

tap_begin()
{
	echo "TAP version 13"
	trap cleanup EXIT
	trap 'exit 1' INT TERM
}

tap_end()
{
	echo "1..$TAP_N"
	[ "$TAP_FAILED" = 0 ]
	exit
}

diag()
{
	local text=$*
	echo "# ${text//$'\n'/$'\n'# }"
}

point()
{
	TAP_N=$((TAP_N + 1))
	if [ "$1" = 0 ]; then
		echo "ok $TAP_N - $2"
	else
		TAP_FAILED=$((TAP_FAILED + 1))
		echo "not ok $TAP_N - $2"
	fi
}

ok()
{
	local desc=$1 rc
	shift
	# Not in a subshell: the command may set variables.
	"$@" >"$OUT" 2>&1
	rc=$?
	point "$rc" "$desc"
	[ "$rc" = 0 ] || diag "$* (status $rc)"$'\n'"$(cat "$OUT")"
}

is()
{
	local rc=0
	[ "$2" = "$3" ] || rc=1
	point "$rc" "$1"
	[ "$rc" = 0 ] || diag "got '$2', expected '$3'"
}

has()
{
	local rc=0
	[[ $2 =~ $3 ]] || rc=1
	point "$rc" "$1"
	[ "$rc" = 0 ] || diag "got '$2', expected /$3/"
}

# A point: GOT (a number) OP WANT, as [ ] compares numbers.
num()
{
	local rc=0
	test "$2" "$3" "$4" 2>/dev/null || rc=1
	point "$rc" "$1"
	[ "$rc" = 0 ] || diag "got '$2', expected $3 $4"
}

skip()
{
	TAP_N=$((TAP_N + 1))
	echo "ok $TAP_N - $1 # SKIP $2"
}

skip_all()
{
	echo "1..0 # SKIP $1"
	exit 4
}

# until_true SECONDS COMMAND...: wait for a condition, no longer than that.
until_true()
{
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.1
	done
}

cleanup()
{
	local ns pid

	for pid in $(jobs -p); do
		kill "$pid" 2>/dev/null
	done
	wait 2>/dev/null
	for ns in "${NAMESPACES[@]}"; do
		ip netns pids "$ns" 2>/dev/null | xargs -r kill -9 2>/dev/null
		ip netns del "$ns" 2>/dev/null
	done
	rm -rf "$OUT" "$SCRATCH"
	# Namespaces are taken down in the background.
	until_true 60 lb_unload
}

lb_unload()
{
	[ ! -d /sys/module/lb ] || rmmod lb
}

lb_load()
{
	modprobe -a udp_tunnel ip6_udp_tunnel veth || return
	[ -d /sys/module/lb ] || insmod "$LB_MODULES/lb.ko"
}

# ns_add VARIABLE...: make a namespace for each, its name in the variable.
ns_add()
{
	local var
	for var; do
		printf -v "$var" '%s' "$ID-$var"
		ip netns add "${!var}" || return
		NAMESPACES+=("${!var}")
		# No duplicate address detection: addresses work at once.
		ip netns exec "${!var}" sysctl -qw \
			net.ipv6.conf.default.accept_dad=0 \
			net.ipv6.conf.all.accept_dad=0 \
			net.ipv4.ping_group_range="0 1000"
		ip -n "${!var}" link set dev lo up
	done
}

# links A B N [MTU]: N veth pairs p1..pN, with 10.0.I.1/2 and fd00:I::1/2.
links()
{
	local a=$1 b=$2 n=$3 mtu=${4-1500} i
	{
		for ((i = 1; i <= n; i++)); do
			echo "link add name p$i mtu $mtu netns $a type veth peer name p$i mtu $mtu netns $b"
		done
	} | ip -batch - || return
	for ((i = 1; i <= n; i++)); do
		echo "addr add 10.0.$i.1/24 dev p$i"
		echo "addr add fd00:$i::1/64 dev p$i nodad"
		echo "link set dev p$i up"
	done | ip -n "$a" -batch - || return
	for ((i = 1; i <= n; i++)); do
		echo "addr add 10.0.$i.2/24 dev p$i"
		echo "addr add fd00:$i::2/64 dev p$i nodad"
		echo "link set dev p$i up"
	done | ip -n "$b" -batch -
}

# lb_dev NS SIDE [SETTINGS]: lb0 with 10.99.0.SIDE and fd99::SIDE, up.
lb_dev()
{
	local ns=$1 side=$2
	shift 2
	lbctl -n "$ns" dev add lb0 "$@" || return
	ip -n "$ns" -batch - <<-END
		addr add 10.99.0.$side/24 dev lb0
		addr add fd99::$side/64 dev lb0 nodad
		link set dev lb0 up
	END
}

# lb_paths NS SIDE N [4|6] [SETTINGS]: N path groups of lb0 to the other side.
lb_paths()
{
	local ns=$1 me=$2 n=$3 family=${4-4} other i net
	other=$((3 - me))
	shift 3
	[ $# = 0 ] || shift
	{
		echo "peer add lb0 10.99.0.$other alias fd99::$other"
		for ((i = 1; i <= n; i++)); do
			net=10.0.$i.
			[ "$family" = 4 ] || net=fd00:$i::
			echo "path add lb0 peer 10.99.0.$other local $net$me" \
				"remote $net$other dev p$i $*"
		done
	} | lbctl -n "$ns" -b -
}

# lb_pair N [4|6] [DEVICE SETTINGS]: namespaces A and B joined by N paths.
lb_pair()
{
	local n=$1 family=${2-4} ns side=1
	shift
	[ $# = 0 ] || shift
	ns_add A B && links "$A" "$B" "$n" || return
	for ns in "$A" "$B"; do
		lb_dev "$ns" $side "$@" && lb_paths "$ns" $side "$n" "$family" ||
			return
		side=$((side + 1))
	done
	until_true 20 lb_up "$A" && until_true 20 lb_up "$B"
}

# lb_up NS: all peers have a session, and all their paths are good.
lb_up()
{
	lbctl -n "$1" -j peer show |
		jq -e 'length > 0 and
			all(.[]; .state == "up" and .paths == .paths_good)'
}

# get NS OBJECT FILTER [WORDS]: a value of `lbctl -j -s OBJECT show`.
get()
{
	local ns=$1 object=$2 filter=$3
	shift 3
	lbctl -n "$ns" -j -s "$object" show "$@" | jq -r "$filter"
}

# drops NS REASON: packets dropped for that reason.
drops()
{
	get "$1" dev ".[0].drops.\"$2\""
}

# snmp NS NAME: a counter of the stack, as nstat names it.
snmp()
{
	ip netns exec "$1" nstat -asz "$2" | awk -v n="$2" '$1 == n { print $2 }'
}

in_ns()
{
	ip netns exec "$@"
}

# listening NS tcp|udp PORT: somebody does.
listening()
{
	in_ns "$1" ss -Hln"${2:0:1}" "sport = :$3" | grep -q .
}

# udp_begin NS PORT [OPTIONS]: udp_seq.py waits for datagrams there.
udp_begin()
{
	local ns=$1 port=$2
	shift 2
	ip netns exec "$ns" "$HERE/udp_seq.py" recv "$port" "$@" \
		>"$SCRATCH/udp.$port" &
	UDP_PID[port]=$!
	until_true 30 listening "$ns" udp "$port"
}

# udp_end PORT: all came exactly once, and in order if that was asked for.
udp_end()
{
	local rc
	wait "${UDP_PID[$1]}"
	rc=$?
	cat "$SCRATCH/udp.$1"
	return "$rc"
}

# tcp_begin NS PORT: tcp_copy.py serves there.
tcp_begin()
{
	ip netns exec "$1" "$HERE/tcp_copy.py" serve "$2" &
	until_true 30 listening "$1" tcp "$2"
}

# tcp_send NS ADDRESS PORT BYTES: all arrive, and as they were sent.
tcp_send()
{
	in_ns "$1" "$HERE/tcp_copy.py" send "$2" "$3" --bytes "$4"
}
