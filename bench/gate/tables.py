"""What the gate prints."""

import statistics
from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from bench.figure import plain
from bench.gate.comparison import Compared
from bench.gate.results import Measured, Results


def show_item(item: Measured, compared: Iterable[Compared], console: Console) -> None:
    """Print the ratios of an item, how they changed, and what was not measured."""
    console.print(f"[bold]{item.title}[/] ({item.name}; {state(item)})")
    table = Table(box=None, pad_edge=False)
    for name, justify in (
        ("figure", "left"),
        ("median", "right"),
        ("compared with", "left"),
        ("min", "right"),
        ("median", "right"),
        ("max", "right"),
        ("", "left"),
    ):
        table.add_column(name, justify=justify, no_wrap=name != "")  # type: ignore[arg-type]
    for one in compared:
        table.add_row(*_cells(one))
    if table.row_count:
        console.print(table)
    for side, reason in item.missing.items():
        console.print(f"{side}: not measured: {reason}", markup=False)
    if item.failure is not None:
        console.print(f"headcount: not measured: {item.failure}", style="bold", markup=False)
    console.print()


def _cells(one: Compared) -> list[str]:
    ratio = one.ratio
    metric, values = ratio.metric, ratio.values
    name = f"bar {metric.bar:g} {metric.unit}" if ratio.reference == "bar" else ratio.reference
    words = [one.text, "above the bar" if one.misses_bar else ""]
    return [
        metric.name,
        f"{plain(statistics.median(ratio.ours))} {metric.unit}",
        name,
        *(f"{value:.2f}" for value in (min(values), statistics.median(values), max(values))),
        ", ".join(filter(None, words)),
    ]


def state(item: Measured) -> str:
    """How often an item was measured, and what the machine did meanwhile."""
    count = len(item.rounds)
    rounds = "1 round" if count == 1 else f"{count} rounds"
    return (
        f"{rounds} in {item.seconds:.0f} s; load {item.load_before:.2f} before, "
        f"{item.load_after:.2f} after; {item.stolen_s:.1f} s stolen"
    )


def head(results: Results, other: Results | None, console: Console) -> None:
    """Print what was measured, where, and what it is compared with."""
    console.print(f"headcount {results.version} ({results.commit}), {results.measured_at}")
    machine = results.machine
    console.print(", ".join(f"{key} {value}" for key, value in machine.items()), markup=False)
    if other is None:
        console.print("No results of another version to compare with.\n")
        return
    console.print(f"Compared with {other.version} ({other.commit}), {other.measured_at}.\n")


def conclusion(compared: list[Compared], failed: list[str], console: Console) -> None:
    """Print what is worse, better and above its bar, by name."""
    verdicts = {
        "worse": [one for one in compared if one.is_worse],
        "better": [one for one in compared if one.first and one.first.verdict == "better"],
        "above the bar": [one for one in compared if one.misses_bar],
    }
    counted = sum(one.first is not None for one in compared)
    console.print(f"{len(compared)} ratios, {counted} compared with another version:")
    for word, found in verdicts.items():
        names = ", ".join(f"{one.ratio.item} {_short(one)}" for one in found)
        console.print(f"{word}: {names or 'none'}", markup=False)
    if failed:
        console.print(f"not measured: {', '.join(failed)}", markup=False)


def _short(one: Compared) -> str:
    metric, reference = one.ratio.metric.name, one.ratio.reference
    return metric if reference == "bar" else f"{metric} beside {reference}"
