"""Runs of one workload on one target over time: their figures, and where those changed."""

import hashlib
import json
import math
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from headcount.analyse.compare import answers, points
from headcount.analyse.compare.comparison import Reading
from headcount.analyse.compare.difference import finding
from headcount.analyse.compare.metrics import BY_ID
from headcount.analyse.compare.subject import counts
from headcount.analyse.compare.unlike import ASPECTS, unlike
from headcount.analyse.compare.words import percent, value
from headcount.analyse.statistics import change as changing
from headcount.bundle.level import Record
from headcount.bundle.reader import Bundle
from headcount.text import plural

OF_LEVEL = ("throughput", "response.p95")
"""Figures of levels that are followed, at the most users that most runs measured."""
LEAST = 11
"""Fewest runs that can show a change: of the orders of ten, 2 in 252 have the clearest cut of all,
more than the chance of error that `statistics.change` allows (0.005); of eleven 2 in 462."""


class Run(Record):
    """One run."""

    bundle: str
    started_at: str = Field(description="UTC, ISO 8601")
    outcome: str = Field(description="As in its verdict; `killed` without one")
    readings: dict[str, Reading] = Field(description="By metric; only what counts")
    flags: list[str]
    unlike: list[str] = Field(description="What differs from the run before it, in sentences")


class Change(Record):
    """A point at which a figure changed."""

    metric: str
    run: int = Field(description="The first run after it, from 0")
    bundle: str
    started_at: str
    before: float = Field(description="Geometric mean of the runs from the last change to this one")
    after: float = Field(description="The same of the runs from here to the next change")
    runs: tuple[int, int] = Field(description="How many those are")
    ratio: float = Field(description="After / before")
    interval: tuple[float, float] = Field(description="95% confidence interval of the ratio")
    finding: Literal["better", "worse", "no difference shown"]
    unlike: list[str] = Field(description="What differs between that run and the one before it")
    sentence: str


class Series(Record):
    """Runs that can be held against each other, in the order they were begun."""

    title: str
    workload: str
    target: str
    metrics: list[str] = Field(description="The metrics followed, the deciding one first")
    users: int | None = Field(description="Of the levels whose figures are followed")
    runs: list[Run]
    changes: list[Change]
    sentence: str
    doubts: list[str]


class History(Record):
    """What a folder of runs shows over time."""

    schema_version: Literal[1] = 1
    series: list[Series]


def history(bundles: Sequence[Bundle]) -> History:
    """Group comparable runs into series, and find where their figures changed.

    Runs are comparable if they play the same things with one workload on one target, under the same
    criteria. Other differences between neighbours are reported: they may explain a change.
    """
    groups: dict[str, list[Bundle]] = {}
    for bundle in bundles:
        groups.setdefault(_kind(bundle), []).append(bundle)
    return History(series=[_series(sorted(group, key=_begun)) for group in groups.values()])


def _kind(bundle: Bundle) -> str:
    """What must be equal for figures to mean the same."""
    same = {one.what: dict(one.of(bundle)) for one in ASPECTS if one.spoils or one.what in _SAME}
    return hashlib.sha256(json.dumps(same, sort_keys=True, default=str).encode()).hexdigest()


_SAME = ("criteria", "target")


def _begun(bundle: Bundle) -> str:
    if bundle.levels:
        return bundle.levels[0].started_at
    return bundle.environment.started_at if bundle.environment else bundle.folder.name


def _series(bundles: Sequence[Bundle]) -> Series:
    users = _users(bundles)
    currencies = [found[0] for found in (answers.answer("price", one) for one in bundles) if found]
    currency = currencies[-1] if currencies else None
    runs = [
        _run(bundle, bundles[place - 1] if place else None, users, currency)
        for place, bundle in enumerate(bundles)
    ]
    metrics = [
        name
        for name in (*answers.OF_ANSWERS, *OF_LEVEL)
        if any(name in run.readings for run in runs)
    ]
    found = [one for name in metrics for one in _changes(name, runs)]
    plan = bundles[0].plan
    return Series(
        title=f"{plan.workload.name} on {plan.target}",
        workload=plan.workload.name,
        target=plan.target,
        metrics=metrics,
        users=users if any(name in metrics for name in OF_LEVEL) else None,
        runs=runs,
        changes=found,
        sentence=_sentence(found, metrics, runs),
        doubts=[*_doubts(metrics, runs), *_other_currencies(currencies)],
    )


def _users(bundles: Sequence[Bundle]) -> int | None:
    """The number of users that most runs measured; the largest if several tie."""
    measured: dict[int, int] = {}
    for bundle in bundles:
        for users in {level.users for level in bundle.levels if counts(level)}:
            measured[users] = measured.get(users, 0) + 1
    return max(measured, key=lambda users: (measured[users], users), default=None)


