"""Where throughput stops growing with the load: the saturation point and the stress point.

WebBench asks that requests/s and bytes/s against clients "flatten out"; the saturation point is the
smallest load on the plateau. Dynameasure names the load of most throughput, after which more load
gives less, the stress point. Both are read off a curve by eye there. Here a difference counts only
if the noise of the levels does not explain it (docs/statistics.md).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import scipy

from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Plateau
from headcount.text import count, megabytes_per_s, plural, significant

MARGIN = 0.02
"""A smaller relative difference is none, even if it was measured: a search finds a capacity no more
exactly, and two runs of one level on a quiet machine differ by about as much."""
ERROR = 0.05
"""Chance that any level of a flat curve passes for better than the one it is compared with."""
PROPORTION = 0.5
"""A curve has flattened out if it surely grew less than half as fast as the load, as exponents:
twice the load, less than sqrt(2) times the throughput. Below saturation it grows in proportion."""
Z = NormalDist().inv_cdf(0.975)
FEWEST = 3
"""Two loads make a line, which shows no bend."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The throughput of one load with its 95% confidence interval, in any unit."""

    users: int
    value: float
    low: float
    high: float

    @property
    def half(self) -> float:
        """Half the width of the interval, relative to the value."""
        return (self.high - self.low) / 2 / self.value if self.value > 0 else 0.0


def plateaus(levels: Sequence[LevelResult]) -> list[Plateau]:
    """The plateau of scenarios/s, and of bytes/s if bytes moved; empty for too few or short levels.

    Invalid levels show nothing about the server and are left out; failed ones have a throughput.
    """
    valid = [level for level in levels if level.outcome != "invalid"]
    curves = {
        "scenarios": [
            Reading(level.users, level.achieved_per_s, *level.total.rate_interval_per_s)
            for level in valid
            if level.total.rate_interval_per_s is not None
        ],
        "bytes": [
            Reading(level.users, moved, *level.total.bytes_interval_per_s)
            for level in valid
            if level.total.bytes_interval_per_s is not None
            and (moved := level.total.read_bytes_per_s + level.total.written_bytes_per_s) > 0
        ],
    }
    found = [plateau(readings, figure) for figure, readings in curves.items()]
    return [each for each in found if each is not None]


def plateau(readings: Sequence[Reading], figure: str = "scenarios") -> Plateau | None:
    """Where a curve flattens out; None with fewer than three loads, or if nothing was done.

    The saturation point is the smallest load that no larger one is measurably better than. It has
    flattened out only if a larger load was tried and surely gave less than in proportion. The
    stress point is the largest load not measurably worse than the best, if all beyond it are.
    """
    curve = _pooled(readings)
    if len(curve) < FEWEST or all(reading.value <= 0 for reading in curve):
        return None
    curve = _widened(curve)
    best = max(curve, key=lambda reading: reading.value)
    z = NormalDist().inv_cdf(1 - ERROR / (len(curve) - 1)) / Z
    surpassed = [
        any(_more(later, one, z) for later in curve[index + 1 :]) for index, one in enumerate(curve)
    ]
    at = surpassed.index(False)  # the last is never surpassed
    top = max(index for index, one in enumerate(curve) if not _more(best, one, z))
    point, last = curve[at], curve[-1]
    flattened = last is not point and _exponent(point, last) < PROPORTION
    stress = curve[top] if flattened and top < len(curve) - 1 else None
    found = Plateau(
        figure="bytes" if figure == "bytes" else "scenarios",
        flattened=flattened,
        users=point.users if flattened else None,
        above_users=curve[at - 1].users if flattened and at > 0 else None,
        value_per_s=point.value if flattened else None,
        interval_per_s=(max(point.low, 0.0), point.high) if flattened else None,
        most_users=best.users,
        most_per_s=best.value,
        stress_users=stress.users if stress else None,
        sentence="",
    )
    return found.model_copy(update={"sentence": _sentence(found, last, rising=last is point)})


