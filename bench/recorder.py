"""The cost of recording for users: hundreds of scenarios on a server that takes no time.

Each case is a process of its own, which plays the shipped engine: 1,000 users a worker who think
for half a second. The server answers at once, so whatever a response takes is the engine's.
"""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.example import run
from bench.figure import Figure
from bench.machine import urgent
from headcount._engine import Engine, Histogram

CASES = ((14, 1), (150, 1), (400, 1), (400, 8), (1000, 1))
"""Scenarios of three steps each, and workers."""
SECONDS = 15
SETTLED_S = 2.0
THINK_S = 0.5
USERS = 1000
PAUSE_MS = 0.2
RSS_MIB = 64.0


def recorder() -> list[Figure]:
    """The longest response of each case, and the memory of its process."""
    figures = []
    for scenarios, workers in CASES:
        command = [sys.executable, "-m", "bench.recorder", str(scenarios), str(workers)]
        found = json.loads(run([*urgent(), *command]))
        case = f"{scenarios:,} scenarios, {workers} worker{'s' * (workers > 1)}"
        for name, bound in (("p99", None), ("p99.9", None), ("max", PAUSE_MS)):
            figures.append(Figure("recorder", f"{name}, {case}", found[name], "ms", bound))
        figures.append(Figure("recorder", f"memory, {case}", found["rss"], "MiB", RSS_MIB))
    return figures


def _plan(scenarios: int, workers: int) -> str:
    steps = [{"op": "nothing"}] * 3
    return json.dumps(
        {
            "seed": 7,
            "workers": workers,
            "pace": {"pace": "closed", "think": {"draw": "exponential", "mean_s": THINK_S}},
            "step_timeout_ms": 60_000,
            "report_every_ms": 1000,
            "scenarios": [
                {
                    "name": f"scenario-{number}",
                    "weight": 1,
                    "limit_ms": 1000,
                    "late_ms": 1000,
                    "steps": [
                        {"name": f"step-{number}-{at}", **step} for at, step in enumerate(steps)
                    ],
                }
                for number in range(scenarios)
            ],
        }
    )


def _play(scenarios: int, workers: int) -> dict[str, float]:
    """Play one case: times in ms, memory in MiB, CPU of the workers in cores."""
    engine = Engine(_plan(scenarios, workers), "null", "{}")
    engine.set_users(USERS * workers, 1.0)
    times = Histogram.merge([])
    cpu_s = 0.0
    while True:
        interval = engine.next(10.0)
        assert interval is not None, "the engine fell silent"
        if interval.from_s >= SETTLED_S:
            times = Histogram.merge([times, *(one.response for one in interval.scenarios)])
            cpu_s += sum(interval.worker_cpu_s)
        if interval.to_s >= SECONDS:
            break
    # Not `ru_maxrss`: that is at least what the process that started this one had.
    most = re.search(r"^VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert most is not None, "Linux"
    engine.close()
    return {
        "p99": times.quantile_us(0.99) / 1e3,
        "p99.9": times.quantile_us(0.999) / 1e3,
        "max": times.max_us / 1e3,
        "rss": int(most[1]) / 1024,
        "cores": cpu_s / (SECONDS - SETTLED_S),
    }


def main(arguments: Sequence[str]) -> None:
    """Play one case and print its figures."""
    scenarios, workers = (int(argument) for argument in arguments)
    print(json.dumps(_play(scenarios, workers)))


if __name__ == "__main__":
    main(sys.argv[1:])
