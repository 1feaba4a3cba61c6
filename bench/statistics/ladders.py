"""Ladders of levels on servers whose capacity is given."""

import math

import numpy as np
from scipy.special import expit, logit

from bench.statistics.monotone import Reading, crossing, of_share
from bench.statistics.tally import Tally
from headcount.analyse.compare.joint import Point, joint
from headcount.analyse.search import Share

ALLOWED, EACH, BATCHES = 0.05, 10_000, 12
ALIKE = 200.0
"""Scenarios of one stretch are alike as if drawn from a beta distribution of this size."""
SEEDS = 1_000

LADDERS: tuple[tuple[str, list[float], float, float, bool], ...] = (
    ("steps of 5%, once", [700 * 1.05**i for i in range(11)], 25, 0.01, True),
    ("steps of 10%, once", [600 * 1.1**i for i in range(8)], 25, 0.01, True),
    ("5 loads near it, three times", [820.0, 860.0, 900.0, 940.0, 980.0] * 3, 25, 0.01, True),
    ("steps of 1%, once", [800 * 1.01**i for i in range(24)], 25, 0.01, False),
    (
        "5 loads, three times; runs differ by 3%",
        [820.0, 860.0, 900.0, 940.0, 980.0] * 3,
        25,
        0.03,
        False,
    ),
    ("steps of 5%, once; runs differ by 3%", [700 * 1.05**i for i in range(11)], 25, 0.03, False),
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
            tally.add(capacity, ends, flagged=found is not None and found.is_restless)
        rows.append(tally)
    return rows


EIGHT = (860, 900, 940, 980, 980, 940, 900, 860)
SIX = (880, 960, 960, 880, 880, 960)
PAIRS = (
    ("8 pairs at 4 loads", EIGHT, 0.01, (25.0, 25.0), 0.0),
    ("8 pairs at 4 loads, runs differ by 3%", EIGHT, 0.03, (25.0, 25.0), 0.0),
    ("8 pairs at 4 loads, slopes of 15 and 40", EIGHT, 0.01, (15.0, 40.0), 0.0),
    ("6 pairs at 2 loads", SIX, 0.01, (25.0, 25.0), 0.0),
    ("6 pairs at 2 loads, slopes of 15 and 40", SIX, 0.01, (15.0, 40.0), 0.0),
    ("8 pairs at 4 loads, slower by 4% in the end", EIGHT, 0.01, (25.0, 25.0), 0.005),
    ("the same, runs differ by 3%", EIGHT, 0.03, (25.0, 25.0), 0.005),
    ("the same, slopes of 15 and 40", EIGHT, 0.01, (15.0, 40.0), 0.005),
)
MORE = 1.05


def capacities(part: float) -> list[Tally]:
    """The ratio of two capacities from levels of both sides at the same users."""
    rows = []
    for number, (case, places, spread, slopes, drift) in enumerate(PAIRS):
        tally = Tally("ratio of capacities", case, benign=drift == 0)
        for seed in range(max(round(SEEDS * 4 * part), 20)):
            stream = np.random.default_rng((450 + number, seed))
            points = []
            for place, users in enumerate(places):
                slower = 1 - drift * place
                for second, held in ((False, 900 * slower), (True, 900 * MORE * slower)):
                    counted = _counted(stream, users, held, slopes[second], spread)
                    points.append(Point(place, second, users, counted, 60.0))
            found = joint(points)
            tally.add(MORE, (found.ratio.low, found.ratio.high) if found else None)
        rows.append(tally)
    return rows


def _counted(
    stream: np.random.Generator, users: float, capacity: float, slope: float, spread: float
) -> Share:
    away = math.log(users / capacity) + stream.normal(0, spread)
    share = float(expit(logit(ALLOWED) + slope * away))
    return Share("p95", float(stream.binomial(EACH, share)), float(EACH), ALLOWED)


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
