"""Where long words may be broken: paths, addresses and what servers say have no spaces."""

import re

ZERO_WIDTH = "\N{ZERO WIDTH SPACE}"
LONGEST = 16
"""Words of up to so many characters fit everywhere."""

_LONG = re.compile(rf"\S{{{LONGEST + 1},}}")
_AFTER = re.compile(r"(?<=[/\\.,:;=&?_|@+\-)\]}])(?=[^\s/\\.,:;=&?_|@+\-)\]}])")


def breakable(text: str) -> str:
    """Let long words be broken after marks, and everywhere if there are none for long."""
    return _LONG.sub(lambda word: ZERO_WIDTH.join(_pieces(word[0])), text)


def _pieces(word: str) -> list[str]:
    parts = _AFTER.split(word)
    return [
        part[start : start + LONGEST] for part in parts for start in range(0, len(part), LONGEST)
    ]
