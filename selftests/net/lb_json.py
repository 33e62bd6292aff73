#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Whether standard input is JSON, by the letter.

  lb_json.py            one value, with a new line at its end, and no more
  lb_json.py --lines    an object on each line, at least one
"""

import json
import sys


def pairs(items):
    keys = [k for k, _ in items]
    if len(keys) != len(set(keys)):
        raise ValueError(f"a key comes twice: {keys}")
    return dict(items)


def constant(name):
    raise ValueError(f"{name} is no JSON")


def load(text):
    return json.loads(text, object_pairs_hook=pairs, parse_constant=constant)


def main():
    # No decoding with replacements, no new lines translated.
    text = sys.stdin.buffer.read().decode("utf-8", "strict")
    if not text.endswith("\n"):
        raise ValueError("no new line at the end")
    if sys.argv[1:] != ["--lines"]:
        load(text)
        return 0
    for line in text[:-1].split("\n"):
        if not isinstance(load(line), dict):
            raise ValueError("not an object")
    return 0


if __name__ == "__main__":
    sys.exit(main())
