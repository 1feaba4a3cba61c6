"""The verdict of a comparison: the metric that decides, and its result in a sentence."""

from collections.abc import Sequence
from typing import Literal

from headcount.analyse.compare.answers import held
from headcount.analyse.compare.comparison import Difference, Finding
from headcount.analyse.compare.points import points
from headcount.analyse.compare.silence import Silence, holds_nobody, silences
from headcount.analyse.compare.subject import Side
from headcount.analyse.compare.words import at, figures, noun, percent
from headcount.text import plural, significant

Overall = Literal["better", "worse", "no difference shown", "mixed", "not comparable"]

ANSWERS = ("capacity", "score", "score.time", "plateau")
"""Metrics that decide if both sides have them; the first such one does."""
IDLE_S = 1e-3
"""Users who rest for less than this between scenarios count as never resting."""


def deciding(first: Side, second: Side, found: Sequence[Difference]) -> Difference | None:
    """The difference that decides between two sides; only one, so that chance has a single try.

    Their answer, if both have one: capacity, score, plateau. Otherwise, at the most users that both
    measured: throughput for users who do not think, p95 for those who do, because their thinking
    sets their throughput until the server is full.
    """
    mine = _of_pair(first, second, found)
    if (answer := _answer(mine)) is not None:
        return answer
    levels = [one for one in mine if one.users is not None]
    if not levels:
        return mine[0] if mine else None
    most = max(one.users or 0 for one in levels)
    order = ["response.p95", "response.mean", "throughput"]
    if not _thinks(first):
        order.reverse()
    for metric in order:
        for one in levels:
            if one.metric == metric and one.users == most:
                return one
    return None


def _of_pair(first: Side, second: Side, found: Sequence[Difference]) -> list[Difference]:
    return [one for one in found if (one.first, one.second) == (first.name, second.name)]


def _answer(mine: Sequence[Difference]) -> Difference | None:
    """The first answer with an interval; None without one."""
    known = [one for one in mine if one.interval is not None]
    return next((one for metric in ANSWERS for one in known if one.metric == metric), None)


def _silence(first: Side, second: Side, found: Sequence[Difference]) -> Silence | None:
    """The silence of one side at the highest load that both measured, which decides.

    None if both completed something there, or if they have answers.
    """
    if _answer(_of_pair(first, second, found)) is not None:
        return None
    common = set(first.users()) & set(second.users())
    made = silences(points(first), points(second)) if common else []
    return made[-1] if made and made[-1].users == max(common) else None


def _alone(first: Side, second: Side) -> tuple[Side, float] | None:
    """The only side that holds anybody, under the same criteria, and how many; None if none is."""
    if first.plan.workload.criteria != second.plan.workload.criteria:
        return None
    for one, other in ((first, second), (second, first)):
        reading = held(one)
        if reading is not None and holds_nobody(points(other), reading.value):
            return one, reading.value
    return None


def _finding(first: Side, second: Side, found: Sequence[Difference]) -> Finding | None:
    """The verdict about two sides; None if nothing decides."""
    alone = _alone(first, second)
    if alone is not None:
        return "worse" if alone[0] is first else "better"
    silence = _silence(first, second, found)
    if silence is not None:
        return "worse" if silence.second else "better"
    decides = deciding(first, second, found)
    return None if decides is None else decides.finding


def _thinks(side: Side) -> bool:
    pace = side.plan.workload.pace
    return pace.kind == "open" or pace.time.mean_s > IDLE_S


def overall(sides: Sequence[Side], found: Sequence[Difference], *, spoiled: bool) -> Overall:
    """The result of the comparison: that of the second side, or of all others if they agree."""
    if spoiled:
        return "not comparable"
    decided = [_finding(sides[0], other, found) for other in sides[1:]]
    findings = {one for one in decided if one is not None}
    if not findings:
        return "not comparable"
    return findings.pop() if len(findings) == 1 else "mixed"


def sentence(sides: Sequence[Side], found: Sequence[Difference], spoiled_by: Sequence[str]) -> str:
    """The verdict, for people."""
    if spoiled_by:
        listed = " and ".join([", ".join(spoiled_by[:-1]), spoiled_by[-1]][-len(spoiled_by) :])
        return f"Not comparable: {listed} differ{'s' if len(spoiled_by) == 1 else ''}."
    parts = [_one(sides[0], other, found) for other in sides[1:]]
    return " ".join(parts)


def _one(first: Side, second: Side, found: Sequence[Difference]) -> str:
    alone = _alone(first, second)
    if alone is not None:
        holds, users = alone
        none = second if holds is first else first
        return (
            f"{second.name} is {_finding(first, second, found)} than {first.name}: no level of "
            f"{none.name} passed, and {holds.name} holds {plural('user', users)}."
        )
    silence = _silence(first, second, found)
    if silence is not None:
        which, other = (second, first) if silence.second else (first, second)
        return (
            f"{second.name} is {_finding(first, second, found)} than {first.name}: "
            f"{silence.where} {which.name} completed nothing, and {other.name} "
            f"{significant(silence.per_s)} scenarios/s."
        )
    decides = deciding(first, second, found)
    if decides is None:
        return f"{second.name} and {first.name} have nothing in common to compare."
    return difference_sentence(decides)


def difference_sentence(one: Difference) -> str:
    """A difference as a sentence: the verdict, both directions, the figures, the interval."""
    a, b = figures(one)
    what = f"{noun(one)} {at(one)}".rstrip()
    if one.finding == "no difference shown":
        if one.interval is None:
            return (
                f"No difference shown between {one.second} and {one.first}: {what} is "
                f"{b} against {a}, without an interval."
            )
        return (
            f"No difference shown between {one.second} and {one.first}: {what} is {b} against "
            f"{a}; the true difference may be anything {between(one)}."
        )
    hint = " (indicative)" if one.indicative else ""
    return (
        f"{one.second} is {one.finding} than {one.first}{hint}: {what} is {b} "
        f"against {a}. {one.words[:1].upper()}{one.words[1:]}; 95% interval {between(one)}."
    )


def between(one: Difference) -> str:
    """The interval of the change, in words: `from 3.1% less to 4.0% more`."""
    if one.interval is None:
        return ""
    low, high = (percent(end) for end in one.interval)
    return f"from {low} to {high}"
