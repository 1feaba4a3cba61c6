"""The sort beside GNU sort and DuckDB: the same records, memory and threads, in turns."""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from resource import struct_rusage

from bench.example import ROOT
from bench.figure import Figure
from headcount import _engine

RECORDS = 3_000_000
RECORD_BYTES, KEY_BYTES = 100, 10
LIMITS_MB = (32, 128, 512)
"""The last one holds everything."""
THREADS = 2
ROUNDS = 5
LOOK_EVERY_S = 0.002
GOAL = 0.5
"""At least twice as fast as GNU sort."""
KEYS = [(0, KEY_BYTES)]

DUCKDB = """
import json, sys, time, duckdb
source, target, work, limit_mb, threads, key_bytes = sys.argv[1:]
db = duckdb.connect(config={"threads": int(threads), "temp_directory": work})
db.execute("SET enable_progress_bar = false")
db.execute(f"SET memory_limit = '{limit_mb}MB'")
db.execute("SET preserve_insertion_order = false")
read = f"read_csv('{source}', columns={{'r': 'VARCHAR'}}, header=false, delim='\\x01', quote='', "
read += "escape='')"
copy = f"COPY (SELECT r FROM {read} ORDER BY left(r, {key_bytes})) TO '{target}' "
began_s = time.monotonic()
db.execute(copy + "(HEADER false, QUOTE '', ESCAPE '', DELIMITER '\\x01')")
print(json.dumps({"wall_s": time.monotonic() - began_s}))
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one sort cost: time to the last write, CPU, and the most resident memory.

    `process_cpu_s` is the CPU of the whole process, its start included.
    """

    wall_s: float
    cpu_s: float
    resident_bytes: int
    process_cpu_s: float


def sort() -> list[Figure]:
    """Time and memory of each at each limit: medians, and the median of paired ratios."""
    with tempfile.TemporaryDirectory(dir=ROOT / "target", prefix="bench-sort-") as name:
        folder = Path(name)
        source = folder / "source"
        source.touch()
        _engine.sort_make(str(source), RECORD_BYTES, KEYS, "records", RECORDS, 1, lambda _far: None)
        figures = []
        for limit_mb in LIMITS_MB:
            figures += _at(limit_mb, source, folder)
        return figures


def _at(limit_mb: int, source: Path, folder: Path) -> list[Figure]:
    costs: defaultdict[str, list[Cost]] = defaultdict(list)
    for _ in range(ROUNDS):
        for name, one in (("ours", ours_cost), ("GNU", gnu_cost), ("DuckDB", duckdb_cost)):
            target = folder / "target"
            target.write_bytes(b"")
            cost = one(limit_mb, source, target, folder)
            if cost is None:
                continue
            check(name, target)
            costs[name].append(cost)
            target.unlink()
    ours, gnu = costs["ours"], costs["GNU"]
    pairs = [one.wall_s / other.wall_s for one, other in zip(ours, gnu, strict=True)]
    spread = f"{min(pairs):.2f}-{max(pairs):.2f}"
    figures = [
        _figure(limit_mb, "time", "s", _median(ours, "wall_s"), _median(gnu, "wall_s"), "GNU"),
        _figure(
            limit_mb, f"of GNU's, {spread}", "of pairs", statistics.median(pairs), GOAL, "goal"
        ),
        _figure(limit_mb, "CPU", "s", _median(ours, "cpu_s"), _median(gnu, "cpu_s"), "GNU"),
        _figure(
            limit_mb,
            "resident",
            "MB",
            _median(ours, "resident_bytes") / 1e6,
            _median(gnu, "resident_bytes") / 1e6,
            "GNU",
        ),
    ]
    if len(costs["DuckDB"]) == ROUNDS:
        duckdb = costs["DuckDB"]
        wall_s, resident_mb = _median(duckdb, "wall_s"), _median(duckdb, "resident_bytes") / 1e6
        figures += [
            _figure(limit_mb, "time", "s", _median(ours, "wall_s"), wall_s, "DuckDB"),
            _figure(
                limit_mb,
                "resident",
                "MB",
                _median(ours, "resident_bytes") / 1e6,
                resident_mb,
                "DuckDB",
            ),
        ]
    return figures


