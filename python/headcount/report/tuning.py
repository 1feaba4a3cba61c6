"""The results of a tuning, in the words that all reports share."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from headcount.analyse.statistics.student import LogRatio, mean_and_error
from headcount.bundle.tuning import MEASURES, Measure, Outcome, Race, Ratio, Tuning
from headcount.text import DASH, duration, interval, percent, plural, significant

TITLE = "Tuning"
KIND = "Server tuning report"
AS_IT_WAS = "the server as it was"
MEAN = "geometric mean of the proof's turns"
UNITS: Mapping[Measure, str] = {
    "rate": "scenarios/s",
    "p95": "ms",
    "cpu": "s of CPU time per scenario",
    "log_on": "s",
}
"""Units of the figures before and after."""
OUTCOMES: Mapping[Outcome, str] = {
    "better": "better: taken over",
    "not better": "not better",
    "worse": "worse without it: kept",
    "no worse": "no worse without it: left out",
    "refused": "refused",
    "unfinished": "not decided",
}
WORDS = (
    ("Knob", "A setting of the server, or of its machine, that can be changed."),
    ("Turn", "A short time of load, with one configuration of the server."),
    ("Pair", "Two turns, one right after the other, with one configuration each."),
    (
        "Ratio",
        "How many times better a figure is with one configuration than with the other.",
    ),
    (
        "Confidence interval",
        "One of 95% contains the true ratio in 95 of 100 repetitions (Student's t on logarithms).",
    ),
    ("Noise", "How much pairs of turns differ although nothing was changed."),
)
"""Terms of a tuning and their definitions, a sentence each."""


@dataclass(frozen=True, slots=True)
class Gain:
    """The result of the pairs of a race: a ratio, above 1 if the challenger is better.

    The interval is at 95%; None with fewer than two pairs that count.
    """

    value: float
    interval: tuple[float, float] | None
    pairs: int


def gain_of(race: Race) -> Gain | None:
    """The ratio of a race from its own pairs; None if no pair counts."""
    gains = [one.log_gain for one in race.pairs if one.log_gain is not None]
    if not gains:
        return None
    if len(gains) == 1:
        return Gain(LogRatio(gains[0], 0.0, math.inf).bounds()[0], None, 1)
    mean, error = mean_and_error(gains)
    found = LogRatio(mean, error, len(gains) - 1)
    return Gain(LogRatio(mean, 0.0, math.inf).bounds()[0], found.bounds(), len(gains))


def measure_of(found: Tuning) -> Measure:
    """The figure that decides; an unknown word in the record counts as a rate."""
    return next((one for one, words in MEASURES.items() if words == found.measure), "rate")


def figure_text(found: Tuning, value: float | None) -> str:
    """The figure that decides, with its unit."""
    written: Mapping[Measure, Callable[[float], str]] = {
        "rate": lambda rate: f"{significant(rate)} {UNITS['rate']}",
        "p95": duration,
        "cpu": lambda each_s: f"{duration(each_s * 1000)} of CPU time",
        "log_on": lambda log_on_s: duration(log_on_s * 1000),
    }
    return DASH if value is None else written[measure_of(found)](value)


def times(ratio: float | None) -> str:
    """A ratio to a hundredth.

    >>> times(1.407), times(float("inf"))
    ('1.41', '\N{EN DASH}')
    """
    return f"{ratio:.2f}" if ratio is not None and math.isfinite(ratio) else DASH


def changed(measure: Measure, ratio: float) -> float:
    """By how much the figure itself changed, as a share; negative for a time that improved."""
    if measure == "rate":
        return ratio - 1
    return 1 / ratio - 1 if ratio > 0 else math.inf


def signed(share: float) -> str:
    """A change in whole percent with its sign; a dash if it is infinite."""
    return f"{share:+.0%}" if math.isfinite(share) else DASH


def change_text(measure: Measure, value: float, bounds: tuple[float, float] | None) -> str:
    """A change of the figure in percent with its interval.

    >>> change_text("rate", 1.63, (1.41, 1.88)), change_text("p95", 1.25, (0.8, 1.6))
    ('+63% (41% to 88%)', '-20% (-38% to +25%)')
    """
    text = signed(changed(measure, value))
    if bounds is None:
        return text
    low, high = sorted(changed(measure, end) for end in bounds)
    if low >= 0:
        return f"{text} ({interval(low, high, percent)})"
    return f"{text} ({signed(low)} to {signed(high)})"


def gain_text(found: Tuning, ratio: Ratio) -> str:
    """A ratio with its interval, as a factor and in percent."""
    measure = measure_of(found)
    spread = f"({times(ratio.low)} to {times(ratio.high)})"
    if measure == "rate":
        percents = change_text(measure, ratio.value, (ratio.low, ratio.high))
        return f"{times(ratio.value)} times the throughput {spread}, {percents}"
    what, how = _OF_TIMES[measure]
    return f"{what} {_reduced(measure, ratio)}, {times(ratio.value)} times {how} {spread}"


_OF_TIMES: Mapping[Measure, tuple[str, str]] = {
    "p95": ("time", "as fast"),
    "cpu": ("CPU time", "the scenarios for the same CPU time"),
    "log_on": ("time to log on", "as fast"),
}


def _reduced(measure: Measure, ratio: Ratio) -> str:
    """By how much less; a plain change where it may be more."""
    if ratio.low < 1:
        return f"changed by {change_text(measure, ratio.value, (ratio.low, ratio.high))}"
    less = (-changed(measure, one) for one in (ratio.value, ratio.low, ratio.high))
    value, low, high = less
    return f"reduced by {percent(value)} ({interval(low, high, percent)})"


def headline(found: Tuning) -> str | None:
    """The claim in a few words; None without one."""
    if found.ratio is None or not found.changes:
        return None
    measure = measure_of(found)
    of: Mapping[Measure, str] = {
        "rate": "throughput",
        "p95": "response time (p95)",
        "cpu": "CPU time",
        "log_on": "time to log on",
    }
    return f"{signed(changed(measure, found.ratio.value))} {of[measure]}"


def interval_text(ratio: Ratio) -> str:
    """The kind of the interval beside a ratio, and the number of its pairs."""
    return f"{ratio.confidence:.0%} confidence interval from {plural('pair', ratio.pairs)} of turns"


def tried_text(race: Race) -> str:
    """What the tried configuration changes relative to the one it raced against."""
    new = [
        f"{name} {value}"
        for name, value in race.configuration.items()
        if race.against.get(name) != value
    ]
    gone = [f"{name} as it is" for name in race.against if name not in race.configuration]
    return ", ".join([*new, *gone]) or "nothing"


def against_text(race: Race) -> str:
    """The configuration that was raced against, the best so far."""
    return ", ".join(f"{name} {value}" for name, value in race.against.items()) or AS_IT_WAS


def users_text(numbers: Sequence[int]) -> str:
    """The users of several turns, from the fewest to the most."""
    if not numbers:
        return DASH
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else interval(low, high)


def noise_text(found: Tuning) -> list[tuple[str, str]]:
    """How far turns scatter, and the smallest gain provable despite that: names and texts."""
    noise = found.noise
    if noise is None:
        return [("Spread", "not measured")]
    smallest = (
        f"{percent(noise.smallest_gain - 1)}, four times out of five"
        if noise.smallest_gain is not None
        else "more than three times: the turns scatter too much"
    )
    spread = f"{noise.spread:.1%} (standard deviation of the logarithm of a pair's ratio)"
    return [
        ("Spread", f"{spread}, from {plural('pair', noise.pairs)} without a change"),
        ("Smallest provable gain", smallest),
    ]


def findings(found: Tuning) -> list[tuple[str, str]]:
    """The bottlenecks before and now, and the pilot's findings: names and sentences."""
    lines = [("Bottleneck before", found.diagnosis)]
    if found.diagnosis_after is not None:
        lines.append(("Bottleneck now", found.diagnosis_after))
    if (pilot := pilot_text(found)) is not None:
        lines.append(("Pilot", pilot))
    return lines


def starts_text(found: Tuning) -> str | None:
    """How a claim held over starts of the server; None if it was only reloaded."""
    gains = [one.log_gain for one in found.proof if one.log_gain is not None]
    if not found.changes or not found.restarts or not gains:
        return None
    worst = LogRatio(min(gains), 0.0, math.inf).bounds()[0]
    starts = plural("start", found.restarts)
    return f"Measured over {starts} of the server; in the worst of them, {times(worst)} times."


def compared_text(found: Tuning) -> str:
    """What is compared with the server as it was, load by load."""
    return "with the changes" if found.changes else "unchanged, again"


def pilot_text(found: Tuning) -> str | None:
    """What the pilot found, as a sentence; None if it was not used."""
    if found.pilot is None:
        return None
    if not found.pilot:
        return "The pilot found nothing that helps this server."
    return f"The pilot kept {' and '.join(found.pilot)}."


def state(found: Tuning) -> str:
    """What the server's configuration is now."""
    if found.kept:
        return "The changes are in force. Undo them with: headcount tune --restore"
    if not found.restored:
        return "Not everything was put back. Put it back with: headcount tune --restore"
    return "Everything was put back: the server is as it was."
