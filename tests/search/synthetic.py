"""Searches against servers given by a formula, without noise or with a given one."""

import math
from collections.abc import Callable

from headcount.analyse.search import Observation, Request, Search, Settings, Share, Value

Answer = Callable[[Request], Observation]


def logistic(
    capacity: float, slope: float = 25.0, allowed: float = 0.05
) -> Callable[[float], float]:
    """Share of slow requests over users that meets ``allowed`` at ``capacity``."""
    target = math.log(allowed / (1 - allowed))

    def share(users: float) -> float:
        exponent = target + slope * (math.log(users) - math.log(capacity))
        return 1 / (1 + math.exp(-max(-500.0, min(exponent, 500.0))))

    return share


def observed(request: Request, *constraints: Share | Value, valid: bool = True) -> Observation:
    """A level with the given constraint results; each user sends a request every 5 s."""
    return Observation(
        users=request.users,
        measure_s=request.measure_s,
        constraints=constraints,
        throughput_per_s=request.users / 5.0,
        response_mean_s=0.02,
        think_s=5.0,
        valid=valid,
        overhead_s=10.0,
    )


def requests(request: Request) -> int:
    """Requests of a level."""
    return max(1, round(request.users * request.measure_s / 5.0))


def answering(share: Callable[[float], float], allowed: float = 0.05) -> Answer:
    """A server whose share of slow requests is a function of the users."""

    def answer(request: Request) -> Observation:
        total = requests(request)
        bad = min(total, round(share(request.users) * total))
        return observed(request, Share("response", bad, total, allowed))

    return answer


def play(settings: Settings, answer: Answer, most: int = 500) -> tuple[Search, list[Request]]:
    """Plays a search to its end; fails when it takes more than ``most`` levels."""
    search, asked = Search(settings), []
    while (request := search.next()) is not None:
        asked.append(request)
        assert len(asked) <= most, "the search does not end"
        search.observe(answer(request))
    return search, asked