def _figure(
    limit_mb: int, name: str, unit: str, value: float, target: float, against: str
) -> Figure:
    return Figure("sort", f"{limit_mb} MB: {name}", value, unit, target, against)


def _median(costs: list[Cost], name: str) -> float:
    return float(statistics.median(getattr(cost, name) for cost in costs))


def ours_cost(limit_mb: int, source: Path, target: Path, work: Path) -> Cost | None:
    order = {
        "parent": os.getpid(),
        "source": str(source),
        "target": str(target),
        "record_bytes": RECORD_BYTES,
        "keys": KEYS,
        "records": RECORDS,
        "sortsize_bytes": limit_mb * 1_000_000,
        "threads": THREADS,
        "work": [str(work)],
        "cold": False,
    }
    command = [sys.executable, "-m", "headcount.sort.child"]
    cost, output = _run(command, json.dumps(order) + "\n")
    if cost is None:
        raise RuntimeError(f"the sort failed: {output}")
    took = json.loads(output.splitlines()[-1])["sorted"]
    return Cost(took["exit_s"], took["cpu_s"], cost.resident_bytes, cost.cpu_s)


def gnu_cost(limit_mb: int, source: Path, target: Path, work: Path) -> Cost | None:
    options = [f"--buffer-size={limit_mb * 1_000_000}b", f"--parallel={THREADS}", "--stable"]
    options += [f"--temporary-directory={work}", f"--key=1.1,1.{KEY_BYTES}"]
    cost, output = _run(["sort", *options, f"--output={target}", str(source)])
    if cost is None:
        raise RuntimeError(f"GNU sort failed: {output}")
    return cost


def duckdb_cost(limit_mb: int, source: Path, target: Path, work: Path) -> Cost | None:
    """None where DuckDB needs more memory than it may have."""
    arguments = [str(source), str(target), str(work), str(limit_mb), str(THREADS), str(KEY_BYTES)]
    cost, output = _run([sys.executable, "-c", DUCKDB, *arguments])
    if cost is None:
        return None
    return replace(cost, wall_s=json.loads(output.splitlines()[-1])["wall_s"])


def _run(command: list[str], given: str = "") -> tuple[Cost | None, str]:
    """What a command cost, with what it printed; no cost if it failed."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as stdin:
        stdin.write(given)
        stdin.seek(0)
        began_s = time.monotonic()
        with subprocess.Popen(
            command,
            stdin=stdin,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, "LC_ALL": "C"},
        ) as process:
            status, usage, resident_bytes = _watched(process.pid)
            wall_s = time.monotonic() - began_s
            process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        output = out.read()
    if process.returncode != 0:
        return None, output
    cpu_s = usage.ru_utime + usage.ru_stime
    return Cost(wall_s, cpu_s, resident_bytes, cpu_s), output


def _watched(pid: int) -> tuple[int, struct_rusage, int]:
    """How a process ended, what it used, and the most memory that it held.

    The memory is read while it runs: the kernel's usage of a child process includes the memory of
    this process (getrusage(2), `ru_maxrss` and execve).
    """
    resident_bytes = 0
    while True:
        with suppress(OSError):
            text = Path(f"/proc/{pid}/status").read_text("utf-8")
            found = re.search(r"^VmHWM:\s+(\d+) kB", text, re.MULTILINE)
            if found:
                resident_bytes = max(resident_bytes, int(found[1]) * 1024)
        ended, status, usage = os.wait4(pid, os.WNOHANG)
        if ended:
            return status, usage, resident_bytes
        time.sleep(LOOK_EVERY_S)


def check(name: str, target: Path) -> None:
    """Look at an output, untimed: its records, and their order."""
    found = json.loads(_engine.sort_verify(str(target), RECORD_BYTES, KEYS, lambda _far: None))
    if found["disorder"] is not None or found["checksum"]["records"] != RECORDS:
        raise RuntimeError(f"the output of {name} is not the sorted data: {found}")
