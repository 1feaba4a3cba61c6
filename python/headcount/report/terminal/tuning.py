"""A tuning for the terminal: the answer, what changes, and what was tried."""

import math

from rich.console import Console
from rich.table import Table
from rich.text import Text

from headcount.bundle.tuning import Cell, Race, Ratio, Tuning
from headcount.report.tuning import compared_text, pilot_text, starts_text, tried_text
from headcount.text import plural, significant


def answer(found: Tuning, console: Console) -> None:
    """Print what a tuning came to."""
    console.print(found.sentence, markup=False)
    for one in found.changes:
        gain = f"  ({_gain_text(one.ratio)})" if one.ratio is not None else ""
        console.print(f"  {one.knob}: {one.before} -> {one.after}{gain}", markup=False)
    if (starts := starts_text(found)) is not None:
        console.print(f"  {starts}", markup=False)
    if found.diagnosis_after is not None:
        console.print(f"  Bottleneck now: {found.diagnosis_after}", markup=False)
    if found.ladder:
        console.print(_ladder(found))
    if (pilot := pilot_text(found)) is not None:
        console.print(f"  {pilot}", markup=False)
    if found.pilot:
        console.print(_piloted(found))
    if found.kept:
        console.print("  in force; undo them with: headcount tune --restore")
    if not found.restored and not found.kept:
        console.print("[red]not everything was put back[/]: headcount tune --restore")


def _ladder(found: Tuning) -> Table:
    """Response times before and after at each load."""
    now = "p95 now" if found.changes else f"p95 {compared_text(found)}"
    table = _table("users", "p95 as it was", now, "times as short", "throughput")
    for one in found.ladder:
        table.add_row(
            f"{one.users:,}",
            _cell(one.before),
            _cell(one.after),
            _ratio_text(one.time),
            _ratio_text(one.rate),
        )
    return table


def _piloted(found: Tuning) -> Table:
    """Response times with the pilot, too, at each load."""
    table = _table(
        "users",
        f"p95 {compared_text(found)}",
        "p95 with the pilot",
        "times as short",
        "over as it was",
    )
    for one in found.ladder:
        if one.pilot is not None:
            table.add_row(
                f"{one.users:,}",
                _cell(one.after),
                _cell(one.pilot.cell),
                _ratio_text(one.pilot.time_over_after),
                _ratio_text(one.pilot.time),
            )
    return table


def _table(*columns: str) -> Table:
    table = Table(box=None, header_style="bold")
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _cell(cell: Cell) -> str:
    if cell.p95_ms is None:
        return ""
    interval = ""
    if cell.p95_interval_ms is not None:
        low, high = (significant(value) for value in cell.p95_interval_ms)
        interval = f" ({low} to {high})"
    return f"{significant(cell.p95_ms)} ms{interval}"


def _ratio_text(ratio: Ratio | None) -> str:
    return "" if ratio is None else f"{ratio.value:.2f} ({ratio.low:.2f} to {ratio.high:.2f})"


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
