"""The seven tests that a prediction must pass, and an eighth: that a resource was the limit.

Each says what to measure if it fails. The thresholds are those that separated good from bad
predictions of simulated servers whose capacity is known.
"""

import math
from collections.abc import Sequence

from headcount.analyse.prediction.demand import FULL, Demand, drift
from headcount.analyse.prediction.holdout import PER_S, RESPONSE, USERS, HeldOutErrors, Split
from headcount.analyse.prediction.interval import WIDEST
from headcount.analyse.prediction.point import Point
from headcount.analyse.prediction.prediction import Check
from headcount.analyse.prediction.resource import resource_name
from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.level import LevelResult
from headcount.text import count, plural, share

LITTLE = 0.01
DRIFT = 0.05
REACH = 0.7
BUSY = 0.5
SEEN = 0.3
SOFT = ("pool", "lock", "refusal", "generator", "thread")
"""Limits that none of this hardware changes."""


def little(levels: Sequence[LevelResult]) -> Check:
    """Little's law at each level used."""
    parts = [(abs(level.little_error), level) for level in levels if level.little_error is not None]
    if not parts:
        return _none("little", "no level has a think time, so Little's law cannot be tested")
    worst, level = max(parts, key=lambda each: each[0])
    allowed = LITTLE + 0.05 / max(level.steady_s, 1.0)
    return Check(
        name="little",
        passed=worst <= allowed,
        value=worst,
        limit=allowed,
        sentence=f"users = throughput x (response + think) holds to {share(worst)} at every level",
        remedy=None
        if worst <= allowed
        else "run it again: its users, clocks or think times are wrong",
    )


def demands(found: Sequence[Demand], points: Sequence[Point], capacity: float) -> Check:
    """The demand of the resources that bind stays the same near the knee."""
    moved = [
        (abs(change), change, each.resource.name)
        for each in found
        if (change := drift(each, points, capacity)) is not None
    ]
    if not moved:
        text = "too few levels near the limit: it takes three to show what a scenario uses"
        return Check(
            name="demands",
            passed=False,
            value=None,
            limit=DRIFT,
            sentence=text,
            remedy=f"measure levels at about {count(0.6 * capacity)}, {count(0.8 * capacity)} and "
            f"{plural('user', capacity)}",
        )
    size, change, name = max(moved)
    ok = size <= DRIFT
    word = "rises" if change > 0 else "falls"
    text = (
        "what a scenario uses stays the same over the levels near the limit"
        if not size
        else f"what a scenario uses of the {resource_name(name)} {word} by {share(size)} over the "
        "levels near the limit"
    )
    return Check(
        name="demands",
        passed=ok,
        value=size,
        limit=DRIFT,
        sentence=text,
        remedy=None
        if ok
        else "no model covers what changes with the load (a cache that overflows, thrashing, "
        "batches); measure the server as it will be",
    )


def hold_out(
    errors: HeldOutErrors | None, divided: Split | None, noise: float, counted: float
) -> Check:
    """The chosen model predicts the top two loads from the others.

    `noise` and `counted` are the relative standard errors of the measured response and throughput:
    no test can be stricter.
    """
    if errors is None or divided is None:
        return Check(
            name="hold-out",
            passed=False,
            value=None,
            limit=None,
            sentence="too few levels to hold two out and fit the others",
            remedy="measure at least four different numbers of users, such as 25%, 50%, 80% and "
            "100% of the capacity",
        )
    response = RESPONSE + 2 * noise
    per_s = math.hypot(PER_S, 1.96 * counted)
    ok = (
        (errors.per_s is None or errors.per_s <= per_s)
        and (errors.response is None or not errors.times or errors.response <= response)
        and (errors.users is None or errors.users <= USERS)
    )
    low, high = max(p.nominal for p in divided.low), max(p.nominal for p in divided.high)
    compared = [
        ("throughput", errors.per_s, per_s),
        ("response time", errors.response if errors.times else None, response),
        ("users at the limit", errors.users, USERS),
    ]
    text = ", ".join(
        f"{what} {share(error)} (allowed: {share(allowed)})"
        for what, error, allowed in compared
        if error is not None
    )
    return Check(
        name="hold-out",
        passed=ok,
        value=errors.worst,
        limit=1.0,
        sentence=f"from levels up to {plural('user', low)}, those up to {count(high)} are "
        f"predicted with errors of: {text}",
        remedy=None
        if ok
        else "measure longer levels, and more of them below the limit; if the errors stay, "
        "something changes with the load that no model covers",
    )


