"""Bundles of simulated servers whose capacity is known, with the counters they would have.

What users get is simulated; how busy the stations are follows from throughput by the utilisation
law, with an error of half a percent as counters have it.
"""

import random
from collections.abc import Sequence
from pathlib import Path

from diagnosis_levels import level
from repairman import plan

from headcount._engine import simulate_level
from headcount.bundle.level import LevelResult, Times
from headcount.bundle.reader import Bundle

LIMIT_MS = {"cpu": 200, "disk": 250, "noisy": 200, "thrash": 200, "memcliff": 250}
CPUS = 4
DISKS = 12
CPU_S = {"cpu": 0.020, "disk": 0.009, "noisy": 0.020, "thrash": 0.020, "memcliff": 0.009}
DISK_S = 0.016


def visits(system: str, users: int) -> float:
    """Disk visits of a scenario."""
    if system == "disk":
        return 3.0
    return 1 + 0.004 * max(users - 700, 0) if system == "memcliff" else 0.0


def run(
    system: str, users: Sequence[int], folder: Path, *, seed: int = 1, measure_s: float = 120.0
) -> Bundle:
    """A ladder against a simulated server."""
    noise = random.Random(seed)
    levels = [
        _level(system, index, each, seed * 1000 + index, measure_s, noise)
        for index, each in enumerate(users, 1)
    ]
    return Bundle(folder, plan(f"p95<={LIMIT_MS[system]}ms", users), None, levels, None)


def _level(
    system: str, index: int, users: int, seed: int, measure_s: float, noise: random.Random
) -> LevelResult:
    _, batches, percentiles = simulate_level(system, users, 60.0, measure_s, seed)
    completed = sum(batch[0] for batch in batches)
    mean_s = sum(batch[2] for batch in batches) / completed
    per_s = completed / measure_s
    used = per_s * visits(system, users) * DISK_S
    counters = {
        "system.cpu.logical.count": float(CPUS),
        "system.cpu.utilization": per_s * CPU_S[system] / CPUS * (1 + noise.gauss(0, 0.005)),
        "system.cpu.foreign": 0.0,
        "system.disk.utilization.busiest": used / DISKS * (1 + noise.gauss(0, 0.005)),
        "system.disk.operations{disk.io.direction=read}": per_s * visits(system, users),
        "system.disk.operations{disk.io.direction=write}": 0.0,
        "system.disk.operation_time": DISK_S * 1000,
        "system.memory.limit": 32e9,
    }
    # A level's think time is what its users really took.
    made = level(index, users, per_s, mean_s, users / per_s - mean_s, counters)
    p50, p90, p95, p99 = (1000 * each for each in percentiles)
    times = Times(
        count=completed,
        mean_ms=mean_s * 1000,
        p50_ms=p50,
        p90_ms=p90,
        p95_ms=p95,
        p99_ms=p99,
        p999_ms=2 * p99,
        max_ms=3 * p99,
    )
    total = made.total.model_copy(update={"response": times, "completed": completed})
    return made.model_copy(update={"total": total, "scenarios": [total], "steady_s": measure_s})
