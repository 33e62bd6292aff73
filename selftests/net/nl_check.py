#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Requests to lb that must be refused, and dumps that must be whole.

  nl_check.py policy            what the policies of the attributes forbid
  nl_check.py sense             what they let pass and lb itself forbids
  nl_check.py link              settings in IFLA_INFO_DATA
  nl_check.py full              a peer with all the paths that it can have
  nl_check.py unprivileged      reads are allowed, changes are not
  nl_check.py dump              a large dump while paths come and go

Attributes, their types and bounds are those of the YAML specification, so new
ones are tested as they come. A line is written for each point: "ok" or "not ok",
a tab, what was tested, and if it failed a tab and why.

There must be lb0, down, port 4799, with a peer 10.99.0.2 (alias fd99::2) that
has two path groups over p1 and p2, and lb1, up and without peers.
"""

import errno
import os
import random
import signal
import struct
import sys
import time

from lb_nl import (NETLINK_ROUTE, NLA_F_NESTED, NLM_F_CREATE, NLM_F_DUMP,
                   NLM_F_EXCL, NLM_F_REPLACE, SPEC, Lb, Netlink, Refused, addr,
                   attr)

INTS = {"u8": "=B", "u16": "=H", "u32": "=I", "u64": "=Q"}
# Different between two dumps without anything having been changed.
VOLATILE = ("age", "stats", "drop", "pad")
RTM_NEWLINK, RTM_GETLINK = 16, 18
IFLA_ADDRESS, IFLA_IFNAME, IFLA_LINKINFO = 1, 3, 18
IFLA_INFO_KIND, IFLA_INFO_DATA = 1, 2

PEER, LOCAL, REMOTE = addr("10.99.0.2"), addr("10.0.1.1"), addr("10.0.1.2")
NEW = addr("10.99.0.77")


def string(text):
    return text.encode() + b"\0"


def config(**settings):
    """The nest of settings."""
    return b"".join(pack("config", n.replace("_", "-"), v)
                    for n, v in settings.items())


def pack(name, key, value):
    """An attribute of a set by its name."""
    a = SPEC.sets[name][key]
    if isinstance(value, str):
        value = string(value)
    elif isinstance(value, int):
        value = struct.pack(INTS[a["type"]], value)
    nest = NLA_F_NESTED if a["type"] == "nest" else 0
    return attr(a["number"] | nest, value)


# A request that does something if it is let through, and without which
# attributes it means nothing.
BASE = {
    "dev-get": ({"ifname": "lb0"}, ["ifname"]),
    "dev-set": ({"ifname": "lb0", "config": config(ttl=9)},
                ["ifname", "config"]),
    "peer-new": ({"ifname": "lb0", "addr": NEW}, ["ifname", "addr"]),
    "peer-del": ({"ifname": "lb0", "addr": PEER}, ["ifname", "addr"]),
    "peer-set": ({"ifname": "lb0", "addr": PEER, "alias": NEW},
                 ["ifname", "addr"]),
    "peer-get": ({"ifname": "lb0", "addr": PEER}, ["ifname", "addr"]),
    "path-new": ({"ifname": "lb0", "peer": PEER, "local": LOCAL,
                  "remote": REMOTE, "device": "p2"},
                 ["ifname", "peer", "local", "remote"]),
    "path-del": ({"ifname": "lb0", "peer": PEER, "local": LOCAL,
                  "remote": REMOTE, "device": "p1"},
                 ["ifname", "peer", "local", "remote", "device"]),
    "path-set": ({"ifname": "lb0", "peer": PEER, "local": LOCAL,
                  "remote": REMOTE, "device": "p1", "weight": 7},
                 ["ifname", "peer", "local", "remote", "device", "weight"]),
    "path-get": ({"ifname": "lb0", "peer": PEER, "id": 0},
                 ["ifname", "peer", "id"]),
    "policy-get": ({"name": "rr"}, ["name"]),
    "stats-reset": ({"ifname": "lb0"}, ["ifname"]),
}


class Check:
    """Requests, and whether the state is what it was before them."""

    def __init__(self):
        self.lb = Lb()
        self.route = Netlink(NETLINK_ROUTE)
        self.wrong = []
        self.tried = 0

    def state(self):
        return [[(n, v) for n, v in obj if n not in VOLATILE]
                for op in ("dev-get", "peer-get", "path-get")
                for obj in self.lb.dump(op)]

    def refused(self, what, do, errors=None, own=False):
        """@do must raise Refused, with a text, and change nothing."""
        before = self.state()
        self.tried += 1
        try:
            do()
            self.wrong.append(f"{what}: accepted")
        except Refused as e:
            if errors and e.errno not in errors:
                self.wrong.append(f"{what}: {e}")
            elif not e.text:
                self.wrong.append(f"{what}: no text, {e}")
            elif e.text.startswith("lb: ") != own:
                self.wrong.append(f"{what}: not {'our' if own else 'the policy'}"
                                  f"'s text, {e}")
        if self.state() != before:
            self.wrong.append(f"{what}: something was changed")

    def point(self, desc):
        good = self.tried and not self.wrong
        line = f"{'ok' if good else 'not ok'}\t{desc} ({self.tried})"
        if not good:
            line += "\t" + "; ".join(self.wrong[:20] or ["nothing was tried"])
        print(line, flush=True)
        self.wrong = []
        self.tried = 0


def request(op, change=None, without=None, extra=b""):
    """The base request of a command; attributes changed, left out, added."""
    name = SPEC.ops[op]["attribute-set"]
    values = dict(BASE[op][0], **(change or {}))
    return b"".join(pack(name, k, v) for k, v in values.items()
                    if k != without) + extra


def bad_values(name, a):
    """(what, attribute) for all that the policy of an attribute forbids."""
    number, kind, checks = a["number"], a["type"], a.get("checks", {})
    if kind in INTS:
        size = struct.calcsize(INTS[kind])
        for n in (0, size - 1, size + 1, 16):
            yield f"{n} bytes", attr(number, b"\1" * n)
        yield "marked as a nest", attr(number | NLA_F_NESTED, b"\1" * size)
        wrong = [checks["min"] - 1] if checks.get("min") else []
        if "max" in checks:
            wrong += [checks["max"] + 1, 256 ** size - 1]
        for n in wrong:
            yield f"{n}", attr(number, struct.pack(INTS[kind], n))
    elif kind == "string":
        limit = checks["max-len"]
        yield "empty", attr(number, b"")
        yield "no zero byte", attr(number, b"lb0")
        yield "no zero byte, full", attr(number, b"x" * (limit + 1))
        yield "too long", attr(number, b"x" * (limit + 1) + b"\0")
        yield "far too long", attr(number, b"x" * 3000 + b"\0")
        yield "marked as a nest", attr(number | NLA_F_NESTED, b"lb0\0")
    elif kind == "binary":
        size = checks["exact-len"]
        for n in (0, 4, size - 1, size + 1, 2 * size):
            yield f"{n} bytes", attr(number, b"\x0a" * n)
    elif kind == "nest":
        yield from bad_nests(number, a["nested-attributes"])
    else:
        raise NotImplementedError(f"attribute {name} of type {kind}")


def bad_nests(number, name):
    nest = number | NLA_F_NESTED
    inner = SPEC.sets[name]
    good = config(ttl=9)
    yield "not marked as a nest", attr(number, good)
    yield "garbage", attr(nest, b"\xff" * 20)
    yield "garbage of three bytes", attr(nest, b"\xff" * 3)
    yield "garbage at its end", attr(nest, good + b"\xff" * 3)
    yield "shorter than a header", attr(nest, attr(1, b"", 3))
    yield "longer than the nest", attr(nest, attr(1, b"\1\1", 100))
    yield "attribute 0", attr(nest, attr(0, b"\1\0\0\0"))
    for n in (len(inner) + 1, len(inner) + 40):
        yield f"unknown attribute {n}", attr(nest, good + attr(n, b"\1\0\0\0"))
    for key, a in inner.items():
        for what, bad in bad_values(key, a):
            yield f"{key}, {what}", attr(nest, good + bad)


def policy():
    check = Check()
    for op, spec in SPEC.requests():
        name = spec["attribute-set"]
        known = SPEC.sets[name]
        wanted = spec["do"]["request"]["attributes"]
        flags = [("", 0)] + ([("dump: ", NLM_F_DUMP)] if "dump" in spec else [])

        def bad(what, data):
            for mode, flag in flags:
                check.refused(mode + what,
                              lambda: check.lb.command(op, data, flag),
                              (errno.EINVAL, errno.ERANGE))

        for key in wanted:
            for what, one in bad_values(key, known[key]):
                bad(f"{key}, {what}", request(op, without=key, extra=one))
        for key, a in known.items():
            if key not in wanted:
                for n in (1, 2, 4, 8, 16):
                    bad(f"{key} is none of its attributes",
                        request(op, extra=attr(a["number"], b"\1" * n)))
        for n in (0, len(known) + 1, len(known) + 100, 0x3fff):
            bad(f"attribute {n}", request(op, extra=attr(n, b"\1\0\0\0")))
        bad("garbage at its end", request(op) + b"\xff\xff\xff")
        bad("longer than the message", request(op) + attr(1, b"\1", 400))
        check.point(f"{op}: what its policy forbids is refused")

        for key in BASE[op][1]:
            check.refused(f"without {key}",
                          lambda: check.lb.command(op, request(op, without=key)),
                          (errno.EINVAL, errno.ENOENT), own=True)
        check.point(f"{op}: an attribute that it needs is missing")
    for op in SPEC.ops:
        if op not in BASE and "do" in SPEC.ops[op]:
            check.wrong.append(f"{op} is not tested")
    check.tried = 1
    check.point("all commands are tested")


def sense():
    check = Check()

    def no(what, number, op, change=None, flags=0, **more):
        check.refused(f"{op}: {what}",
                      lambda: check.lb.command(op, request(op, change, **more),
                                               flags), (number,), own=True)

    lo = {"ifname": "lo"}, "lo", errno.EOPNOTSUPP
    none = {"ifname": "lb77"}, "a device that isn't there", errno.ENODEV
    member = {"ifname": "p1"}, "a member", errno.EOPNOTSUPP
    for op in BASE:
        if "ifname" not in BASE[op][0]:
            continue
        for change, what, number in (lo, none, member):
            no(what, number, op, change)
            if "dump" in SPEC.ops[op]:
                no(what + ", dump", number, op, change, NLM_F_DUMP)
        for index, number in ((0, errno.ENODEV), (1, errno.EOPNOTSUPP),
                              (0x7fffffff, errno.ENODEV),
                              (0xffffffff, errno.ENODEV)):
            no(f"ifindex {index}", number, op, {"ifindex": index},
               without="ifname")
    check.point("no device, or none of lb's")

    other = {"addr": NEW}
    for op in ("peer-del", "peer-set", "peer-get"):
        no("unknown peer", errno.ENOENT, op, other)
    for op in ("path-new", "path-del", "path-set", "path-get"):
        no("unknown peer", errno.ENOENT, op, {"peer": NEW})
    for op in ("path-del", "path-set"):
        no("unknown remote", errno.ENOENT, op, {"remote": addr("10.0.1.9")})
        no("unknown local", errno.ENOENT, op, {"local": addr("10.0.1.9")})
        no("other device", errno.ENOENT, op, {"device": "p2"})
        no("unknown port", errno.ENOENT, op, {"entropy": 1})
        no("port 0", errno.EINVAL, op, {"entropy": 0})
    for number in (77, 4095, 4096, 0xffff, 0x10000, 0xffffffff):
        no(f"unknown id {number}", errno.ENOENT, "path-get", {"id": number})
    for name in ("", "rrr", "RR"):
        no("unknown policy", errno.ENOENT, "policy-get", {"name": name})
        no("unknown policy", errno.ENOENT, "dev-set",
           {"config": config(ttl=9, policy=name)})
    check.point("what isn't there")

    no("a peer twice", errno.EEXIST, "peer-new", {"addr": PEER})
    no("an alias of another", errno.EEXIST, "peer-new",
       {"addr": addr("fd99::2"), "alias": NEW})
    no("an address of another as alias", errno.EEXIST, "peer-new",
       {"alias": PEER})
    no("itself as alias", errno.EEXIST, "peer-new", {"alias": NEW})
    no("an alias twice", errno.EEXIST, "peer-new",
       {"alias": addr("fd99::9")}, extra=pack("peer", "alias", addr("fd99::9")))
    no("itself as alias", errno.EEXIST, "peer-set", {"alias": PEER})
    no("a good alias and itself", errno.EEXIST, "peer-set", {},
       extra=pack("peer", "alias", PEER))
    no("itself as alias, replace", errno.EEXIST, "peer-new",
       {"addr": PEER, "alias": PEER}, NLM_F_REPLACE)
    no("a path group twice", errno.EEXIST, "path-new", {"device": "p1"})
    no("a path group twice", errno.EEXIST, "path-new",
       {"device": "p1", "entropies": 8, "weight": 9}, NLM_F_CREATE | NLM_F_EXCL)
    nine = b"".join(pack("peer", "alias", addr(f"fd99::1:{i}"))
                    for i in range(9))
    no("nine aliases", errno.E2BIG, "peer-new", extra=nine)
    no("nine aliases", errno.E2BIG, "peer-set", without="alias", extra=nine)
    check.point("what is there already, or too much")

    odd = ("0.0.0.0", "224.0.0.1", "239.255.255.255",
           "255.255.255.255", "::", "ff02::1", "ff0e::1")
    for text in odd:
        no(text, errno.EINVAL, "peer-new", {"addr": addr(text)})
        no(f"alias {text}", errno.EINVAL, "peer-new", {"alias": addr(text)})
        no(f"alias {text}", errno.EINVAL, "peer-set", {"alias": addr(text)})
        good = addr("fd00:7::1" if ":" in text else "10.0.7.1")
        no(f"local {text}", errno.EINVAL, "path-new",
           {"local": addr(text), "remote": good})
        no(f"remote {text}", errno.EINVAL, "path-new",
           {"local": good, "remote": addr(text)})
    check.point("addresses of no host")

    no("local IPv4, remote IPv6", errno.EAFNOSUPPORT, "path-new",
       {"remote": addr("fd00:1::2")})
    no("local IPv6, remote IPv4", errno.EAFNOSUPPORT, "path-new",
       {"local": addr("fd00:1::1")})
    no("local and remote the same", errno.EINVAL, "path-new",
       {"remote": LOCAL})
    no("link-local without a device", errno.EINVAL, "path-new",
       {"local": addr("fe80::1"), "remote": addr("fe80::2")}, without="device")
    no("an lb device as member", errno.EINVAL, "path-new", {"device": "lb1"})
    no("itself as member", errno.EINVAL, "path-new", {"device": "lb0"})
    no("lo as member", errno.EINVAL, "path-new", {"device": "lo"})
    no("a member that isn't there", errno.ENODEV, "path-new",
       {"device": "p77"})
    for port, n in ((65535, 2), (65281, 256), (65535, 256)):
        no(f"{n} ports from {port}", errno.ERANGE, "path-new",
           {"entropy": port, "entropies": n})
        no(f"{n} ports from {port}, replace", errno.ERANGE, "path-new",
           {"entropy": port, "entropies": n, "device": "p1"}, NLM_F_REPLACE)
    no("port 0", errno.EINVAL, "path-new", {"entropy": 0})
    no("nothing to set", errno.EINVAL, "path-set", without="weight")
    no("addresses of another peer", errno.EADDRINUSE, "path-new",
       {"ifname": "lb2", "peer": addr("10.97.0.2")})
    check.point("path groups that cannot be")

    no("the lower bound above", errno.ERANGE, "dev-set",
       {"config": config(ttl=9, hold_min=20001)})
    no("the upper bound below", errno.ERANGE, "dev-set",
       {"config": config(hold_max=0), "ifname": "lb2"})
    no("both", errno.ERANGE, "dev-set",
       {"config": config(hold_min=9, hold_max=8, ttl=9)})
    no("port with paths", errno.EBUSY, "dev-set",
       {"config": config(ttl=9, port=4800)})
    no("port while up", errno.EBUSY, "dev-set",
       {"ifname": "lb1", "config": config(ttl=9, port=4800)})
    check.point("settings that contradict")


def link_message(name, data, index=0, before=b""):
    info = attr(IFLA_INFO_KIND, b"lb\0") + attr(IFLA_INFO_DATA | NLA_F_NESTED,
                                                data)
    key = b"" if index else attr(IFLA_IFNAME, string(name))
    return (struct.pack("=BxHiII", 0, 0, index, 0, 0) + key + before +
            attr(IFLA_LINKINFO | NLA_F_NESTED, info))


def link():
    check = Check()
    index = struct.unpack("=I", dict(check.lb.dump("dev-get")[0])["ifindex"])[0]
    create = NLM_F_CREATE | NLM_F_EXCL

    def no(what, data, own=False, before=b"", errors=None):
        check.refused(f"new, {what}", lambda: check.route.ask(
            RTM_NEWLINK, create, link_message("lb9", data, 0, before)),
            errors, own)
        if not before:
            check.refused(f"change, {what}", lambda: check.route.ask(
                RTM_NEWLINK, 0, link_message("", data, index)), errors, own)

    for key, a in SPEC.sets["config"].items():
        for what, bad in bad_values(key, a):
            # Here the kernel takes what is too long by what is at its begin, as
            # it always did.
            size = struct.calcsize(INTS[a["type"]]) if a["type"] in INTS else 99
            if len(bad) - 4 <= (size + 3 & ~3) and "bytes" not in what and \
                    "nest" not in what or what == "0 bytes" or \
                    what == f"{size - 1} bytes" or a["type"] == "string" and \
                    "nest" not in what:
                no(f"{key}, {what}", config(ttl=9) + bad)
    check.point("rtnetlink: what the policy forbids is refused")
    no("unknown policy", config(ttl=9, policy="rrr"), True,
       errors=(errno.ENOENT,))
    no("hold-min", config(ttl=9, hold_min=30000), True, errors=(errno.ERANGE,))
    no("bounds", config(ttl=9, hold_min=9, hold_max=8), True,
       errors=(errno.ERANGE,))
    no("link-layer address", config(ttl=9), True, attr(IFLA_ADDRESS, bytes(6)),
       (errno.EOPNOTSUPP,))
    check.refused("change, port", lambda: check.route.ask(
        RTM_NEWLINK, 0, link_message("", config(port=4800), index)),
        (errno.EBUSY,), True)
    check.point("rtnetlink: what lb forbids is refused")


def ids(lb, peer):
    """Ports by id of the paths of a peer, and how often ids come twice."""
    out = {}
    twice = 0
    for p in lb.dump("path-get"):
        p = dict(p)
        if p["peer"] == peer:
            number = struct.unpack("=I", p["id"])[0]
            twice += number in out
            out[number] = struct.unpack("=H", p["entropy"])[0]
    return out, twice


def group(i, **more):
    return request("path-new", dict({"ifname": "lb1", "peer": NEW,
                                     "remote": addr(f"10.0.8.{i}")}, **more),
                   without="device")


def full():
    check = Check()
    lb = check.lb
    lb.command("peer-new", request("peer-new", {"ifname": "lb1"}))
    for i in range(1, 16):
        lb.command("path-new", group(i, entropy=1000, entropies=256))
    # The last ids are had by two groups, so that numbers begin anew after them.
    lb.command("path-new", group(16, entropy=1000, entropies=156))
    lb.command("path-new", group(17, entropy=1000, entropies=100))
    paths, twice = ids(lb, NEW)
    check.tried = 1
    if len(paths) != 4096 or twice:
        check.wrong.append(f"{len(paths)} paths, {twice} twice")
    check.point("a peer has as many paths as ids")

    def no(what, data, flags=0):
        check.refused(what, lambda: lb.command("path-new", data, flags),
                      (errno.ENOSPC,), own=True)

    no("another group", group(18))
    no("a larger group", group(16, entropy=1000, entropies=157), NLM_F_REPLACE)
    check.point("not one more")
    for port in range(1000, 1050):
        lb.command("path-del", request(
            "path-del", {"ifname": "lb1", "peer": NEW,
                         "remote": addr("10.0.8.1"), "entropy": port},
            without="device"))
    no("another group, too large", group(18, entropies=51))
    check.point("none of a new group's, if not all")
    no("a group too large", group(16, entropy=1000, entropies=256),
       NLM_F_REPLACE)
    check.point("none of the paths by which a group would grow, if not all")
    check.tried = 1
    lb.command("path-new", group(16, entropy=1000, entropies=200),
               NLM_F_REPLACE)
    if len(ids(lb, NEW)[0]) != 4090:
        check.wrong.append(f"{len(ids(lb, NEW)[0])} paths")
    lb.command("path-new", group(16, entropy=1000, entropies=4),
               NLM_F_REPLACE)
    left = sorted(struct.unpack("=H", dict(p)["entropy"])[0]
                  for p in lb.dump("path-get")
                  if dict(p)["remote"] == addr("10.0.8.16"))
    # The other end, whose ids are others, has to be left with the same ones.
    if left != [1000, 1001, 1002, 1003]:
        check.wrong.append(f"ports {left}")
    check.point("a group that grew and shrinks keeps its first ports")
    lb.command("peer-del", request("peer-del", {"ifname": "lb1", "addr": NEW}))


def unprivileged():
    check = Check()
    check.tried = 1
    for op, spec in SPEC.requests():
        if "dump" in spec and not check.lb.dump(op):
            check.wrong.append(f"{op}: nothing to see")
    check.point("an unprivileged user may read")
    for op, spec in SPEC.requests():
        if "dump" in spec:
            continue
        before = check.state()
        check.tried += 1
        try:
            check.lb.command(op, request(op))
            check.wrong.append(f"{op}: accepted")
        except Refused as e:
            if e.errno != errno.EPERM:
                check.wrong.append(f"{op}: {e}")
        if check.state() != before:
            check.wrong.append(f"{op}: something was changed")
    check.point("but change nothing")


def come_and_go(pause):
    """In a process of its own: a group of a peer of its own."""
    lb = Lb()
    while True:
        lb.command("path-new", group(200, entropies=3))
        lb.command("path-del", request(
            "path-del", {"ifname": "lb1", "peer": NEW,
                         "remote": addr("10.0.8.200")}, without="device"))
        time.sleep(random.random() * pause)


def dump():
    check = Check()
    lb = check.lb
    peers = [addr(f"10.98.0.{i}") for i in range(1, 21)]
    for i, peer in enumerate(peers):
        lb.command("peer-new", request("peer-new", {"ifname": "lb1",
                                                    "addr": peer}))
        lb.command("path-new", request(
            "path-new", {"ifname": "lb1", "peer": peer, "entropies": 256,
                         "remote": addr(f"10.0.9.{i}")}, without="device"))
    lb.command("peer-new", request("peer-new", {"ifname": "lb1"}))
    want = {(p, i) for p in peers for i in range(256)}
    begin = time.monotonic()
    lb.dump("path-get")
    pause = (time.monotonic() - begin) * 3

    child = os.fork()
    if not child:
        come_and_go(pause)
    whole = interrupted = 0
    end = time.monotonic() + 60
    try:
        while (whole < 3 or not interrupted) and time.monotonic() < end:
            got = [(dict(p)["peer"], struct.unpack("=I", dict(p)["id"])[0])
                   for p in lb.dump("path-get") if dict(p)["ifname"] == b"lb1\0"]
            if lb.interrupted:
                interrupted += 1
                continue
            whole += 1
            mine = [p for p in got if p[0] in peers]
            if set(mine) != want or len(got) != len(set(got)):
                check.wrong.append(f"{len(mine)} paths, {len(set(mine))} "
                                   f"different of {len(want)}")
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    check.tried = whole
    check.point("dumps that nothing changed meanwhile are whole, nothing twice")
    check.tried = interrupted
    check.point("dumps that something changed meanwhile say so")
    mine = [dict(p)["addr"] for p in lb.dump("peer-get")]
    check.tried = 1
    if any(mine.count(p) != 1 for p in peers):
        check.wrong.append(f"{len(mine)} peers")
    only = lb.dump("path-get", pack("path", "ifname", "lb1") +
                   pack("path", "peer", peers[7]))
    if len(only) != 256 or {dict(p)["peer"] for p in only} != {peers[7]}:
        check.wrong.append(f"{len(only)} paths of one peer")
    check.point("peers, and the paths of one of them")
    for peer in peers + [NEW]:
        lb.command("peer-del", request("peer-del", {"ifname": "lb1",
                                                    "addr": peer}))


if __name__ == "__main__":
    random.seed(1)
    {"policy": policy, "sense": sense, "link": link, "full": full,
     "unprivileged": unprivileged, "dump": dump}[sys.argv[1]]()