def reach(points: Sequence[Point], capacity: float, busiest: tuple[str, float] | None) -> Check:
    """The run came near the capacity, and some resource was busy there."""
    top = max(p.nominal for p in points)
    part = max(p.users for p in points) / capacity
    if part < REACH:
        return Check(
            name="reach",
            passed=False,
            value=part,
            limit=REACH,
            sentence=f"the highest level, {plural('user', top)}, is {share(part)} of the capacity "
            "in the model",
            remedy=f"measure a level of at least {plural('user', REACH * capacity)}",
        )
    name, used = busiest if busiest is not None else ("nothing", 0.0)
    ok = used >= BUSY
    return Check(
        name="reach",
        passed=ok,
        value=used if not ok else part,
        limit=BUSY if not ok else REACH,
        sentence=f"the highest level reaches {share(part)} of the capacity, and the "
        f"{resource_name(name)} is {share(used)} full there",
        remedy=None if ok else "no observed resource comes near its limit; see headcount diagnose",
    )


def measured(name: str | None, used: float | None, *, known: bool) -> Check:
    """The next limiting resource was seen in use, at a third of its new capacity or more."""
    if name is None:
        return _none("measured", "no resource binds")
    ok = known and used is not None and used >= SEEN
    it = f"the {resource_name(name)}"
    if not known:
        text = f"the demand for {it} was not measured"
    else:
        text = f"{it}, which is the limit then, did {share(used)} of that work in the run"
    return Check(
        name="measured",
        passed=ok,
        value=used,
        limit=SEEN,
        sentence=text,
        remedy=None
        if ok
        else f"the bottleneck moves to an untested resource: load the {resource_name(name)} more "
        "(another mix, fewer of its kind), or ask for a smaller step",
    )


def memory(asked: bool, harmless: bool | None) -> Check:
    """No model covers memory: a curve of three sizes shows it, or that it plays no part."""
    if not asked:
        return _none("memory", "the memory stays as it is")
    ok = harmless is True
    return Check(
        name="memory",
        passed=ok,
        value=None,
        limit=None,
        sentence="more memory changes nothing here: the server hardly reads its disk"
        if ok
        else "disk reads drop at the memory size that just fits the data, and one run does not "
        "show where that is",
        remedy=None
        if ok
        else "measure with at least three sizes of memory: headcount run ... --limit memory=...",
    )


def interval(half: float) -> Check:
    """The interval is narrow enough to mean something."""
    ok = half <= WIDEST
    return Check(
        name="interval",
        passed=ok,
        value=half,
        limit=WIDEST,
        sentence=f"the 95% interval is {share(half)} wide on either side",
        remedy=None if ok else "measure longer levels, or more of them",
    )


def limit(diagnosis: Diagnosis | None, busiest: float, *, changed: bool) -> Check:
    """What stopped the server is something that these changes affect.

    If a resource was full all the same, that counts and not the diagnosis.
    """
    if diagnosis is None or not changed:
        return _none("limit", "nothing is changed")
    ok = diagnosis.limit not in SOFT or busiest >= FULL
    return Check(
        name="limit",
        passed=ok,
        value=None,
        limit=None,
        sentence=f"the run was stopped by: {diagnosis.limit}",
        remedy=None
        if ok
        else "no CPU, disk or network moves that limit: change it first and measure again "
        "(headcount diagnose explains it)",
    )


def _none(name: str, sentence: str) -> Check:
    return Check.model_validate(
        {
            "name": name,
            "passed": None,
            "value": None,
            "limit": None,
            "sentence": sentence,
            "remedy": None,
        }
    )
