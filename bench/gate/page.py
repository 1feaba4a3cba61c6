"""The part of a page that is made from a file of results."""

import statistics
import textwrap
from pathlib import Path

from bench.figure import plain
from bench.gate.results import BadResultsError, Measured, Results, ratios
from bench.machine import QUIET

BEGIN = "<!-- python -m bench gate --page: begin -->"
END = "<!-- python -m bench gate --page: end -->"
WIDTH = 120
"""Columns of a page."""
GLUE = "\N{NO-BREAK SPACE}"
"""Within a ratio, so that no line ends there."""


def write_page(path: Path, results: Results) -> None:
    """Rewrite what is between the markers of a page; raises BadResultsError without them."""
    path.write_text(page_with(path.read_text("utf-8"), part(results), str(path)), "utf-8")


def page_with(text: str, made: str, where: str) -> str:
    """A page with this between its markers; raises BadResultsError if it has no markers."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise BadResultsError(f'{where} has no lines "{BEGIN}" and "{END}"; add them')
    return f"{before}{BEGIN}\n{made}{END}{after}"


def part(results: Results) -> str:
    """What is between the markers: the machine, a table, what was not measured."""
    lines = [_sentence(results), ""]
    lines += ["| operation | Headcount | ratio to others, or to a bar (least to most) |"]
    lines += ["|---|--:|---|"]
    for item in results.items:
        lines += _rows(item)
    missing = {reason: None for item in results.items for reason in item.missing.values()}
    failed = [f"{item.name} ({item.failure})" for item in results.items if item.failure]
    if missing:
        lines += ["", textwrap.fill(f"Not measured: {'; '.join(missing)}.", WIDTH)]
    if failed:
        lines += ["", f"Failed: {', '.join(failed)}."]
    return "\n".join(lines) + "\n"


def _sentence(results: Results) -> str:
    machine = results.machine
    processors = machine["processors"]
    where = f"{processors} processors ({machine.get('processor', 'unknown')})"
    text = f"Version {results.version}, {results.measured_at[:10]}, {where}, "
    text += f"{machine['system']} {machine['kernel']}."
    loads = [load for item in results.items for load in (item.load_before, item.load_after)]
    before = [item.load_before for item in results.items]
    if before and max(before) > QUIET:
        stolen_s = sum(item.stolen_s for item in results.items)
        text += "\n**Provisional: the machine was busy.** The load average was "
        text += f"{min(loads):.1f} to {max(loads):.1f}, and {stolen_s:.0f} s of CPU were stolen.\n"
        text += "Only ratios to peers mean something."
    return text


def _rows(item: Measured) -> list[str]:
    """A row for each metric with all of its ratios, or several where they are too long for one."""
    found: dict[str, tuple[str, list[str]]] = {}
    for ratio in ratios(item):
        metric, values = ratio.metric, ratio.values
        ours = f"{metric.name} {plain(statistics.median(ratio.ours))} {metric.unit}"
        beside = ratio.reference
        if beside == "bar":
            beside = f"bar of {metric.bar:g} {metric.unit}"
        spread = f"{min(values):.2f} to {max(values):.2f}"
        text = f"{beside}: {statistics.median(values):.2f} ({spread})"
        found.setdefault(metric.name, (ours, []))[1].append(text)
    rows: list[str] = []
    for ours, texts in found.values():
        first = f"| {item.title} | {ours} | " if not rows else f"| | {ours} | "
        text = "; ".join(one.replace(" ", GLUE) for one in texts)
        lines = textwrap.wrap(
            text, WIDTH - len(" |"), initial_indent=first, subsequent_indent="| | | "
        )
        rows += [f"{line} |".replace(GLUE, " ") for line in lines]
    return rows
