#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""udp_many.py ADDRESS PORT...: a datagram from each of these ports, to port 9."""

import socket
import sys

for port in sys.argv[2:]:
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind(("", int(port)))
    sock.sendto(bytes(300), (sys.argv[1], 9))
