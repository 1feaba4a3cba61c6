"""The published results of FSCT: disks, whether Windows Server 2008 R2, users."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy import optimize, stats

ROWS = {
    "C": (24, 0, 4500),
    "B": (48, 0, 6500),
    "A": (96, 0, 9500),
    "F": (24, 1, 7500),
    "E": (96, 1, 16500),
    "D": (192, 1, 23000),
}


def fitted(rows: Sequence[tuple[int, int, int]]) -> tuple[np.ndarray, float, np.ndarray]:
    """Coefficients of ln(users) over ln(disks) and R2, residual sd, and inverse of X'X."""
    x = np.array([[1.0, math.log(disks), new] for disks, new, _ in rows])
    y = np.log([users for _, _, users in rows])
    found, *_ = np.linalg.lstsq(x, y, rcond=None)
    left = y - x @ found
    free = max(len(rows) - 3, 1)
    return found, math.sqrt(float(left @ left) / free), np.linalg.pinv(x.T @ x)


def expected(disks: int, new: int) -> tuple[float, float, float]:
    """Users with the 95% prediction interval."""
    found, deviation, inverse = fitted(list(ROWS.values()))
    x = np.array([1.0, math.log(disks), new])
    half = stats.t.ppf(0.975, 3) * deviation * math.sqrt(1 + float(x @ inverse @ x))
    at = float(x @ found)
    return math.exp(at), math.exp(at - half), math.exp(at + half)


def left_out(name: str) -> float:
    """The error at a row that the others predict."""
    rows = [row for key, row in ROWS.items() if key != name]
    found, *_ = fitted(rows)
    disks, new, users = ROWS[name]
    return math.exp(float(np.array([1.0, math.log(disks), new]) @ found)) / users - 1


def power(a: tuple[int, int], b: tuple[int, int], at: int) -> float:
    """Through two points: users = c disks^k."""
    k = math.log(b[1] / a[1]) / math.log(b[0] / a[0])
    return b[1] * (at / b[0]) ** k


def straight(a: tuple[int, int], b: tuple[int, int], at: int) -> float:
    return b[1] + (b[1] - a[1]) / (b[0] - a[0]) * (at - b[0])


def proportional(a: tuple[int, int], b: tuple[int, int], at: int) -> float:
    del a
    return b[1] * at / b[0]


def amdahl(a: tuple[int, int], b: tuple[int, int], at: int) -> float:
    """users = g n / (1 + s (n - 1))."""

    def gap(s: float) -> float:
        return b[1] / a[1] - b[0] / a[0] * (1 + s * (a[0] - 1)) / (1 + s * (b[0] - 1))

    s = optimize.brentq(gap, 0, 1)
    return b[1] * at / b[0] * (1 + s * (b[0] - 1)) / (1 + s * (at - 1))


SHAPES: dict[str, Callable[[tuple[int, int], tuple[int, int], int], float]] = {
    "power law": power,
    "straight line": straight,
    "proportional": proportional,
    "Amdahl": amdahl,
}
