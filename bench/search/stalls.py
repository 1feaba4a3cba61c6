"""How far one stall of 1 to 10 s at any level moves the answer of a search."""

import os
import random
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

from bench.search.methods import Found, search
from bench.search.player import Injected
from headcount.analyse.search import Settings

WITHIN = 0.03
SECONDS = (1.0, 10.0)


def stalls(systems: Sequence[str], seeds: range) -> None:
    """Plays each search with a stall and without, and prints how often the two are close."""
    print(f"{'':14} {'within 3%':>9} {'worst':>7} {'seconds':>8}", flush=True)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for system in systems:
            found = list(pool.map(_both, [(system, seed) for seed in seeds], chunksize=2))
            moved = [_moved(*pair) for pair in found]
            within = sum(abs(one) <= WITHIN for one in moved) / len(moved)
            longer = sum(two.seconds for _, two in found) / sum(one.seconds for one, _ in found)
            worst = max(moved, key=abs)
            print(f"{system:14} {within:9.0%} {worst:+7.1%} {longer:8.2f}", flush=True)


def _both(job: tuple[str, int]) -> tuple[Found, Found]:
    """The search without the stall, and with it in one of its levels."""
    system, seed = job
    quiet = search(system, seed, Settings())
    draw = random.Random(seed)
    level = draw.randrange(max(1, quiet.levels))
    stall = Injected(level, draw.uniform(0.0, 20.0), draw.uniform(*SECONDS))
    return quiet, search(system, seed, Settings(), stall)


def _moved(one: Found, other: Found) -> float:
    """The change of the answer, relative; of the worse one of estimate and published users."""
    changes = (
        other.outcome.estimate / max(one.outcome.estimate, 1e-9) - 1,
        other.outcome.published / max(one.outcome.published, 1e-9) - 1,
    )
    return max(changes, key=abs)
