#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The data packets of lb as they pass the devices of a namespace, in order.

  lb_tap.py capture FILE COUNT      writes a line for each
  lb_tap.py weighted FILE W:W:...   how far any window is off the weights
  lb_tap.py turns FILE N            how far any window of any length is off 1/N
  lb_tap.py shares FILE N           packets of each of N paths
  lb_tap.py flows FILE              the paths of each inner flow
  lb_tap.py disorder FILE           per path: packets behind a later one

A line says: device, path, path sequence, lane, lane sequence, and the source
port of the inner packet. A packet of one flow is chosen a path after the one
before it, so their order is the order of choice.
"""

import argparse
import socket
import struct
import sys
import time

ETH_P_ALL = 3
SO_RCVBUFFORCE = 33
PORT = 4799
UDP = 17

# struct lb_hdr of include/uapi/linux/lb_wire.h
LB_HDR = struct.Struct("!BBHIIHHII")
VERSION = 1
DATA = 0
F_INNER6 = 1


def udp_payload(packet):
    """Offset of the payload and ports of a UDP packet, or None."""
    if len(packet) < 20:
        return None
    if packet[0] >> 4 == 4:
        udp, proto = (packet[0] & 15) * 4, packet[9]
    else:
        udp, proto = 40, packet[6]
    if proto != UDP or len(packet) < udp + 8:
        return None
    return (udp + 8, *struct.unpack_from("!HH", packet, udp))


def line_of(device, packet):
    """What is written of a packet; None if it is no data packet of lb."""
    outer = udp_payload(packet)
    if not outer or outer[2] != PORT or len(packet) < outer[0] + LB_HDR.size:
        return None
    (ver_type, _, path, _, path_seq, lane, _, lane_seq,
     _) = LB_HDR.unpack_from(packet, outer[0])
    if ver_type != VERSION << 4 | DATA:
        return None
    inner = udp_payload(packet[outer[0] + LB_HDR.size:])
    return f"{device} {path} {path_seq} {lane} {lane_seq} {inner[1] if inner else 0}"


def capture(args):
    # Outgoing packets are seen by taps of all protocols only.
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM,
                         socket.htons(ETH_P_ALL))
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 256 << 20)
    want = socket.PACKET_HOST if args.incoming else socket.PACKET_OUTGOING
    left = args.count
    end = time.monotonic() + args.idle
    sock.settimeout(1)
    with open(args.file, "w", encoding="ascii", buffering=1 << 16) as out:
        print("# ready", file=out, flush=True)
        while left:
            if time.monotonic() > end:
                print(f"lb_tap: {left} packets did not come", file=sys.stderr)
                return 1
            try:
                packet, (device, _, kind, *_) = sock.recvfrom(160)
            except socket.timeout:
                continue
            line = line_of(device, packet) if kind == want else None
            if line:
                print(line, file=out)
                left -= 1
                end = time.monotonic() + args.idle
    return 0


def packets(args):
    """(path, path sequence, inner source port) of each packet."""
    with open(args.file, encoding="ascii") as lines:
        for line in lines:
            if not line.startswith("#"):
                _, path, path_seq, _, _, sport = line.split()
                yield int(path), int(path_seq), int(sport)


def weighted(args):
    weights = [int(w) for w in args.weights.split(":")]
    order = [path for path, _, _ in packets(args)]
    window = args.window
    worst = 0.0
    if len(order) < window:
        print("lb_tap: less than a window", file=sys.stderr)
        return 1
    for path, weight in enumerate(weights):
        due = window * weight / sum(weights)
        n = order[:window].count(path)
        worst = max(worst, abs(n - due) / due)
        for i in range(window, len(order)):
            n += (order[i] == path) - (order[i - window] == path)
            worst = max(worst, abs(n - due) / due)
    print(f"worst window: {100 * worst:.2f} % off")
    return 0 if worst <= args.limit else 1


def turns(args):
    # How far a path is ahead of its share at one place less how far at another
    # is how far the window between them is off.
    low, high = [0] * args.n, [0] * args.n
    ahead = [0] * args.n
    for at, (path, _, _) in enumerate(packets(args), 1):
        ahead[path] += args.n
        for i in range(args.n):
            low[i] = min(low[i], ahead[i] - at)
            high[i] = max(high[i], ahead[i] - at)
    worst = max(h - l for h, l in zip(high, low)) / args.n
    print(f"worst window: {worst:.2f} packets off")
    return 0 if any(high) and worst <= 1 else 1


def shares(args):
    n = [0] * args.n
    for path, _, _ in packets(args):
        n[path] += 1
    print(*n)
    return 0


def flows(args):
    paths = {}
    for path, _, sport in packets(args):
        paths.setdefault(sport, set()).add(path)
    for sport in sorted(paths):
        print(sport, ",".join(str(p) for p in sorted(paths[sport])))
    return 0


def disorder(args):
    last, late = {}, {}
    for path, seq, _ in packets(args):
        late.setdefault(path, 0)
        if path in last and (seq - last[path]) & 0xffffffff >= 1 << 31:
            late[path] += 1
        else:
            last[path] = seq
    print(*(late[p] for p in sorted(late)))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_subparsers(dest="what", required=True)

    def add(func):
        p = what.add_parser(func.__name__)
        p.set_defaults(func=func)
        p.add_argument("file")
        return p

    p = add(capture)
    p.add_argument("count", type=int)
    p.add_argument("--incoming", action="store_true",
                   help="packets received, not those sent")
    p.add_argument("--idle", type=float, default=30,
                   help="seconds of silence after which no more is awaited")
    p = add(weighted)
    p.add_argument("weights")
    p.add_argument("--window", type=int, default=1000)
    p.add_argument("--limit", type=float, default=0.02)
    add(turns).add_argument("n", type=int)
    add(shares).add_argument("n", type=int)
    add(flows)
    add(disorder)
    args = parser.parse_args()
    return args.func(args)


if __name__ == "__main__":
    sys.exit(main())
