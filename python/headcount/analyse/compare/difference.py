"""A difference for the record: what was found, its verdict, and both directions in words."""

from dataclasses import dataclass
from typing import Protocol

from headcount.analyse.compare.comparison import Difference, Finding, Method
from headcount.analyse.compare.figure import Figure
from headcount.analyse.compare.metrics import Metric
from headcount.analyse.compare.words import TWICE, percent
from headcount.analyse.statistics.samples import FEW
from headcount.text import significant


class Named(Protocol):
    """Anything with a short name."""

    @property
    def name(self) -> str:
        """The name for tables."""


@dataclass(frozen=True, slots=True)
class Between:
    """What separates two figures.

    Attributes:
        a, b: The figures of the first and the second.
        runs: Number of runs behind each.
        interval: Interval of b / a; None if nothing gives one.
        method: Source of the interval.
        pairs: Number of pairs, if runs were paired.
        users: Users of the level; None at the capacity.
        spread: Standard deviation of the log ratio of one pair of runs, as far as it is known.

    """

    a: Figure
    b: Figure
    runs: tuple[int, int]
    interval: tuple[float, float] | None
    method: Method | None
    pairs: int | None = None
    users: int | None = None
    spread: float | None = None


def difference(
    metric: Metric, found: Between, first: Named, second: Named, *, unit: str | None = None
) -> Difference:
    """The difference as a record."""
    ratio = found.b.value / found.a.value
    return Difference(
        metric=metric.id,
        label=metric.label,
        unit=metric.unit if unit is None else unit,
        better=metric.better,
        at="capacity" if found.users is None else "level",
        users=found.users,
        first=first.name,
        second=second.name,
        a=found.a.reading(found.runs[0]),
        b=found.b.reading(found.runs[1]),
        ratio=ratio,
        interval=found.interval,
        method=found.method if found.interval is not None else None,
        pairs=found.pairs,
        spread=found.spread,
        indicative=found.method != "searches" and min(found.runs) <= FEW,
        finding=finding(metric.better, found.interval),
        change=ratio - 1,
        reverse=1 / ratio - 1,
        words=both_directions(metric, ratio, first.name, second.name),
    )


def finding(better: str, interval: tuple[float, float] | None) -> Finding:
    """The verdict: a difference is shown if the whole interval of the ratio is on one side of 1."""
    if interval is None or interval[0] <= 1 <= interval[1]:
        return "no difference shown"
    return "better" if (interval[0] > 1) == (better == "higher") else "worse"


def both_directions(metric: Metric, ratio: float, first: str, second: str) -> str:
    """Both directions of a percentage.

    A time that falls from 100 to 78 falls by 22%; the speed rises by 28%. Both are true, and a
    reader who takes one for the other is misled.

    >>> from headcount.analyse.compare.metrics import BY_ID
    >>> both_directions(BY_ID["response.p95"], 1 / 1.28, "A", "B")
    '21.9% less time, which is 1.28 times the speed (28.0% more)'
    >>> both_directions(BY_ID["response.p95"], 4, "A", "B")
    '4.00 times the time, which is 0.250 times the speed (75.0% less)'
    >>> both_directions(BY_ID["throughput"], 1.28, "A", "B")
    'B has 28.0% more than A; A has 21.9% less than B'
    """
    speed = f"{significant(1 / ratio)} times"
    if metric.kind == "time":
        return f"{_more(ratio, 'time')}, which is {speed} the speed{_also(1 / ratio)}"
    if metric.kind == "cost":
        there = _more(ratio, "for each")
        return f"{there}, which is {speed} as many for the same{_also(1 / ratio)}"
    there, back = (_than(one) for one in (ratio, 1 / ratio))
    return f"{second} has {there} {first}; {first} has {back} {second}"


def _more(ratio: float, noun: str) -> str:
    if ratio < TWICE:
        return f"{percent(ratio)} {noun}"
    return f"{significant(ratio)} times {'the time' if noun == 'time' else f'as much {noun}'}"


def _than(ratio: float) -> str:
    return f"{percent(ratio)} {'as' if ratio >= TWICE else 'than'}"


def _also(ratio: float) -> str:
    """The same as a percentage, if that is readable."""
    return "" if ratio >= TWICE else f" ({percent(ratio)})"
