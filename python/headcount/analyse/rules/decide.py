"""The conclusion: what limits the machine, in the papers' order: memory, I/O, CPU (M-10)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from headcount.analyse.rules.finding import Examination, Finding
from headcount.analyse.rules.model import AREAS, Area
from headcount.analyse.rules.series import Frame

MAIN_SHARE = 0.5
"""An area comes before a later one only if its findings cover at least this share of the time
covered by the area that has the most: a minute of paging does not explain a day. Our choice."""

AT_WORK = 0.5
"""A machine whose busiest resource has at least this mean use works; below, it is idle (T-19).
Our choice."""

MASK = "Memory is evaluated before disks: a shortage can look like slow I/O or an overloaded CPU."

Kind = Literal["limited", "signs", "clients", "idle", "unknown"]
Confidence = Literal["clear", "likely", "weak"]


@dataclass(frozen=True, slots=True)
class Decision:
    """The conclusion.

    Attributes:
        kind: `limited`: an area is proved to be the bottleneck. `signs`: none is, but signs point
            at one. `clients`: the machine worked with room left, so its clients are the limit
            (T-19). `idle`: it had little to do. `unknown`: the log has nothing that could prove
            a bottleneck.
        area: Of the bottleneck; None without one.
        confidence: `clear`; `likely` if an earlier area could not be evaluated; `weak` for signs
            alone.
        evidence: The findings of the area that count, the strongest first.
        masked: Whether the disk is busy at the same time as memory is short.
        runner_up: The next area with evidence.
        ruled_out: Areas that were evaluated, without findings.
        not_judged: Areas of which no rule that can prove a bottleneck could be evaluated.
        used: Mean use of what is known: CPU, busiest disk, busiest link, from 0 to 1.

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


def decide(examination: Examination) -> Decision:
    """Draw the conclusion from the findings."""
    proofs = _by_area(examination, "proof")
    signs = _by_area(examination, "sign")
    not_judged = tuple(area for area in AREAS[:4] if not examination.is_judged(area))
    against = {*proofs, *signs}
    ruled_out = tuple(area for area in AREAS if area not in against and examination.is_judged(area))
    direct = {area: tuple(one for one in ones if one.rule.direct) for area, ones in signs.items()}
    area = _first(proofs) or _first({key: ones for key, ones in direct.items() if ones})
    area = area or _first(signs)
    used = usage(examination.frame)
    masked = area == "memory" and "disk" in proofs
    if area is None:
        kind: Kind = "idle" if max(used.values(), default=0.0) < AT_WORK else "clients"
        if len(not_judged) == len(AREAS[:4]):
            kind = "unknown"
        sure: Confidence = "likely" if not_judged else "clear"
        return Decision(kind, None, sure, (), False, None, ruled_out, not_judged, used)
    evidence = (*proofs.get(area, ()), *signs.get(area, ()))
    if area not in proofs:
        rest = [one for one in AREAS if one in signs and one != area]
        runner_up = rest[0] if rest else None
        return Decision(
            "signs", area, "weak", evidence, masked, runner_up, ruled_out, not_judged, used
        )
    before = AREAS[: AREAS.index(area)]
    sure = "likely" if any(one in not_judged for one in before) else "clear"
    rest = [one for one in AREAS if one in proofs and one != area]
    rest += [one for one in AREAS if one in signs and one not in proofs]
    runner_up = rest[0] if rest else None
    return Decision("limited", area, sure, evidence, masked, runner_up, ruled_out, not_judged, used)


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
