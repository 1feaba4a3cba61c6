"""Whether the figures of every level follow from its seconds, histograms and plan."""

import math
from typing import Any

from headcount.analyse.agent_level import Counters
from headcount.analyse.agents import names_agents
from headcount.analyse.audit.compare import differences
from headcount.analyse.audit.evidence import Evidence
from headcount.analyse.audit.law import window_of
from headcount.analyse.audit.result import Place, Result, result, unknown
from headcount.analyse.level import Measured, summarise
from headcount.analyse.observe import AFTER_OVERLOAD, BRIEF
from headcount.analyse.statistics.sections import SECTION_S, SECTIONS
from headcount.bundle.agents import machines_at
from headcount.bundle.level import LevelResult
from headcount.counters.naming import is_agent
from headcount.text import plural

CHECK = "figures"
TITLE = "figures of the levels, recomputed from the seconds"
NOT_KEPT = frozenset(
    {
        "users_reported",
        "requests",
        "started_at",
        "purpose",
        "prepare_s",
        "ramp_s",
        "log_on_s",
        "settle_s",
    }
)
"""Fields that do not follow from the seconds; they are not compared."""
KEPT_MS, KEPT_MS2 = 5e-4, 5e-7
"""Half a unit of the last digit that a second keeps of its sums of times and of squares."""
DOUBT = ".p95_interval_unreliable"
"""A field that versions judge differently: later ones know more reasons to doubt an interval."""
UNSETTLED = "it never got steady"
"""Prefix of a reason about the seconds before the measured ones."""
LATE = "1% of the load generator's own timers were over"
"""Prefix of a reason for which older versions had another rule."""
INTERVAL = ".p95_interval_ms"
"""A field that older versions left empty where the engine's seconds came to just under 20 s."""


def check(evidence: Evidence) -> Result:
    """Each level, summed up again by the same functions, and compared field by field."""
    if evidence.plan is None or not evidence.levels:
        return unknown(CHECK, TITLE, "there is no level or no plan to recompute from")
    places = []
    compared = doubted = 0
    for level, raw in zip(evidence.levels, evidence.raw_levels, strict=True):
        again = recomputed_level(evidence, level)
        if again is None:
            text = "it has no seconds in series.ndjson"
            places.append(Place(file="levels.json", level=level.index, at="steady_s", text=text))
            continue
        compared += fields_of(raw)
        found = _compared(raw, again)
        doubted += sum(_only_doubted(at, new) for at, _, new in found)
        places += [
            Place(
                file="levels.json", level=level.index, at=at, text=f"{old} is stored, {new} follows"
            )
            for at, old, new in found
            if not _only_doubted(at, new) and not _is_known_now(at, old, level)
        ]
        places += _counters(evidence, level)
    good = (
        f"{plural('figure', compared)} of {plural('level', len(evidence.levels))} follow from "
        "their seconds"
    )
    if doubted:
        good += f'; this version says "or wider" of {plural("more interval", doubted)} of a p95'
    return result(CHECK, TITLE, places, good, {"compared": compared, "doubted": doubted})


def recomputed_level(evidence: Evidence, level: LevelResult) -> LevelResult | None:
    """A level summed up again; None if it has no seconds."""
    window = window_of(evidence, level)
    if window is None or evidence.plan is None:
        return None
    older = _is_older(level)
    kept = (UNSETTLED, BRIEF, AFTER_OVERLOAD, *((LATE,) if older else ()))
    lost = level.reasons[:1] if level.agents_lost else []
    parts = lost + [reason for reason in level.reasons if reason.startswith(kept)]
    again = summarise(
        evidence.plan,
        Measured(
            index=level.index,
            purpose=level.purpose,
            users=level.users,
            started_at=level.started_at,
            ramp_s=level.ramp_s,
            log_on_s=level.log_on_s,
            settle_s=level.settle_s,
            prepare_s=level.prepare_s,
            window=window,
            step_names=evidence.names.steps,
            request_names=[],
            counters=_of_agents(level),
            agents=machines_at(evidence.events, level.index),
            requests_sent=sum(level.requests.values()),
            second_counters=[second.counters for second in evidence.steady(level.index)],
            task_names=evidence.names.tasks,
            with_own_delay=not older,
            stretch_s=level.stretch_s,
        ),
    )
    if older:
        again = again.model_copy(update={"generator": level.generator})
    if not parts:
        return again
    reasons = [*parts, *(one for one in again.reasons if one not in parts)]
    changes = {"reasons": reasons, "outcome": "invalid", "agents_lost": level.agents_lost}
    return again.model_copy(update=changes)


