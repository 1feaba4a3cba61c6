"""The cost of agents per request, beside Locust's workers and k6's: one nginx, the same users."""

import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from bench.cluster.equivalence import PAGES
from bench.cluster.ground import command, descendants
from bench.foreign.case import Component
from bench.foreign.servers import KINDS
from bench.foreign.servers.start import Place, end, free_port, running
from bench.foreign.tools import Tools
from bench.tools import found

STATUS = "location /status { stub_status; }"
SETTLE_S, MEASURE_S, START_S, LONGEST_S = 5.0, 15.0, 120.0, 90
LOCUST, K6 = (Path(__file__).with_name(name) for name in ("locust_page.py", "k6_page.js"))
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Cost:
    """Of one generator.

    Attributes:
        tool: Which.
        per_s: Requests that the server answered.
        leader: CPU of the controller or master, in cores; 0 for k6, which has none.
        followers: Of all agents or workers together.

    """

    tool: str
    per_s: float
    leader: float
    followers: float

    @property
    def us(self) -> float:
        """CPU time of all processes per request, in microseconds."""
        return 1e6 * (self.leader + self.followers) / self.per_s


def compared(agents: int, users: int, rounds: int, folder: Path) -> Iterator[Cost]:
    """Measure all in turn, that many times; k6 only where it is, or can be built."""
    has_k6 = bool(found(("k6",)))
    component = Component("nginx", "web", files="page=1000", config=STATUS)
    place = Place(folder, free_port(set()), Tools(folder), {}, 0)
    start = KINDS["nginx"](component, place)
    page = folder / "page.toml"
    page.write_text(PAGES, "utf-8")
    with running(start, component, place, ()):
        for _ in range(rounds):
            with _headcount(page, start.address, agents, users, folder) as leader:
                yield _cost("Headcount", leader, [], start.address, users)
            with _locust(start.address, agents, users, folder) as (leader, *workers):
                yield _cost("Locust", leader, workers, start.address, users)
            if has_k6:
                with _k6(start.address, agents, users, folder) as workers:
                    yield _cost("k6", None, workers, start.address, users)


@contextmanager
def _headcount(
    page: Path, address: str, agents: int, users: int, folder: Path
) -> "Iterator[subprocess.Popen[bytes]]":
    line = [
        *(sys.executable, "-m", "headcount", "run", str(page), "--target", f"http://{address}/"),
        *("--users", str(users), "--duration", f"{LONGEST_S}s", "--ramp", "2s"),
        *("--agents", str(agents), "--workers", "1", "--runs", str(folder / "runs")),
    ]
    with _processes([line], folder) as (process,):
        yield process


@contextmanager
def _locust(
    address: str, agents: int, users: int, folder: Path
) -> "Iterator[list[subprocess.Popen[bytes]]]":
    uv = shutil.which("uv") or "uv"
    tool = [
        uv,
        "run",
        "--no-project",
        "--isolated",
        "--with",
        "locust",
        "locust",
        "-f",
        str(LOCUST),
    ]
    port = str(free_port(set()))
    master = [
        *(*tool, "--master", "--headless", "--expect-workers", str(agents), "-u", str(users)),
        *("-r", str(users // 2), "--run-time", f"{LONGEST_S}s", "--host", f"http://{address}"),
        *("--master-bind-port", port, "--only-summary"),
    ]
    worker = [*tool, "--worker", "--master-port", port]
    with _processes([master, *[worker] * agents], folder) as found:
        yield found


@contextmanager
def _k6(
    address: str, agents: int, users: int, folder: Path
) -> "Iterator[list[subprocess.Popen[bytes]]]":
    """Processes that share the users by execution segments, as its documentation has it."""
    given = {"USERS": str(users), "SECONDS": str(LONGEST_S), "URL": f"http://{address}"}
    variables = [part for name, value in given.items() for part in ("-e", f"{name}={value}")]
    bounds = ["0", *(f"{one}/{agents}" for one in range(1, agents)), "1"]
    lines = [
        [
            *("k6", "run", "--quiet", "--no-usage-report", *variables, "--address", ""),
            *("--execution-segment", f"{first}:{last}"),
            *("--execution-segment-sequence", ",".join(bounds), str(K6)),
        ]
        for first, last in pairwise(bounds)
    ]
    with _processes(lines, folder) as started:
        yield started


@contextmanager
def _processes(
    commands: Sequence[Sequence[str]], folder: Path
) -> "Iterator[list[subprocess.Popen[bytes]]]":
    started: list[subprocess.Popen[bytes]] = []
    try:
        for line in commands:
            output = (folder / f"output-{len(started)}").open("wb")
            started.append(
                subprocess.Popen(
                    line,
                    cwd=folder,
                    env=os.environ | {"XDG_STATE_HOME": str(folder / "state")},
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )
            )
        yield started
    finally:
        for one in started:
            end(one)


def _cost(
    tool: str,
    leader: "subprocess.Popen[bytes] | None",
    workers: "Sequence[subprocess.Popen[bytes]]",
    address: str,
    users: int,
) -> Cost:
    """Wait until all users are there, then measure."""
    started = [*workers] if leader is None else [leader, *workers]
    until_s = time.monotonic() + START_S
    while _status(address)[0] < users:
        if time.monotonic() > until_s or any(one.poll() is not None for one in started):
            raise RuntimeError(f"{tool} does not play {users} users")
        time.sleep(0.2)
    time.sleep(SETTLE_S)
    # uv starts Locust as a process of its own, and a controller its agents.
    below = [] if leader is None else [leader.pid, *descendants(leader.pid)]
    agents = [pid for pid in below if "headcount.generator" in command(pid)]
    own = [pid for pid in below if pid not in agents]
    others = [*agents, *(pid for one in workers for pid in (one.pid, *descendants(one.pid)))]
    began_s = time.monotonic()
    before = (_cpu_s(own), _cpu_s(others), _status(address)[1])
    time.sleep(MEASURE_S)
    after = (_cpu_s(own), _cpu_s(others), _status(address)[1])
    took_s = time.monotonic() - began_s
    leads, follows, requests = (b - a for a, b in zip(before, after, strict=True))
    return Cost(tool, requests / took_s, leads / took_s, follows / took_s)


def _status(address: str) -> tuple[int, int]:
    """Connections that nginx has, and requests that it has answered."""
    with suppress(OSError), urllib.request.urlopen(f"http://{address}/status", timeout=5) as reply:
        numbers = [int(one) for one in re.findall(rb"\d+", reply.read())]
        return numbers[0], numbers[3]
    return 0, 0


def _cpu_s(pids: Sequence[int]) -> float:
    total = 0
    for pid in pids:
        with suppress(OSError):
            words = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
            total += int(words[11]) + int(words[12])
    return total / TICKS
