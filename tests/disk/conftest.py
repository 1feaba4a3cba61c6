"""Cells with made-up figures, and a folder on the disk."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from headcount.disk.cell import Block, Cell
from headcount.disk.grid import PATTERNS
from headcount.disk.result import Figures

ROOT = Path(__file__).parents[2]


@pytest.fixture
def on_disk() -> Iterator[Path]:
    """A folder on a disk: the usual one for temporary files may be in memory."""
    parent = ROOT / "target"
    parent.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="disk-", dir=parent))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def cell() -> Cell:
    return Cell(PATTERNS["random-read"], (Block(4096),), threads=2, depth=8)


@pytest.fixture
def measured(cell: Cell) -> Callable[[Sequence[int]], Figures]:
    """Makes a cell of one second that read these bytes in each tenth of it."""

    def make(batch_bytes: Sequence[int]) -> Figures:
        total = sum(batch_bytes)
        return Figures(
            cell=cell,
            seconds=1.0,
            reads=total // 4096,
            writes=0,
            read_bytes=total,
            written_bytes=0,
            batch_bytes=tuple(batch_bytes),
            latency_us=dict.fromkeys(("mean", "p50", "p90", "p95", "p99", "p999", "max"), 100.0),
            process_cpu_s=0.5,
            machine_busy=0.4,
        )

    return make
