"""What the search asks for, and what it gets."""

from dataclasses import dataclass
from typing import Literal

Purpose = Literal["climb", "probe", "bracket", "straddle", "official", "recovery", "curve"]
"""Why a level is run.

* climb: a few seconds, while growing and far from every limit; ignored otherwise;
* probe: growing from the first users until a constraint breaks;
* bracket: narrowing the gap between a level that passes and one that fails;
* straddle: short levels on both sides of the estimate, for the regression;
* official: one full level at the users to be published, never stopped early;
* recovery: after a lasting overload, to see with how many users it ends; does not count;
* curve: a point for the chart of response time and throughput over users.
"""

SEARCHING: tuple[Purpose, ...] = ("climb", "probe", "bracket", "straddle")
"""Purposes of levels that lead to the estimate."""


@dataclass(frozen=True, slots=True)
class Request:
    """A level to run.

    ``measure_s`` is measured after ramp and warm-up. With ``may_stop_early`` the level may be ended
    as soon as :func:`headcount.analyse.search.wide_rule` has a verdict. With ``is_rested`` all
    users leave before those of the level come.
    """

    users: int
    measure_s: float
    purpose: Purpose
    may_stop_early: bool
    is_rested: bool = False


@dataclass(frozen=True, slots=True)
class Share:
    """A constraint on a share of the scenarios: at most ``allowed`` of ``total`` may be bad.

    A percentile criterion is one: "p95 <= 1 s" is "at most 5% are slower than 1 s or fail". So are
    errors and overload. Requests under way that are already over the limit count as bad, because
    otherwise an overloaded level looks better than it is.

    ``limit_s`` is the response-time limit behind the share, if there is one; it sharpens the first
    guess of an overloaded server's capacity. ``batches`` are (bad, total) of consecutive equal
    stretches of the level (5 s), for telling steady noise from slow noise; may be empty.
    ``certain`` is the share of the bad ones that are bad whatever the load generator's own delay
    was.
    """

    name: str
    bad: float
    total: float
    allowed: float
    limit_s: float | None = None
    batches: tuple[tuple[float, float], ...] = ()
    certain: float = 1.0

    def __post_init__(self) -> None:
        """Refuse impossible counts."""
        if not 0 <= self.bad <= self.total:
            raise ValueError(f"{self.name}: bad must be between 0 and total ({self.total})")
        if not 0 <= self.allowed < 1:
            raise ValueError(f"{self.name}: allowed is a share, 0 <= allowed < 1")

    @property
    def share(self) -> float:
        """Bad / total; 0 if nothing was decided."""
        return self.bad / self.total if self.total else 0.0

    @property
    def passed(self) -> bool:
        """Whether the constraint holds in this level."""
        return self.bad <= self.allowed * self.total


@dataclass(frozen=True, slots=True)
class Value:
    """A constraint on a positive figure of the level, such as a mean: ``value`` <= ``limit``.

    ``least`` is the value without the load generator's own delay; None if that plays no part.
    """

    name: str
    value: float
    limit: float
    least: float | None = None

    def __post_init__(self) -> None:
        """Refuse a value without a logarithm."""
        if not (self.value >= 0 and self.limit > 0):
            raise ValueError(f"{self.name}: value must be >= 0 and limit > 0")

    @property
    def passed(self) -> bool:
        """Whether the constraint holds in this level."""
        return self.value <= self.limit


ConstraintResult = Share | Value


@dataclass(frozen=True, slots=True)
class Observation:
    """What a level showed.

    ``measure_s`` is the time really measured (less than asked if stopped early). ``valid`` is false
    if the load generator, not the server, was the limit, for a climb that was not light
    (:mod:`headcount.analyse.search.light`), and for a level after a lasting overload: the level
    never counts towards the capacity. ``overhead_s`` is the time it took besides measuring:
    preparing, ramp, warm-up, settling; ``prepare_s`` is the part of it that made data for more
    users. ``think_s`` is the mean think time, None if the users have none. ``cpu_lost`` is the
    share of the machine's CPUs that other programs or the hypervisor took from the server,
    ``steady`` whether the level was in a steady state. ``stalls`` are the times when the server
    answered next to nothing: seconds from the start of the measured part, and their length.
    ``ended_s`` is when it ended, in seconds since the search began; 0 if unknown. ``goals`` are
    constraints that few users miss because they are few, such as a throughput.
    """

    users: int
    measure_s: float
    constraints: tuple[ConstraintResult, ...]
    throughput_per_s: float
    response_mean_s: float
    think_s: float | None = None
    valid: bool = True
    overhead_s: float = 0.0
    prepare_s: float = 0.0
    cpu_lost: float = 0.0
    steady: bool = True
    stalls: tuple[tuple[float, float], ...] = ()
    ended_s: float = 0.0
    goals: tuple[Value, ...] = ()

    def __post_init__(self) -> None:
        """Refuse an impossible level."""
        if self.users < 1:
            raise ValueError("a level has at least one user")
        if self.valid and not self.constraints:
            raise ValueError("a valid level has at least one constraint result")
        if not 0 <= self.cpu_lost <= 1:
            raise ValueError("cpu_lost is a share, 0 <= cpu_lost <= 1")

    @property
    def passed(self) -> bool:
        """Whether every constraint holds."""
        return all(constraint.passed for constraint in self.constraints)


@dataclass(frozen=True, slots=True)
class Taken:
    """A level that was run: what was asked, and what was observed."""

    request: Request
    observation: Observation
