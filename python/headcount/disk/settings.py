"""How a disk is measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headcount.disk.cell import Cell, unit_bytes
from headcount.errors import InputError

ENGINES = ("io_uring", "threads")
MOST_UNDER_WAY = 1024
"""The engine's limit for all threads together: without io_uring, each I/O needs a thread."""
PIECE_BYTES = 1 << 20
"""The engine fills test files in pieces of this size; their sizes are multiples of it."""


@dataclass(frozen=True)
class Settings:
    """The test file and how it is read and written."""

    folder: Path
    size_bytes: int
    direct: bool
    sync: bool
    verify: bool
    engine: str
    seed: int
    seconds: float
    warm_up_s: float

    def order(self, cells: Sequence[Cell]) -> dict[str, Any]:
        """The order to make the test file, as the engine reads it."""
        return {
            "folder": str(self.folder),
            "size_bytes": self.size_bytes,
            "direct": self.direct,
            "sync": self.sync,
            "verify": self.verify,
            "engine": self.engine,
            "seed": self.seed,
            "unit_bytes": unit_bytes(cells),
        }

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "folder": str(self.folder),
            "size_bytes": self.size_bytes,
            "direct": self.direct,
            "sync": self.sync,
            "verify": self.verify,
            "engine": self.engine,
            "seed": self.seed,
            "seconds": self.seconds,
            "warm_up_s": self.warm_up_s,
        }


def whole(size_bytes: int, cells: Sequence[Cell]) -> int:
    """The size of the test file, rounded up to what the engine fills.

    Raises InputError if a cell has more I/Os in flight than the engine allows, or does not fit: a
    cell needs twice the bytes that it has in flight.
    """
    for cell in cells:
        if cell.threads * cell.depth > MOST_UNDER_WAY:
            raise InputError(
                f"{cell.name} has {cell.threads * cell.depth:,} I/Os in flight; the "
                f"most is {MOST_UNDER_WAY:,}"
            )
    size = -(-size_bytes // PIECE_BYTES) * PIECE_BYTES
    largest = max(cells, key=least_bytes)
    if size < least_bytes(largest):
        least_mib = -(-least_bytes(largest) // PIECE_BYTES)
        raise InputError(
            f"a test file of {size // PIECE_BYTES} MiB is too small for {largest.name}; "
            f"--size {least_mib}MiB is the least"
        )
    return size


def least_bytes(cell: Cell) -> int:
    """The smallest test file in which a cell can run."""
    return 2 * cell.threads * cell.depth * cell.largest_bytes


def numbers(text: str, what: str) -> tuple[int, ...]:
    """Read whole numbers above 0, such as `1,2,4,8`.

    Raises InputError when the text is something else.
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and 0 < int(part) <= 1024 for part in parts):
        raise InputError(f'{what} is "{text}"; write it like 1,2,4,8 (each from 1 to 1024)')
    return tuple(dict.fromkeys(int(part) for part in parts))
