"""Turns as experiments would have them on servers whose behaviour is known exactly."""

import itertools
import math
import random
from collections.abc import Callable, Mapping

from headcount.bundle.confirmation import Turn


def closed_rate(users: int, places: int, service_s: float, think_s: float) -> float:
    """Scenarios/s of a closed network with exponential times: a delay and a station of K places.

    From the balance equations of a birth-death chain (Kleinrock, Queueing Systems I, 3.8), in
    logarithms. With n users at the station, (N - n) / Z arrive and min(n, K) / S leave.
    """
    if think_s == 0:
        return min(users, places) / service_s
    logs = [0.0]
    for n in range(users):
        up, down = (users - n) / think_s, min(n + 1, places) / service_s
        logs.append(logs[-1] + math.log(up / down))
    top = max(logs)
    weights = [math.exp(log - top) for log in logs]
    busy = sum(w * min(n, places) for n, w in enumerate(weights)) / sum(weights)
    return busy / service_s


Behaviour = Callable[[int, float], tuple[float, float]]
"""From users and the time of a scenario alone (s) to scenarios/s and the time of a scenario (s)."""


def pool(places: int, think_s: float = 0.0) -> Behaviour:
    """At most `places` users are served at a time."""

    def behaviour(users: int, service_s: float) -> tuple[float, float]:
        rate = closed_rate(users, places, service_s, think_s)
        return rate, users / rate - think_s

    return behaviour


def limiter(per_s: float) -> Behaviour:
    """At most `per_s` scenarios a second, whatever they cost; users ask again at once."""

    def behaviour(users: int, service_s: float) -> tuple[float, float]:
        rate = min(per_s, users / service_s)
        return rate, users / rate

    return behaviour


def delay() -> Behaviour:
    """Everybody is served at once."""
    return lambda users, service_s: (users / service_s, service_s)


Arms = Mapping[str, tuple[int, float, float]]
"""Users, scenarios/s and ms of each arm."""


def turns(arms: Arms, *, rounds: int = 6, noise: float = 0.0, seed: int = 1) -> list[Turn]:
    """Rounds of turns, whose rates and times differ by a factor with this spread."""
    draw = random.Random(seed)
    made = []
    for number, (arm, (users, rate, ms)) in itertools.product(range(1, rounds + 1), arms.items()):
        per_s = rate * math.exp(draw.gauss(0, noise))
        made.append(
            Turn(
                round=number,
                arm=arm,
                users=users,
                seconds=1.0,
                completed=round(per_s),
                failed=0,
                rate_per_s=per_s,
                service_ms=ms * math.exp(draw.gauss(0, noise)),
            )
        )
    return made


def arms_of(
    behaviour: Behaviour, service_s: float, names: Mapping[str, int], single: str
) -> dict[str, tuple[int, float, float]]:
    """The arms of an experiment with these users each; the single user is never held up."""
    found = {single: (1, 1 / service_s, 1000 * service_s)}
    for name, users in names.items():
        rate, took_s = behaviour(users, service_s)
        found[name] = (users, rate, 1000 * took_s)
    return found
