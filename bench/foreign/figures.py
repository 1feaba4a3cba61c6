"""What the servers of a case did, to see whether its cause binds, independent of the diagnosis."""

import json
from typing import Any

from bench.foreign.play import Played

SERVER_CPU = "process.cpu.utilization"
FOREIGN_CPU = "system.cpu.foreign"
MACHINE = "sut"


def figures(played: Played) -> list[str]:
    """A line for each number of users: throughput, times, failures, CPU."""
    lines = []
    for level in levels(played):
        total = level["total"]
        times = total["response"] or {}
        cpu = {side: _mean(level, side, SERVER_CPU) for side in (MACHINE, "generator")}
        other = _mean(level, MACHINE, FOREIGN_CPU)
        faults = ", ".join(f"{one['kind']} {one['count']}" for one in level["faults"])
        lines.append(
            f"    {level['users']:4} users  {total['rate_per_s']:8.1f}/s"
            f"  p50 {times.get('p50_ms', 0):7.1f} ms  p99 {times.get('p99_ms', 0):7.1f} ms"
            f"  {total['read_bytes_per_s'] / 1e6:6.2f} MB/s  failed {total['failed']:5}"
            f"  CPU {cpu[MACHINE]:.2f} generator {cpu['generator']:.2f} others {other:.2f}"
            f"  {faults}"
        )
    return lines


def busy_elsewhere(played: Played) -> float | None:
    """CPU that other programs used at the largest number of users, in cores; None if unknown.

    A limit that is injected beside busy programs may not be the one that binds.
    """
    summary = levels(played)[-1]["counters"].get(MACHINE, {}).get(FOREIGN_CPU)
    return None if summary is None else float(summary["mean"])


def levels(played: Played) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((played.bundle / "levels.json").read_text("utf-8"))[
        "levels"
    ]
    return found


def _mean(level: dict[str, Any], side: str, name: str) -> float:
    return float(level["counters"].get(side, {}).get(name, {}).get("mean", 0.0))
