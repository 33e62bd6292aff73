#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What lbctl asks the kernel and what it makes of the answers, with a stand-in for
# the kernel (tools/lbctl/tests/nl_fake.c) loaded before libmnl. LBCTL names the
# program, else it is build/bin/lbctl.

set -u
ROOT=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd -P)
LBCTL=$(readlink -f "${LBCTL:-$ROOT/build/bin/lbctl}")
N=0
BAD=0

skip()
{
	echo "1..0 # SKIP $*"
	exit 4
}

[ -x "$LBCTL" ] || skip "no lbctl at $LBCTL"
command -v python3 >/dev/null || skip "no python3"
TMP=$(mktemp -d) || exit 1
trap 'rm -rf "$TMP"' EXIT
"${CC:-cc}" -shared -fPIC -I"$ROOT/include/uapi" -o "$TMP/fake.so" \
	"$ROOT/tools/lbctl/tests/nl_fake.c" 2>"$TMP/err" || skip "cannot build the stand-in"

# lb MODE WORD...
lb()
{
	local mode=$1
	shift
	rm -f "$TMP/log"
	LD_PRELOAD=$TMP/fake.so LBCTL_FAKE=$mode LBCTL_FAKE_LOG=$TMP/log TZ=UTC \
		"$LBCTL" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
}

