"""A tuning for the terminal: the answer, what changes, and what was tried."""

import math

from rich.console import Console
from rich.table import Table
from rich.text import Text

from headcount.bundle.tuning import Race, Ratio, Tuning
from headcount.report.tuning import tried_text
from headcount.text import plural


def answer(found: Tuning, console: Console) -> None:
    """Print what a tuning came to."""
    console.print(found.sentence, markup=False)
    for one in found.changes:
        gain = f"  ({_gain_text(one.ratio)})" if one.ratio is not None else ""
        console.print(f"  {one.knob}: {one.before} -> {one.after}{gain}", markup=False)
    if found.kept:
        console.print("  in force; undo them with: headcount tune --restore")
    if not found.restored and not found.kept:
        console.print("[red]not everything was put back[/]: headcount tune --restore")


def trials(found: Tuning, console: Console) -> None:
    """Print what was tried, in the order of time."""
    table = Table(box=None, header_style="bold")
    for column in ("tried", "against", "change", "pairs", "outcome"):
        table.add_column(column, justify="right" if column in ("change", "pairs") else "left")
    for race in found.races:
        gains = [pair.log_gain for pair in race.pairs if pair.log_gain is not None]
        change = f"{math.exp(sum(gains) / len(gains)) - 1:+.1%}" if gains else ""
        table.add_row(
            Text(tried_text(race)),
            "as it is" if not race.against else plural("change", len(race.against)),
            change,
            str(len(gains)),
            Text(_outcome(race)),
        )
    console.print(table)


def _outcome(race: Race) -> str:
    return race.outcome if race.why is None else f"{race.outcome}: {race.why}"


def _gain_text(ratio: Ratio) -> str:
    return f"{ratio.value:.2f} times better with it, {ratio.low:.2f} to {ratio.high:.2f}"
