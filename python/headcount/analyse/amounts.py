"""Criteria on how much was done, and on counters: over a level, or in each stretch of it."""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

from headcount.analyse.each_second import Part
from headcount.analyse.tasks import TaskPool
from headcount.analyse.window import Pool, Window
from headcount.bundle.level import CriterionResult
from headcount.counters.catalogue import label
from headcount.counters.value_text import value as value_text
from headcount.plan.criteria import Criterion
from headcount.text import duration, megabytes_per_s, share, span

SecondCounters = Mapping[str, Mapping[str, float]]
"""Counters of one second, by side and name."""

UNITS = {"rate": "1/s", "bytes": "By/s", "sent": "share"}
"""Unit of each metric; a counter has its own."""

SIDE_NAMES = {"sut": "the server's machine", "server": "the server", "generator": "the generator"}

ROUNDING_S = 0.5
"""Tolerance for the length of a stretch, because seconds are not exact."""


def judge_amount(
    criterion: Criterion, window: Window, pool_of: Callable[[Window], Pool | TaskPool]
) -> CriterionResult:
    """Judge a rate, bytes per second, or the share of the bytes that the server sent."""
    parts = window.each.parts.get(criterion.text) or [
        amount_part(criterion, each.seconds, pool_of(each)) for each in window.split(1.0)
    ]
    found = worst(parts, criterion.stretch_s, at_least=True)
    return _result(criterion, found, UNITS[criterion.metric], _done(criterion, found, parts))


def judge_counter(
    criterion: Criterion, window: Window, counters: Sequence[SecondCounters]
) -> CriterionResult:
    """Judge a counter; `counters` are those of the window's seconds, in order."""
    side, name = criterion.counter or ("", "")
    lengths = window.each.lengths_s
    known = [
        (length_s, each[side][name])
        for length_s, each in zip(lengths, counters, strict=False)
        if name in each.get(side, {})
    ]
    parts = [Part(length_s, value * length_s, length_s) for length_s, value in known]
    found = worst(parts, criterion.stretch_s, at_least=criterion.at_least)
    unit = "share" if criterion.unit == "1" else criterion.unit
    whose = SIDE_NAMES[side]
    if found is None:
        sentence = f"{label(name)} of {whose} was not read: {criterion.text} is unproven"
        return _result(criterion, None, unit, sentence, unproven=True)
    when = _when(criterion, parts)
    text = amount_text(found, unit)
    sentence = f"{label(name)} of {whose} was {text}{when}; {criterion.text} is asked for"
    return _result(criterion, found, unit, sentence)


def worst(parts: Sequence[Part], stretch_s: float | None, *, at_least: bool) -> float | None:
    """The figure of all parts together, or of the worst stretch among them.

    A level shorter than the stretch is one stretch. None if there are no parts, or nothing to take
    a share of.
    """
    length_s = list(accumulate((part.seconds for part in parts), initial=0.0))
    amount = list(accumulate((part.amount for part in parts), initial=0.0))
    base = list(accumulate((part.base for part in parts), initial=0.0))
    stretches = [(0, len(parts))]
    if stretch_s is not None and length_s[-1] > stretch_s:
        stretches = _stretches(length_s, stretch_s)
    found = [
        (amount[end] - amount[start]) / (base[end] - base[start])
        for start, end in stretches
        if base[end] > base[start]
    ]
    return (min if at_least else max)(found, default=None)


def _stretches(length_s: Sequence[float], stretch_s: float) -> list[tuple[int, int]]:
    """The start and end index of each shortest run of parts that lasts at least `stretch_s`."""
    found = []
    end = 0
    for start in range(len(length_s)):
        while end < len(length_s) and length_s[end] - length_s[start] < stretch_s - ROUNDING_S:
            end += 1
        if end == len(length_s):
            break
        found.append((start, end))
    return found


def amount_text(value: float | None, unit: str) -> str:
    """A figure of a criterion with its unit.

    >>> amount_text(31e6, "By/s"), amount_text(0.8, "share"), amount_text(500.0, "1/s")
    ('31.0 MB/s', '80.0%', '500/s')
    >>> amount_text(120.0, "ms"), amount_text(1.5, "{cpu}")
    ('120 ms', '1.50')
    """
    if unit == "ms":
        return duration(value)
    if unit == "share":
        return share(value)
    return megabytes_per_s(value) if unit == "By/s" else value_text(value, unit)


def amount_part(criterion: Criterion, seconds: float, pool: Pool | TaskPool) -> Part:
    """What a criterion on an amount measures in a second or a longer stretch."""
    if criterion.metric == "rate" or isinstance(pool, TaskPool):
        return Part(seconds, float(pool.completed), seconds)
    sent = pool.sum(lambda tally: tally.read_bytes)
    moved = sent + pool.sum(lambda tally: tally.written_bytes)
    if criterion.metric == "sent":
        return Part(seconds, sent, moved)
    return Part(seconds, moved, seconds)


def _done(criterion: Criterion, found: float | None, parts: Sequence[Part]) -> str:
    """The figure in words."""
    of = f" of {criterion.scenario}" if criterion.scenario else ""
    when = _when(criterion, parts)
    if found is None:
        return f"no data{of} moved; {criterion.text} is asked for"
    text = amount_text(found, UNITS[criterion.metric])
    words = {
        "rate": f"{text}{of} completed{when}",
        "bytes": f"{text}{of} moved{when}",
        "sent": f"the server sent {text} of the data{of}{when}",
    }
    return f"{words[criterion.metric]}; {criterion.text} is asked for"


def _when(criterion: Criterion, parts: Sequence[Part]) -> str:
    """Which stretch the figure belongs to."""
    if criterion.stretch_s is None or sum(part.seconds for part in parts) <= criterion.stretch_s:
        return ""
    return f" in the worst {span(criterion.stretch_s)}"


def _result(
    criterion: Criterion, found: float | None, unit: str, sentence: str, *, unproven: bool = False
) -> CriterionResult:
    return CriterionResult(
        criterion=criterion.text,
        passed=unproven or (found is not None and _holds(criterion, found)),
        value=found,
        limit=criterion.limit,
        unit=unit,
        bad=None,
        total=None,
        allowed_share=None,
        unproven=unproven,
        sentence=sentence,
    )


def _holds(criterion: Criterion, found: float) -> bool:
    if math.isclose(found, criterion.limit, rel_tol=1e-12):
        return not criterion.strict
    return (found > criterion.limit) == criterion.at_least
