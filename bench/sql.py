"""What one statement costs the client of a database, beside pgbench with the same statement."""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.example import LONGEST_S, ROOT
from bench.figure import Figure
from headcount.lab.postgresql import PostgresqlServer, programs

ROUNDS = 5
SECONDS = 4
ROWS = 100_000
"""Of pgbench's table at scale 1."""
SELECT = ("SELECT", "SELECT abalance FROM pgbench_accounts WHERE aid = {}")
UPDATE = ("UPDATE", "UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = {}")
CASES = ((*SELECT, 1), (*SELECT, 16), (*UPDATE, 16), (*SELECT, 64), (*SELECT, 1000))
"""What it is called, the statement, and connections."""
SETTINGS = {"max_connections": "1100", "synchronous_commit": "off"}
"""Without these, the disk would be measured."""
REPORT = re.compile(r"progress: ([\d.]+) s, ([\d.]+) tps")


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU for a statement, and statements a second, in the steady part."""

    us: float
    per_s: float


def sql() -> list[Figure]:
    """CPU of the whole process for a statement, and their rate; both sides take turns."""
    server = PostgresqlServer(SETTINGS)
    try:
        sides = Sides(server)
        return [figure for case in CASES for figure in _compared(sides, *case)]
    finally:
        server.stop()


def _compared(sides: "Sides", name: str, statement: str, connections: int) -> list[Figure]:
    pairs = []
    for turn in range(ROUNDS):
        both = [sides.ours, sides.pgbench]
        order = both if turn % 2 else both[::-1]
        costs = {side: side(statement, connections) for side in order}
        pairs.append([costs[side] for side in both])
    title = f"{name}, {connections:,} connection{'s' if connections > 1 else ''}"
    cpu = [(mine.us, peer.us) for mine, peer in pairs]
    # Inverted, because smaller is better in all figures.
    rate = [(peer.per_s, mine.per_s) for mine, peer in pairs]
    return [
        *_figures(f"{title}: CPU", cpu, "µs CPU", "pgbench"),
        *_figures(f"{title}: pgbench's rate", rate, "statements/s", "ours"),
    ]


def _figures(
    name: str, pairs: Sequence[tuple[float, float]], unit: str, against: str
) -> list[Figure]:
    ratios = sorted(first / second for first, second in pairs)
    first, second = (statistics.median(side) for side in zip(*pairs, strict=True))
    spread = ("least", ratios[0]), ("median", statistics.median(ratios)), ("most", ratios[-1])
    return [
        Figure("sql", name, first, unit, second, against),
        *(Figure("sql", f"  ratio of pairs, {what}", ratio, "") for what, ratio in spread),
    ]


class Sides:
    """Both clients, and the server they speak to."""

    def __init__(self, server: PostgresqlServer) -> None:
        """Make pgbench's tables."""
        host, _, port = server.address.rpartition(":")
        who = {"PGHOST": host, "PGPORT": port, "PGUSER": server.user}
        self._environment = {**os.environ, **who, "PGPASSWORD": server.password}
        self._pgbench = str(Path(programs()[0]).with_name("pgbench"))
        address = {"address": server.address, "database": server.database, "user": server.user}
        self._target = json.dumps({**address, "password": server.password})
        self._database = server.database
        subprocess.run(
            [self._pgbench, "-i", "-q", self._database],
            env=self._environment,
            check=True,
            stderr=subprocess.DEVNULL,
            timeout=LONGEST_S,
        )

    def ours(self, statement: str, connections: int) -> Cost:
        """Headcount's engine as installed, one worker."""
        command = [sys.executable, "-m", "bench.sql_users", statement.format("$1")]
        command += [f"{{random:1..{ROWS}}}", str(connections), str(SECONDS)]
        ran = subprocess.run(
            command,
            cwd=ROOT,
            check=True,
            input=self._target,
            stdout=subprocess.PIPE,
            text=True,
            timeout=LONGEST_S,
        )
        found: Mapping[str, float] = json.loads(ran.stdout)
        us = 1e6 * found["cpu_s"] / found["statements"]
        return Cost(us, found["statements"] / found["took_s"])

    def pgbench(self, statement: str, connections: int) -> Cost:
        """pgbench with one thread, from a second after all have logged on."""
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "script.sql"
            lines = [rf"\set aid random(1, {ROWS})", statement.format(":aid") + ";"]
            script.write_text("\n".join(lines) + "\n", "utf-8")
            options = ["-n", "-M", "prepared", "-j", "1", "-c", str(connections), "-P", "1"]
            command = [self._pgbench, *options, "-T", str(int(LONGEST_S)), "-f", str(script)]
            with subprocess.Popen(
                [*command, self._database],
                env=self._environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            ) as process:
                try:
                    return _steady(process)
                finally:
                    process.kill()


def _steady(process: subprocess.Popen[str]) -> Cost:
    """What pgbench costs between two of its reports, which come each second."""
    assert process.stderr is not None
    reports = (found for line in process.stderr if (found := REPORT.match(line)))
    began_s = float(next(reports)[1])
    used_s, done, at_s = _cpu_s(process.pid), 0.0, began_s
    for _ in range(SECONDS):
        report = next(reports)
        done += float(report[2]) * (float(report[1]) - at_s)
        at_s = float(report[1])
    used_s = _cpu_s(process.pid) - used_s
    return Cost(1e6 * used_s / done, done / (at_s - began_s))


def _cpu_s(pid: int) -> float:
    """CPU time of a process with one thread (proc(5), schedstat: ns)."""
    return int(Path(f"/proc/{pid}/schedstat").read_text("ascii").split()[0]) / 1e9
