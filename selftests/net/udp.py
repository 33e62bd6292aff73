#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""UDP for the selftests.

udp.py flood ADDR...               datagrams and echo requests, small and large,
    until killed, whatever errors come
udp.py send ADDR PORT [OPTION...]  send datagrams
    --from A  --sport P  --hex DATA  --size N  --count N
    --tos N   (traffic class with IPv6)
    --gso N   one send call, cut into datagrams of N bytes by the kernel
udp.py recv PORT COUNT SECONDS     wait for datagrams; prints a line for each:
    its size, its TOS or traffic class, and whether it is what send makes
"""

import argparse
import itertools
import socket
import struct
import sys
import time

SOL_UDP = 17
UDP_SEGMENT = 103


def family_of(addr):
    return socket.AF_INET6 if ":" in addr else socket.AF_INET


def pattern(size):
    return bytes(i & 0xff for i in range(size))


def flood(args):
    udp = {f: socket.socket(f, socket.SOCK_DGRAM)
           for f in (socket.AF_INET, socket.AF_INET6)}
    echo = {f: socket.socket(f, socket.SOCK_DGRAM, p)
            for f, p in ((socket.AF_INET, socket.IPPROTO_ICMP),
                         (socket.AF_INET6, socket.IPPROTO_ICMPV6))}
    # What comes back is not read, and soon not queued.
    for sock in list(udp.values()) + list(echo.values()):
        sock.setblocking(False)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    request = {socket.AF_INET: 8, socket.AF_INET6: 128}
    # Not so much that an emulated CPU does nothing else.
    for size in itertools.cycle((20, 500, 1300)):
        for addr in args.addr:
            family = family_of(addr)
            head = struct.pack("!BBHHH", request[family], 0, 0, 0, 1)
            # The device may be away for a time: that's what it's about.
            try:
                udp[family].sendto(pattern(size), (addr, 9))
                echo[family].sendto(head + pattern(size), (addr, 0))
            except OSError:
                pass
        time.sleep(0.004 * len(args.addr))


def send(args):
    family = family_of(args.addr)
    sock = socket.socket(family, socket.SOCK_DGRAM)
    if args.source or args.sport:
        sock.bind((args.source or "", args.sport))
    if args.tos is not None:
        if family == socket.AF_INET:
            sock.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, args.tos)
        else:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_TCLASS, args.tos)
    dest = (args.addr, args.port)
    if args.gso:
        data = pattern(args.gso) * args.count
        sock.sendmsg([data], [(SOL_UDP, UDP_SEGMENT,
                               struct.pack("=H", args.gso))], 0, dest)
        return
    data = bytes.fromhex(args.hex) if args.hex else pattern(args.size)
    for _ in range(args.count):
        sock.sendto(data, dest)


def recv(args):
    sock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVTCLASS, 1)
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    sock.bind(("::", args.port))
    print("ready", flush=True)
    end = time.monotonic() + args.seconds
    for _ in range(args.count):
        sock.settimeout(max(end - time.monotonic(), 0.001))
        try:
            data, control, _, _ = sock.recvmsg(65535, 128)
        except socket.timeout:
            return 1
        tos = -1
        for level, kind, value in control:
            if (level, kind) == (socket.IPPROTO_IP, socket.IP_TOS):
                tos = value[0]
            elif (level, kind) == (socket.IPPROTO_IPV6, socket.IPV6_TCLASS):
                tos = struct.unpack("=i", value)[0]
        good = "good" if data == pattern(len(data)) else "bad"
        print(len(data), tos, good, flush=True)
    return 0


def main():
    parser = argparse.ArgumentParser()
    sub = parser.add_subparsers(required=True)

    p = sub.add_parser("flood")
    p.add_argument("addr", nargs="+")
    p.set_defaults(run=flood)

    p = sub.add_parser("send")
    p.add_argument("addr")
    p.add_argument("port", type=int)
    p.add_argument("--from", dest="source")
    p.add_argument("--sport", type=int, default=0)
    p.add_argument("--hex")
    p.add_argument("--size", type=int, default=100)
    p.add_argument("--count", type=int, default=1)
    p.add_argument("--tos", type=int)
    p.add_argument("--gso", type=int)
    p.set_defaults(run=send)

    p = sub.add_parser("recv")
    p.add_argument("port", type=int)
    p.add_argument("count", type=int)
    p.add_argument("seconds", type=float)
    p.set_defaults(run=recv)

    args = parser.parse_args()
    return args.run(args)


if __name__ == "__main__":
    sys.exit(main())
