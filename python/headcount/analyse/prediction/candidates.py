"""The models behind one interface: response times at numbers of users."""

import math
from collections.abc import Callable, Mapping

import numpy as np

from headcount.analyse.models import amva, convolution, laws
from headcount.analyse.models.network import Floats, Solution
from headcount.analyse.prediction.fit import Capacities, Fitted
from headcount.analyse.prediction.prediction import ModelName

LEAST_S = 1e-6
MOST_USERS = 200_000
"""Most users of an exact solution; more would take minutes."""
ROOM = 1.6
"""Range of users to solve for, relative to the limit by the asymptotes."""
GRID = 240
"""Numbers of users at which the approximate models are solved."""

Solve = Callable[[Fitted, Capacities, int], Solution]


def _exact(fitted: Fitted, capacities: Capacities, most_users: int) -> Solution:
    return convolution.solve(fitted.network(capacities), most_users)


def _corrected(fitted: Fitted, capacities: Capacities, most_users: int) -> Solution:
    """The exact response, with the approximation's correction for non-exponential service."""
    exact = _exact(fitted, capacities, most_users)
    grid = _grid(most_users)
    plain = amva.schweitzer(fitted.network(capacities), grid).response_s
    other = amva.schweitzer(fitted.network(capacities, fitted.cv2), grid).response_s
    ratio = np.interp(exact.users, grid, other / plain)
    # Whatever the correction, utilisation never exceeds 100%.
    full = exact.users / laws.most_per_s(fitted.network(capacities)) - fitted.think_s
    return _of(fitted, exact.users, np.maximum(exact.response_s * ratio, full))


def _approximate(fitted: Fitted, capacities: Capacities, most_users: int) -> Solution:
    return amva.schweitzer(fitted.network(capacities), _grid(most_users))


def _bounds(fitted: Fitted, capacities: Capacities, most_users: int) -> Solution:
    network, users = fitted.network(capacities), _grid(most_users)
    most, alone = laws.most_per_s(network), laws.least_response_s(network)
    return _of(fitted, users, np.maximum(alone, users / most - fitted.think_s))


def _scalability(fitted: Fitted, capacities: Capacities, most_users: int) -> Solution:
    del capacities
    users = _grid(most_users)
    law = fitted.scalability
    if law is None:
        return _of(fitted, users, np.full_like(users, np.nan))
    per_s = np.array([law.per_s(n) for n in users])
    return _of(fitted, users, users / per_s - fitted.think_s)


def _exponential(fitted: Fitted, capacities: Capacities, most_users: int) -> Solution:
    del capacities
    users, growth = _grid(most_users), fitted.response_growth
    if growth is None or growth.slope <= 0:
        return _of(fitted, users, np.full_like(users, np.nan))
    logs = np.array([growth.value(n) for n in users])
    return _of(fitted, users, np.exp(np.minimum(logs, 50.0)))


def _of(fitted: Fitted, users: Floats, response_s: Floats) -> Solution:
    response = np.maximum(response_s, LEAST_S)
    return Solution(users, users / (response + fitted.think_s), response)


def _grid(most_users: int) -> Floats:
    if most_users <= GRID:
        return np.arange(1, most_users + 1, dtype=np.float64)
    return np.unique(np.concatenate([[1.0], np.linspace(most_users / GRID, most_users, GRID)]))


MODELS: Mapping[ModelName, Solve] = {
    "exact": _exact,
    "corrected": _corrected,
    "approximate": _approximate,
    "bounds": _bounds,
    "scalability": _scalability,
    "exponential": _exponential,
}
QUEUEING: tuple[ModelName, ...] = ("exact", "corrected", "approximate", "bounds")
"""Models that know resources, and so can predict for other ones."""


def room(fitted: Fitted, capacities: Capacities, at_least: float) -> int:
    """A number of users surely above the limit."""
    most = laws.most_per_s(fitted.network(capacities))
    limit = most * (fitted.think_s + fitted.response_at_limit_s) if math.isfinite(most) else 0.0
    return int(min(max(ROOM * limit, ROOM * at_least, 20) + 1, MOST_USERS))


def solve(
    model: ModelName, fitted: Fitted, capacities: Capacities, most_users: int
) -> tuple[Solution, Floats]:
    """A model's solution, and the criterion's value over its limit."""
    solved = MODELS[model](fitted, capacities, most_users)
    if model == "exponential" and fitted.value_growth is not None:
        logs = np.array([fitted.value_growth.value(n) for n in solved.users])
        return solved, np.exp(np.minimum(logs, 50.0))
    tail = fitted.tail
    logs = tail.at + tail.slope * (np.log(solved.response_s) - tail.centre)
    return solved, np.exp(np.minimum(logs, 50.0))


def crossing(users: Floats, values: Floats) -> float | None:
    """The users at which the criterion is just met; None if that is not within the range."""
    over = np.flatnonzero(~(values <= 1))
    if not len(over) or np.isnan(values[over[0]]):
        return None
    first = int(over[0])
    if first == 0:
        return 0.0
    v1, v2 = math.log(values[first - 1]), math.log(values[first])
    part = -v1 / (v2 - v1) if v2 > v1 else 0.0
    return float(users[first - 1] + part * (users[first] - users[first - 1]))
