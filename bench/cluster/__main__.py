"""`python -m bench.cluster`: what agents cost their controller, and how well they keep together.

Synthetic agents report what an engine was recorded with, so that a thousand of them fit on one
machine; starts are of real agents, each a process.
"""

import argparse
import signal
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.cluster.equivalence import CASES, CONFIDENCE, MARGIN, searched
from bench.cluster.kills import Round, kills
from bench.cluster.scale import Scale, measured
from bench.cluster.starts import started

SIZES = (2, 10, 100, 1000)
MOST_CPU, MOST_MIB, MOST_PAIR_MS = 1.0, 2048, 2.0
MOST_SPREAD_MS, MOST_ERROR_MS = 20.0, 1.0


def main(arguments: Sequence[str]) -> int:
    """Measure, print and judge; returns 1 where a bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.cluster", description=__doc__)
    parser.add_argument(
        "part", choices=("scale", "starts", "kills", "equivalence"), help="what to measure"
    )
    parser.add_argument("--agents", type=int, nargs="+", help="sizes of the fleet")
    parser.add_argument(
        "--number",
        type=int,
        default=10,
        help="of fleets started, parts ended, or pairs of searches",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    parser.add_argument("--server", choices=tuple(CASES), nargs="+", default=list(CASES))
    options = parser.parse_args(arguments)
    if options.part == "scale":
        return _scale(options.agents or SIZES)
    if options.part == "kills":
        return _kills(options.number, options.seed)
    if options.part == "equivalence":
        return _equivalence(options.server, options.number)
    return _starts((options.agents or [3])[0], options.number)


def _scale(sizes: Sequence[int]) -> int:
    print(" agents  CPU, cores  memory, MiB  adding up, ms  latest, ms  MiB/s")
    found = []
    for size in sizes:
        one = measured(size)
        found.append(one)
        print(
            f"{one.agents:7,}  {one.cpu:10.3f}  {one.peak_mib:11.0f}  {one.sum_ms:13.2f}  "
            f"{one.late_ms:10.0f}  {one.mib_per_s:5.2f}",
            flush=True,
        )
    met = [_met(one) for one in found]
    return 0 if all(met) else 1


def _met(one: Scale) -> bool:
    if one.agents == 2:
        return _bar("adding up a second of two agents", one.sum_ms, MOST_PAIR_MS, "ms")
    cpu = _bar(f"CPU with {one.agents:,} agents", one.cpu, MOST_CPU, "cores")
    return _bar(f"memory with {one.agents:,} agents", one.peak_mib, MOST_MIB, "MiB") and cpu


def _equivalence(servers: Sequence[str], pairs: int) -> int:
    def note(server: str, agents: int, capacity: float) -> None:
        print(f"{server}: {agents} agents find {capacity:,.0f} users", flush=True)

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the machines go away then, too
    are_met = []
    for server in servers:
        with tempfile.TemporaryDirectory(prefix="hce-") as folder:
            found = searched(server, pairs, Path(folder), note)
        are_met.append(found.is_same)
        print(
            f"{'met' if found.is_same else 'MISSED'} {server}: by 3 agents {found.ratio:.3f} times "
            f"what 1 finds ({found.low:.3f} to {found.high:.3f}); within {MARGIN:.0%}, both "
            f"one-sided tests at {CONFIDENCE:.0%}, {pairs} pairs"
        )
    return 0 if all(are_met) else 1


def _kills(number: int, seed: int) -> int:
    def note(one: Round) -> None:
        print(
            f"{one.victim:16}  after {one.at_s:4.1f} s  exit code {one.code}  unwatched load "
            f"{one.loads_s:3.1f} s  {'; '.join(one.defects) or 'ok'}",
            flush=True,
        )

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the machines go away then, too
    with tempfile.TemporaryDirectory(prefix="hck-") as folder:
        found = kills(number, seed, Path(folder), note)
    bad = sum(bool(one.defects) for one in found)
    print(f"{'MISSED' if bad else 'met'} ends that left something behind: {bad} of {len(found)}")
    return 1 if bad else 0


def _starts(agents: int, number: int) -> int:
    found = started(agents, number)
    spread = statistics.quantiles(found.spreads_ms, n=100)[98]
    median = statistics.median(found.spreads_ms)
    print(
        f"{len(found.spreads_ms)} orders to {agents} agents: spread median {median:.2f} ms, most "
        f"{max(found.spreads_ms):.2f} ms; clocks known to {max(found.errors_ms):.3f} ms"
    )
    met = _bar("spread of beginnings, 99th percentile", spread, MOST_SPREAD_MS, "ms")
    return 0 if _bar("clock error", max(found.errors_ms), MOST_ERROR_MS, "ms") and met else 1


def _bar(what: str, value: float, most: float, unit: str) -> bool:
    is_met = value <= most
    print(f"{'met' if is_met else 'MISSED'} {what}: {value:.3g} {unit}; at most {most:g}")
    return is_met


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
