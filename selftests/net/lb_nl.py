# SPDX-License-Identifier: GPL-2.0
"""Netlink with nothing between: what is sent is what the test says, bytes."""

import errno
import ipaddress
import os
import socket
import struct

from lb_spec import Spec

NETLINK_ROUTE, NETLINK_GENERIC = 0, 16
SOL_NETLINK, NETLINK_CAP_ACK, NETLINK_EXT_ACK = 270, 10, 11
NLM_F_REQUEST, NLM_F_MULTI, NLM_F_ACK, NLM_F_DUMP_INTR = 1, 2, 4, 0x10
NLM_F_DUMP, NLM_F_REPLACE, NLM_F_EXCL, NLM_F_CREATE = 0x300, 0x100, 0x200, 0x400
NLM_F_CAPPED, NLM_F_ACK_TLVS = 0x100, 0x200
NLMSG_ERROR, NLMSG_DONE = 2, 3
NLMSGERR_ATTR_MSG = 1
NLA_F_NESTED, NLA_TYPE_MASK = 0x8000, 0x3fff
GENL_ID_CTRL, CTRL_CMD_GETFAMILY = 16, 3
CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 1, 2

SPEC = Spec()


def attr(kind, data, length=None):
    """An attribute; @length is what its header says, if not the truth."""
    length = 4 + len(data) if length is None else length
    return struct.pack("=HH", length, kind) + data + bytes(-len(data) % 4)


def addr(text):
    """As lb has addresses: 16 bytes, IPv4 mapped."""
    a = ipaddress.ip_address(text)
    return a.packed if a.version == 6 else bytes(10) + b"\xff\xff" + a.packed


def attrs_of(data):
    """[(type, payload)] of what the kernel sent."""
    out = []
    while len(data) >= 4:
        length, kind = struct.unpack_from("=HH", data)
        if length < 4:
            raise ValueError("an attribute shorter than its header")
        out.append((kind & NLA_TYPE_MASK, data[4:length]))
        data = data[length + 3 & ~3:]
    return out


class Refused(Exception):
    """By the kernel, with an error number and perhaps a text."""

    def __init__(self, number, text):
        super().__init__(f"{errno.errorcode.get(number, number)}: {text}")
        self.errno = number
        self.text = text


class Netlink:
    """A socket with extended acknowledgements."""

    def __init__(self, protocol):
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)
        self.sock.setsockopt(SOL_NETLINK, NETLINK_EXT_ACK, 1)
        self.sock.setsockopt(SOL_NETLINK, NETLINK_CAP_ACK, 1)
        self.sock.settimeout(60)
        self.seq = int.from_bytes(os.urandom(3), "big")
        self.interrupted = False

    @staticmethod
    def refusal(head, flags, payload):
        """Of an error or the end of a dump, with what follows the number."""
        number = -struct.unpack_from("=i", payload)[0]
        text = None
        if flags & NLM_F_ACK_TLVS:
            for kind, data in attrs_of(payload[head:]):
                if kind == NLMSGERR_ATTR_MSG:
                    text = data.rstrip(b"\0").decode()
        return Refused(number, text)

    def ask(self, kind, flags, payload):
        """Return payloads of the answers, or raise Refused."""
        self.seq += 1
        # Nobody waits for an answer without the end of a dump or an ACK.
        flags |= NLM_F_REQUEST | (0 if flags & NLM_F_DUMP == NLM_F_DUMP
                                  and not flags & NLM_F_CREATE else NLM_F_ACK)
        self.sock.send(struct.pack("=IHHII", 16 + len(payload), kind, flags,
                                   self.seq, 0) + payload)
        answers = []
        self.interrupted = False
        while True:
            data = self.sock.recv(1 << 20)
            while len(data) >= 16:
                length, kind, flags, seq, _ = struct.unpack_from("=IHHII", data)
                body, data = data[16:length], data[length + 3 & ~3:]
                if seq != self.seq:
                    continue
                self.interrupted |= bool(flags & NLM_F_DUMP_INTR)
                if kind in (NLMSG_ERROR, NLMSG_DONE):
                    end = self.refusal(20 if kind == NLMSG_ERROR else 4, flags,
                                       body)
                    if end.errno:
                        raise end
                    return answers
                answers.append(body)


class Lb(Netlink):
    """The family lb."""

    def __init__(self):
        super().__init__(NETLINK_GENERIC)
        name = attr(CTRL_ATTR_FAMILY_NAME, b"lb\0")
        head = struct.pack("=BBH", CTRL_CMD_GETFAMILY, 1, 0)
        answer = self.ask(GENL_ID_CTRL, 0, head + name)[0]
        self.family = struct.unpack("=H", dict(attrs_of(answer[4:]))
                                    [CTRL_ATTR_FAMILY_ID])[0]

    def command(self, op, payload, flags=0):
        """@payload are attributes, packed."""
        head = struct.pack("=BBH", SPEC.ops[op]["number"], 1, 0)
        return self.ask(self.family, flags, head + payload)

    def dump(self, op, payload=b""):
        """[[(attribute name, payload)]]"""
        names = {a["number"]: n for n, a in
                 SPEC.sets[SPEC.ops[op]["attribute-set"]].items()}
        return [[(names[k], v) for k, v in attrs_of(a[4:])]
                for a in self.command(op, payload, NLM_F_DUMP)]
