"""What users felt of faults, on the terminal: the answer, and the spread of each figure."""

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table

from headcount.bundle.failover import Failover, Spread
from headcount.report.failover import FIGURES, doubts, interval_text, reasons_text, value_text


def answer(found: Failover, console: Console) -> None:
    """Print what users felt."""
    console.print(found.sentence, markup=False)
    if found.spreads:
        console.print(_table(found))
    invalid = [one for one in found.outages if one.outcome == "invalid"]
    for one in invalid:
        text = f"  repetition {one.level} does not count: {reasons_text(one)}"
        console.print(text, markup=False)
    for text in doubts(found):
        console.print(f"  {text}", markup=False)
    if found.ending != "finished":
        done = f"{len(found.outages)} of {found.wanted} repetitions"
        console.print(f"  it ended early, after {done}", markup=False)


def _table(found: Failover) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("", "median", "95% interval", "95th percentile", "longest"):
        table.add_column(name, justify="left" if not name else "right")
    by_name: Mapping[str, Spread] = {one.figure: one for one in found.spreads}
    for name, figure in FIGURES.items():
        one = by_name.get(name)
        if one is None:
            continue
        table.add_row(
            figure.label,
            value_text(name, one.median),
            interval_text(one),
            value_text(name, one.p95),
            value_text(name, one.worst),
        )
    return table
