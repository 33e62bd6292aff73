#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Copies random bytes over TCP and compares what arrived by its checksum.

  tcp_copy.py serve PORT           answers each connection, one after another
  tcp_copy.py send ADDRESS PORT    sends, and exits with 0 if all arrived whole

The server's answer to what it received is the SHA-256 of it.
"""

import argparse
import hashlib
import random
import socket
import sys

BLOCK = 65536


def serve(args):
    with socket.create_server(("::", args.port), family=socket.AF_INET6,
                              dualstack_ipv6=True) as server:
        while True:
            conn, _ = server.accept()
            with conn:
                digest = hashlib.sha256()
                try:
                    while block := conn.recv(BLOCK):
                        digest.update(block)
                    conn.sendall(digest.digest())
                except OSError as err:
                    print(f"tcp_copy: {err}", file=sys.stderr, flush=True)


def send(args):
    digest = hashlib.sha256()
    block = random.randbytes(BLOCK)
    left = args.bytes
    with socket.create_connection((args.address, args.port),
                                  timeout=args.timeout) as conn:
        while left:
            # Each block another one, so that none can stand for another.
            block = digest.digest() + block[:-digest.digest_size]
            part = block[:left]
            digest.update(part)
            conn.sendall(part)
            left -= len(part)
        conn.shutdown(socket.SHUT_WR)
        answer = b""
        while got := conn.recv(BLOCK):
            answer += got
    if answer != digest.digest():
        print("tcp_copy: what arrived is not what was sent", file=sys.stderr)
        return 1
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_subparsers(dest="what", required=True)
    p = what.add_parser("serve")
    p.add_argument("port", type=int)
    p = what.add_parser("send")
    p.add_argument("address")
    p.add_argument("port", type=int)
    p.add_argument("--bytes", type=int, default=4 << 20)
    p.add_argument("--timeout", type=float, default=120)
    args = parser.parse_args()
    return serve(args) if args.what == "serve" else send(args)


if __name__ == "__main__":
    sys.exit(main())
