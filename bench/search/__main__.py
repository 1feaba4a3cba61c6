"""Judge the search on simulated servers whose capacity is known.

Prints for each method and system the error of the estimate (mean, root mean square, median; % of
the capacity), how often the 95 % interval holds the capacity, its mean half-width, what is
published, seconds (the official level included, the chart not), and how often the answer is wrong
without a doubt. All methods are charged the same for ramps and warm-up.
"""

import argparse

from bench.search.methods import METHODS
from bench.search.stalls import stalls
from bench.search.study import study
from bench.search.truth import truth
from headcount._engine import SimulatedServer


def main() -> None:
    """Runs what is asked for."""
    known = SimulatedServer.systems()
    parser = argparse.ArgumentParser(prog="python -m bench.search", description=__doc__)
    parser.add_argument(
        "what",
        nargs="?",
        default="study",
        choices=("study", "stalls", "truth"),
        help="the study; what one stall of the server does to a search; the known capacities",
    )
    parser.add_argument("--searches", type=int, default=100, help="searches for each system")
    parser.add_argument("--seed", type=int, default=1000, help="first seed")
    parser.add_argument("--systems", nargs="+", choices=known, default=known, metavar="NAME")
    parser.add_argument(
        "--methods", nargs="+", choices=list(METHODS), default=["ladder", "search"], metavar="NAME"
    )
    parser.add_argument("--part", type=float, default=1.0, help="of the runs of `truth`, like 0.1")
    parser.add_argument("--write", action="store_true", help="store what `truth` computes")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.searches)
    if options.what == "truth":
        truth(options.systems, options.part, write=options.write)
    elif options.what == "stalls":
        stalls(options.systems, seeds)
    else:
        study(options.methods, options.systems, seeds)


if __name__ == "__main__":
    main()
