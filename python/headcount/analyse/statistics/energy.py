"""Energy distance: how different two stretches of a series are, in any respect."""

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def divergences(values: Vector, least: int) -> Vector:
    """The scaled energy distance between the values before and after each possible cut.

    Element i is the cut before value i; cuts that leave fewer than `least` values (at least two)
    on a side are minus infinity. With alpha 1, equations 3 to 5 of Matteson and James, A
    nonparametric approach for multiple change point analysis of multivariate data, Journal of the
    American Statistical Association 109, 2014: n m / (n + m) times twice the mean distance between
    the sides, less the mean distances within each. Larger means that the sides differ more; zero or
    less means that they do not.
    """
    found: Vector = _divergences(np.abs(values[:, None] - values[None, :])[None], least)[0]
    return found


def permuted(values: Vector, least: int, orders: NDArray[np.int64]) -> Vector:
    """The greatest divergence of the values in each order; a row of `orders` is one order."""
    distances = np.abs(values[:, None] - values[None, :])
    shuffled = distances[orders[:, :, None], orders[:, None, :]]
    greatest: Vector = _divergences(shuffled, least).max(axis=1)
    return greatest


def _divergences(distances: Vector, least: int) -> Vector:
    """The divergences for several distance matrices at once, by summed areas from the corner."""
    count = distances.shape[-1]
    cut = np.arange(count)
    corners = distances.cumsum(axis=1).cumsum(axis=2)
    total = corners[:, -1, -1][:, None]
    inner = np.zeros((len(distances), count))
    inner[:, 1:] = corners[:, cut[:-1], cut[:-1]]  # both ends before the cut
    upper = np.zeros((len(distances), count))
    upper[:, 1:] = corners[:, cut[:-1], -1]  # one end before it
    across = upper - inner
    outer = total - upper - across
    n, m = cut.astype(float), (count - cut).astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        between = 2 * across / (n * m)
        within = inner / (n * (n - 1)) + outer / (m * (m - 1))
        found: Vector = n * m / (n + m) * (between - within)
    allowed = (cut >= max(least, 2)) & (count - cut >= max(least, 2))
    return np.where(allowed[None], found, -np.inf)
