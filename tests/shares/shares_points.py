"""Made-up points of experiments, of which the true costs are known."""

from collections.abc import Sequence

import numpy as np

from headcount.analyse.costs import Holding

TRUTH = {
    "base": 4e6,
    "share": 2_200.0,
    "connection": 776e3,
    "share_of_connection": 2_150.0,
    "net_use": 7_300.0,
    "first_file": 77e3,
    "open_file": 3_200.0,
}
"""About what smbd costs, in bytes."""


def counted(point: Holding) -> dict[str, float]:
    """What each cost counts, written down independently."""
    some = point.connections > 0 and point.open_files > 0
    return {
        "base": 1,
        "share": point.shares,
        "connection": point.connections,
        "share_of_connection": point.shares * point.connections,
        "net_use": point.connections * (point.net_uses - 1),
        "first_file": point.connections if some else 0,
        "open_file": point.connections * point.open_files,
    }


def experiment(
    shares: Sequence[int], connections: Sequence[int], repeats: int = 1
) -> tuple[list[Holding], list[int]]:
    """Points with 0, 10 and 100 open files, or 1 and 10 net uses, and the start of each."""
    points: list[Holding] = []
    starts: list[int] = []
    start = 0
    for share_count in shares:
        for held in connections:
            for chain in ([(1, 0), (1, 10), (1, 100)], [(1, 0), (10, 0)]) * repeats:
                points.append(Holding(share_count, 0, 1, 0))
                points += [Holding(share_count, held, uses, files) for uses, files in chain]
                starts += [start] * (1 + len(chain))
                start += 1
    return points, starts


def noisy(
    points: Sequence[Holding],
    starts: Sequence[int],
    truth: dict[str, float],
    stream: np.random.Generator,
    power: float,
) -> list[float]:
    """Amounts with noise of each start and of each point, which grows with the connections."""
    exact = [sum(truth[name] * n for name, n in counted(point).items()) for point in points]
    size = np.array([1 + point.connections for point in points]) ** power
    of_start = stream.normal(0, 20e3, max(starts) + 1)[list(starts)]
    return list(exact + (of_start + stream.normal(0, 20e3, len(points))) * size)
