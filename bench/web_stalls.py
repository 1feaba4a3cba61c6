"""What tools report of a web server that stands still for 1 s of each 10 s, at the same rate.

The truth is computed as in `bench.stalls`: from when the server stood still, which is known here
since this program stopped it, and from response times measured before.
"""

import json
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.figure import Figure
from bench.stalls import Stall, true_quantile_s, until
from bench.tools import found
from headcount._engine import Engine, Histogram
from headcount.generator.real_time import real_time
from headcount.protocols.registry import start_lab

USERS = 50
PER_S = 200
"""So low that the backlog of a stall is served within a hundredth of the stall's length."""
PERIODS = 4
PERIOD_S = 10.0
STALL_S = 1.0
CALM_S = 10.0
QUANTILES = (0.95, 0.99)
GRACE_S = 30.0
"""How much longer than its work a tool may take to end."""


@dataclass(frozen=True, slots=True)
class ToolFigures:
    """What a tool says: response times in ms by quantile, and requests answered a second."""

    quantiles_ms: dict[float, float]
    per_s: float


def web_stalls() -> list[Figure]:
    """Response times and rates reported by Headcount, oha, h2load and k6, beside the truth."""
    server = start_lab("nginx", {"workers": "1"})
    try:
        url = f"{server.url}/page.html"  # type: ignore[attr-defined]
        Path(server.data, "page.html").write_bytes(b"x" * 1024)  # type: ignore[attr-defined]
        pids = _tree(server.pids[0])
        with real_time():
            engine = Engine(_plan(), "http", json.dumps({"url": url.rpartition("/")[0]}))
        try:
            alone, figures = _ours(engine, pids)
        finally:
            engine.close()
        for name in found(tuple(TOOLS)):
            with _stalls(pids) as stood_still:
                seen = TOOLS[name](url)
            figures += _compared(name, seen, alone, stood_still)
        return figures
    finally:
        server.stop()


def _tree(master: int) -> list[int]:
    """The master and its workers."""
    workers = Path(f"/proc/{master}/task/{master}/children").read_text("utf-8").split()
    return [master, *map(int, workers)]


def _ours(engine: Engine, pids: list[int]) -> tuple[Histogram, list[Figure]]:
    engine.set_users(USERS, 1.0)
    until(engine, 3.0)
    calm = until(engine, 3.0 + CALM_S)
    alone = Histogram.merge([second.scenarios[0].response for second in calm])
    with _stalls(pids) as stood_still:
        stormy = until(engine, engine.now_s() + PERIODS * PERIOD_S)
    reported = Histogram.merge([second.scenarios[0].response for second in stormy])
    length_s = stormy[-1].to_s - stormy[0].from_s
    quantiles = {quantile: reported.quantile_us(quantile) / 1e3 for quantile in QUANTILES}
    seen = ToolFigures(quantiles, reported.count / length_s)
    return alone, _compared("Headcount", seen, alone, stood_still)


def _compared(
    name: str, seen: ToolFigures, alone: Histogram, stood_still: list[Stall]
) -> list[Figure]:
    length_s = PERIODS * PERIOD_S
    figures = []
    for quantile, seen_ms in seen.quantiles_ms.items():
        truth_ms = true_quantile_s(quantile, alone, stood_still, length_s) * 1e3
        title = f"{name}: p{quantile * 100:g}"
        figures.append(Figure("web-truth", title, seen_ms, "ms", truth_ms, "truth"))
    rate = Figure("web-truth", f"{name}: rate held", seen.per_s, "requests/s", PER_S, "asked for")
    return [*figures, rate]


@contextmanager
def _stalls(pids: list[int]) -> Iterator[list[Stall]]:
    """Stop the server for 1 s in the middle of each period, for as long as the block runs."""
    stood_still: list[Stall] = []
    over = threading.Event()

    def stall() -> None:
        for _ in range(PERIODS):
            if over.wait(0.4 * PERIOD_S):
                return
            stood_still.append(_stop(pids))
            if over.wait(0.6 * PERIOD_S - STALL_S):
                return

    thread = threading.Thread(target=stall)
    thread.start()
    try:
        yield stood_still
    finally:
        over.set()
        thread.join()


