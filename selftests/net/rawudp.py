#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Outer datagrams of lb that no lb would send, through a raw socket.

rawudp.py SOURCE DESTINATION [OPTION...]
    --type {data,init}  type of the packet (default data)
    --session N         session that it names (default 0x12345678)
    --bad-csum          wrong UDP checksum
    --fragment N        IPv4: in fragments of N bytes, a multiple of 8
    --ecn N             IPv4: ECN field
    --count N  --sport P  --dport P
"""

import argparse
import ipaddress
import os
import socket
import struct
import sys

TYPES = {"data": 0, "init": 4}


def lb_packet(kind, session):
    head = struct.pack("!BBHIIHHII", 1 << 4 | TYPES[kind], 0, 0,
                       session if kind == "data" else 0, 1, 0, 0, 1, 0)
    if kind == "init":
        return head + os.urandom(8) + struct.pack("!IHHII", 0, 16, 2, 1, 0)
    return head + bytes(100)


def csum(data):
    data += bytes(len(data) & 1)
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def udp_packet(args, src, dst, data):
    length = 8 + len(data)
    pseudo = src.packed + dst.packed
    if src.version == 4:
        pseudo += struct.pack("!BBH", 0, socket.IPPROTO_UDP, length)
    else:
        pseudo += struct.pack("!II", length, socket.IPPROTO_UDP)
    head = struct.pack("!HHH", args.sport, args.dport, length)
    check = csum(pseudo + head + bytes(2) + data)
    if args.bad_csum:
        check ^= 0x0101
    return head + struct.pack("!H", check or 0xffff) + data


def send4(sock, args, src, dst, data):
    step = args.fragment or len(data)
    ident = int.from_bytes(os.urandom(2), "big") or 1
    for at in range(0, len(data), step):
        part = data[at:at + step]
        more = 0x2000 if at + step < len(data) else 0
        head = struct.pack("!BBHHHBBH", 0x45, args.ecn, 20 + len(part), ident,
                           more | at >> 3, 64, socket.IPPROTO_UDP, 0)
        sock.sendto(head + src.packed + dst.packed + part, (str(dst), 0))


def send6(sock, src, dst, data):
    head = struct.pack("!IHBB", 6 << 28, len(data), socket.IPPROTO_UDP, 64)
    sock.sendto(head + src.packed + dst.packed + data, (str(dst), 0))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("destination")
    parser.add_argument("--type", choices=TYPES, default="data")
    parser.add_argument("--session", type=lambda s: int(s, 0),
                        default=0x12345678)
    parser.add_argument("--bad-csum", action="store_true")
    parser.add_argument("--fragment", type=int, default=0)
    parser.add_argument("--ecn", type=int, default=0)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--sport", type=int, default=50000)
    parser.add_argument("--dport", type=int, default=4799)
    args = parser.parse_args()

    src = ipaddress.ip_address(args.source)
    dst = ipaddress.ip_address(args.destination)
    family = socket.AF_INET if src.version == 4 else socket.AF_INET6
    sock = socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_RAW)
    for _ in range(args.count):
        data = udp_packet(args, src, dst, lb_packet(args.type, args.session))
        if src.version == 4:
            send4(sock, args, src, dst, data)
        else:
            send6(sock, src, dst, data)


if __name__ == "__main__":
    sys.exit(main())
