"""What it costs to start: `headcount --help`."""

import statistics
import sys

from bench.example import cpu_s
from bench.figure import Figure

TIMES = 7


def start_up() -> list[Figure]:
    """CPU time of `headcount --help`, compared with the bare interpreter."""
    help_s = _median_s([sys.executable, "-m", "headcount", "--help"])
    bare_s = _median_s([sys.executable, "-c", "pass"])
    return [
        Figure(
            "start-up",
            f"headcount --help, median of {TIMES}",
            help_s * 1e3,
            "ms CPU",
            bare_s * 1e3,
            "python",
        )
    ]


def _median_s(command: list[str]) -> float:
    return statistics.median(cpu_s(command) for _ in range(TIMES))
