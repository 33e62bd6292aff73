#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""UDP datagrams with sequence numbers: what is lost, comes twice, out of order.

  udp_seq.py recv PORT           counts until the sender says that it is done
  udp_seq.py send ADDRESS PORT   sends

Both print one JSON object at the end. recv exits with 0 only if everything came
exactly once, and with --in-order only if it came in order. Flows differ in
their source port; numbers and order are those of a flow.
"""

import argparse
import json
import signal
import socket
import struct
import sys
import time

# flow, sequence number (or count of packets), whether this is the end
HEAD = struct.Struct("!IIB")
ENDS = 5            # the end is said that often, in case one is lost
BUFFER = 128 << 20

SO_RCVBUFFORCE = 33


class Flow:
    """What came of one flow."""

    def __init__(self):
        self.seen = set()
        self.next = 0
        self.total = None
        self.duplicated = 0
        self.reordered = 0

    def add(self, seq):
        if seq in self.seen:
            self.duplicated += 1
            return
        self.seen.add(seq)
        if seq < self.next:
            self.reordered += 1
        else:
            self.next = seq + 1

    def lost(self):
        total = self.next if self.total is None else self.total
        return total - len(self.seen)

    def whole(self):
        return self.total is not None and not self.lost()


def udp_socket(family):
    sock = socket.socket(family, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return sock


def recv(args):
    sock = udp_socket(socket.AF_INET6)
    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    # The receiver may be slow; that is no loss of the network's.
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
    sock.bind(("::", args.port))

    flows = {}
    wanted = None
    # The sender may be slow to start.
    sock.settimeout(4 * args.idle)
    while True:
        try:
            flow, number, end = HEAD.unpack_from(sock.recv(65536))
        except socket.timeout:
            break
        f = flows.setdefault(flow & 0xffff, Flow())
        if end:
            f.total = number
            wanted = flow >> 16
        else:
            f.add(number)
        # All is there. What comes in the next second, comes twice.
        if wanted == len(flows) and all(f.whole() for f in flows.values()):
            sock.settimeout(1)
        else:
            sock.settimeout(args.idle)

    got = {
        "received": sum(len(f.seen) for f in flows.values()),
        "lost": sum(f.lost() for f in flows.values()),
        "duplicated": sum(f.duplicated for f in flows.values()),
        "out_of_order": sum(f.reordered for f in flows.values()),
        "ended": wanted is not None and wanted == len(flows)
                 and all(f.total is not None for f in flows.values()),
    }
    print(json.dumps(got))
    good = got["ended"] and not got["lost"] and not got["duplicated"]
    if args.in_order:
        good = good and not got["out_of_order"]
    return 0 if good else 1


def send(args):
    info = socket.getaddrinfo(args.address, args.port, type=socket.SOCK_DGRAM)[0]
    socks = []
    for i in range(args.flows):
        sock = udp_socket(info[0])
        if args.sport:
            sock.bind(("", args.sport + i))
        sock.connect(info[4])
        socks.append(sock)
    stop = []
    signal.signal(signal.SIGTERM, lambda *_: stop.append(1))

    def say(sock, flow, number, end):
        # Who tells of the end, tells how many flows there are.
        flow |= len(socks) << 16 if end else 0
        head = HEAD.pack(flow, number, end)
        try:
            sock.send(head + bytes(max(args.size - len(head), 0)))
        except ConnectionRefusedError:
            # It tells of an earlier one, which the receiver counts as lost.
            pass

    sent = 0
    begin = time.monotonic()
    while not stop and sent != args.count:
        for flow, sock in enumerate(socks):
            say(sock, flow, sent, 0)
        sent += 1
        # Ahead of time: wait. Behind: catch up, but not in one burst.
        ahead = sent * len(socks) / args.rate - (time.monotonic() - begin)
        if ahead > 0.002:
            time.sleep(ahead)
        elif ahead < -0.05:
            begin -= ahead
    for _ in range(ENDS):
        for flow, sock in enumerate(socks):
            say(sock, flow, sent, 1)
        time.sleep(0.01)
    print(json.dumps({"sent": sent * len(socks)}))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_subparsers(dest="what", required=True)
    p = what.add_parser("recv")
    p.add_argument("port", type=int)
    p.add_argument("--idle", type=float, default=30,
                   help="seconds of silence after which the rest is lost")
    p.add_argument("--in-order", action="store_true")
    p = what.add_parser("send")
    p.add_argument("address")
    p.add_argument("port", type=int)
    p.add_argument("--count", type=int, default=-1,
                   help="packets of each flow (default: until SIGTERM)")
    p.add_argument("--rate", type=float, default=3000, help="packets a second")
    p.add_argument("--size", type=int, default=100, help="bytes of payload")
    p.add_argument("--flows", type=int, default=1)
    p.add_argument("--sport", type=int, default=0,
                   help="source port of the first flow, the others follow")
    args = parser.parse_args()
    return recv(args) if args.what == "recv" else send(args)


if __name__ == "__main__":
    sys.exit(main())
