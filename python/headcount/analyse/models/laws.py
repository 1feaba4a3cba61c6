"""The operational laws and the bounds that follow from them.

They hold for any system in which as many scenarios end as begin, whatever its distributions
(Denning and Buzen, "The Operational Analysis of Queueing Network Models", ACM Computing Surveys
10(3), 1978; Lazowska and others, *Quantitative System Performance*, 1984, chapters 3 and 5).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from headcount.analyse.models.network import Network


def utilisation(per_s: float, demand_s: float, servers: float = 1.0) -> float:
    """The share of its servers that a station uses: U = X D / m."""
    return per_s * demand_s / servers


def demand_s(used: float, per_s: float) -> float:
    """Seconds of a server that a scenario takes, from busy servers and throughput: D = U / X."""
    return used / per_s


def response_s(users: float, per_s: float, think_s: float) -> float:
    """The response time law of interactive systems: R = N / X - Z."""
    return users / per_s - think_s


def users(per_s: float, response_s: float, think_s: float) -> float:
    """Little's law around the whole cycle: N = X (R + Z)."""
    return per_s * (response_s + think_s)


@dataclass(frozen=True, slots=True)
class Bounds:
    """The range of a network's throughput at a number of users, in scenarios/s."""

    low: float
    high: float


def most_per_s(network: Network) -> float:
    """The throughput that no number of users exceeds: that of the station that fills up first."""
    return min((station.most for station in network.stations), default=math.inf)


def least_response_s(network: Network) -> float:
    """The response time of a single user."""
    alone = sum(station.demand_s / station.speeds[0] for station in network.stations)
    return network.rest_s + alone


def knee(network: Network) -> float:
    """The users at which the asymptotes meet: N = X_max (R_min + Z); infinite without a station."""
    return most_per_s(network) * (least_response_s(network) + network.think_s)


def asymptotic(network: Network, users: float) -> Bounds:
    """The asymptotic bounds: X <= min(X_max, N / (R_min + Z)), and all waiting for all others.

    The lower bound treats every station as if it served one customer at a time, at its speed for
    one (Lazowska, 5.2).
    """
    alone = least_response_s(network)
    queued = sum(station.demand_s / station.speeds[0] for station in network.stations)
    slowest = alone + network.think_s + (users - 1) * queued
    return Bounds(
        low=users / slowest,
        high=min(most_per_s(network), users / (alone + network.think_s)),
    )


def balanced(demands_s: Sequence[float], users: float, think_s: float = 0.0) -> Bounds:
    """The balanced job bounds of single servers, tighter than the asymptotic ones.

    Zahorjan, Sevcik, Eager and Galler, "Balanced Job Bound Analysis of Queueing Networks",
    Communications of the ACM 25(2), 1982; with think time as in Lazowska, 5.4, table 5.2.
    """
    whole, largest = sum(demands_s), max(demands_s)
    mean = whole / len(demands_s)
    low = users / (whole + think_s + (users - 1) * largest / (1 + think_s / (users * whole)))
    high = users / (whole + think_s + (users - 1) * mean / (1 + think_s / whole))
    return Bounds(low=low, high=min(1 / largest, high))
