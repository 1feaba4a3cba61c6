"""The answers of whole runs, apart from single levels: capacity, plateau, score, marks, price."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from headcount.analyse.compare.comparison import Difference, Reading
from headcount.analyse.compare.difference import Between, difference
from headcount.analyse.compare.estimate import FEWEST_RUNS
from headcount.analyse.compare.figure import Figure, combined_figure
from headcount.analyse.compare.interleaved import interleaved_run
from headcount.analyse.compare.metrics import BY_ID, Metric
from headcount.analyse.compare.subject import Side
from headcount.analyse.statistics import pairs as by_pairs
from headcount.analyse.statistics import samples
from headcount.analyse.statistics.ratio import Measured, quotient
from headcount.analyse.statistics.student import quantile
from headcount.bundle.reader import Bundle
from headcount.bundle.verdict import Capacity, Verdict

Answer = tuple[str, Measured]
"""The unit (with the name of a score or of marks), and the figure."""


def answer(name: str, bundle: Bundle) -> Answer | None:
    """The answer of a run by a metric's name; None if it has none.

    A capacity is the number that the run published, with its interval, as in every other report. A
    price per user is the price over that number.
    """
    return None if bundle.verdict is None else _READ[name](bundle.verdict)


def _capacity(verdict: Verdict) -> Answer | None:
    return _named("users", capacity(verdict.capacity))


def _plateau(verdict: Verdict) -> Answer | None:
    for one in verdict.plateaus:
        if one.figure == "scenarios" and one.flattened and one.value_per_s is not None:
            return _named("1/s", _measured(one.value_per_s, one.interval_per_s))
    return None


def _score(verdict: Verdict) -> Answer | None:
    score = verdict.score
    if score is None or score.unit == "ms":
        return None
    return _named(f"{score.name} ({score.unit})", _measured(score.value, score.interval))


def _score_time(verdict: Verdict) -> Answer | None:
    score = verdict.score
    if score is None or score.unit != "ms":
        return None
    return _named(score.name, _measured(score.value, score.interval))


def _marks(verdict: Verdict) -> Answer | None:
    marks = verdict.marks
    if marks is None:
        return None
    return _named(marks.name, _measured(marks.per_minute, marks.interval_per_minute))


def _price(verdict: Verdict) -> Answer | None:
    return _price_per(verdict, capacity(verdict.capacity))


def _price_per(verdict: Verdict, users: Measured | None) -> Answer | None:
    """The stated amount divided by a number of users."""
    price = verdict.price
    if users is None or price is None or price.amount is None:
        return None
    amount = float(price.amount)  # the figures it is compared with have few digits
    low, high = amount / users.high, amount / users.low if users.low else math.inf
    return price.currency, Measured(amount / users.value, low, high)


_READ = {
    "capacity": _capacity,
    "plateau": _plateau,
    "score": _score,
    "score.time": _score_time,
    "marks": _marks,
    "price": _price,
}
OF_ANSWERS = tuple(_READ)
"""The metrics of answers, in the order they are shown."""

_ESTIMATED: Mapping[str, Callable[[Verdict], Answer | None]] = {
    "capacity": lambda verdict: _named("users", estimate(verdict.capacity)),
    "price": lambda verdict: _price_per(verdict, estimate(verdict.capacity)),
}
"""The answers by the estimate of the limit, for the interval of the ratio. The published number is
towards the lower end of its interval, more so in a shorter search; estimates are not."""


def capacity(found: Capacity | None) -> Measured | None:
    """A capacity with its interval; None without one, or without an upper end.

    Runs of older versions published numbers at which no level ran, sometimes below the interval's
    lower end; the lower end is then that number.
    """
    if found is None or not found.users or found.low is None or found.high is None:
        return None
    if found.at_least or found.users > found.high:
        return None
    return Measured(found.users, min(found.low, found.users), found.high)


def estimate(found: Capacity | None) -> Measured | None:
    """The estimate of the limit with its interval; None if there is no capacity to compare."""
    if capacity(found) is None or found is None or not found.estimate:
        return None
    if found.low is None or found.high is None or not found.low <= found.estimate <= found.high:
        return None
    return Measured(found.estimate, found.low, found.high)


def held(side: Side) -> Reading | None:
    """The capacity of a side over all its runs; None if any of them found none."""
    found = [answer("capacity", bundle) for bundle in side.bundles]
    known = [figure for _, figure in (one for one in found if one is not None)]
    if len(known) < len(found):
        return None
    if len(known) == 1:
        return Reading(value=known[0].value, interval=(known[0].low, known[0].high))
    return combined_figure([_figure(one) for one in known]).reading(len(known))


def differences(first: Side, second: Side, left_out: Sequence[str]) -> list[Difference]:
    """How the answers of two sides differ; those `left_out` are not comparable."""
    found = []
    for name in OF_ANSWERS:
        if name in left_out:
            continue
        one = _difference(BY_ID[name], first, second)
        if one is not None:
            found.append(one)
    return found


def _difference(metric: Metric, first: Side, second: Side) -> Difference | None:
    if metric.id == "capacity" and (turns := interleaved_run(first, second)) is not None:
        paired = turns.difference()
        if paired is not None:
            return difference(metric, paired, first, second)
    sides = [[answer(metric.id, bundle) for bundle in side.bundles] for side in (first, second)]
    known = [[one for one in side if one is not None] for side in sides]
    if any(len(here) < len(side) or not here for here, side in zip(known, sides, strict=True)):
        return None
    units = {unit for side in known for unit, _ in side}
    if len(units) > 1:
        return None
    unit = units.pop() if metric.id == "price" else metric.unit
    quoted = [[value for _, value in side] for side in known]
    located = [
        _located(metric.id, side, values)
        for side, values in zip((first, second), quoted, strict=True)
    ]
    found = _between(*located, alternate=_alternate(first, second))
    return difference(metric, _quoting(found, *quoted), first, second, unit=unit)


def _located(name: str, side: Side, quoted: list[Measured]) -> list[Measured]:
    """The figures that the interval of a ratio is made from."""
    read = _ESTIMATED.get(name)
    found = [read(bundle.verdict) for bundle in side.bundles if bundle.verdict] if read else []
    known = [value for _, value in (one for one in found if one is not None)]
    return known if len(known) == len(quoted) else quoted


def _quoting(found: Between, a: Sequence[Measured], b: Sequence[Measured]) -> Between:
    """The result with the quoted figures; its interval also contains their ratio."""
    figures = [combined_figure([_figure(one) for one in side]) for side in (a, b)]
    interval = found.interval
    if interval is not None:
        ratio = figures[1].value / figures[0].value
        interval = (min(interval[0], ratio), max(interval[1], ratio))
    return replace(found, a=figures[0], b=figures[1], interval=interval)


def _between(a: Sequence[Measured], b: Sequence[Measured], *, alternate: bool) -> Between:
    runs = (len(a), len(b))
    ones = [_figure(one) for one in a], [_figure(one) for one in b]
    figures = combined_figure(ones[0]), combined_figure(ones[1])
    values = [one.value for one in a], [one.value for one in b]
    if alternate and len(a) >= FEWEST_RUNS:
        paired = by_pairs.compare(list(zip(*values, strict=True)))
        if paired is not None:
            log, spread = paired.ratio, paired.spread
            return Between(
                *figures, runs, (log.low, log.high), "pairs", paired.pairs, spread=spread
            )
    grouped = samples.compare(*values) if min(runs) >= FEWEST_RUNS else None
    if grouped is not None:
        log, spread = grouped.ratio, math.hypot(*grouped.spreads)
        return Between(*figures, runs, (log.low, log.high), "runs", spread=spread)
    bounds = _apart(*figures)
    error = math.log(bounds[1] / bounds[0]) / 2 / quantile(math.inf) if bounds else None
    one_pair = error * math.sqrt(2 / (1 / runs[0] + 1 / runs[1])) if error else None
    if runs == (1, 1):
        found = quotient(b[0], a[0])
        bounds = (found.low, found.high) if found and math.isfinite(found.high) else None
    return Between(*figures, runs, bounds, "searches", spread=one_pair)


def _alternate(first: Side, second: Side) -> bool:
    """Whether whole runs alternated in time."""
    if len(first.bundles) != len(second.bundles):
        return False
    ordered = sorted(
        [(bundle.levels[0].started_at, 0) for bundle in first.bundles]
        + [(bundle.levels[0].started_at, 1) for bundle in second.bundles]
    )
    return all(one[1] != two[1] for one, two in zip(ordered[::2], ordered[1::2], strict=True))


def _apart(a: Figure, b: Figure) -> tuple[float, float] | None:
    """The interval of b / a from the errors of both."""
    if a.error is None or b.error is None:
        return None
    reach = quantile(math.inf) * math.hypot(a.error, b.error)
    return b.value / a.value * math.exp(-reach), b.value / a.value * math.exp(reach)


def _figure(found: Measured) -> Figure:
    if not 0 < found.low <= found.high < math.inf:
        return Figure(found.value)
    width = math.log(found.high / found.low)
    return Figure(found.value, width / 2 / quantile(math.inf) if width else None)


def _measured(value: float, interval: tuple[float, float] | None) -> Measured | None:
    """A figure with its interval, infinitely wide if it has none; None without a value."""
    if value <= 0:
        return None
    low, high = interval if interval is not None else (0.0, math.inf)
    return Measured(value, low, high) if low <= value <= high else Measured(value, 0.0, math.inf)


def _named(unit: str, found: Measured | None) -> tuple[str, Measured] | None:
    return None if found is None else (unit, found)
