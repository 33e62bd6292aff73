#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Documentation/netlink/specs/lb.yaml, read without PyYAML.

  lb_spec.py check    where PyYAML is there: it reads the same; 4 if it isn't

The file uses little of YAML: block mappings and sequences, folded scalars,
sequences in brackets, anchors and aliases.
"""

import os
import re
import sys

PATH = os.path.join(os.path.dirname(os.path.realpath(__file__)),
                    "../../Documentation/netlink/specs/lb.yaml")


class Reader:
    """A recursive descent over lines."""

    def __init__(self, text):
        self.lines = []
        for line in text.split("\n"):
            bare = line.strip()
            if bare and not bare.startswith("#"):
                self.lines.append((len(line) - len(line.lstrip()), bare))
        self.at = 0
        self.anchors = {}

    def peek(self):
        return self.lines[self.at] if self.at < len(self.lines) else (-1, "")

    def block(self, indent):
        if self.peek()[1].startswith("-"):
            return self.sequence(indent)
        return self.mapping(indent)

    def sequence(self, indent):
        out = []
        while self.peek()[0] == indent and self.peek()[1] == "-":
            self.at += 1
            out.append(self.block(self.peek()[0]))
        return out

    def mapping(self, indent):
        out = {}
        while self.peek()[0] == indent and self.peek()[1] != "-":
            key, _, rest = self.peek()[1].partition(":")
            self.at += 1
            out[key] = self.value(indent, rest.strip())
        return out

    def value(self, indent, rest):
        anchor = re.match(r"&(\S+)\s*", rest)
        if anchor:
            rest = rest[anchor.end():]
        if rest.startswith("*"):
            return self.anchors[rest[1:]]
        if rest == ">-":
            rest = ""
            while self.peek()[0] > indent:
                rest += " " + self.lines[self.at][1]
                self.at += 1
            out = rest[1:]
        elif rest.startswith("["):
            while not rest.endswith("]"):
                rest += " " + self.lines[self.at][1]
                self.at += 1
            out = [self.scalar(x.strip()) for x in rest[1:-1].split(",")]
        elif rest:
            out = self.scalar(rest)
        else:
            out = self.block(self.peek()[0])
        if anchor:
            self.anchors[anchor[1]] = out
        return out

    @staticmethod
    def scalar(text):
        if re.fullmatch(r"-?\d+", text):
            return int(text)
        return {"true": True, "false": False}.get(text, text)


class Spec:
    """What the tests need of it: numbers of commands and attributes."""

    def __init__(self):
        with open(PATH, encoding="utf-8") as f:
            self.raw = Reader(f.read()).block(0)
        self.sets = {}
        for s in self.raw["attribute-sets"]:
            attrs = {}
            for i, attr in enumerate(s["attributes"], 1):
                attrs[attr["name"]] = dict(attr, number=i)
            self.sets[s["name"]] = attrs
        self.ops = {}
        for i, op in enumerate(self.raw["operations"]["list"], 1):
            self.ops[op["name"]] = dict(op, number=i)

    def requests(self):
        """(name, operation) of what can be asked for."""
        return [(n, op) for n, op in self.ops.items() if "do" in op]


def check():
    try:
        import yaml
    except ImportError:
        return 4
    with open(PATH, encoding="utf-8") as f:
        return 0 if yaml.safe_load(f) == Spec().raw else 1


if __name__ == "__main__":
    sys.exit(check())
