#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Packets of lb as an enemy sends them, made of good ones.

  lb_forge.py tap DEV FILE [--count N]
        writes data packets that leave by DEV, a line of hex for each
  lb_forge.py send DEV FILE [FIELD=VALUE]... [--copies N] [--cut N] [--body HEX]
        sends the last of them with fields of the header changed: ver, type,
        flags, path, session, path_seq, lane, lane_seq, stamp; VALUE may be +N or
        -N, relative; also src=ADDRESS and sport=PORT of the outer packet and
        inner=HEX, the first bytes of the inner one. --cut N leaves N bytes of
        the UDP payload, --body HEX puts those after the header. With --all every
        packet of the file is sent.
  lb_forge.py inits DEV FILE N      requests with random nonces
  lb_forge.py noise SRC DST N       random datagrams to the port; prints how many
        of them lb can't count as dropped: good requests for a session
"""

import argparse
import ipaddress
import os
import random
import socket
import struct
import sys
import time

ETH_P_ALL = 3
PORT = 4799
ETH, IP, UDP = 14, 20, 8
AT = ETH + IP + UDP     # of our header

# struct lb_hdr and struct lb_init of include/uapi/linux/lb_wire.h
HDR = struct.Struct("!BBHIIHHII")
INIT = struct.Struct("!QIHHII")
FIELDS = ("ver_type", "flags", "path", "session", "path_seq", "lane",
          "reserved", "lane_seq", "stamp")
BITS = {"flags": 8, "path": 16, "lane": 16}
TYPE_DATA, TYPE_INIT, VERSION = 0, 4, 1


def csum(data):
    data += bytes(len(data) & 1)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def frame(old, payload, src=None, sport=None):
    """Around @payload the outer headers of @old, with right sums."""
    ip = bytearray(old[ETH:ETH + IP])
    udp = bytearray(old[ETH + IP:AT])
    if src:
        ip[12:16] = ipaddress.ip_address(src).packed
    if sport is not None:
        udp[0:2] = struct.pack("!H", sport)
    struct.pack_into("!H", ip, 2, IP + UDP + len(payload))
    struct.pack_into("!H", ip, 10, 0)
    struct.pack_into("!H", ip, 10, csum(bytes(ip)))
    struct.pack_into("!HH", udp, 4, UDP + len(payload), 0)
    pseudo = bytes(ip[12:20]) + struct.pack("!BBH", 0, 17, UDP + len(payload))
    struct.pack_into("!H", udp, 6,
                     csum(pseudo + bytes(udp) + payload) or 0xffff)
    return bytes(old[:ETH] + ip + udp + payload)


def is_data(packet):
    return (len(packet) > AT + HDR.size and packet[12:14] == b"\x08\0" and
            packet[ETH] == 0x45 and packet[ETH + 9] == socket.IPPROTO_UDP and
            struct.unpack_from("!H", packet, ETH + IP + 2)[0] == PORT and
            packet[AT] == VERSION << 4 | TYPE_DATA)


def tap(args):
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                         socket.htons(ETH_P_ALL))
    sock.bind((args.dev, ETH_P_ALL))
    sock.settimeout(1)
    left = args.count
    end = time.monotonic() + 30
    with open(args.file, "w", encoding="ascii") as out:
        print("# ready", file=out, flush=True)
        while left:
            if time.monotonic() > end:
                print(f"lb_forge: {left} packets did not come", file=sys.stderr)
                return 1
            try:
                packet, (_, _, kind, *_) = sock.recvfrom(65536)
            except socket.timeout:
                continue
            if kind == socket.PACKET_OUTGOING and is_data(packet):
                print(packet.hex(), file=out, flush=True)
                left -= 1
    return 0


def frames(file):
    with open(file, encoding="ascii") as lines:
        return [bytes.fromhex(l) for l in lines if not l.startswith("#")]


def changed(old, args):
    values = dict(zip(FIELDS, HDR.unpack_from(old, AT)))
    version, kind = values["ver_type"] >> 4, values["ver_type"] & 15
    rest = bytearray(old[AT + HDR.size:])
    src = sport = None
    for change in args.change:
        key, _, text = change.partition("=")
        if key == "src":
            src = text
        elif key == "inner":
            rest[:len(text) // 2] = bytes.fromhex(text)
        elif key == "sport":
            sport = int(text)
        elif key == "ver":
            version = int(text)
        elif key == "type":
            kind = int(text)
        else:
            number = int(text, 0) + (values[key] if text[0] in "+-" else 0)
            values[key] = number & ((1 << BITS.get(key, 32)) - 1)
    values["ver_type"] = version << 4 | kind
    if args.body is not None:
        rest = bytes.fromhex(args.body)
    payload = HDR.pack(*(values[f] for f in FIELDS)) + bytes(rest)
    if args.cut is not None:
        payload = payload[:args.cut]
    return frame(old, payload, src, sport)


def raw(dev):
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    sock.bind((dev, 0))
    return sock


def send(args):
    sock = raw(args.dev)
    packets = frames(args.file)
    for old in packets if args.all else packets[-1:] * args.copies:
        sock.send(changed(old, args))
    return 0


def inits(args):
    sock = raw(args.dev)
    old = frames(args.file)[-1]
    for _ in range(args.n):
        head = HDR.pack(VERSION << 4 | TYPE_INIT, 0, 0, 0, 0, 0, 0, 0, 0)
        body = INIT.pack(random.getrandbits(64) | 1, 0, args.lanes, 4, 0, 0)
        sock.send(frame(old, head + body))
    return 0


def noise(args):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind((args.src, 0))
    uncounted = 0
    for i in range(args.n):
        data = os.urandom(random.randint(0, 200))
        # Half of them of a kind that is known, to come further.
        if i & 1 and data:
            data = bytes([VERSION << 4 | random.randint(0, 7)]) + data[1:]
        sock.sendto(data, (args.dst, PORT))
        uncounted += bool(args.known) and (
            len(data) >= HDR.size + INIT.size and
            data[0] == VERSION << 4 | TYPE_INIT and
            data[HDR.size:HDR.size + 8] != bytes(8) and
            data[HDR.size + 12:HDR.size + 14] != bytes(2))
        # The kernel drops what comes faster than it can be looked at.
        if i % 100 == 99:
            time.sleep(0.01)
    print(uncounted)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_subparsers(dest="what", required=True)
    p = what.add_parser("tap")
    p.add_argument("dev")
    p.add_argument("file")
    p.add_argument("--count", type=int, default=1)
    p = what.add_parser("send")
    p.add_argument("dev")
    p.add_argument("file")
    p.add_argument("change", nargs="*")
    p.add_argument("--copies", type=int, default=1)
    p.add_argument("--cut", type=int)
    p.add_argument("--body")
    p.add_argument("--all", action="store_true")
    p = what.add_parser("inits")
    p.add_argument("dev")
    p.add_argument("file")
    p.add_argument("n", type=int)
    p.add_argument("--lanes", type=int, default=256)
    p = what.add_parser("noise")
    p.add_argument("src")
    p.add_argument("dst")
    p.add_argument("n", type=int)
    p.add_argument("--known", action="store_true",
                   help="SRC is a peer's: its requests are listened to")
    args = parser.parse_args()
    return {"tap": tap, "send": send, "inits": inits, "noise": noise}[
        args.what](args)


if __name__ == "__main__":
    sys.exit(main())
