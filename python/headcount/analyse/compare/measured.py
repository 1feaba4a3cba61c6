"""The levels of a bundle as they are compared: metrics with the errors that their sections show."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from headcount._engine import Histogram
from headcount.analyse.compare.figure import FEWEST, Figure, sectioned
from headcount.analyse.compare.metrics import RESPONSE
from headcount.analyse.compare.usage import NAMES, Source, each
from headcount.analyse.statistics.memory import is_too_short
from headcount.analyse.statistics.sections import SECTIONS, is_long_enough
from headcount.bundle import hlog
from headcount.bundle.environment import Side
from headcount.bundle.level import LevelResult
from headcount.bundle.reader import Bundle

Second = Mapping[str, Any]

_SERVED = ("completed", "failed", "response_s")
"""Counts kept of each scenario of a second."""
TIMES_EACH = 20
"""Fewest answers in each of its sections, as for the interval of a level's own p95."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A level, and the bundle it is from.

    Attributes:
        bundle: Index of its bundle among those of its subject.
        level: The level as stored in the bundle.
        figures: Figures by metric; those that were not measured, or were zero, are absent.
        sources: The counters behind each cost.
        unreliable: Whether its sections underestimate the error: they are too short against the
            memory of the server, or hold too few clusters of slow answers.

    """

    bundle: int
    level: LevelResult
    figures: Mapping[str, Figure]
    sources: Mapping[str, Source]
    unreliable: bool = False

    @property
    def users(self) -> int:
        """How many users there were."""
        return self.level.users


def measured_levels(
    bundle: Bundle, place: int, wanted: Callable[[LevelResult], bool]
) -> list[Measured]:
    """The wanted levels of a bundle, in the order they were run; invalid ones are never included.

    Sections come from the bundle's seconds and histograms. A bundle without them still has the
    values of its levels, with the intervals that were stored.
    """
    levels = [level for level in bundle.levels if level.outcome != "invalid" and wanted(level)]
    numbers = {level.index for level in levels}
    seconds: dict[int, list[Second]] = {number: [] for number in numbers}
    for second in bundle.each_second() if numbers else []:
        if second["level"] in numbers and second["phase"] == "steady":
            seconds[second["level"]].append(_kept(second))
    spans = [_span(seconds[level.index]) for level in levels]
    answers = _answers(bundle, [span for span in spans if span is not None])
    alone = not any(side.role == "both" for side in _sides(bundle))
    found = []
    for level, span in zip(levels, spans, strict=True):
        sources = each(level, alone=alone)
        figures = _costs(level, seconds[level.index], sources) | _served(
            level, seconds[level.index], answers, span
        )
        known = {name: figure for name, figure in figures.items() if figure is not None}
        means = [_mean_ms([second]) for second in seconds[level.index]]
        short = is_too_short(means, len(means) / SECTIONS)
        unreliable = short or level.total.p95_interval_unreliable
        found.append(Measured(place, level, known, sources, unreliable))
    return found


def _kept(second: Second) -> Second:
    """The part of a second that is compared: all of ten long runs would not fit into memory."""
    scenarios = second["scenarios"].values()
    used = {
        name: value for name, value in second["counters"].get("sut", {}).items() if name in NAMES
    }
    return {
        "t_s": second["t_s"],
        "seconds": second["seconds"],
        **{name: [one[name] for one in scenarios] for name in _SERVED},
        "counters": {"sut": used},
    }


def _sides(bundle: Bundle) -> list[Side]:
    return bundle.environment.sides if bundle.environment else []


def _span(seconds: Sequence[Second]) -> tuple[float, float] | None:
    """Start and end on the run's clock."""
    if not seconds:
        return None
    return seconds[0]["t_s"] - seconds[0]["seconds"], seconds[-1]["t_s"]


Answers = Sequence[tuple[float, Histogram]]
"""Response times, each with the middle of the interval in which it ended, on the run's clock."""


