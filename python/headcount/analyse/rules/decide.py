"""The conclusion: what limits the machine, in the papers' order: memory, I/O, CPU (M-10)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from headcount.analyse.rules.coverage import Coverage, coverage
from headcount.analyse.rules.finding import Examination, Finding
from headcount.analyse.rules.model import AREAS, Area
from headcount.analyse.rules.series import Frame

MAIN_SHARE = 0.5
"""An area comes before a later one only if its findings cover at least this share of the time
covered by the area with the most: a minute of paging does not explain a day. Our choice."""

AT_WORK = 0.5
"""Mean use of the busiest resource from which a machine is working; below, it is idle (T-19). Our
choice."""

Kind = Literal["limited", "signs", "clients", "idle", "unknown", "too_few"]
Confidence = Literal["clear", "likely", "weak", "none"]


@dataclass(frozen=True, slots=True)
class Decision:
    """The conclusion.

    Attributes:
        kind: `limited`: an area is proved to be the bottleneck. `signs`: none is, but signs point
            at one. `clients`: the machine worked with room left, so its clients are the limit
            (T-19). `idle`: it had little to do. `unknown`: the log has nothing that could prove
            a bottleneck. `too_few`: nothing is found in samples that are too few or too far apart
            to rule anything out. In such samples, proofs are signs.
        area: Of the bottleneck; None without one.
        confidence: `clear`; `likely` if an earlier area could not be evaluated, or if most of the
            time has no samples; `weak` for signs alone; `none` if the samples allow no conclusion.
        evidence: The findings of the area that count, the strongest first.
        masked: Whether the disk is busy at the same time as memory is short.
        runner_up: The next area with evidence.
        ruled_out: Areas that were evaluated, without findings.
        not_judged: Areas of which no rule that can prove a bottleneck could be evaluated.
        used: Mean use of what is known: CPU, busiest disk, busiest link, from 0 to 1.
        coverage: How much of the time the samples show.

    """

    kind: Kind
    area: Area | None
    confidence: Confidence
    evidence: tuple[Finding, ...]
    masked: bool
    runner_up: Area | None
    ruled_out: tuple[Area, ...]
    not_judged: tuple[Area, ...]
    used: Mapping[str, float]
    coverage: Coverage


def decide(examination: Examination) -> Decision:
    """Draw the conclusion from the findings."""
    shown = coverage(examination.frame)
    proofs = _by_area(examination, "proof")
    signs = _by_area(examination, "sign")
    area = _first(proofs) or _first(_direct(signs)) or _first(signs)
    not_judged = tuple(area for area in AREAS[:4] if not examination.is_judged(area))
    against = {*proofs, *signs}
    ruled_out = tuple(area for area in AREAS if area not in against and examination.is_judged(area))
    used = usage(examination.frame)
    if area is None:
        kind, sure = _without_evidence(not_judged, used, shown)
        out = ruled_out if shown.is_enough else ()
        return Decision(kind, None, sure, (), False, None, out, not_judged, used, shown)
    others = [one for one in AREAS if one != area]
    runners_up = [one for one in others if one in proofs]
    runners_up += [one for one in others if one in signs and one not in proofs]
    before = AREAS[: AREAS.index(area)]
    is_sure = not shown.has_gaps and not any(one in not_judged for one in before)
    is_proved = area in proofs and shown.is_enough
    return Decision(
        kind="limited" if is_proved else "signs",
        area=area,
        confidence=("clear" if is_sure else "likely") if is_proved else "weak",
        evidence=(*proofs.get(area, ()), *signs.get(area, ())),
        masked=area == "memory" and "disk" in proofs,
        runner_up=runners_up[0] if runners_up else None,
        ruled_out=ruled_out if shown.is_enough else (),
        not_judged=not_judged,
        used=used,
        coverage=shown,
    )


def _without_evidence(
    not_judged: tuple[Area, ...], used: Mapping[str, float], shown: Coverage
) -> tuple[Kind, Confidence]:
    """The conclusion if nothing is found."""
    sure: Confidence = "likely" if not_judged or shown.has_gaps else "clear"
    if len(not_judged) == len(AREAS[:4]):
        return "unknown", "none"
    if not shown.is_enough:
        return "too_few", "none"
    return ("idle" if max(used.values(), default=0.0) < AT_WORK else "clients"), sure


def _direct(signs: Mapping[Area, tuple[Finding, ...]]) -> dict[Area, tuple[Finding, ...]]:
    """The signs that measure waiting or saturation itself."""
    found = {area: tuple(one for one in ones if one.rule.direct) for area, ones in signs.items()}
    return {area: ones for area, ones in found.items() if ones}


def usage(frame: Frame) -> dict[str, float]:
    """Mean use of the CPU, the busiest disk and the busiest link, as far as the log has them."""
    found = {}
    for name, counters in _USE.items():
        for counter in counters:
            means = [
                series.mean()
                for view in (frame, *(frame.only(one) for one in frame.instances([counter])))
                if (series := view.of(counter)) is not None
            ]
            if means:
                found[name] = min(max(means), 1.0)
                break
    return found


_USE = {
    "CPU": ("system.cpu.utilization",),
    "disk": ("system.disk.utilization.busiest", "system.disk.utilization"),
    "network": ("system.network.utilization.busiest", "system.network.utilization"),
}


def _by_area(examination: Examination, strength: str) -> dict[Area, tuple[Finding, ...]]:
    return {
        area: found
        for area in AREAS
        if (
            found := tuple(
                one
                for one in examination.found
                if one.rule.area == area and one.strength == strength
            )
        )
    }


def _first(found: Mapping[Area, tuple[Finding, ...]]) -> Area | None:
    """The first area in the order whose findings cover enough of the time."""
    covered = {area: max(one.share for one in ones) for area, ones in found.items()}
    most = max(covered.values(), default=0.0)
    return next((area for area, share in covered.items() if share >= MAIN_SHARE * most), None)
