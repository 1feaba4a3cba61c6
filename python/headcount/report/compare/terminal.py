"""A comparison on the terminal: the verdict first, then the figures, then what qualifies them."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from headcount.analyse.compare.comparison import Comparison
from headcount.report.compare.cells import (
    Group,
    Row,
    groups,
    published_sentences,
    subject_text,
    within_sentences,
    within_title,
)
from headcount.report.terminal.glyphs import BLOCKS, glyphs, writable
from headcount.report.terminal.say import say
from headcount.text import DASH, plural

STYLES = {"better": "bold green", "worse": "bold red"}
"""Styles of verdicts."""
_PADDING = 1
_GOES = ("back", "change", "bounds")
"""Columns to drop first if there is too little room."""
MOST_LEVELS = 3
"""Levels whose figures are printed: those with the most users, where servers differ."""


def show(found: Comparison, console: Console, *, everything: bool = False) -> None:
    """Print a comparison; of many levels those with the most users, unless `everything`."""
    say(console, found.sentence, STYLES.get(found.finding, "bold yellow"))
    for subject in found.subjects:
        say(console, f"{subject.name}: {subject_text(subject)}", indent=2)
    shown, hidden = _chosen(groups(found), everything=everything)
    for group in shown:
        console.print()
        _group(group, console)
    if hidden:
        say(console, f"\n{plural('more level', hidden)}: --all prints them.", "dim")
    names = [one.name for one in found.subjects]
    print_list(console, within_title(found), within_sentences(found), names)
    print_list(console, "What differs", [one.sentence for one in found.unlike], names)
    print_list(
        console, "Published, on different hardware: not compared", published_sentences(found), names
    )
    print_list(console, "To know", found.doubts, names)


def _chosen(made: Sequence[Group], *, everything: bool) -> tuple[list[Group], int]:
    if everything:
        return list(made), 0
    kept: list[Group] = []
    for pair in dict.fromkeys((one.first, one.second) for one in made):
        mine = [one for one in made if (one.first, one.second) == pair]
        levels = [one for one in mine if one.differences[0].users is not None]
        kept += [one for one in mine if one not in levels] + levels[-MOST_LEVELS:]
    return kept, len(made) - len(kept)


def _group(group: Group, console: Console) -> None:
    heads = {
        "metric": "",
        "a": group.first,
        "b": group.second,
        "change": "change",
        "bounds": "95% interval",
        "back": "the other way",
        "finding": "verdict",
    }
    if not any(row.bounds != DASH for row in group.rows):
        heads.pop("bounds")
    against = f"{group.title}, {group.second} against {group.first}"
    console.print(Text(writable(against, console), style="bold"))
    names = [name for name in heads if name not in _dropped(group.rows, heads, console)]
    box = SIMPLE_HEAD if glyphs(console) is BLOCKS else None
    table = Table(box=box, padding=(0, _PADDING, 0, 0), pad_edge=False, show_edge=False)
    for name in names:
        left = name in ("metric", "finding")
        table.add_column(
            Text(writable(heads[name], console)),
            justify="left" if left else "right",
            no_wrap=True,
            overflow="crop",
        )
    for row in group.rows:
        cells = [_cell(row, name, console) for name in names]
        table.add_row(*cells)
    console.print(table)


def _cell(row: Row, name: str, console: Console) -> Text:
    text = writable(getattr(row, name), console)
    style = STYLES.get(row.finding, "dim") if name == "finding" else ""
    return Text(text, style=style)


def _dropped(rows: Sequence[Row], heads: dict[str, str], console: Console) -> set[str]:
    widths = {
        name: max(len(text) for text in (head, *(getattr(row, name) for row in rows)))
        for name, head in heads.items()
    }
    dropped: set[str] = set()
    for name in _GOES:
        kept = [width for one, width in widths.items() if one not in dropped]
        if sum(kept) + (_PADDING + 1) * len(kept) <= console.width:
            break
        dropped.add(name)
    return dropped


def print_list(console: Console, title: str, lines: Sequence[str], names: Sequence[str]) -> None:
    """Print a list of sentences; one that begins with a subject's name keeps its case."""
    if not lines:
        return
    say(console, f"\n{title}", "bold")
    for line in lines:
        # Names and percentiles keep their first letter.
        as_it_is = line[:1] == "p" and line[1:2].isdigit()
        as_it_is |= any(line.startswith(f"{name}:") for name in names)
        begun = line if as_it_is else f"{line[:1].upper()}{line[1:]}"
        say(console, f"- {begun}.", indent=2)
