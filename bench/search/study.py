"""Judges the search on servers whose capacity is known, beside the usual ladder.

    python bench/search/study.py [--searches 40] [--seed 1000] [--systems cpu disk ...]

Prints, for each method and system: mean error, root mean square error and median |error| of the
estimate in % of the capacity, how often the 95% interval holds the capacity, its mean half-width,
seconds (ramp, warm-up and official level included, chart not), levels, and how often noise was
flagged. All methods are charged by the same overhead model.
"""

import argparse
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "search"))

from simulated import CAPACITIES, SYSTEMS, Found, guessed, ladder, search

from headcount.analyse.search import Flag, Overhead, Settings

Play = Callable[[str, int], Found]
PLAIN = Overhead(near_warmup_s=30.0)


def methods() -> dict[str, Play]:
    """What is compared."""
    return {
        "search": lambda system, seed: search(system, seed, Settings()),
        "search, 30 s warm-up": lambda system, seed: search(system, seed, Settings(overhead=PLAIN)),
        "quick": lambda system, seed: search(system, seed, Settings.first_look()),
        "ladder 5%": lambda system, seed: ladder(
            system, seed, Overhead(), guessed(CAPACITIES[system], seed)
        ),
        "ladder 5%, 30 s warm-up": lambda system, seed: ladder(
            system, seed, PLAIN, guessed(CAPACITIES[system], seed)
        ),
    }


def row(name: str, found: Sequence[Found]) -> str:
    """One line of the table."""
    errors = [100 * f.error for f in found]
    rms = statistics.fmean(e * e for e in errors) ** 0.5
    high = sum(e > 2 for e in errors) / len(errors)
    low = statistics.fmean(100 * (f.outcome.published / f.truth - 1) for f in found)
    return (
        f"{name:10} {statistics.fmean(errors):+6.2f} {rms:6.2f} "
        f"{statistics.median(map(abs, errors)):6.2f} {100 * high:5.0f} "
        f"{100 * statistics.fmean(f.covered for f in found):6.0f} "
        f"{100 * statistics.fmean(min(f.outcome.half_width, 1) for f in found):6.2f} {low:+6.2f} "
        f"{statistics.fmean(f.seconds for f in found):7.0f} "
        f"{statistics.fmean(f.levels for f in found):6.1f} "
        f"{100 * statistics.fmean(Flag.NOISY in f.outcome.flags for f in found):5.0f}"
    )


HEAD = (
    f"{'':10} {'mean':>6} {'RMSE':>6} {'med|e|':>6} {'>2%':>5} {'cover':>6} {'width':>6} "
    f"{'publ.':>6} {'seconds':>7} {'levels':>6} {'noisy':>5}"
)


def main() -> None:
    """Runs the study and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--searches", type=int, default=40, help="searches for each system")
    parser.add_argument("--seed", type=int, default=1000, help="first seed")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=SYSTEMS)
    parser.add_argument("--methods", nargs="+", choices=list(methods()), default=list(methods()))
    options = parser.parse_args()
    for method in options.methods:
        print(f"{method}\n{HEAD}")
        everything: list[Found] = []
        for system in options.systems:
            seeds = range(options.seed, options.seed + options.searches)
            found = [methods()[method](system, seed) for seed in seeds]
            everything += found
            print(row(system, found), flush=True)
        print(row("all", everything) + "\n", flush=True)


if __name__ == "__main__":
    main()
