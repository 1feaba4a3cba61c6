"""Sentences on the terminal."""

import re
from textwrap import wrap

from rich.console import Console
from rich.text import Text

from headcount.report.terminal.glyphs import writable

NARROWEST = 40
"""Fewest columns for a sentence."""
_ITEM = re.compile(r"- |\d+\. ")


def say(console: Console, line: str, style: str = "", indent: int = 0) -> None:
    """Print a sentence as text, never markup, wrapped at words; list items hang-indented."""
    space = " " * indent
    for part in line.split("\n"):
        item = _ITEM.match(part)
        wrapped = wrap(
            writable(part, console),
            max(console.width, NARROWEST),
            initial_indent=space,
            subsequent_indent=space + " " * (item.end() if item else 0),
            break_long_words=False,
            break_on_hyphens=False,
        )
        console.print(Text("\n".join(wrapped), style=style))
