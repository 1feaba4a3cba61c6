"""One cell of the grid: threads, depth, blocks, and the order in which they are read or written."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from headcount.text import memory


@dataclass(frozen=True)
class Pattern:
    """The order of places, and the share of I/Os that read."""

    name: str
    access: str
    read_share: float

    @property
    def words(self) -> str:
        """The name for people: `random read`."""
        return self.name.replace("-", " ")


@dataclass(frozen=True)
class Block:
    """A block size, and how often it is drawn relative to others."""

    size_bytes: int
    share: float = 1.0


@dataclass(frozen=True)
class Cell:
    """A combination that is measured together."""

    pattern: Pattern
    blocks: tuple[Block, ...]
    threads: int
    depth: int

    @property
    def block_text(self) -> str:
        """The block size in words, or `mixed`."""
        return block_text(self.blocks[0].size_bytes) if len(self.blocks) == 1 else "mixed"

    @property
    def name(self) -> str:
        """The cell in words, such as `4 KiB random read, 2 threads, depth 8`."""
        threads = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        return f"{self.block_text} {self.pattern.words}, {threads}, depth {self.depth}"

    @property
    def largest_bytes(self) -> int:
        """The largest block."""
        return max(block.size_bytes for block in self.blocks)

    def order(self, seconds: float, warm_up_s: float, batches: int) -> dict[str, Any]:
        """The order to measure the cell, as the engine reads it."""
        return {
            "threads": self.threads,
            "depth": self.depth,
            "access": self.pattern.access,
            "read_share": self.pattern.read_share,
            "blocks": [{"bytes": b.size_bytes, "share": b.share} for b in self.blocks],
            "warm_up_s": warm_up_s,
            "seconds": seconds,
            "batches": batches,
        }


def block_text(size_bytes: int) -> str:
    """A block size without decimals: `512 B`, `4 KiB`."""
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size_bytes % unit == 0:
            return f"{size_bytes // unit} {name}"
    return f"{size_bytes} B" if size_bytes < 1 << 10 else memory(size_bytes)


def unit_bytes(cells: Sequence[Cell]) -> int:
    """The size of a marked unit of the test file; every block is a multiple of it."""
    sizes = {block.size_bytes for cell in cells for block in cell.blocks}
    fits = (unit for unit in (4096, 2048, 1024) if all(size % unit == 0 for size in sizes))
    return next(fits, 512)
