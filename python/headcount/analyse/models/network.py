"""A closed queueing network: what users ask of each station, and how long they think."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def serving(servers: float) -> tuple[float, ...]:
    """The speed of this many servers with 1, 2, ... customers present, until all are busy.

    A fraction of a server is a server that is slower by as much: a quota of 1.5 CPUs serves one
    customer at full speed, and two or more at one and a half.

    >>> serving(2.5), serving(0.25)
    ((1.0, 2.0, 2.5), (0.25,))
    """
    if not servers > 0:
        raise ValueError(f"a station needs servers, not {servers}")
    whole = [float(n) for n in range(1, math.ceil(servers))]
    return (*whole, float(servers))


@dataclass(frozen=True, slots=True)
class Station:
    """Where customers queue.

    Attributes:
        name: Its name.
        demand_s: Work that one scenario brings, in seconds of one server (visits x service time).
        speeds: How many servers' worth of work is done with 1, 2, ... customers present; the last
            value holds for more. `serving` gives those of several servers; a disk's queue-depth
            sweep gives those of a device that serves many at once.
        cv2: Squared coefficient of variation of the service time; 1 is exponential.

    """

    name: str
    demand_s: float
    speeds: tuple[float, ...] = (1.0,)
    cv2: float = 1.0

    @property
    def most(self) -> float:
        """The throughput at which it is full, in scenarios/s."""
        return self.speeds[-1] / self.demand_s if self.demand_s > 0 else math.inf


@dataclass(frozen=True, slots=True)
class Network:
    """Stations, and the time that a user spends elsewhere in each scenario.

    `think_s` is the user's own pause; `rest_s` is the part of the response time without queueing
    at a station (wires, timers). Both are delays that do not grow with the load.
    """

    stations: Sequence[Station]
    think_s: float = 0.0
    rest_s: float = 0.0

    @property
    def delay_s(self) -> float:
        """Time of a cycle outside all stations."""
        return self.think_s + self.rest_s


@dataclass(frozen=True, slots=True)
class Solution:
    """The result of a model at numbers of users: rates per second, times in seconds."""

    users: Floats
    per_s: Floats
    response_s: Floats
