"""Recomputes the capacities of the simulated servers by long pooled simulation.

    python bench/search/truth.py [--write]

The capacity is the number of users at which the long-run share of requests slower than the limit
is 5%. Pools many independent runs of 600 s (each with its own run-to-run effect, after 60 s of
warm-up) at nine numbers of users around the capacity, fits logit(share) by a parabola in ln(users)
and solves for 5%. The standard error is from ten groups of the runs. Takes a few minutes.
"""

import argparse
import json
import math
from pathlib import Path

import numpy as np

from headcount._engine import simulate_level

DATA = Path(__file__).parents[2] / "tests" / "search" / "capacities.json"
AROUND = {"cpu": 947, "disk": 893, "noisy": 834, "thrash": 934, "memcliff": 1089}
RUNS = {"cpu": 300, "disk": 300, "noisy": 1_500, "thrash": 400, "memcliff": 60}
OFFSETS = np.linspace(-0.04, 0.04, 9)
WARMUP_S, MEASURE_S, ALLOWED, GROUPS = 60.0, 600.0, 0.05, 10


def pooled(system: str, users: int, runs: range) -> tuple[int, int]:
    """Slow and decided requests of several runs at one number of users."""
    slow = decided = 0
    for seed in runs:
        before, batches, _ = simulate_level(system, users, WARMUP_S, MEASURE_S, seed)
        grown = batches[-1][3] - before
        slow += sum(batch[1] for batch in batches) + grown
        decided += sum(batch[0] for batch in batches) + grown
    return slow, decided


def root(shares: np.ndarray, users: np.ndarray) -> float:
    """Users at which the fitted share is the allowed one."""
    centre = math.log(users[len(users) // 2])
    x = np.log(users) - centre
    y = np.log(shares / (1 - shares)) - math.log(ALLOWED / (1 - ALLOWED))
    curve = np.polynomial.Polynomial.fit(x, y, 2)
    roots = [float(r.real) for r in curve.roots() if abs(r.imag) < 1e-9 and abs(r.real) < 0.1]
    return math.exp(centre + min(roots, key=abs))


def capacity(system: str) -> tuple[float, float]:
    """Users at the limit, and the standard error from groups of runs."""
    users = np.unique(np.round(AROUND[system] * np.exp(OFFSETS)).astype(int))
    each = RUNS[system] // GROUPS
    counts = np.array(
        [
            [
                pooled(system, int(n), range(k, k + each))
                for k in (10**6 * (i + 1) + g * each for g in range(GROUPS))
            ]
            for i, n in enumerate(users)
        ]
    )
    total = counts.sum(axis=1)
    estimate = root(total[:, 0] / total[:, 1], users)
    groups = [root(counts[:, g, 0] / counts[:, g, 1], users) for g in range(GROUPS)]
    return estimate, float(np.std(groups, ddof=1) / math.sqrt(GROUPS))


def main() -> None:
    """Prints the capacities; with --write, stores them for the tests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="store the result for the tests")
    write = parser.parse_args().write
    systems = {}
    for system in AROUND:
        users, error = capacity(system)
        systems[system] = {"users": round(users, 2), "standard_error": round(error, 2)}
        print(f"{system:9} {users:8.2f} +- {error:.2f}", flush=True)
    if write:
        how = " ".join((__doc__ or "").split("\n\n")[2].split())
        content = {"computed_by": "bench/search/truth.py --write", "how": how, "systems": systems}
        DATA.write_text(json.dumps(content, indent=2) + "\n")


if __name__ == "__main__":
    main()
