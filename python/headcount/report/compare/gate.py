"""A gate on the terminal: the outcome, then every figure against its margin."""

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from headcount.analyse.compare.gate import Gate, Judgement
from headcount.analyse.compare.metrics import BY_ID
from headcount.analyse.compare.words import signed
from headcount.report.compare.terminal import print_list
from headcount.report.terminal.glyphs import BLOCKS, glyphs, writable
from headcount.report.terminal.say import say
from headcount.text import DASH, count, plural, share

_STYLES = {"passed": "green", "regression": "bold red", "inconclusive": "yellow"}
_ORDER = ("regression", "inconclusive", "passed")
_HEADS = ("", "change", "95% interval", "allowed", "outcome", "pairs")


def show(found: Gate, console: Console) -> None:
    """Print what a gate came to, regressions first."""
    say(console, found.sentence, _STYLES[found.outcome])
    console.print()
    box = SIMPLE_HEAD if glyphs(console) is BLOCKS else None
    table = Table(box=box, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for place, head in enumerate(_HEADS):
        left = place in (0, 4)
        table.add_column(head, justify="left" if left else "right", no_wrap=True)
    for one in sorted(found.judgements, key=lambda one: _ORDER.index(one.outcome)):
        table.add_row(*(Text(writable(cell, console)) for cell in _cells(one)[:4]), *_end(one))
    console.print(table)
    if any(one.pairs for one in found.judgements):
        say(
            console,
            "pairs: alternating runs that would show this difference with a chance of 80%",
            "dim",
        )
    names = [one.name for one in found.comparison.subjects]
    unlike = [one.sentence for one in found.comparison.unlike]
    print_list(console, "What differs", unlike, names)
    print_list(console, "To know", found.comparison.doubts, names)


def _cells(one: Judgement) -> list[str]:
    place = "" if one.users is None else f", {plural('user', one.users)}"
    sign = "-" if BY_ID[one.metric].better == "higher" else "+"
    return [
        f"{BY_ID[one.metric].short}{place}",
        signed(one.ratio),
        " to ".join(signed(end) for end in one.interval),
        f"{sign}{share(one.margin)}",
    ]


def _end(one: Judgement) -> list[Text]:
    pairs = "" if one.outcome != "inconclusive" else DASH if one.pairs is None else count(one.pairs)
    return [Text(one.outcome, style=_STYLES[one.outcome]), Text(pairs)]
