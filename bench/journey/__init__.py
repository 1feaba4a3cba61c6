"""What a step of a journey costs the load generator, beside its peers in the same round.

Each tool asks nginx for 1 KB of JSON as fast as it can with 16 connections; all but the plain ones
take the order's number from it and check its status. A tool's cost is what a longer run takes more
than a shorter one, all its processes together, by the requests that nginx counted: no start counts.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

from bench.example import ROOT
from bench.figure import Figure
from bench.tools import FOLDER, found
from headcount.lab import port as ports

HERE = Path(__file__).parent
ROUNDS = 5
USERS = 16
SHORT_S, LONG_S = 2, 8
SUCCEEDED = (0, 4)
"""Exit codes; Headcount's 4 says that it worked as hard as it could, which is meant here."""
PLAIN = "wrk, plain"
DECLARED = "headcount"
LUA_PLAY, LUA = "headcount, Lua that plays it", "headcount, Lua that computes, too"
BARS = {DECLARED: (PLAIN, 1.3), "k6": (DECLARED, 5.0), "Goose": (DECLARED, 2.0)}
"""At most so many times the cost of the other; of k6 and Goose at least so many times ours."""


@dataclass(frozen=True, slots=True)
class Tool:
    """How a tool is run: `{url}`, `{users}` and `{seconds}` stand in its command."""

    name: str
    command: tuple[str, ...]
    variables: Mapping[str, str] | None = None

    def cpu_s(self, url: str, seconds: int) -> float:
        """CPU time of all its processes in a run of so many seconds."""
        values = {"url": url, "users": str(USERS), "seconds": str(seconds)}
        command = [part.format(**values) for part in self.command]
        given = (self.variables or {}).items()
        variables = {name: text.format(**values) for name, text in given}
        environment = os.environ | variables
        with (
            tempfile.TemporaryDirectory() as folder,
            subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            ) as process,
        ):
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in SUCCEEDED:
            raise subprocess.CalledProcessError(process.returncode, command)
        return usage.ru_utime + usage.ru_stime


def _headcount(name: str, workload: str) -> Tool:
    program = str(Path(sys.executable).with_name("headcount"))
    options = ("--levels", "{users}", "--duration", "{seconds}s", "--workers", "1")
    target = ("--target", "{url}", *options)
    return Tool(name, (program, "run", str(HERE / f"{workload}.toml"), *target))


def _tools() -> list[Tool]:
    """Those that are here."""
    wrk = ("wrk", "-t1", "-c{users}", "-d{seconds}s")
    page = "{url}/order.json"
    tools = [
        Tool(PLAIN, (*wrk, page)),
        _headcount("headcount, plain", "plain"),
        _headcount(DECLARED, "declared"),
        _headcount(LUA_PLAY, "lua_play"),
        _headcount(LUA, "lua"),
    ]
    here = found(("wrk", "k6"))
    if "wrk" not in here:
        raise SystemExit("wrk is not installed, and all is compared with it")
    tools.append(Tool("wrk, Lua", (*wrk, "-s", str(HERE / "wrk.lua"), page)))
    if "k6" in here:
        run = ("k6", "run", "--quiet", "--no-usage-report", str(HERE / "k6.js"))
        variables = {"URL": "{url}", "USERS": "{users}", "SECONDS": "{seconds}"}
        tools.append(Tool("k6", run, variables))
    uv = shutil.which("uv") or str(ROOT / ".tools" / "bin" / "uv")
    locust = (uv, "run", "--no-project", "--isolated", "--with", "locust", "locust")
    load = ("--headless", "--users", "{users}", "--spawn-rate", "{users}", "--host", "{url}")
    where = ("-f", str(HERE / "locust_file.py"), "--only-summary", "-t", "{seconds}s")
    tools.append(Tool("Locust", (*locust, *where, *load), {"UV_PYTHON_DOWNLOADS": "never"}))
    if goose := _goose():
        attack = ("--host", "{url}", "--users", "{users}", "--hatch-rate", "{users}")
        quiet = ("--no-print-metrics", "--run-time", "{seconds}s")
        tools.append(Tool("Goose", (goose, *attack, *quiet)))
    return tools


