"""Whether the server's counters are present, without gaps."""

from collections.abc import Sequence

from headcount.analyse.audit.evidence import Evidence
from headcount.analyse.audit.result import Place, Result, result, unknown
from headcount.analyse.audit.second import Second
from headcount.bundle import failover
from headcount.counters.naming import is_agent
from headcount.text import plural

CHECK = "counters"
TITLE = "counters of the server are there in every measured second"
MISSED_SHARE = 0.1
"""Share of a level's seconds that a source may miss: another machine may answer late."""

OWN_WORDS = "server"
"""The side of what a server program reports about itself. A saturated server may not answer, so
its silence is reported but is not a failure."""


def check(evidence: Evidence) -> Result:
    """Each side that was sampled at all; a server that was not sampled cannot be checked."""
    measured = [evidence.steady(level.index) for level in evidence.levels]
    sides = sorted({side for steady in measured for one in steady for side in one.counters})
    if "sut" not in sides:
        return unknown(CHECK, TITLE, "the server's machine was not watched")
    places, silent = [], 0
    samples = 0
    broken = _broken_levels(evidence)
    for level, steady in zip(evidence.levels, measured, strict=True):
        for side in sides:
            if is_agent(side) and side not in level.counters:
                continue  # it was lost before
            gaps = [one for one in steady if not one.counters.get(side)]
            samples += len(steady) - len(gaps)
            if side == OWN_WORDS:
                silent += len(gaps)
            elif side == "sut" and level.index in broken:
                continue  # it was away
            elif len(gaps) > MISSED_SHARE * len(steady):
                text = f"{side} has no counters in {len(gaps)} of {plural('second', len(steady))}"
                at = f"line {gaps[0].line}"
                places.append(Place(file="series.ndjson", level=level.index, at=at, text=text))
        if level.index not in broken:
            places += _vanished(level.index, steady)
    good = f"{plural('sample', samples)} of {', '.join(sides)}"
    if silent:
        good += f"; in {plural('second', silent)} the server was too busy to report its own"
    figures: dict[str, float | int | None] = {
        "samples": samples,
        "sides": len(sides),
        "server_silent": silent if OWN_WORDS in sides else None,
    }
    return result(CHECK, TITLE, places, good, figures)


def _broken_levels(evidence: Evidence) -> set[int]:
    """Levels in which a fault was injected into the server."""
    found = failover.read(evidence.folder)
    return set() if found is None else {one.level for one in found.outages}


def _vanished(level: int, steady: Sequence[Second]) -> list[Place]:
    """Levels with too few samples of CPU use, which every machine has."""
    name = "system.cpu.utilization"
    there = [one for one in steady if name in one.counters.get("sut", {})]
    known = [one for one in steady if one.counters.get("sut")]
    if not there or len(known) - len(there) <= MISSED_SHARE * len(known):
        return []
    text = f"{name} is in {len(there)} of {plural('sample', len(known))}"
    return [Place(file="series.ndjson", level=level, at="sut", text=text)]