def _run(bundle: Bundle, before: Bundle | None, users: int | None, currency: str | None) -> Run:
    readings: dict[str, Reading] = {}
    for name in answers.OF_ANSWERS:
        found = answers.answer(name, bundle)
        if found is not None and (name != "price" or found[0] == currency):
            figure = found[1]
            known = figure.low > 0 and figure.high < math.inf
            readings[name] = Reading(
                value=figure.value, interval=(figure.low, figure.high) if known else None
            )
    levels = [level for level in bundle.levels if counts(level) and level.users == users]
    if levels:
        point = points.point(levels[-1])
        readings |= {name: point.readings[name] for name in OF_LEVEL if name in point.readings}
    verdict = bundle.verdict
    return Run(
        bundle=str(bundle.folder),
        started_at=_begun(bundle),
        outcome=verdict.outcome if verdict else "killed",
        readings=readings,
        flags=verdict.flags if verdict else [],
        unlike=_unlike(before, bundle) if before is not None else [],
    )


def _unlike(before: Bundle, after: Bundle) -> list[str]:
    return [one.sentence for one in unlike(("before", "now"), (before, after))]


def _changes(name: str, runs: Sequence[Run]) -> list[Change]:
    known = [
        (place, run.readings[name])
        for place, run in enumerate(runs)
        if name in run.readings and run.readings[name].value > 0
    ]
    if len(known) < LEAST:
        return []
    found = changing.changes([reading.value for _, reading in known])
    return [_change(name, one, [place for place, _ in known], runs) for one in found]


def _change(
    name: str, found: changing.Change, places: Sequence[int], runs: Sequence[Run]
) -> Change:
    ratio = found.groups.ratio
    values = [runs[place].readings[name].value for place in places]
    before = _middle(values[found.first : found.index])
    after = _middle(values[found.index : found.end])
    place = places[found.index]
    since = runs[places[found.index - 1] + 1 : place + 1]
    different = list(dict.fromkeys(line for run in since for line in run.unlike))
    interval = (ratio.low, ratio.high)
    verdict = finding(BY_ID[name].better, interval)
    unit = BY_ID[name].unit
    run = runs[place]
    return Change(
        metric=name,
        run=place,
        bundle=run.bundle,
        started_at=run.started_at,
        before=before,
        after=after,
        runs=found.groups.runs,
        ratio=ratio.value,
        interval=interval,
        finding=verdict,
        unlike=different,
        sentence=(
            f"{BY_ID[name].label} got {verdict} with {run.started_at[:16].replace('T', ' ')}: "
            f"{value(after, unit)} (mean of {found.groups.runs[1]} runs) against "
            f"{value(before, unit)} ({found.groups.runs[0]} runs), {percent(ratio.value)}, 95% "
            f"interval from {percent(ratio.low)} to {percent(ratio.high)}."
        ),
    )


def reason(found: Change) -> str:
    """What differs where a figure changed, in a sentence."""
    if not found.unlike:
        return "No known difference from the run before."
    return f"From the run before {'; '.join(found.unlike)}."


def _middle(values: Sequence[float]) -> float:
    return math.exp(math.fsum(math.log(one) for one in values) / len(values))


def _sentence(found: Sequence[Change], metrics: Sequence[str], runs: Sequence[Run]) -> str:
    if not metrics:
        return "No run has a figure to follow."
    main = BY_ID[metrics[0]].label
    number = sum(metrics[0] in run.readings for run in runs)
    if number < LEAST:
        return (
            f"{main} over {plural('run', number)}: too few to find a change; that takes {LEAST} "
            "at least."
        )
    mine = [one for one in found if one.metric == metrics[0]]
    if not mine:
        return f"{main} did not change measurably over {plural('run', number)}."
    last = mine[-1]
    times = "once" if len(mine) == 1 else f"{len(mine)} times"
    return f"{main} changed {times} over {plural('run', number)}. {last.sentence}"


def _doubts(metrics: Sequence[str], runs: Sequence[Run]) -> list[str]:
    parts = []
    without = [run for run in runs if not run.readings]
    if without:
        have, are = ("has", "is") if len(without) == 1 else ("have", "are")
        parts.append(
            f"{len(without)} of {plural('run', len(runs))} {have} no valid figure and {are} left "
            "out"
        )
    flagged = sum(bool(run.flags) for run in runs)
    if flagged:
        have = "has" if flagged == 1 else "have"
        parts.append(
            f"{flagged} of {plural('run', len(runs))} {have} doubts: see headcount show BUNDLE"
        )
    if metrics and len(runs) >= LEAST:
        parts.append(
            f"a change shows only after a few runs: a change in the last {changing.LEAST - 1} "
            "runs is not found yet"
        )
    return parts


def _other_currencies(currencies: Sequence[str]) -> list[str]:
    """How many prices are not followed because the last one is in another currency."""
    number = sum(one != currencies[-1] for one in currencies)
    if not number:
        return []
    are = "is" if number == 1 else "are"
    prices, last = plural("price", len(currencies)), currencies[-1]
    return [f"{number} of {prices} {are} left out: the last one is in {last}"]
