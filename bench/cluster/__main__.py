"""`python -m bench.cluster`: what agents cost their controller, and how well they keep together.

Synthetic agents report what an engine was recorded with, so that a thousand of them fit on one
machine; starts are of real agents, each a process.
"""

import argparse
import signal
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bench.cluster.equivalence import (
    CASES,
    CONFIDENCE,
    MARGIN,
    Found,
    keep,
    ratios,
    read,
    searched,
    verdict,
)
from bench.cluster.fleet import USERS_EACH, played
from bench.cluster.kills import LONGEST_LOAD_S, Round, kills
from bench.cluster.peers import compared
from bench.cluster.scale import Scale, measured
from bench.cluster.starts import started

SIZES = (2, 10, 100, 1000)
MOST_CPU, MOST_MIB, MOST_PAIR_MS = 1.0, 2048, 2.0
MOST_SPREAD_MS, MOST_ERROR_MS = 20.0, 1.0
MACHINES = 24
MOST_APART = 0.02
"""How far an agent's users may be from the mean of all; our choice."""


def main(arguments: Sequence[str]) -> int:
    """Measure, print and judge; returns 1 where a bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.cluster", description=__doc__)
    parser.add_argument("part", choices=tuple(PARTS), help="what to measure")
    parser.add_argument("--agents", type=int, nargs="+", help="sizes of the fleet")
    parser.add_argument("--users", type=int, default=600, help="how many play, beside peers")
    parser.add_argument(
        "--number", type=int, default=10, help="of fleets, of parts ended, of pairs, of rounds"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    parser.add_argument("--out", type=Path, help="keep pairs here, and go on with what it has")
    parser.add_argument("--server", choices=tuple(CASES), nargs="+", default=list(CASES))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that blocks end what they started
    options = parser.parse_args(arguments)
    return PARTS[options.part](options)


def _scale(options: argparse.Namespace) -> int:
    print(" agents  CPU, cores  memory, MiB  adding up, ms  latest, ms  MiB/s")
    found = []
    for size in options.agents or SIZES:
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


def _equivalence(options: argparse.Namespace) -> int:
    found = read(options.out) if options.out is not None else []

    def note(one: Found) -> None:
        found.append(one)
        if options.out is not None:
            keep(one, options.out)
        print(
            f"{one.server}, pair {one.pair + 1}: {one.agents} agents find {one.users:,} users, "
            f"estimate {one.estimate:,.0f}",
            flush=True,
        )

    are_met = []
    for server in options.server:
        done = {one.pair for one in found if one.server == server}
        first = max(done, default=-1) + 1
        pairs = range(first, first + options.number - len(ratios(found, server)))
        if pairs:
            with tempfile.TemporaryDirectory(prefix="hce-") as folder:
                searched(server, pairs, Path(folder), note)
        if len(ratios(found, server)) < 2:
            print(f"{server}: no verdict: it takes two pairs")
            are_met.append(False)
            continue
        one = verdict(ratios(found, server))
        are_met.append(one.is_same)
        print(
            f"{'met' if one.is_same else 'MISSED'} {server}: by 3 agents {one.ratio:.3f} times "
            f"what 1 finds ({one.low:.3f} to {one.high:.3f}); within {MARGIN:.0%}, both "
            f"one-sided tests at {CONFIDENCE:.0%}, {len(one.ratios)} pairs"
        )
    return 0 if all(are_met) else 1


def _fleet(options: argparse.Namespace) -> int:
    machines = (options.agents or [MACHINES])[0]
    with tempfile.TemporaryDirectory(prefix="hcf-") as folder:
        parts = played(machines, Path(folder))
    for one in parts:
        print(
            f"agent {one.agent:2}  {one.users:4.1f} users  {one.per_s:5.1f} scenarios/s  "
            f"{one.ratio:5.3f} of the mean  late {one.late_ms:5.1f} ms"
        )
    met = len(parts) == machines and all(round(one.users) == USERS_EACH for one in parts)
    print(f"{'met' if met else 'MISSED'} {machines} machines with {USERS_EACH} users each")
    apart = max(abs(one.ratio - 1) for one in parts)
    return 0 if _bar("farthest from the mean", 100 * apart, 100 * MOST_APART, "%") and met else 1


def _kills(options: argparse.Namespace) -> int:
    def note(one: Round) -> None:
        print(
            f"{one.victim:16}  after {one.at_s:4.1f} s  exit code {one.code}  unwatched load "
            f"{one.loads_s:3.1f} s  {'; '.join(one.defects) or 'ok'}",
            flush=True,
        )

    with tempfile.TemporaryDirectory(prefix="hck-") as folder:
        found = kills(options.number, options.seed, Path(folder), note)
    bad = sum(bool(one.defects) for one in found)
    print(f"{'MISSED' if bad else 'met'} ends that left something behind: {bad} of {len(found)}")
    longest_s = max(one.loads_s for one in found)
    met = _bar("longest load that nobody watched", longest_s, LONGEST_LOAD_S, "s")
    return 0 if met and not bad else 1


def _starts(options: argparse.Namespace) -> int:
    agents = (options.agents or [3])[0]
    found = started(agents, options.number)
    spread = statistics.quantiles(found.spreads_ms, n=100)[98]
    median = statistics.median(found.spreads_ms)
    print(
        f"{len(found.spreads_ms)} orders to {agents} agents: spread median {median:.2f} ms, most "
        f"{max(found.spreads_ms):.2f} ms; clocks known to {max(found.errors_ms):.3f} ms"
    )
    met = _bar("spread of beginnings, 99th percentile", spread, MOST_SPREAD_MS, "ms")
    return 0 if _bar("clock error", max(found.errors_ms), MOST_ERROR_MS, "ms") and met else 1


def _peers(options: argparse.Namespace) -> int:
    agents = (options.agents or [3])[0]
    us: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory(prefix="hcp-") as folder:
        for one in compared(agents, options.users, options.number, Path(folder)):
            us.setdefault(one.tool, []).append(one.us)
            print(
                f"{one.tool:9}  {one.per_s:6,.0f} requests/s  controller or master "
                f"{one.leader:5.3f} cores  {agents} agents or workers {one.followers:5.3f} cores  "
                f"{one.us:6,.0f} us a request",
                flush=True,
            )
    for peer in list(us)[1:]:
        factors = sorted(
            theirs / ours for ours, theirs in zip(us["Headcount"], us[peer], strict=True)
        )
        middle = statistics.median(factors)
        print(f"{peer} takes {middle:.1f} times the CPU ({factors[0]:.1f} to {factors[-1]:.1f})")
    return 0


def _bar(what: str, value: float, most: float, unit: str) -> bool:
    is_met = value <= most
    print(f"{'met' if is_met else 'MISSED'} {what}: {value:.3g} {unit}; at most {most:g}")
    return is_met


PARTS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "scale": _scale,
    "starts": _starts,
    "kills": _kills,
    "equivalence": _equivalence,
    "fleet": _fleet,
    "peers": _peers,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