def _goose() -> str | None:
    """The program of `goose/`, built once; None where it cannot be."""
    folder = FOLDER / "goose"
    program = folder / "release" / "goose-journey"
    if not program.exists():
        print(f"building Goose's journey, once, in {folder}", file=sys.stderr)
        command = ["cargo", "build", "--release", "--quiet", "--target-dir", str(folder)]
        try:
            subprocess.run(command, cwd=HERE / "goose", check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"Goose is left out: {error}", file=sys.stderr)
            return None
    return str(program)


@contextmanager
def _served() -> Iterator[str]:
    """An nginx that has the order; gives its address."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        port = ports.free()
        (place / "www").mkdir()
        (place / "www" / "order.json").write_text(_order(), "utf-8")
        place.chmod(0o755)  # a worker of another account reads it
        text = (HERE / "nginx.conf").read_text("utf-8").replace("PORT", str(port))
        (place / "nginx.conf").write_text(text, "utf-8")
        command = ["nginx", "-p", folder, "-c", "nginx.conf"]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:
            try:
                while not ports.answers(port):
                    if server.poll() is not None:
                        raise SystemExit("nginx ended at once: is it installed?")
                    time.sleep(0.05)
                yield f"http://127.0.0.1:{port}"
            finally:
                server.terminate()
                server.wait()


def _order() -> str:
    """About 1 KB of JSON."""
    items = [
        f'{{"sku": "sku-{n}", "name": "Thing number {n}", "price": {1.5 * n}}}' for n in range(16)
    ]
    return f'{{"id": 4711, "status": "open", "items": [{", ".join(items)}]}}'


def _requests(url: str) -> int:
    """How many requests nginx has served."""
    with urlopen(f"{url}/served") as reply:  # noqa: S310 - the server of this run
        lines = reply.read().decode().splitlines()
    return int(lines[2].split()[2])


def _cost_us(tool: Tool, url: str) -> float:
    """CPU for a request, in microseconds."""
    cpu_s, requests = [], []
    for seconds in (SHORT_S, LONG_S):
        before = _requests(url)
        cpu_s.append(tool.cpu_s(url, seconds))
        requests.append(_requests(url) - before)
    return (cpu_s[1] - cpu_s[0]) / (requests[1] - requests[0]) * 1e6


def journey() -> list[Figure]:
    """CPU for a request of each tool, and as a ratio to others of the same round."""
    tools = _tools()
    with _served() as url:
        rounds = [{tool.name: _cost_us(tool, url) for tool in tools} for _ in range(ROUNDS)]
    figures = []
    for tool in tools:
        costs = [one[tool.name] for one in rounds]
        spread = f"{min(costs):.1f} to {max(costs):.1f}"
        title = f"{tool.name} ({spread})"
        figures.append(Figure("journey", title, statistics.median(costs), "us CPU"))
        if tool.name != PLAIN:
            figures.append(_ratio(rounds, tool.name))
    for name, what in ((LUA_PLAY, "that plays it"), (LUA, "that reads, adds and sets, too")):
        more_us = sorted(one[name] - one[DECLARED] for one in rounds)
        title = f"what Lua {what} adds to a step ({more_us[0]:.1f} to {more_us[-1]:.1f})"
        median_us = statistics.median(more_us)
        figures.append(Figure("journey", title, median_us, "us CPU", 2.0, "bar"))
    return figures


def _ratio(rounds: list[dict[str, float]], name: str) -> Figure:
    other, bar = BARS.get(name, (PLAIN, None))
    ratios = [one[name] / one[other] for one in rounds]
    title = f"  of {other}'s ({min(ratios):.2f} to {max(ratios):.2f})"
    return Figure("journey", title, statistics.median(ratios), "", bar, "bar")
