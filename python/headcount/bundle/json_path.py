"""Which field is on a line of a bundle's JSON, even if the file is damaged.

Bundles are written with one field per line, indented by depth, so the lines alone give the path and
nothing has to be parsed.
"""

import re

_LINE = re.compile(r'^( *)(?:"((?:[^"\\]|\\.)*)": ?)?(.*)$')


def path_at(text: str, line: int) -> str:
    """The path of the field on a line, from 1: `levels[0].total.completed`; empty at the start."""
    labels: dict[int, str] = {}
    counts: dict[int, int] = {}
    for one in text.split("\n", line)[:line]:
        found = _LINE.match(one)
        if found is None or not one.strip():
            continue
        depth, key, rest = len(found[1]), found[2], found[3]
        for deeper in [each for each in labels if each > depth]:
            del labels[deeper]
            counts.pop(deeper, None)
        if key is not None:
            labels[depth] = f".{key}"
        elif depth and rest[:1] not in "}]":  # an element of a list
            counts[depth] = counts.get(depth, -1) + 1
            labels[depth] = f"[{counts[depth]}]"
    return "".join(labels[depth] for depth in sorted(labels)).removeprefix(".")
