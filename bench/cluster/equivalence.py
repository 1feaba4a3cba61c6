"""Whether three load generators find the capacity that one finds, on real servers, in pairs."""

import json
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from scipy.special import stdtrit

from bench.cluster.ground import Ground
from bench.foreign.case import Component
from bench.foreign.servers import KINDS
from bench.foreign.servers.start import PASSWORD, Place, running
from bench.foreign.surroundings import limited
from bench.foreign.tools import Tools

MARGIN = 0.03
"""Capacities that differ by less count as the same (the bar)."""
CONFIDENCE = 0.95
"""Confidence of each of the two one-sided tests."""
SEARCH_S = 900.0
PORT = 8100
WORKLOAD = """
name = "page"
title = "Get a page"
protocol = "http"
recreates = "nothing"
description = "One page, again and again."
deviations = []
sources = []
criteria = ["p95<=100ms", "errors<1%"]
pace = { kind = "closed", time = { draw = "exponential", mean = "0.5s" } }
run = { duration = "15s", settle = "2s" }

[[scenarios]]
name = "page"
weight = 1
limit = "100ms"
steps = [{ name = "get", op = "get", path = "/page" }]
"""


@dataclass(frozen=True)
class Case:
    """A server, and what its users do.

    Attributes:
        component: The server, with the CPU that it has.
        workload: A name, or a file's text.
        target: How its address becomes a target.
        options: Of `headcount run`.

    """

    component: Component
    workload: str
    target: str
    options: tuple[str, ...] = ()


CASES: Mapping[str, Case] = {
    "nginx": Case(
        Component("nginx", "web", files="page=20000", group={"cpu": "0.1"}),
        WORKLOAD,
        "http://{address}/",
    ),
    "samba": Case(
        Component("samba", "files", group={"cpu": "0.2"}),
        "home-folders",
        "smb://{address}",
        ("--scale", "0.02", "--think", "1s"),
    ),
}


@dataclass(frozen=True)
class Verdict:
    """What the pairs came to.

    Attributes:
        ratios: Of each pair, the capacity found by three over that found by one.
        ratio: Their geometric mean.
        low, high: The interval of the ratio, whose ends the two tests compare with the margin.

    """

    ratios: Sequence[float]
    ratio: float
    low: float
    high: float

    @property
    def is_same(self) -> bool:
        """Whether both tests reject a difference of the margin."""
        return self.low > 1 / (1 + MARGIN) and self.high < 1 + MARGIN


def verdict(ratios: Sequence[float]) -> Verdict:
    """Two one-sided t tests on the logarithms of paired ratios (Schuirmann 1987)."""
    logs = [math.log(one) for one in ratios]
    mean = statistics.fmean(logs)
    spread = statistics.stdev(logs) / math.sqrt(len(logs))
    reach = float(stdtrit(len(logs) - 1, CONFIDENCE)) * spread
    return Verdict(ratios, math.exp(mean), math.exp(mean - reach), math.exp(mean + reach))


def searched(
    name: str, pairs: int, folder: Path, note: Callable[[str, int, float], None]
) -> Verdict:
    """Search for the capacity with one and with three agents in turn, that many times."""
    case = CASES[name]
    place = folder / "server"
    place.mkdir()
    ratios = []
    with Ground(3, 2) as ground, ExitStack() as around:
        here = Place(place, PORT, Tools(folder), {}, 0, host=ground.address("server"))
        start = KINDS[case.component.kind](case.component, here)
        server = around.enter_context(running(start, case.component, here, ground.within("server")))
        around.enter_context(limited(server.pid, case.component.group, None))
        for pair in range(pairs):
            found = {}
            for agents in (1, 3) if pair % 2 else (3, 1):
                run_folder = folder / f"pair-{pair}-{agents}"
                found[agents] = _capacity(ground, case, start.address, run_folder, agents)
                note(name, agents, found[agents])
            ratios.append(found[3] / found[1])
    return verdict(ratios)


def _capacity(ground: Ground, case: Case, address: str, folder: Path, agents: int) -> float:
    folder.mkdir()
    workload = case.workload
    if "\n" in workload:
        workload = str(folder / "workload.toml")
        Path(workload).write_text(case.workload, "utf-8")
    done = subprocess.run(
        [
            *(*ground.within("head"), sys.executable, "-m", "headcount", "run", workload),
            *("--target", case.target.format(address=address), "--quick", "--json"),
            *("--agents", str(agents), "--cluster", ground.cluster),
            *("--authorised-by", "bench.cluster", "--runs", str(folder / "runs"), *case.options),
        ],
        env={
            **os.environ,
            **ground.environment,
            "HEADCOUNT_PASSWORD": PASSWORD,
            "XDG_STATE_HOME": str(folder / "state"),
        },
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        timeout=SEARCH_S,
    )
    if done.returncode:
        raise RuntimeError(f"{agents} agents: exit code {done.returncode}: {done.stderr[-800:]}")
    return float(json.loads(done.stdout)["capacity"]["users"])