def _of_agents(level: LevelResult) -> Counters:
    """The counters of the agents, if a reason follows from them; older levels have none."""
    if not any(map(names_agents, level.generator.reasons)):
        return {}
    return {side: found for side, found in level.counters.items() if is_agent(side)}


def _is_older(level: LevelResult) -> bool:
    """Whether the version that wrote it did not yet compute the load generator's own delay."""
    response = level.total.response
    return response is not None and response.own_delay is None


def _compared(raw: dict[str, Any], again: LevelResult) -> list[tuple[str, Any, Any]]:
    stored = {key: value for key, value in raw.items() if key != "counters"}
    recomputed = again.model_dump(mode="json")
    # A bundle stores neither the protocol's order of tasks nor examples.
    for one in (stored, recomputed):
        one["tasks"] = sorted(one.get("tasks", []), key=lambda task: str(task["name"]))
        one["faults"] = [{**fault, "examples": [], "groups": []} for fault in one["faults"]]
        one["reasons"] = [_without_example(reason) for reason in one["reasons"]]
    return [
        found
        for found in differences(stored, recomputed, NOT_KEPT)
        if not (found[0].endswith(".sentence") and "wrong" in str(found[1]))
        and not (found[0].endswith(".sd_ms") and _spread_fits(found, recomputed))
    ]


def _only_doubted(at: str, new: Any) -> bool:
    """Whether the only difference is that an interval is doubted now."""
    return at.endswith(DOUBT) and new is True


def _is_known_now(at: str, old: Any, level: LevelResult) -> bool:
    """Whether the only difference is an interval, which a level of 20 s did not always have."""
    return at.endswith(INTERVAL) and old is None and level.steady_s < SECTIONS * SECTION_S


def _spread_fits(found: tuple[str, Any, Any], recomputed: dict[str, Any]) -> bool:
    """Whether rounding each second's sums explains the difference of two standard deviations.

    The variance is a small difference of large sums: (sum(x^2) - sum(x)^2 / n) / (n - 1). The sums
    of times are kept to a microsecond, those of squares to a millionth of a ms^2.
    """
    path, stored, computed = found
    task = next((one for one in recomputed["tasks"] if path == f"tasks[{one['name']}].sd_ms"), None)
    if task is None or stored is None or computed is None:
        return False
    seconds = recomputed["steady_s"] + 1
    sums_off = 2 * task["mean_ms"] * seconds * KEPT_MS + seconds * KEPT_MS2
    return bool(abs(stored**2 - computed**2) <= sums_off / max(task["completed"] - 1, 1))


def _without_example(reason: str) -> str:
    """A reason without the message of a fault, which the seconds do not store."""
    return reason.partition(", first: ")[0]


def _counters(evidence: Evidence, level: LevelResult) -> list[Place]:
    """Maxima, numbers and means of counters against their samples."""
    places = []
    steady = evidence.steady(level.index)
    for side, counters in level.counters.items():
        sampled = [one.counters.get(side, {}) for one in steady]
        for name, summary in counters.items():
            samples = [of[name] for of in sampled if name in of]
            wrong = _wrong(summary.mean, summary.max, summary.samples, samples)
            if wrong:
                at = f"counters.{side}.{name}"
                places.append(Place(file="levels.json", level=level.index, at=at, text=wrong))
    return places


def _wrong(mean: float, most: float, number: int, samples: list[float]) -> str | None:
    """What does not match the samples; None if everything does."""
    if number != len(samples):
        return f"{number} samples are stored, {len(samples)} are in the seconds"
    if not samples:
        return None
    if not math.isclose(most, max(samples), rel_tol=1e-9):
        return f"a maximum of {most:g} is stored, {max(samples):g} follows"
    # Samples are weighted by the time that each covers, which is not stored: late ones count more.
    least, room = min(samples), 1e-9 * max(abs(max(samples)), 1.0)
    if not least - room <= mean <= most + room:
        return f"a mean of {mean:g} is stored, which is not between {least:g} and {most:g}"
    return None


def fields_of(value: Any) -> int:
    """How many figures a record has."""
    if isinstance(value, dict):
        return sum(fields_of(one) for one in value.values())
    if isinstance(value, list):
        return sum(fields_of(one) for one in value)
    return int(isinstance(value, int | float) and not isinstance(value, bool))
