"""Whether every file can be read, to the last line."""

from collections.abc import Mapping, Sequence
from typing import Any

from headcount.analyse.audit.evidence import Evidence
from headcount.analyse.audit.result import Place, Result, result
from headcount.bundle.recovery import LOST, RECOVERED
from headcount.foreign.file import place_of
from headcount.text import plural

CHECK = "readable"
TITLE = "every file can be read"
_NEEDED = ("environment.json", "events.ndjson", "series.ndjson", "histograms.hlog")
"""Files that every started run has."""


def check(evidence: Evidence) -> Result:
    """JSON, TOML and histograms; the torn last line of a killed run is not damage."""
    missing = [
        Place(file=name, at="the file", text="is missing")
        for name in _NEEDED
        if not place_of(evidence.folder / name).is_file()
    ]
    if evidence.verdict is not None and not evidence.levels and not evidence.damage:
        text = f"has {plural('level', evidence.verdict.cost.levels)}, and levels.json has none"
        if evidence.verdict.cost.levels:
            missing.append(Place(file="verdict.json", at="cost.levels", text=text))
    good = f"{plural('second', len(evidence.seconds))} and {plural('level', len(evidence.levels))}"
    lost = recovered(evidence.events)
    figures: dict[str, float | int | None] = {f"lost_{name}": number for name, number in lost}
    if lost:
        parts = ", ".join(f"{number:,} of {name}" for name, number in lost)
        good += f"; a crash lost lines of an unfinished level, which was run again ({parts})"
    return result(CHECK, TITLE, [*evidence.damage, *missing], good, figures)


def recovered(events: Sequence[Mapping[str, Any]]) -> list[tuple[str, int]]:
    """How many lines a resumption cut off after crashes, by kind; without zeros."""
    found = [event for event in events if event.get("event") == RECOVERED]
    lost = [(name, [event.get(name) for event in found]) for name in LOST]
    sums = [(name, sum(n for n in of if isinstance(n, int))) for name, of in lost]
    return [(name, number) for name, number in sums if number]
