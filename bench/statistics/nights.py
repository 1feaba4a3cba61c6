"""Histories of runs with a change in them, and without."""

from dataclasses import dataclass

import numpy as np

from headcount.analyse.statistics.change import changes

RUNS, AT, NEAR = 120, 75, 5
OUTLIERS = 0.03
SEEDS = 100
AFTER = (3, 4, 5, 6, 8, 10, 15, 20, 30, 45)

CASES = (
    (0.01, 0.0),
    (0.04, 0.0),
    (0.01, -0.05),
    (0.02, -0.05),
    (0.02, -0.02),
    (0.04, -0.05),
    (0.04, -0.10),
)


@dataclass(frozen=True)
class Night:
    """How changes are found: shares of the series, false points a series, runs until found."""

    spread: float
    shift: float
    found: float
    false: float
    until: int | None

    def line(self) -> str:
        """One line of the table, in Markdown."""
        what = f"{self.shift:+.0%}" if self.shift else "none"
        found = f"{self.found:.0%}" if self.shift else "-"
        until = (str(self.until) if self.until else "more") if self.shift else "-"
        return f"| {self.spread:.0%} | {what} | {found} | {self.false:.2f} | {until} |"


HEAD = (
    "| runs differ by | change | found | false points a series | runs until half are found |\n"
    "|---|---|---|---|---|"
)


def nights(part: float) -> list[Night]:
    """Series of 120 runs, one in 33 of them 5 to 25% too low, that change after 75."""
    return [_case(number, *case, part) for number, case in enumerate(CASES)]


def _case(number: int, spread: float, shift: float, part: float) -> Night:
    seeds = range(max(round(SEEDS * part), 10))
    found, false, until = [], [], []
    for seed in seeds:
        values = _series(np.random.default_rng((500 + number, seed)), spread, shift)
        places = [change.index for change in changes(values)]
        hits = [index for index in places if shift and abs(index - AT) <= NEAR]
        found.append(bool(hits))
        false.append(len(places) - min(len(hits), 1))
        if shift and seed < len(seeds) // 3:
            until.append(_until(values))
    median = float(np.median(until)) if until else float("inf")
    return Night(
        spread,
        shift,
        float(np.mean(found)),
        float(np.mean(false)),
        round(median) if np.isfinite(median) else None,
    )


def _series(stream: np.random.Generator, spread: float, shift: float) -> list[float]:
    values = 100 * np.exp(stream.normal(0, spread, RUNS))
    values[AT:] *= 1 + shift
    odd = stream.random(RUNS) < OUTLIERS
    values[odd] *= stream.uniform(0.75, 0.95, int(odd.sum()))
    return [float(value) for value in values]


def _until(values: list[float]) -> float:
    """Runs after the change until it is first found."""
    for after in AFTER:
        if any(abs(change.index - AT) <= NEAR for change in changes(values[: AT + after])):
            return after
    return float("inf")
