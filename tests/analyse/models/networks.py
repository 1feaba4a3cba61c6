"""Closed networks solved by enumerating their states, which shares nothing with the models."""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from headcount.analyse.models.network import Network


def brute_force(network: Network, users: int) -> tuple[float, list[float]]:
    """Throughput and mean queues from the stationary state of the Markov chain itself.

    A customer thinks for an exponential time of `delay_s`, then visits the stations in their order,
    each for an exponential time. Solves the balance equations of all states.
    """
    places = [network.delay_s > 0, *(True for _ in network.stations)]
    size = len(network.stations) + 1
    states = [
        state
        for state in itertools.product(range(users + 1), repeat=size)
        if sum(state) == users and (places[0] or state[0] == 0)
    ]
    number = {state: index for index, state in enumerate(states)}
    rates = np.zeros((len(states), len(states)))
    for state in states:
        for place, present in enumerate(state):
            if not present:
                continue
            after = (place + 1) % size
            if after == 0 and not places[0]:
                after = 1
            moved = list(state)
            moved[place] -= 1
            moved[after] += 1
            rate = leaving(network, place, present)
            rates[number[state], number[tuple(moved)]] += rate
    generator = rates - np.diag(rates.sum(axis=1))
    system = np.vstack([generator.T, np.ones(len(states))])
    right = np.zeros(len(states) + 1)
    right[-1] = 1.0
    shares = np.linalg.lstsq(system, right, rcond=None)[0]
    last = size - 1
    per_s = sum(
        share * leaving(network, last, state[last])
        for share, state in zip(shares, states, strict=True)
        if state[last]
    )
    queues = [
        sum(share * state[place] for share, state in zip(shares, states, strict=True))
        for place in range(1, size)
    ]
    return float(per_s), [float(queue) for queue in queues]


def leaving(network: Network, place: int, present: int) -> float:
    if place == 0:
        return present / network.delay_s
    station = network.stations[place - 1]
    speed = station.speeds[min(present, len(station.speeds)) - 1]
    return speed / station.demand_s


def repairman(users: int, speeds: Sequence[float], service_s: float, think_s: float) -> float:
    """Throughput of one station with a delay: the birth-death chain, in rational steps of logs."""
    logs = [0.0]
    for n in range(users):
        speed = speeds[min(n + 1, len(speeds)) - 1]
        logs.append(logs[-1] + math.log((users - n) / think_s) - math.log(speed / service_s))
    top = max(logs)
    weights = [math.exp(each - top) for each in logs]
    served = sum(
        weight * speeds[min(n, len(speeds)) - 1] / service_s
        for n, weight in enumerate(weights)
        if n
    )
    return served / math.fsum(weights)


def mean_values(
    demands_s: Sequence[float], think_s: float, users: int, cv2: float = 1.0
) -> list[float]:
    """Throughputs by the recursion of Reiser and Lavenberg (1980), single servers.

    A customer met in service has (1 + cv2) / 2 of it left.
    """
    queues, busy = [0.0] * len(demands_s), [0.0] * len(demands_s)
    found = []
    for n in range(1, users + 1):
        times = [
            d * (1 + q - u + u * (1 + cv2) / 2)
            for d, q, u in zip(demands_s, queues, busy, strict=True)
        ]
        per_s = min(n / (think_s + sum(times)), 1 / max(demands_s))
        queues = [per_s * time for time in times]
        busy = [per_s * d for d in demands_s]
        found.append(per_s)
    return found
