"""Characters that a console can show: blocks, or plain ASCII."""

from dataclasses import dataclass

from rich.console import Console

from headcount.text import clean

_PLAIN = {
    "\N{EN DASH}": "-",
    "\N{MICRO SIGN}": "u",
    "\N{HORIZONTAL ELLIPSIS}": "...",
    "\N{NO-BREAK SPACE}": " ",
    "\N{MULTIPLICATION SIGN}": "x",
    "\N{REPLACEMENT CHARACTER}": "?",
}


@dataclass(frozen=True, slots=True)
class Glyphs:
    """Characters to draw with.

    Attributes:
        fills: From an empty cell to a full one, in equal parts.
        upright: The axis of values.
        corner: Where the axes meet.
        level: The axis of users.
        mark: Arrow to the capacity from below.

    """

    fills: str
    upright: str
    corner: str
    level: str
    mark: str


BLOCKS = Glyphs(
    fills=" \N{LOWER ONE EIGHTH BLOCK}\N{LOWER ONE QUARTER BLOCK}\N{LOWER THREE EIGHTHS BLOCK}"
    "\N{LOWER HALF BLOCK}\N{LOWER FIVE EIGHTHS BLOCK}\N{LOWER THREE QUARTERS BLOCK}"
    "\N{LOWER SEVEN EIGHTHS BLOCK}\N{FULL BLOCK}",
    upright="\N{BOX DRAWINGS LIGHT VERTICAL}",
    corner="\N{BOX DRAWINGS LIGHT UP AND RIGHT}",
    level="\N{BOX DRAWINGS LIGHT HORIZONTAL}",
    mark="\N{BLACK UP-POINTING TRIANGLE}",
)
ASCII = Glyphs(fills=" #", upright="|", corner="+", level="-", mark="^")


def glyphs(console: Console) -> Glyphs:
    """Return the characters a console can show."""
    return BLOCKS if console.encoding.lower().replace("-", "") == "utf8" else ASCII


def writable(text: str, console: Console) -> str:
    """Make text safe for a terminal, and replace what its encoding cannot represent.

    Control characters of a server would otherwise reach the terminal as commands.
    """
    return "".join(_writable(letter, console.encoding) for letter in clean(text))


def _writable(letter: str, encoding: str) -> str:
    try:
        letter.encode(encoding)
    except UnicodeEncodeError:
        return _PLAIN.get(letter, "?")
    return letter
