"""The same load file on the same folder: dbench's own, beside users who play it (`file://`)."""

import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.figure import Figure
from headcount import workloads
from headcount._engine import Engine
from headcount.cli.loadfile import load_file
from headcount.controller.access.files import FilesAccess
from headcount.plan.plan import engine_plan
from headcount.plan.resolve import Overrides, resolve

LOAD_FILE = Path("/usr/share/dbench/client.txt")
"""That of Debian's package dbench."""
MEMORY = Path("/dev") / "shm"
"""A file system in memory, so that no disk is measured."""
ROUNDS = 3
SECONDS = 5
WARM_UP = 1 / 5
"""The part of its time that dbench plays before it counts; its CPU then is measured, too."""


@dataclass(frozen=True, slots=True)
class Played:
    """The result of one round."""

    operations: int
    seconds: float
    cpu_s: float


def dbench() -> list[Figure]:
    """CPU and time for an operation, one client, rounds of both by turns; medians."""
    ours, theirs = [], []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
            theirs.append(_dbench(Path(folder)))
        with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
            ours.append(_headcount(Path(folder)))
    cpu = [1e6 * statistics.median(p.cpu_s / p.operations for p in each) for each in (ours, theirs)]
    spent = [
        1e6 * statistics.median(p.seconds / p.operations for p in each) for each in (ours, theirs)
    ]
    return [
        Figure("dbench", "CPU for an operation, one client", cpu[0], "µs CPU", cpu[1], "dbench"),
        Figure("dbench", "time for an operation, one client", spent[0], "µs", spent[1], "dbench"),
    ]


def _headcount(folder: Path) -> Played:
    loaded = load_file(LOAD_FILE, ignore_times=False)
    overrides = Overrides(users=1, seed=1, workers=1, loadfile=loaded)
    plan = resolve(workloads.load("replay"), f"file://{folder}", overrides)
    access = FilesAccess(plan, str(folder))
    access.prepare(1, _silent)
    engine = Engine(engine_plan(plan), plan.protocol, access.engine_target())
    try:
        began_cpu_s, began_s, operations = time.process_time(), engine.now_s(), 0
        engine.set_users(1, 0.0)
        ended_s = began_s
        while ended_s - began_s < SECONDS and (interval := engine.next(10.0)) is not None:
            operations += sum(scenario.completed for scenario in interval.scenarios)
            assert not interval.faults, [fault.examples for fault in interval.faults]
            ended_s = interval.to_s
        return Played(operations, ended_s - began_s, time.process_time() - began_cpu_s)
    finally:
        engine.close()


def _silent(done: int, users: int) -> None:
    """Ignore progress."""
    del done, users


def _dbench(folder: Path) -> Played:
    program = shutil.which("dbench")
    if program is None:
        raise SystemExit("dbench is missing: apt-get install -y dbench")
    command = [program, "-c", str(LOAD_FILE), "-D", str(folder), "-t", str(SECONDS)]
    before = os.times()
    ended = subprocess.run([*command, "1"], check=True, capture_output=True, text=True)
    after = os.times()
    cpu_s = sum(
        getattr(after, name) - getattr(before, name)
        for name in ("children_user", "children_system")
    )
    rows = re.findall(r"^ (?!Operation)\w+ +(\d+) +[\d.]+ +[\d.]+$", ended.stdout, re.MULTILINE)
    return Played(sum(map(int, rows)), SECONDS, cpu_s / (1 + WARM_UP))