# result STATUS WHAT
result()
{
	N=$((N + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $N - $2"
	else
		echo "not ok $N - $2"
		sed 's/^/# /' "$TMP/out" "$TMP/err" | head -n 20
		[ ! -f "$TMP/log" ] || sed 's/^/# asked: /' "$TMP/log"
		BAD=$((BAD + 1))
	fi
}

# sends MESSAGE WORD...: that, and nothing else, is sent
sends()
{
	local want=$1
	shift
	lb '' "$@" && [ "$(cat "$TMP/log")" = "$want" ]
	result $? "sends: $*"
}

# says STATUS MODE TEXT WORD...
says()
{
	local status=$1 mode=$2 text=$3 got
	shift 3
	lb "$mode" "$@"
	got=$?
	[ $got -eq "$status" ] && cat "$TMP/out" "$TMP/err" | grep -qF -- "$text"
	result $? "${mode:+$mode: }$*"
}

# json MODE EXPRESSION WORD...: it is JSON, and the expression about it, j, is true
json()
{
	local mode=$1 expr=$2
	shift 2
	lb "$mode" "$@" &&
		python3 -c "import json,sys; j = json.load(sys.stdin); sys.exit(not ($expr))" \
			<"$TMP/out" 2>>"$TMP/err"
	result $? "${mode:+$mode: }$*: $expr"
}

hex() { printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n'; echo 00; }
v4()
{
	local IFS=.
	# shellcheck disable=SC2086
	printf "00000000000000000000ffff%02x%02x%02x%02x" $1
}


LB0=IFNAME=$(hex lb0)
CREATE=605	# NLM_F_REQUEST, ACK, EXCL, CREATE
REPLACE=505
ACK=5
DUMP=301

test_requests()
{
	local key
	key="PEER=$(v4 10.99.0.2) LOCAL=$(v4 192.0.2.1) REMOTE=$(v4 198.51.100.1)"

	sends "PEER_NEW $CREATE $LB0 ADDR=$(v4 10.99.0.2)" peer add lb0 10.99.0.2
	sends "PEER_NEW $CREATE $LB0 ADDR=$(v4 10.99.0.2)" \
		peer add dev lb0 addr ::ffff:10.99.0.2
	sends "PEER_NEW $REPLACE $LB0 ADDR=$(v4 10.99.0.2) ALIAS=fd990000000000000000000000000002" \
		peer replace lb0 10.99.0.2 alias fd99::2
	sends "PEER_SET $ACK $LB0 ADDR=$(v4 1.2.3.4) ALIAS=$(v4 1.2.3.5) ALIAS=$(v4 1.2.3.6)" \
		peer set lb0 1.2.3.4 alias 1.2.3.5 alias 1.2.3.6
	sends "PEER_DEL $ACK $LB0 ADDR=$(v4 10.99.0.2)" peer del lb0 10.99.0.2
	sends "PEER_GET $DUMP" peer
	sends "PEER_GET $DUMP $LB0" peer show lb0
	sends "PEER_GET $DUMP ADDR=$(v4 10.99.0.2)" peer show 10.99.0.2
	sends "PEER_GET $ACK $LB0 ADDR=$(v4 10.99.0.2)" peer show lb0 10.99.0.2

	set -- peer 10.99.0.2 local 192.0.2.1 remote 198.51.100.1
	sends "PATH_NEW $CREATE $LB0 $key" path add lb0 "$@"
	sends "PATH_NEW $CREATE $LB0 $key DEVICE=$(hex eth1) ENTROPIES=4000 ENTROPY=00c0 WEIGHT=0200" \
		path add lb0 "$@" dev eth1 entropy 64 port 49152 weight 2
	sends "PATH_NEW $REPLACE $LB0 $key ENTROPIES=4000" path replace dev lb0 "$@" ent 64
	sends "PATH_DEL $ACK $LB0 $key" path del lb0 "$@"
	sends "PATH_DEL $ACK $LB0 $key ENTROPY=0100" path delete lb0 "$@" port 1
	sends "PATH_SET $ACK $LB0 $key DENIED=01" path set lb0 "$@" state denied
	sends "PATH_SET $ACK $LB0 $key DENIED=00 WEIGHT=0500" \
		path change lb0 "$@" state allowed weight 5
	sends "PATH_GET $DUMP" path
	sends "PATH_GET $DUMP $LB0 PEER=$(v4 10.99.0.2)" \
		path show lb0 peer 10.99.0.2 state good
	sends "PATH_GET $DUMP PEER=$(v4 10.99.0.2)" path list peer 10.99.0.2 group 1
	sends "PATH_GET $ACK $LB0 PEER=$(v4 10.99.0.2) ID=03000000" \
		path show lb0 peer 10.99.0.2 id 3

	sends "POLICY_GET $DUMP" policy list
	sends "DEV_GET $ACK $LB0" policy show lb0
	sends "DEV_SET $ACK $LB0 CONFIG={ POLICY=$(hex rr) }" policy set lb0 rr
	sends "STATS_RESET $ACK $LB0" stats reset lb0
	sends "DEV_GET $DUMP" stats
	sends "DEV_SET $ACK $LB0 CONFIG={ PORT=bf12 HOLD_MAX=20100000 CSUM=01 FWMARK=10000000 }" \
		dev set lb0 port 4799 hold-max 4.128ms csum on fwmark 0x10
	sends "DEV_SET $ACK $LB0 CONFIG={ PROBE_INTERVAL=e8030000 HOLD_MEMORY=00000001 HOLD_MIN=00000000 }" \
		dev set lb0 probe-interval 1s hold-memory 16mb hold-min 0
	sends "DEV_SET $ACK $LB0 CONFIG={ LANES=1000 EARLY_RX=00 TTL=40 SEQ_START=ffffffff }" \
		dev set lb0 lanes 16 early-rx off ttl 64 seq-start 4294967295
	sends "NEWLINK $CREATE $LB0 LINKINFO={ KIND=$(hex lb) DATA={ PORT=bf12 } }" \
		dev add lb0 port 4799
	sends "NEWLINK $CREATE $LB0 LINKINFO={ KIND=$(hex lb) DATA={ } }" dev add dev lb0
	sends "GETLINK $ACK $LB0
DELLINK $ACK" dev del lb0
}

test_links()
{
	lb odd dev del eth0
	[ $? -eq 2 ] && ! grep -q DELLINK "$TMP/log" &&
		grep -qx "Error: lb: eth0 is not an lb device." "$TMP/err"
	result $? "dev del of another kind of device"
	says 2 absent 'Error: lb: the lb module is not loaded (modprobe lb).' dev add lb0
	lb '' peer flush lb0 && [ "$(grep -c "^PEER_DEL $ACK $LB0 ADDR=" "$TMP/log")" -eq 2 ]
	result $? "peer flush"
	lb '' path flush lb0 &&
		[ "$(grep -c "^PATH_DEL $ACK $LB0 PEER=.* LOCAL=.* REMOTE=" "$TMP/log")" -eq 4 ]
	result $? "path flush deletes each group once"
}

test_refusals()
{
	says 2 '' 'Error: lb: there is no lb device missing.' dev set missing port 5
	says 2 '' 'Error: lb: there is no lb device missing.' -j path show missing
	says 2 '' 'Error: lb: Operation not permitted.' peer del silent 1.2.3.4
	says 0 '' 'Warning: lb: this is a warning.' dev set warned port 5
	says 2 broken 'Error: lb: the dump broke off.' peer
	says 2 broken 'Error: lb: the dump broke off.' -j path
	[ ! -s "$TMP/out" ]
	result $? "a dump that broke off leaves no half JSON"
	says 0 busy 'Warning: ' peer
	says 2 absent 'Error: lb: the lb module is not loaded' -j show

	printf 'peer del silent 1.1.1.1\npeer add lb0 1.1.1.1\n' >"$TMP/batch"
	says 2 '' 'Command failed' -b "$TMP/batch"
	[ "$(wc -l <"$TMP/log")" -eq 1 ]
	result $? "a batch stops at the first error"
	says 2 '' 'Command failed' -force -b "$TMP/batch"
	[ "$(wc -l <"$TMP/log")" -eq 2 ]
	result $? "a batch with -force goes on"
}

test_json()
{
	local keys="'dev','peer','group','entropy','local','remote','state','reason'"
	local c

	keys="$keys,'tx_packets','tx_bytes','rx_packets','rtt_ns','lost','ce'"
	json '' "len(j) == 8 and all(k in p for p in j for k in [$keys])" -j -s path show
	json '' "j[0]['entropy'] == 49152 and j[0]['rtt_ns'] == 9000" -j -s path show
	json '' "j[0]['device'] == 'eth1' and 'device' not in j[2]" -j path show
	json '' "'lost' not in j[0]" -j path show
	json '' "[p['entropy'] for p in j] == [49153]" -j path show state bad
	json '' "len(j) == 2" -j path show group 2
	json '' "j == []" -j path show group 99
	json '' "j == []" -j -p path show group 99
	keys="'dev','peer','in_order','held','late','duplicate','known_lost','timed_out','resync'"
	json '' "all(k in p for p in j for k in [$keys,'hold_longest_ns'])" -j -s peer show
	json '' "j[0]['alias'] == ['10.100.0.2', '10.101.0.2']" -j peer show
	json '' "j[1]['state'] == '77'" -j peer show
	json '' "j[0]['hold_max_ns'] == 20000000 and j[0]['csum'] is False" -j dev show
	json '' "j[0]['drops']['tx-no-peer'] == 3" -j -s dev show lb0
	json '' "j[0]['drops']['rx-queue'] == 0 and j[0]['tx_packets'] == 2000" -j stats show
	json '' "j[1] == {'name': 'random', 'doc': 'any path'}" -j policy list
	json '' "j[0] == {'dev': 'lb0', 'policy': 'rr'}" -j policy show
	json '' "j[0]['peers'][0]['groups'][0]['bad'] == 1" -j
	json '' "j[0]['peers'][0]['groups'][0]['share_ppm'] == 499750" -j -p show
	json '' "len(j) == 2" -j top -n 1
	for c in dev peer path policy stats show; do
		json odd "len(j)" -j -s $c
		json short "len(j)" -j -p -s $c
	done
	json odd "j[0]['dev'] == 'l\xf6\x7f\'' and j[1]['dev'] == '\"\\\\\x1b\ufffd\ufffd('" -j dev
}

test_text()
{
	says 0 '' 'state bad reason carrier for 3s' path show
	says 0 '' 'port 49152 weight 1 state good for 1.5s' path show
	says 0 '' 'id 1 group 1 local' -d path show
	says 0 '' 'rtt 9us rtt-min 8.5us' -s path show
	says 0 '' 'alias 10.100.0.2 alias 10.101.0.2 state up for 3m12s' peer show
	says 0 '' 'hold-max 20ms hold-memory 16mb fwmark 0x10 csum off' dev show
	says 0 '' 'drops tx-no-peer 3' stats show
	lb '' stats show && ! grep -q rx-queue "$TMP/out"
	result $? "stats show leaves out drops that never were"
	says 0 '' 'rx-queue 0' -d stats show
	says 0 '' 'max-mtu 1448' -o dev show
	[ "$(wc -l <"$TMP/out")" -eq 2 ]
	result $? "-o writes one line for each"
	says 0 '' 'lanes 16 peers 2' -br dev show
	says 0 '' $'state \e[1;31mbad' -c path show
	says 0 odd '\x1b' dev show
	says 0 '' '49.98%' show
	says 0 '' "1.5s ago: port 49152 good"
	for c in dev peer path policy stats show; do
		says 0 short '' -s -d $c
	done
}

test_monitor()
{
	says 2 '' 'dev eth1 port 49153 good -> bad reason carrier' monitor
	[ "$(grep -c '^lost' "$TMP/out")" -eq 1 ] && [ "$(wc -l <"$TMP/out")" -eq 17 ]
	result $? "monitor tells everything again after a loss, and goes on"
	lb '' -j -t monitor path
	python3 - "$TMP/out" 2>>"$TMP/err" <<-'END'
	import json, sys
	e = [json.loads(l) for l in open(sys.argv[1])]
	assert len(e) == 11 and all('time' in x for x in e)
	assert e[0]['old_state'] == 'good' and e[0]['state'] == 'bad'
	assert e[1]['event'] == 'lost'
	assert all(x['again'] for x in e[2:10]) and 'again' not in e[10]
	END
	result $? "monitor -j -t path"
	says 2 '' 'Network is down' monitor lb9
	[ "$(wc -l <"$TMP/out")" -eq 1 ]
	result $? "monitor of another device tells of no loss but its own"
}

test_requests
test_links
test_refusals
test_json
test_text
test_monitor
echo "1..$N"
[ $BAD -eq 0 ]
