"""What the servers of a case did, whatever Headcount makes of it: whether its cause binds."""

import json

from bench.foreign.play import Played

SERVER_CPU = "process.cpu.utilization"
MACHINE = "sut"


def figures(played: Played) -> list[str]:
    """A line for each number of users: throughput, times, failures, CPU."""
    levels = json.loads((played.bundle / "levels.json").read_text("utf-8"))["levels"]
    lines = []
    for level in levels:
        total = level["total"]
        times = total["response"] or {}
        cpu = {side: _mean(level, side, SERVER_CPU) for side in (MACHINE, "generator")}
        other = _mean(level, MACHINE, "system.cpu.foreign")
        faults = ", ".join(f"{one['kind']} {one['count']}" for one in level["faults"])
        lines.append(
            f"    {level['users']:4} users  {total['rate_per_s']:8.1f}/s"
            f"  p50 {times.get('p50_ms', 0):7.1f} ms  p99 {times.get('p99_ms', 0):7.1f} ms"
            f"  {total['read_bytes_per_s'] / 1e6:6.2f} MB/s  failed {total['failed']:5}"
            f"  CPU {cpu[MACHINE]:.2f} generator {cpu['generator']:.2f} others {other:.2f}"
            f"  {faults}"
        )
    return lines


def _mean(level: dict[str, dict[str, dict[str, dict[str, float]]]], side: str, name: str) -> float:
    return level["counters"].get(side, {}).get(name, {}).get("mean", 0.0)
