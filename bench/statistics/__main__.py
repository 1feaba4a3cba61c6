"""`python -m bench.statistics`: simulate, and print the tables."""
# ruff: noqa: A005 - as in the package

import argparse
from collections.abc import Callable, Mapping

from bench.statistics import ladders, nights, queue, runs
from bench.statistics.tally import HEAD, Tally

INTERVALS: Mapping[str, Callable[[float], list[Tally]]] = {
    "ratios": runs.ratios,
    "quotients": runs.quotients,
    "queues": queue.queues,
    "ladders": ladders.ladders,
    "capacities": ladders.capacities,
}
SUBJECTS = (*INTERVALS, "trends", "changes")


def main() -> None:
    """Prints the tables of the subjects asked for, all by default."""
    parser = argparse.ArgumentParser(prog="python -m bench.statistics", description=__doc__)
    parser.add_argument("subjects", nargs="*", help=", ".join(SUBJECTS))
    parser.add_argument("--part", type=float, default=1.0, help="of the seeds, such as 0.1")
    options = parser.parse_args()
    unknown = set(options.subjects) - set(SUBJECTS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(SUBJECTS)}")
    for subject in options.subjects or SUBJECTS:
        print(f"\n{subject}\n", flush=True)
        if subject == "trends":
            for case, seen in runs.trends(options.part):
                print(f"| {case} | {seen:.1%} |", flush=True)
        elif subject == "changes":
            print(nights.HEAD)
            for night in nights.nights(options.part):
                print(night.line(), flush=True)
        else:
            print(HEAD)
            for tally in INTERVALS[subject](options.part):
                print(tally.line(), flush=True)


if __name__ == "__main__":
    main()
