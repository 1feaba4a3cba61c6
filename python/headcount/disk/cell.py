"""One cell of the grid: threads, depth, blocks, and the order in which they are read or written."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from headcount.text import memory


@dataclass(frozen=True)
class Pattern:
    """An order of places, and which share of the I/Os reads."""

    name: str
    access: str
    read_share: float

    @property
    def words(self) -> str:
        """The name as it is read: `random read`."""
        return self.name.replace("-", " ")


@dataclass(frozen=True)
class Block:
    """A size of block, and the weight with which it comes up."""

    size_bytes: int
    share: float = 1.0


@dataclass(frozen=True)
class Cell:
    """What is measured at once."""

    pattern: Pattern
    blocks: tuple[Block, ...]
    threads: int
    depth: int

    @property
    def block_text(self) -> str:
        """The size of the blocks, or that they are mixed."""
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
        """The cell as the engine takes it."""
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
    """A size of block without decimals: `512 B`, `4 KiB`."""
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size_bytes % unit == 0:
            return f"{size_bytes // unit} {name}"
    return f"{size_bytes} B" if size_bytes < 1 << 10 else memory(size_bytes)


def unit_bytes(cells: Sequence[Cell]) -> int:
    """The size of what bears a mark of its own in the test file: no block may be smaller."""
    sizes = {block.size_bytes for cell in cells for block in cell.blocks}
    fits = (unit for unit in (4096, 2048, 1024) if all(size % unit == 0 for size in sizes))
    return next(fits, 512)
