"""The part of a page that is made from a file of results."""

import statistics
from pathlib import Path

from bench.figure import plain
from bench.gate.results import BadResultsError, Measured, Results, ratios
from bench.machine import QUIET

BEGIN = "<!-- python -m bench gate --page: begin -->"
END = "<!-- python -m bench gate --page: end -->"


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
    lines += ["| operation | | Headcount | compared with | | ratio | least to most |"]
    lines += ["|---|---|--:|---|--:|--:|--:|"]
    for item in results.items:
        lines += _rows(item)
    missing = {reason: None for item in results.items for reason in item.missing.values()}
    failed = [f"{item.name} ({item.failure})" for item in results.items if item.failure]
    if missing:
        lines += ["", "Not measured:", "", *(f"- {reason}" for reason in missing)]
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
    rows, named = [], ""
    for ratio in ratios(item):
        metric = ratio.metric
        if ratio.reference == "bar":
            beside, other = "bar", metric.bar or 0.0
        else:
            beside = ratio.reference
            found = [one.get(beside, {}).get(metric.name) for one in item.rounds]
            other = statistics.median(value for value in found if value is not None)
        cells = [
            "" if named == item.title else item.title,
            metric.name,
            f"{plain(statistics.median(ratio.ours))} {metric.unit}",
            beside,
            f"{other:g} {metric.unit}" if beside == "bar" else f"{plain(other)} {metric.unit}",
            f"{statistics.median(ratio.values):.2f}",
            f"{min(ratio.values):.2f} to {max(ratio.values):.2f}",
        ]
        named = item.title
        rows.append(f"| {' | '.join(cells)} |".replace("|  |", "| |"))
    return rows
