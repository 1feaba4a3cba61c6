"""An upper bound on the load generator's own delay in a response time.

A user of the load generator starts a scenario when a timer fires, and sees each answer when the
generator's thread gets to it. On a busy machine both come late, and the response time includes it.
The generator's own timers show how late a wait ends: they fire at known moments and wait for the
same threads.

Let S be the measured time, R the server's, and L the sum of the delays, so S = R + L with L >= 0.
Then R <= S, and for every share b, however R and L depend on each other,

    quantile(R, p) >= quantile(S, p - b) - quantile(L, 1 - b),

because all but a share b of the requests had a delay below quantile(L, 1 - b). The bound is the
best over some b. The delays of one scenario's waits are taken as independent of each other.

Timers fire on a grid, answers do not: the delay of an answer is that of a timer less the most that
the grid adds, and at least the time that a thread takes to wake up.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount._engine import Histogram
from headcount.analyse.window import Pool

SHARES = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.04)
"""The shares b that are tried."""
GRID_US = 100.0
"""Most delay that the grid of timers adds: half of its 200 µs (`crates/load`, `timers.rs`)."""
WAKE_US = 22.0
"""Time that a thread takes to wake up on a quiet machine (docs/benchmarks.md)."""
DRAWS = 20_000
"""How many sums of delays are drawn; ten of them exceed the rarest quantile used."""
WAITS_MOST = 64
"""More waits than this are drawn as this many and scaled up."""


class Delay:
    """The distribution of the delay of waits, from the generator's timers."""

    def __init__(self, lateness: Histogram) -> None:
        """Derive it from the lateness of timers."""
        values, counts = np.array(lateness.buckets() or [(0, 1)], dtype=np.float64).T
        cumulative = np.cumsum(counts) / counts.sum()
        self._cumulative = np.append(cumulative[:-1], 1.0)
        self._starts = values
        self._answers = np.maximum(values - GRID_US, np.minimum(values, WAKE_US))
        shares = counts / counts.sum()
        self._start_us = float(self._starts @ shares)
        self._answer_us = float(self._answers @ shares)
        self._sums: dict[tuple[bool, int], NDArray[np.float64]] = {}

    def mean_us(self, answers: int, *, starts: bool) -> float:
        """Mean of the summed delays of this many answers, and of a start if `starts`, in µs."""
        return answers * self._answer_us + starts * self._start_us

    def quantile_us(self, quantile: float, answers: int, *, starts: bool) -> float:
        """A quantile of the same sum, in µs."""
        sums = self._summed(min(answers, WAITS_MOST), starts=starts)
        place = min(math.ceil(quantile * DRAWS), DRAWS) - 1
        return float(sums[place]) * max(1.0, answers / WAITS_MOST)

    def _summed(self, answers: int, *, starts: bool) -> NDArray[np.float64]:
        """Sums of independent delays, ascending."""
        if (starts, answers) not in self._sums:
            random = np.random.default_rng(answers)
            drawn = self._drawn(self._answers, random.random((DRAWS, answers)))
            if starts:
                drawn += self._drawn(self._starts, random.random((DRAWS, 1)))
            self._sums[starts, answers] = np.sort(drawn)
        return self._sums[starts, answers]

    def _drawn(
        self, values: NDArray[np.float64], uniform: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        found: NDArray[np.float64] = values[np.searchsorted(self._cumulative, uniform)].sum(axis=1)
        return found


@dataclass(frozen=True, slots=True)
class Waits:
    """The waits of a scenario (its start and its answers), or of a step or task (answers only)."""

    delay: Delay
    answers: int
    starts: bool = True

    def of_quantile_us(self, times: Histogram, quantile: float) -> float:
        """Upper bound on the generator's own delay in a quantile of `times`, in µs."""
        measured = times.quantile_us(quantile)
        least = max(
            times.quantile_us(quantile - share) - self._quantile_us(1 - share)
            for share in SHARES
            if share < quantile
        )
        return min(max(measured - least, 0.0), float(measured))

    @property
    def of_mean_us(self) -> float:
        """The generator's own delay in a mean, in µs."""
        return self.delay.mean_us(self.answers, starts=self.starts)

    def least_bad(self, slower_by: Callable[[int], int], total: int) -> float:
        """Fewest that are over their limit without the generator's delay.

        `slower_by` counts those that exceed it by more than a number of µs.
        """
        found = [
            slower_by(math.ceil(self._quantile_us(1 - share))) - share * total for share in SHARES
        ]
        return max(0.0, *found)

    def _quantile_us(self, quantile: float) -> float:
        return self.delay.quantile_us(quantile, self.answers, starts=self.starts)


@dataclass(frozen=True, slots=True)
class Lateness:
    """The generator's delay in a level; how many waits carry it depends on what is timed.

    `steps_of` and `limits_us` are the steps and the limit of each scenario of the plan.
    """

    delay: Delay
    requests_per_step: float
    requests_per_scenario: float
    steps_of: tuple[int, ...]
    limits_us: tuple[int, ...]

    def of_scenarios(self, index: int | tuple[int, ...] | None) -> Waits:
        """One scenario by its index, the longest of several, or an average one."""
        if index is None:
            return Waits(self.delay, math.ceil(self.requests_per_scenario))
        some = index if isinstance(index, tuple) else (index,)
        steps = max(self.steps_of[each] for each in some)
        return Waits(self.delay, math.ceil(steps * self.requests_per_step))

    @property
    def of_step(self) -> Waits:
        """The waits of a step or a task."""
        return Waits(self.delay, max(1, math.ceil(self.requests_per_step)), starts=False)

    def least_overloaded(self, pool: Pool, total: int) -> float:
        """Fewest scenarios that failed or are over their limit without the generator's delay."""
        index = pool.index
        every = range(len(self.limits_us)) if index is None else index
        some = tuple(every) if isinstance(every, Iterable) else (every,)

        def slower_by(us: int) -> int:
            return sum(Pool(pool.window, i).slower(self.limits_us[i] + us)[0] for i in some)

        return self.of_scenarios(index).least_bad(slower_by, total)
