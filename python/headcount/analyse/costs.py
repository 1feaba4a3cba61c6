"""What shares, connections and open files cost, by least squares from points that were held.

The amount held is modelled as a sum of costs (`TERMS`). A point's weight is 1 / (connections + 1):
each connection is a process of its own, so the spread grows with their number. Wrong weights make
the estimate less precise, but do not bias it.

Points of one start of the server are not independent: they share its processes. So the intervals
come from leaving out one start at a time (the delete-one-group jackknife: Efron, The
Jackknife, the Bootstrap and Other Resampling Plans, 1982, chapter 3; for regressions it is the
estimator CR3 of Cameron and Miller, A Practitioner's Guide to Cluster-Robust Inference, 2015), with
Student's t of the number of starts that carry the cost, less one (the effective number of clusters
of Carter, Schnepel and Steigerwald, Asymptotic Behavior of a t-Test Robust to Cluster
Heterogeneity, 2017): a cost that only starts with many connections show is known from those alone.
Starts are assumed independent; single points need no equal or normal spread.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

Vector = npt.NDArray[np.float64]
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Holding:
    """One point: how many shares there were, connections, net uses and open files."""

    shares: int
    connections: int
    net_uses: int
    open_files: int


TERMS: Mapping[str, Callable[[Holding], float]] = {
    "base": lambda _: 1.0,
    "share": lambda held: held.shares,
    "connection": lambda held: held.connections,
    "share_of_connection": lambda held: held.shares * held.connections,
    "net_use": lambda held: held.connections * (held.net_uses - 1),
    "first_file": lambda held: held.connections if held.open_files else 0,
    "open_file": lambda held: held.connections * held.open_files,
    "share_of_net_use": lambda held: held.shares * held.connections * (held.net_uses - 1),
}
"""The terms of the sum, and what each counts. A connection includes its first net use."""
MEMORY_TERMS = tuple(name for name in TERMS if name != "share_of_net_use")
LOGON_TERMS = ("connection", "share_of_connection")
"""Terms of the CPU time of logons, which only connections have."""
NET_USE_TERMS = ("net_use", "share_of_net_use")
"""Terms of the CPU time of further net uses."""


@dataclass(frozen=True, slots=True)
class Cost:
    """One cost with its 95% confidence interval."""

    name: str
    value: float
    low: float
    high: float

    @property
    def is_measurable(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, slots=True)
class Fit:
    """The costs, the residual of each point, and the number of server starts behind them."""

    costs: tuple[Cost, ...]
    residuals: tuple[float, ...]
    starts: int


def fit(
    points: Sequence[Holding],
    amounts: Sequence[float],
    starts: Sequence[int],
    terms: Sequence[str] = MEMORY_TERMS,
) -> Fit | None:
    """Fit the terms that the points can tell apart; None if they determine none of them.

    Args:
        points: What was held.
        amounts: The amount measured at each point.
        starts: Which start of the server each point belongs to.
        terms: Names in `TERMS`.

    """
    groups = np.asarray(starts)
    wanted = _varied(points, terms)
    if not wanted or len(set(starts)) < 2:
        return None
    rows = np.array([[TERMS[name](point) for name in wanted] for point in points], dtype=float)
    measured = np.asarray(amounts, dtype=float)
    weights = np.array([1 / (1 + point.connections) for point in points])
    whole = _solve(rows, measured, weights)
    each = sorted(set(starts))
    left = [
        _solve(rows[kept], measured[kept], weights[kept])
        for kept in (groups != one for one in each)
    ]
    parts = [part for part in left if part is not None]
    if whole is None or len(parts) < len(left):
        return None
    deviation = np.array(parts) - whole
    error = np.sqrt((len(left) - 1) / len(left) * (deviation**2).sum(axis=0))
    carrying = _effective_starts(rows, weights, groups)
    reach = error * stdtrit(np.maximum(carrying - 1, 1), (1 + CONFIDENCE) / 2)
    costs = tuple(
        Cost(name, float(value), float(value - far), float(value + far))
        for name, value, far in zip(wanted, whole, reach, strict=True)
    )
    residuals = tuple(float(one) for one in measured - rows @ whole)
    return Fit(costs, residuals, len(left))


def _varied(points: Sequence[Holding], terms: Sequence[str]) -> list[str]:
    """The terms that these points can tell apart."""
    shares = {point.shares for point in points}
    open_files = {point.open_files for point in points if point.connections} - {0}
    needless = set()
    if len(shares) < 2:
        needless |= {"share", "share_of_connection", "share_of_net_use"}
    if len(open_files) < 2:
        needless.add("first_file")
    columns = {name: {TERMS[name](point) for point in points} for name in terms}
    return [
        name for name in terms if name not in needless and (name == "base" or columns[name] != {0})
    ]


def _effective_starts(rows: Vector, weights: Vector, groups: npt.NDArray[Any]) -> Vector:
    """The effective number of starts behind each cost.

    Each start's part of a cost's variance follows from the spread that the weights imply.
    """
    root = np.sqrt(weights)[:, None]
    influence = np.linalg.pinv(rows * root / _sizes(rows)) * root.T
    variance = influence**2 / weights
    parts = np.array([variance[:, groups == one].sum(axis=1) for one in sorted(set(groups))])
    return np.asarray(parts.sum(axis=0) ** 2 / (parts**2).sum(axis=0))


def _solve(rows: Vector, amounts: Vector, weights: Vector) -> Vector | None:
    """Weighted least squares; None where the columns do not determine it."""
    root = np.sqrt(weights)
    sizes = _sizes(rows)
    if not sizes.all():
        return None
    found, _, rank, _ = np.linalg.lstsq(rows * root[:, None] / sizes, amounts * root, rcond=None)
    return np.asarray(found / sizes) if rank == rows.shape[1] else None


def _sizes(rows: Vector) -> Vector:
    """The column norms, used to scale the columns before solving.

    The columns range from single connections to shares times connections; unscaled, the rank would
    be lost.
    """
    return np.asarray(np.sqrt((rows**2).mean(axis=0)))
