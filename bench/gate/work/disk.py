"""Random direct reads of 4 KiB, 32 under way, beside fio on the same file."""

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from bench.disk import BLOCK_BYTES, SIZE_BYTES, file_of
from bench.example import ROOT
from bench.gate.item import OURS, Item, Metric, Sides
from bench.gate.process import MeasureError, missing, use
from headcount.disk import grid
from headcount.disk.bench import Bench, bench, choose
from headcount.disk.cell import Block, Cell
from headcount.disk.settings import Settings

DEPTH = 32
SHORT_S, LONG_S = 1, 3
WARM_UP_S = 0.2
ENGINES = {
    "fio libaio": ["--ioengine=libaio"],
    "fio io_uring": ["--ioengine=io_uring", "--fixedbufs", "--registerfiles"],
}
"""Engines of fio that keep several I/Os in flight for little CPU, with options that reduce it."""
BATCHES = ["--iodepth_batch_submit=16", f"--iodepth_batch_complete_max={DEPTH}"]
"""Several I/Os for one system call, as ours."""
INSTALL = {"fio": "apt install fio"}


@contextmanager
def _reads() -> Iterator[Sides]:
    absent = missing(INSTALL)
    cell = Cell(grid.PATTERNS["random-read"], (Block(BLOCK_BYTES),), 1, DEPTH)
    with ExitStack() as stack:
        path = stack.enter_context(tempfile.TemporaryDirectory(prefix="gate-", dir=ROOT / "target"))
        settings = Settings(
            folder=Path(path),
            size_bytes=SIZE_BYTES,
            direct=True,
            sync=False,
            verify=False,
            engine=choose(None)[0],
            seed=1,
            seconds=LONG_S - SHORT_S,
            warm_up_s=WARM_UP_S,
        )
        made = stack.enter_context(bench(settings, [cell]))
        made.fill(_nobody)
        takes: dict[str, Callable[[], Mapping[str, float]]] = {OURS: partial(_ours, made, cell)}
        if not absent:
            file = file_of(Path(path))
            takes |= {name: partial(_fio, words, file) for name, words in ENGINES.items()}
        yield Sides(takes, absent)


def _ours(made: Bench, cell: Cell) -> Mapping[str, float]:
    """CPU of this process meanwhile, which does nothing else, as the engine asks the kernel."""
    figures = made.measure(cell, _nobody)
    if not figures.cpu_us_per_io:
        raise MeasureError("the kernel counted no CPU")
    return {"CPU": figures.cpu_us_per_io, "time": 1e6 / figures.iops}


def _fio(words: list[str], file: Path) -> Mapping[str, float]:
    """The whole fio, less what starting it costs: the difference of a long run and a short one."""
    command = ["fio", "--name=reads", f"--filename={file}", "--direct=1", "--rw=randread"]
    command += [f"--bs={BLOCK_BYTES}", f"--iodepth={DEPTH}", f"--size={SIZE_BYTES}"]
    command += ["--norandommap=1", "--time_based", "--output-format=json", *words, *BATCHES]
    ran = [use([*command, f"--runtime={seconds}"]) for seconds in (SHORT_S, LONG_S)]
    done = [json.loads(one.output)["jobs"][0]["read"] for one in ran]
    ios = done[1]["total_ios"] - done[0]["total_ios"]
    cpu_s = ran[1].cpu_s - ran[0].cpu_s
    if ios <= 0 or cpu_s <= 0:
        raise MeasureError("three seconds of fio came to no more than one")
    return {"CPU": 1e6 * cpu_s / ios, "time": 1e6 / done[1]["iops"]}


def _nobody(_share: float) -> None:
    """Ignore progress."""


ITEMS = (
    Item(
        "disk",
        "random direct read of 4 KiB, 32 under way",
        (Metric(name="CPU", unit="µs"), Metric(name="time", unit="µs")),
        _reads,
    ),
)
