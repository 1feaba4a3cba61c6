"""Tables that are too wide for a console, in parts below each other: no column is left out."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from headcount.report.terminal.glyphs import BLOCKS, glyphs, writable

_PADDING = 2
_BETWEEN = _PADDING + 1
"""Console columns between two table columns: the padding and a rule, even a blank one."""


def parts(widths: Sequence[int], room: int) -> list[list[int]]:
    """Indexes of the columns of each part; the first column names the rows of every part.

    >>> parts([5, 9, 9, 9], 30)
    [[0, 1], [0, 2], [0, 3]]
    >>> parts([5, 9, 9, 9], 40)
    [[0, 1, 2], [0, 3]]
    """
    taken = [width + _BETWEEN for width in widths]
    found = [[0]]
    for index in range(1, len(widths)):
        if len(found[-1]) > 1 and sum(taken[one] for one in [*found[-1], index]) > room:
            found.append([0])
        found[-1].append(index)
    return found


def tables(
    headings: Sequence[str],
    rows: Sequence[Sequence[Text]],
    console: Console,
    left: frozenset[int] = frozenset({0}),
) -> Group:
    """Make a table, in as many parts as the console needs; columns in `left` are text."""
    heads = [writable(heading, console) for heading in headings]
    widths = [
        max([len(head), *(len(row[index]) for row in rows)]) for index, head in enumerate(heads)
    ]
    # Rich's stand-in for a console without box characters has upright rules, which need room.
    box = SIMPLE_HEAD if glyphs(console) is BLOCKS else None
    made: list[Table | Text] = []
    for chosen in parts(widths, console.width):
        one = Table(box=box, padding=(0, _PADDING, 0, 0), pad_edge=False, show_edge=False)
        for index in chosen:
            one.add_column(
                Text(heads[index]),
                justify="left" if index in left else "right",
                no_wrap=True,
                overflow="crop",
            )
        for row in rows:
            one.add_row(*(row[index] for index in chosen))
        made += [Text(""), one] if made else [one]
    return Group(*made)
