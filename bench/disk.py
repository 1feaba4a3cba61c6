"""What disk I/O costs, and how fast it is, beside fio on the same file in the same minute."""

import json
import os
import statistics
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.example import ROOT, run
from bench.figure import Figure
from headcount.disk import grid
from headcount.disk.bench import Bench, bench, choose
from headcount.disk.cell import Block, Cell
from headcount.disk.settings import Settings

SIZE_BYTES = 512 << 20
BLOCK_BYTES = 4096
"""The smaller the block, the more I/Os: here their CPU matters most."""
DEPTHS = (1, 8)
ROUNDS = 7
SECONDS = 1.0
WARM_UP_S = 0.2
MOST_CPU = 1.0
MOST_TIME = 1.05
"""Of fio's: CPU for an I/O by its cheapest engine, time between I/Os by the engine that is ours."""
FIO = {
    "sequential-read": "read",
    "random-read": "randread",
    "sequential-write": "write",
    "random-write": "randwrite",
}
"""Reads before writes: what fio writes is not ours to read."""


@dataclass(frozen=True)
class Cost:
    """A rate and what it costs."""

    iops: float
    cpu_us: float


def disk() -> list[Figure]:
    """CPU for an I/O and time between I/Os, as ratios to fio's."""
    cells = [
        Cell(grid.PATTERNS[name], (Block(BLOCK_BYTES),), 1, depth)
        for name in FIO
        for depth in DEPTHS
    ]
    with tempfile.TemporaryDirectory(prefix="bench-", dir=ROOT / "target") as folder:
        settings = Settings(
            folder=Path(folder),
            size_bytes=SIZE_BYTES,
            direct=True,
            sync=False,
            verify=False,
            engine=choose(None)[0],
            seed=1,
            seconds=SECONDS,
            warm_up_s=WARM_UP_S,
        )
        with bench(settings, cells) as made:
            made.fill(_nobody)
            file = file_of(Path(folder))
            return [figure for cell in cells for figure in _compared(made, cell, file)]


def _compared(made: Bench, cell: Cell, file: Path) -> list[Figure]:
    """A cell and the same in fio, in turns; medians of the ratios within rounds."""
    # One I/O at a time needs no asynchronous engine; several cannot do without.
    engines = ["psync", "libaio", "io_uring"] if cell.depth == 1 else ["libaio", "io_uring"]
    rounds = [_round(made, cell, file, engines) for _ in range(ROUNDS)]
    ours = [one["ours"] for one in rounds]
    cheapest = min(engines, key=lambda name: statistics.median(one[name].cpu_us for one in rounds))
    rates = [one["io_uring"].iops / one["ours"].iops for one in rounds]
    costs = [one["ours"].cpu_us / one[cheapest].cpu_us for one in rounds]
    name = f"{cell.pattern.words} x {cell.depth}"
    cpu_us = statistics.median(one.cpu_us for one in ours)
    return [
        Figure("disk", f"{name}: CPU", cpu_us, "µs CPU"),
        _ratio(f"{name}: CPU", costs, f"of {cheapest}", MOST_CPU),
        _ratio(f"{name}: time", rates, "of io_uring", MOST_TIME),
    ]


def _ratio(name: str, ratios: list[float], unit: str, most: float) -> Figure:
    """The median of the ratios, its quartiles in the name."""
    low, middle, high = statistics.quantiles(ratios, n=4)
    return Figure("disk", f"{name} ({low:.2f} to {high:.2f})", middle, unit, most)


def _round(made: Bench, cell: Cell, file: Path, engines: list[str]) -> Mapping[str, Cost]:
    figures = made.measure(cell, _nobody)
    found = {"ours": Cost(figures.iops, figures.cpu_us_per_io or 0.0)}
    return found | {engine: _fio(engine, cell, file) for engine in engines}


def _fio(engine: str, cell: Cell, file: Path) -> Cost:
    """The same with fio, without its map of visited blocks."""
    command: list[str | Path] = ["fio", "--name=cell", f"--filename={file}", "--direct=1"]
    command += [f"--ioengine={engine}", f"--rw={FIO[cell.pattern.name]}", f"--bs={BLOCK_BYTES}"]
    command += [f"--iodepth={cell.depth}", f"--size={SIZE_BYTES}", "--norandommap=1"]
    command += ["--time_based", f"--runtime={SECONDS}", f"--ramp_time={WARM_UP_S}"]
    job = json.loads(run([*command, "--output-format=json"]))["jobs"][0]
    done = job["read" if cell.pattern.read_share else "write"]
    cpu_us = (job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] * 1000
    return Cost(done["iops"], cpu_us / done["total_ios"])


def file_of(folder: Path) -> Path:
    """The test file by its handle: it has no name."""
    for handle in Path(f"/proc/{os.getpid()}/fd").iterdir():
        if str(handle.readlink()).startswith(f"{folder}/"):
            return handle
    raise RuntimeError("the test file is not open")


def _nobody(_share: float) -> None:
    """Ignore progress."""
