#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""UDP for the selftests.

udp.py flood ADDR [SIZE]           send until killed, whatever errors come
udp.py send ADDR PORT [OPTION...]  send datagrams
    --from A  --sport P  --hex DATA  --size N  --count N
    --tos N   (traffic class with IPv6)
    --gso N   one send call, cut into datagrams of N bytes by the kernel
udp.py recv PORT COUNT SECONDS     wait for datagrams; prints a line for each:
    its size, its TOS or traffic class, and whether it is what send makes
"""

import argparse
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
    sock = socket.socket(family_of(args.addr), socket.SOCK_DGRAM)
    sock.setblocking(False)
    data = pattern(args.size)
    while True:
        for _ in range(8):
            # The device may be away for a time: that's what it is about.
            try:
                sock.sendto(data, (args.addr, 9))
            except OSError:
                pass
        time.sleep(0.01)


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
    p.add_argument("addr")
    p.add_argument("size", type=int, nargs="?", default=500)
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
