"""Ladders of levels on servers whose capacity is given."""

import math

import numpy as np
from scipy.special import expit, logit

from bench.statistics.tally import Tally
from headcount.analyse.statistics.monotone import Reading, crossing, of_share

ALLOWED, EACH, BATCHES = 0.05, 10_000, 12
ALIKE = 200.0
"""Scenarios of one stretch are alike as if drawn from a beta distribution of this size."""
SEEDS = 1_000

LADDERS: tuple[tuple[str, list[float], float, float, bool], ...] = (
    ("steps of 5 %, once", [700 * 1.05**i for i in range(11)], 25, 0.01, True),
    ("steps of 10 %, once", [600 * 1.1**i for i in range(8)], 25, 0.01, True),
    ("5 loads near it, three times", [820.0, 860.0, 900.0, 940.0, 980.0] * 3, 25, 0.01, True),
    ("steps of 1 %, once", [800 * 1.01**i for i in range(24)], 25, 0.01, True),
    (
        "5 loads, three times; runs differ by 3 %",
        [820.0, 860.0, 900.0, 940.0, 980.0] * 3,
        25,
        0.03,
        False,
    ),
    ("steps of 5 %, once; runs differ by 3 %", [700 * 1.05**i for i in range(11)], 25, 0.03, False),
)


def ladders(part: float) -> list[Tally]:
    """The root of an isotonic regression, on servers whose slow share is a logistic curve."""
    rows = []
    for number, (case, users, slope, spread, benign) in enumerate(LADDERS):
        tally = Tally("isotonic root", case, benign)
        for seed in range(max(round(SEEDS * part), 20)):
            stream = np.random.default_rng((400 + number, seed))
            capacity = 900 * math.exp(stream.uniform(-0.03, 0.03))
            levels = [_level(stream, each, capacity, slope, spread) for each in users]
            found = crossing(levels)
            ends = (found.low, found.high) if found else None
            tally.add(capacity, ends, flagged=found is not None and found.scatter > 1.5)
        rows.append(tally)
    return rows


def _level(
    stream: np.random.Generator, users: float, capacity: float, slope: float, spread: float
) -> Reading:
    away = math.log(users / capacity) + stream.normal(0, spread)
    share = float(expit(logit(ALLOWED) + slope * away))
    total = EACH // BATCHES
    shares = stream.beta(share * ALIKE, (1 - share) * ALIKE, BATCHES)
    bad = stream.binomial(total, shares)
    batches = [(float(one), float(total)) for one in bad]
    return of_share(users, float(bad.sum()), float(total * BATCHES), ALLOWED, batches)
