"""Whether three load generators find the capacity that one finds, on real servers, in pairs."""

import json
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from scipy.special import stdtrit

from bench.cluster.ground import Ground
from bench.foreign.case import Component
from bench.foreign.servers import KINDS
from bench.foreign.servers.start import Place, running
from bench.foreign.tools import Tools

MARGIN = 0.03
"""Capacities that differ by less count as the same (the bar)."""
CONFIDENCE = 0.95
"""Confidence of each of the two one-sided tests."""
BUDGET = "4m"
SEARCH_S = 900.0
PORT = 8100
PAGES = """
name = "pages"
title = "Get a page"
protocol = "http"
recreates = "nothing"
description = "One page, again and again."
deviations = []
sources = []
criteria = ["p95<=400ms", "errors<1%"]
pace = { kind = "closed", time = { draw = "exponential", mean = "0.5s" } }
run = { duration = "15s", settle = "2s" }

[[scenarios]]
name = "page"
weight = 1
limit = "400ms"
steps = [{ name = "get", op = "get", path = "/page" }]
"""
FILES = """
name = "files"
title = "Copy a file from the server"
protocol = "smb"
recreates = "nothing"
description = "Files of 8 KiB, again and again."
deviations = []
sources = []
criteria = ["p95<=400ms", "errors<1%"]
pace = { kind = "closed", time = { draw = "exponential", mean = "0.5s" } }
library = { classes = [{ name = "text", content = "text", size = "8KiB", files = 50 }] }
run = { duration = "15s", settle = "2s" }

[[scenarios]]
name = "copy"
weight = 1
limit = "400ms"
steps = [
  { name = "open", op = "open", path = { file = "library", class = "text" } },
  { name = "read", op = "read", from = "start", chunk_bytes = 8192 },
  { name = "close", op = "close" },
]
"""


@dataclass(frozen=True)
class Case:
    """A server, and what its users do.

    Attributes:
        component: The server.
        workload: A file's text.
        target: How its address becomes a target.
        line: Rate of its line, which is its limit. By the CPU, its capacity varies too much.

    """

    component: Component
    workload: str
    target: str
    line: str


CASES: Mapping[str, Case] = {
    "nginx": Case(
        Component("nginx", "web", files="page=20000"), PAGES, "http://{address}/", "40mbit"
    ),
    "samba": Case(Component("samba", "files"), FILES, "smb://{address}", "10mbit"),
}


@dataclass(frozen=True)
class Found:
    """What a search found.

    Attributes:
        server: Name of the case.
        pair: Number of the pair.
        agents: How many load generators there were.
        users: The capacity that is reported: the largest level of those that passed.
        estimate: Where the criterion just breaks. Levels are far apart, so this is compared.

    """

    server: str
    pair: int
    agents: int
    users: int
    estimate: float


def read(file: Path) -> list[Found]:
    """What a file has of an earlier run."""
    if not file.exists():
        return []
    return [Found(**json.loads(line)) for line in file.read_text("utf-8").splitlines()]


def ratios(found: Sequence[Found], server: str) -> list[float]:
    """Of each whole pair: the estimate with three agents over that with one."""
    by_pair: dict[int, dict[int, float]] = {}
    for one in found:
        if one.server == server:
            by_pair.setdefault(one.pair, {})[one.agents] = one.estimate
    return [both[3] / both[1] for both in by_pair.values() if both.keys() == {1, 3}]


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


def verdict(pairs: Sequence[float]) -> Verdict:
    """Two one-sided t tests on the logarithms of paired ratios (Schuirmann 1987)."""
    logs = [math.log(one) for one in pairs]
    mean = statistics.fmean(logs)
    spread = statistics.stdev(logs) / math.sqrt(len(logs))
    reach = float(stdtrit(len(logs) - 1, CONFIDENCE)) * spread
    return Verdict(pairs, math.exp(mean), math.exp(mean - reach), math.exp(mean + reach))


def searched(name: str, pairs: Sequence[int], folder: Path, note: Callable[[Found], None]) -> None:
    """Search for the capacity with one and with three agents in turn, for each of these pairs."""
    case = CASES[name]
    place = folder / "server"
    place.mkdir()
    with Ground(3, 2) as ground, ExitStack() as around:
        here = Place(place, PORT, Tools(folder), {}, 0, host=ground.address("server"))
        start = KINDS[case.component.kind](case.component, here)
        around.enter_context(running(start, case.component, here, ground.within("server")))
        ground.limit("server", case.line)
        for pair in pairs:
            for agents in (1, 3) if pair % 2 else (3, 1):
                run_folder = folder / f"pair-{pair}-{agents}"
                found = _capacity(ground, case, start.address, run_folder, agents)
                note(Found(name, pair, agents, found["users"], found["estimate"]))


def _capacity(
    ground: Ground, case: Case, address: str, folder: Path, agents: int
) -> Mapping[str, Any]:
    folder.mkdir()
    workload = folder / "workload.toml"
    workload.write_text(case.workload, "utf-8")
    done = ground.headcount(
        folder,
        *("run", str(workload), "--target", case.target.format(address=address)),
        *("--quick", "--json", "--budget", BUDGET),
        *("--agents", str(agents), "--cluster", ground.cluster),
        *("--authorised-by", "bench.cluster", "--runs", str(folder / "runs")),
        longest_s=SEARCH_S,
    )
    if done.returncode:
        raise RuntimeError(f"{agents} agents: exit code {done.returncode}: {done.stderr[-800:]}")
    found: Mapping[str, Any] = json.loads(done.stdout)["capacity"]
    if found["estimate"] is None:
        raise RuntimeError(f"{agents} agents: the search has no estimate")
    return found


def keep(one: Found, file: Path) -> None:
    """Append it to a file, for a later run."""
    with file.open("a", encoding="utf-8") as out:
        out.write(f"{json.dumps(asdict(one))}\n")
