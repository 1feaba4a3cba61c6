"""A gate: whether a regression larger than a margin is shown, and what would decide if not."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from headcount.analyse.compare.comparison import Comparison, Difference
from headcount.analyse.compare.metrics import METRICS, metric
from headcount.analyse.compare.silence import METRIC, Silence, holds_nobody, silences
from headcount.analyse.compare.verdict import between
from headcount.analyse.compare.words import at, figures, percent
from headcount.analyse.statistics.pairs import pairs_needed
from headcount.bundle.level import Record
from headcount.errors import InputError
from headcount.text import plural, share, significant

Outcome = Literal["passed", "regression", "inconclusive"]


class Judgement(Record):
    """One metric against its margin."""

    name: str = Field(description="Such as `response.p95 at 120 users`")
    metric: str
    users: int | None
    ratio: float = Field(description="This run's figure over the baseline's")
    interval: tuple[float, float] = Field(description="95% confidence interval of the ratio")
    margin: float = Field(description="The share by which it may get worse")
    outcome: Outcome
    sentence: str
    pairs: int | None = Field(
        description="If inconclusive: pairs of runs that would show a regression as large as the "
        "margin with a chance of 80%; null if not known, or over 10,000"
    )


class Gate(Record):
    """What a gate came to."""

    schema_version: Literal[1] = 1
    outcome: Outcome = Field(
        description="`regression` if one is shown; `inconclusive` if one larger than its margin "
        "cannot be excluded; otherwise `passed`"
    )
    sentence: str
    judgements: list[Judgement]
    comparison: Comparison


def margins(wanted: Sequence[tuple[str | None, float]]) -> Mapping[str, float]:
    """The margin of each gated metric.

    Args:
        wanted: Pairs of a metric, or None for all that are gated anyway, and a margin as a share.
            Later pairs override earlier ones; pairs with a metric override those without.

    Raises:
        InputError: The name is not a metric, or the margin is not a share.

    """
    for _, share_ in wanted:
        if not 0 <= share_ < 1:
            raise InputError("a margin is a share from 0% to below 100%, such as 3%")
    found = {one.id: one.margin for one in METRICS if one.margin is not None}
    for name, share_ in wanted:
        if name is None:
            found = dict.fromkeys(found, share_)
    for name, share_ in wanted:
        if name is not None:
            found[metric(name).id] = share_
    return found


def judge(found: Comparison, limits: Mapping[str, float]) -> Gate:
    """Judge the second of two subjects against the first, the baseline.

    A regression is shown if the whole 95% interval is worse than the margin, and excluded if none
    of it is. Otherwise the outcome is open, not a failure: a gate must not fail by chance.

    Raises InputError if the two are not comparable, or if nothing can be judged.
    """
    spoiled = [one.sentence for one in found.unlike if one.spoils]
    if spoiled:
        raise InputError(
            f"{found.subjects[1].name} cannot be compared with {found.subjects[0].name}: "
            f"{'; '.join(spoiled)}; measure both alike"
        )
    first, second = found.subjects[:2]
    judged = _without_capacity(found, limits["capacity"])
    made = [one for one in silences(first.points, second.points) if one.second]
    judged += [_silent(one, limits[METRIC]) for one in made]
    judged += [
        _judgement(one, limits[one.metric])
        for one in found.differences
        if one.metric in limits and one.interval is not None
    ]
    if not judged:
        raise InputError(
            "there is nothing to judge: no metric of the gate has an interval on both sides; run "
            "levels of at least 20 s at the same numbers of users, or three runs of each side"
        )
    outcomes = {one.outcome for one in judged}
    outcome: Outcome = "passed"
    if "regression" in outcomes:
        outcome = "regression"
    elif "inconclusive" in outcomes:
        outcome = "inconclusive"
    return Gate(
        outcome=outcome,
        sentence=_sentence(outcome, judged),
        judgements=judged,
        comparison=found,
    )


def _judgement(one: Difference, margin: float) -> Judgement:
    limit = 1 - margin if one.better == "higher" else 1 + margin
    low, high = one.interval or (0.0, math.inf)
    worse, fine = (low > limit, high <= limit)
    if one.better == "higher":
        worse, fine = (high < limit, low >= limit)
    outcome: Outcome = "regression" if worse else "passed" if fine else "inconclusive"
    needed = None
    if outcome == "inconclusive" and one.spread:
        needed = pairs_needed(one.spread, limit)
    return Judgement(
        name=one.metric if one.users is None else f"{one.metric} at {plural('user', one.users)}",
        metric=one.metric,
        users=one.users,
        ratio=one.ratio,
        interval=(low, high),
        margin=margin,
        outcome=outcome,
        sentence=_judgement_sentence(one, margin, outcome, needed),
        pairs=needed,
    )


def _without_capacity(found: Comparison, margin: float) -> list[Judgement]:
    """The regression of a run that holds nobody, where the baseline has a capacity."""
    first, second = found.subjects[:2]
    is_other = any(one.what == "criteria" for one in found.unlike)
    if first.capacity is None or is_other:
        return []
    held = first.capacity.value
    if not holds_nobody(second.points, held):
        return []
    text = f"Capacity: no level passed, against {plural('user', held)}."
    return [_lost("capacity", None, margin, text)]


def _silent(one: Silence, margin: float) -> Judgement:
    """A load at which this run completed nothing: a regression beyond any margin."""
    was = f"{significant(one.per_s)}/s"
    text = f"Throughput {one.where} is 0/s against {was}: nothing was completed."
    return _lost(METRIC, one.users, margin, text)


def _lost(metric_id: str, users: int | None, margin: float, sentence: str) -> Judgement:
    """A figure of which nothing is left."""
    return Judgement(
        name=metric_id if users is None else f"{metric_id} at {plural('user', users)}",
        metric=metric_id,
        users=users,
        ratio=0.0,
        interval=(0.0, 0.0),
        margin=margin,
        outcome="regression",
        sentence=sentence,
        pairs=None,
    )


def _judgement_sentence(
    one: Difference, margin: float, outcome: Outcome, needed: int | None
) -> str:
    a, b = figures(one)
    figure = " ".join(part for part in (one.label, at(one)) if part)
    change = f"{percent(one.ratio)}, 95% interval {between(one)}"
    text = f"{figure} is {b} against {a}: {change}"
    allowed = f"{share(margin)} {'less' if one.better == 'higher' else 'more'} is allowed"
    if outcome == "regression":
        return f"{text}; {allowed}, and all of the interval is worse."
    if outcome == "passed":
        return f"{text}; {allowed}, and all of the interval is within it."
    return f"{text}; {allowed}; the interval allows both. {_more(needed)}"


def _more(needed: int | None) -> str:
    if needed is None:
        return "How many more runs would is not known."
    return (
        f"{plural('pair', needed)} of alternating runs would show such a difference with a chance "
        "of 80%."
    )


def _sentence(outcome: Outcome, judged: Sequence[Judgement]) -> str:
    if outcome == "passed":
        if len(judged) == 1:
            return "No regression: the only figure is within its margin."
        return f"No regression: all {len(judged)} figures are within their margins."
    if outcome == "regression":
        bad = [one for one in judged if one.outcome == "regression"]
        more = f" (and {len(bad) - 1} more)" if len(bad) > 1 else ""
        return f"Regression: {bad[0].sentence}{more}"
    open_ = [one for one in judged if one.outcome == "inconclusive"]
    pairs = [one.pairs for one in open_ if one.pairs is not None]
    settle = (
        f"; up to {plural('pair', max(pairs))} of alternating runs would settle it" if pairs else ""
    )
    their = "its margin" if len(open_) == 1 else "their margins"
    return (
        f"No regression shown, but {len(open_)} of {plural('figure', len(judged))} may be worse "
        f"than {their}{settle}."
    )