def _answers(bundle: Bundle, spans: Sequence[tuple[float, float]]) -> Answers:
    path = bundle.folder / "histograms.hlog"
    if not spans:
        return []

    def inside(start_s: float, length_s: float) -> bool:
        middle = start_s + length_s / 2
        return any(low < middle < high for low, high in spans)

    found = hlog.read(path, hlog.RESPONSE, inside)
    return sorted(
        (
            (start_s + length_s / 2, histogram)
            for entries in found.values()
            for start_s, length_s, histogram in entries
        ),
        key=lambda entry: entry[0],
    )


def _served(
    level: LevelResult,
    seconds: Sequence[Second],
    answers: Answers,
    span: tuple[float, float] | None,
) -> dict[str, Figure | None]:
    """Figures of what users got."""
    parts = sections(seconds)
    long = is_long_enough(level.steady_s)
    # Where nothing completed, the mean is that of failures, which may be quick.
    mean_ms = level.total.mean_ms if level.total.completed else None
    return {
        "throughput": sectioned(level.achieved_per_s, [_rate(part) for part in parts]),
        "response.mean": sectioned(
            mean_ms or 0.0, [_mean_ms(part) for part in parts] if long else []
        ),
        **_percentiles(level, answers, span),
    }


def _costs(
    level: LevelResult, seconds: Sequence[Second], sources: Mapping[str, Source]
) -> dict[str, Figure | None]:
    """Figures of what a scenario cost."""
    if not level.achieved_per_s:
        return {}
    parts = sections(seconds)
    return {
        name: sectioned(
            source(level) / level.achieved_per_s, [_each(part, source.of_second) for part in parts]
        )
        for name, source in sources.items()
    }


def sections(seconds: Sequence[Second]) -> list[Sequence[Second]]:
    """Ten consecutive parts of a level, or one for each second of a shorter one."""
    count = min(SECTIONS, len(seconds))
    edges = [round(number * len(seconds) / count) for number in range(count + 1)] if count else []
    return [seconds[low:high] for low, high in pairwise(edges)]


def _sum(part: Sequence[Second], name: str) -> float:
    return float(sum(one for second in part for one in second[name]))


def _rate(part: Sequence[Second]) -> float:
    return _sum(part, "completed") / _length_s(part)


def _length_s(part: Sequence[Second]) -> float:
    return float(sum(second["seconds"] for second in part))


def _mean_ms(part: Sequence[Second]) -> float:
    ended = _sum(part, "completed") + _sum(part, "failed")
    return 1000 * _sum(part, "response_s") / ended if ended else 0.0


def _each(part: Sequence[Second], of_second: Callable[[Second], float | None]) -> float:
    """Use per scenario of something that is counted per second; 0 if unknown."""
    used = [(of_second(second), second["seconds"]) for second in part]
    known = [(value, length) for value, length in used if value is not None]
    done = _sum(part, "completed")
    if not known or not done:
        return 0.0
    mean = sum(value * length for value, length in known) / sum(length for _, length in known)
    return float(mean) * _length_s(part) / done


def _percentiles(
    level: LevelResult, answers: Answers, span: tuple[float, float] | None
) -> dict[str, Figure | None]:
    response = level.total.response
    if response is None:
        return {}
    values = (response.p50_ms, response.p95_ms, response.p99_ms)
    parts = _enough(answers, span) if span and is_long_enough(level.steady_s) else []
    return {
        name: sectioned(value, [part.quantile_us(share) / 1000 for part in parts])
        for (name, share), value in zip(RESPONSE.items(), values, strict=True)
    }


def _enough(answers: Answers, span: tuple[float, float]) -> list[Histogram]:
    """The response times of ten sections, or of five if ten hold too few; empty if five do too."""
    for sections in (SECTIONS, FEWEST):
        parts = _parts(answers, span, sections)
        if all(part.count >= TIMES_EACH for part in parts):
            return parts
    return []


def _parts(answers: Answers, span: tuple[float, float], count: int) -> list[Histogram]:
    low, high = span
    edges = [low + (high - low) * number / count for number in range(count + 1)]
    return [
        Histogram.merge([one for middle, one in answers if start < middle <= end])
        for start, end in pairwise(edges)
    ]
