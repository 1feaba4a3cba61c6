"""Breaks in long words: paths, addresses and messages of servers have no spaces."""

import re

ZERO_WIDTH = "\N{ZERO WIDTH SPACE}"
LONGEST = 16
"""Words up to this many characters fit everywhere."""

_LONG = re.compile(rf"\S{{{LONGEST + 1},}}")
_AFTER = re.compile(r"(?<=[/\\.,:;=&?_|@+\-)\]}])(?=[^\s/\\.,:;=&?_|@+\-)\]}])")


def breakable(text: str) -> str:
    """Allow breaks in long words after punctuation, or anywhere in a long part without any."""
    return _LONG.sub(lambda word: ZERO_WIDTH.join(_pieces(word[0])), text)


def _pieces(word: str) -> list[str]:
    parts = _AFTER.split(word)
    return [
        part[start : start + LONGEST] for part in parts for start in range(0, len(part), LONGEST)
    ]