def _stop(pids: list[int]) -> Stall:
    """Stop the server for a while, and continue it whatever happens."""
    try:
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        from_s = time.monotonic()
        time.sleep(STALL_S)
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
    return Stall(from_s, time.monotonic())


def _oha(url: str) -> ToolFigures:
    """With its correction, which is off unless asked for."""
    rate = ["-q", str(PER_S), "-c", str(USERS), "-z", _length(), "--latency-correction"]
    report = json.loads(_output(["oha", "--no-tui", "--output-format", "json", *rate, url]))
    shown = report["latencyPercentiles"]
    quantiles = {quantile: shown[f"p{quantile * 100:g}"] * 1e3 for quantile in QUANTILES}
    return ToolFigures(quantiles, report["statusCodeDistribution"]["200"] / (PERIODS * PERIOD_S))


def _h2load(url: str) -> ToolFigures:
    """From its log of all requests; it prints the least, the mean and the greatest only."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        rate = [f"--rps={PER_S / USERS:g}", f"-c{USERS}", "-t1", "-D", _length()[:-1]]
        _output(["h2load", "--h1", *rate, f"--log-file={log}", url])
        rows = [line.split() for line in log.read_text("utf-8").splitlines()]
    times_us = sorted(int(row[2]) for row in rows if row[1] == "200")
    quantiles = {quantile: _quantile(times_us, quantile) / 1e3 for quantile in QUANTILES}
    return ToolFigures(quantiles, len(times_us) / (PERIODS * PERIOD_S))


def _quantile(values: list[int], quantile: float) -> float:
    """The value that this share does not exceed; of sorted values."""
    return float(values[min(int(quantile * len(values)), len(values) - 1)])


def _k6(url: str) -> ToolFigures:
    """At a constant rate of arrivals, with enough users for the backlog."""
    shape = {
        "executor": "constant-arrival-rate",
        "rate": PER_S,
        "timeUnit": "1s",
        "duration": _length(),
        "preAllocatedVUs": USERS,
        "maxVUs": 10 * USERS,
    }
    options = {"scenarios": {"web": shape}, "summaryTrendStats": ["p(95)", "p(99)"]}
    with tempfile.TemporaryDirectory() as folder:
        script, summary = Path(folder, "script.js"), Path(folder, "summary.json")
        script.write_text(
            f"import http from 'k6/http';\nexport const options = {json.dumps(options)};\n"
            f"export default () => {{ http.get({json.dumps(url)}); }};\n",
            "utf-8",
        )
        quiet = ["--quiet", "--no-usage-report", "--summary-export", str(summary)]
        _output(["k6", "run", *quiet, str(script)])
        metrics: dict[str, Any] = json.loads(summary.read_text("utf-8"))["metrics"]
    shown = metrics["http_req_duration"]
    quantiles = {quantile: shown[f"p({quantile * 100:g})"] for quantile in QUANTILES}
    return ToolFigures(quantiles, metrics["http_reqs"]["count"] / (PERIODS * PERIOD_S))


TOOLS: dict[str, Callable[[str], ToolFigures]] = {"oha": _oha, "h2load": _h2load, "k6": _k6}
"""Tools that hold a rate; wrk has none."""


def _length() -> str:
    return f"{PERIODS * PERIOD_S:g}s"


def _output(command: list[str]) -> str:
    longest_s = PERIODS * PERIOD_S + GRACE_S
    ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=longest_s)
    return ran.stdout


def _plan() -> str:
    limits = {"limit_ms": 1000.0, "late_ms": 1000.0}
    get = {"name": "get", "op": "get", "path": "/page.html"}
    every = {"draw": "exponential", "mean_s": USERS / PER_S}
    return json.dumps(
        {
            "seed": 1,
            "workers": 1,
            "pace": {"pace": "open", "every": every},
            "step_timeout_ms": 60_000,
            "report_every_ms": 1000,
            "scenarios": [{"name": "get", "weight": 1.0, **limits, "steps": [get]}],
        }
    )