def _pooled(readings: Sequence[Reading]) -> list[Reading]:
    """One reading per load, ascending; readings of the same load are averaged."""
    by_users: dict[int, list[Reading]] = {}
    for reading in readings:
        by_users.setdefault(reading.users, []).append(reading)
    curve = []
    for users, same in sorted(by_users.items()):
        value = sum(reading.value for reading in same) / len(same)
        half = math.sqrt(sum((one.high - one.low) ** 2 for one in same)) / 2 / len(same)
        curve.append(Reading(users, value, value - half, value + half))
    return curve


def _widened(curve: Sequence[Reading]) -> list[Reading]:
    """The readings, widened by how much levels differ beyond the noise within each of them."""
    spread = between(curve)
    return [
        replace(one, low=one.value * (1 - half), high=one.value * (1 + half))
        for one in curve
        for half in (math.hypot(one.half, Z * spread),)
    ]


def between(curve: Sequence[Reading]) -> float:
    """The relative standard deviation by which neighbouring levels differ without a cause.

    A server's throughput rises with the load and may fall again. What the best curve of that shape
    does not explain (unimodal regression by least squares of the logarithms: Turner and Wollan,
    Locating a maximum using isotonic regression, Computational Statistics & Data Analysis 25, 1997)
    is noise between whole levels. The intervals within levels know only part of it.
    """
    logs = [math.log(one.value) for one in curve if one.value > 0]
    fits = [_fit(logs, mode) for mode in range(1, len(logs) + 1)]
    squares, blocks = min(fits, default=(0.0, 0))
    freedom = len(logs) - blocks
    if freedom < 1:
        return 0.0
    within = sum((one.half / Z) ** 2 for one in curve if one.value > 0) / len(logs)
    return math.sqrt(max(squares / freedom - within, 0.0))


def _fit(logs: Sequence[float], mode: int) -> tuple[float, int]:
    """Squared residuals of a curve that rises over `mode` values and falls over the rest, summed.

    The second value is the number of distinct values of that curve.
    """
    squares, blocks = 0.0, 0
    for part, rises in ((logs[:mode], True), (logs[mode:], False)):
        if part:
            found = scipy.optimize.isotonic_regression(part, increasing=rises)
            squares += sum((a - b) ** 2 for a, b in zip(part, found.x, strict=True))
            blocks += len(found.blocks) - 1
    return squares, blocks


def _gain(more: Reading, less: Reading) -> float:
    """By how much the throughput is larger, as a logarithm."""
    if less.value <= 0:
        return math.inf if more.value > 0 else 0.0
    return math.log(more.value / less.value) if more.value > 0 else -math.inf


def _noise(one: Reading, other: Reading) -> float:
    """Half the 95% confidence interval of the logarithm of their ratio."""
    return math.hypot(one.half, other.half)


def _more(more: Reading, less: Reading, z: float) -> bool:
    """Whether it is larger by what matters, and by more than the noise times `z`."""
    gain = _gain(more, less)
    return gain > math.log1p(MARGIN) and gain > z * _noise(more, less)


def _exponent(point: Reading, last: Reading) -> float:
    """The largest exponent with which throughput may have grown with the load between the two."""
    return (_gain(last, point) + _noise(point, last)) / math.log(last.users / point.users)


def _sentence(found: Plateau, last: Reading, *, rising: bool) -> str:
    if found.users is None:
        if rising:
            return (
                f"Throughput was still rising at {plural('user', last.users)}, the most that were "
                "tried: no saturation point."
            )
        return (
            f"The noise is too great to tell whether throughput flattened out up to "
            f"{plural('user', last.users)}: no saturation point."
        )
    rate = megabytes_per_s if found.figure == "bytes" else _scenarios
    value, interval = rate(found.value_per_s), found.interval_per_s or (0.0, 0.0)
    low, high = (rate(bound).rsplit(" ", 1)[0] for bound in interval)
    below = f" (not yet at {count(found.above_users)})" if found.above_users else ""
    falls = (
        f" More than {plural('user', found.stress_users)} gave less." if found.stress_users else ""
    )
    return (
        f"Throughput flattened out at {plural('user', found.users)}{below}: {value} "
        f"(95% confidence interval {low} to {high}).{falls}"
    )


def _scenarios(value: float | None) -> str:
    return f"{significant(value)} scenarios/s"
