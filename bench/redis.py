"""What one GET of a value costs the client, as installed, beside redis-benchmark."""

import json
import math
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.example import cpu_s
from bench.figure import Figure
from headcount.lab.redis import RedisServer

ROUNDS = 7
CLIENTS = 16
SECONDS = 4
SCALE = 0.1
KEYS = 10_000
"""At that scale, in `ycsb-c`."""
VALUE_BYTES = 1000
REQUESTS = 200_000
LONGEST_S = 120.0


def redis() -> list[Figure]:
    """CPU of the generator for a GET, each client over a connection of its own, in turns."""
    server = RedisServer({})
    try:
        peer = _Peer(server.address)
        peer.fill()
        figures = [Figure("redis", "redis-benchmark, 1 thread", peer.get_us(), "µs CPU")]
        for name, options in (("values checked", []), ("not checked", ["--client", "verify=off"])):
            ours, theirs = [], []
            for _ in range(ROUNDS):
                ours.append(_headcount_us(server.address, options))
                theirs.append(peer.get_us())
            ratios = [mine / other for mine, other in zip(ours, theirs, strict=True)]
            figures += _compared(name, ours, theirs, ratios)
    finally:
        server.stop()
    return figures


def _compared(
    name: str, ours: Sequence[float], theirs: Sequence[float], ratios: Sequence[float]
) -> list[Figure]:
    middle = statistics.geometric_mean(ratios)
    spread = statistics.stdev(map(math.log, ratios)) / math.sqrt(len(ratios))
    return [
        Figure(
            "redis",
            f"Headcount's worker, {name}",
            statistics.median(ours),
            "µs CPU",
            statistics.median(theirs),
            "redis-bench",
        ),
        Figure("redis", f"ratio of pairs, {name}", middle, "of theirs"),
        Figure("redis", "its standard error", middle * spread, "of theirs"),
    ]


def _headcount_us(address: str, options: Sequence[str]) -> float:
    """CPU of the worker for a request, in the steady part of a level."""
    with tempfile.TemporaryDirectory() as runs:
        command = [sys.executable, "-m", "headcount", "run", "ycsb-c"]
        command += ["--target", f"redis://{address}", "--levels", str(CLIENTS)]
        command += ["--duration", f"{SECONDS}s", "--scale", str(SCALE), "--workers", "1"]
        command += ["--runs", runs, "--json", *options]
        done = subprocess.run(
            command, check=False, capture_output=True, text=True, timeout=LONGEST_S
        )
        bundle = Path(json.loads(done.stdout)["bundle"])
        lines = (bundle / "series.ndjson").read_text("utf-8").splitlines()
    steady = [second for second in map(json.loads, lines) if second["phase"] == "steady"]
    used_s = sum(sum(second["worker_cpu_s"]) for second in steady)
    completed = sum(one["completed"] for second in steady for one in second["scenarios"].values())
    return float(1e6 * used_s / completed)


class _Peer:
    """redis-benchmark, against the same server."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self._command = ["redis-benchmark", "-h", host, "-p", port, "-c", str(CLIENTS)]
        self._command += ["-d", str(VALUE_BYTES), "-r", str(KEYS), "-q"]

    def fill(self) -> None:
        """Write its keys, so that each GET has a value."""
        command = [*self._command, "-t", "set", "-n", str(20 * KEYS)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=LONGEST_S)

    def get_us(self) -> float:
        """CPU of the process for a GET, its start included."""
        return 1e6 * cpu_s([*self._command, "-t", "get", "-n", str(REQUESTS)]) / REQUESTS
