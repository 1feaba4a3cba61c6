"""Measures the cells, one after the other."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from headcount._engine import DiskBench, io_uring_unavailable
from headcount.disk.cell import Cell
from headcount.disk.result import BATCHES, Figures, figures
from headcount.disk.settings import Settings

Progress = Callable[[float], None]
"""Called with the share that is done, several times a second."""


def choose(engine: str | None) -> tuple[str, str | None]:
    """The engine, and if none was given, why it is not `io_uring`."""
    if engine is not None:
        return engine, None
    why = io_uring_unavailable()
    return ("io_uring", None) if why is None else ("threads", why)


class Bench:
    """A test file, on which cells are measured."""

    def __init__(self, settings: Settings, cells: Sequence[Cell]) -> None:
        """Make the test file, empty. It has no name, so the kernel deletes it when it is closed.

        Raises InputError for a folder that cannot be measured and SystemLimitError when it has too
        little space.
        """
        self._settings = settings
        self._engine = DiskBench(json.dumps(settings.order(cells)))

    @property
    def kept(self) -> str:
        """Where its file system keeps files: `disk`, `memory`, `elsewhere`."""
        return self._engine.kept

    def fill(self, on_progress: Progress) -> None:
        """Write the whole test file. Ctrl-C interrupts."""
        self._engine.fill(lambda far: on_progress(json.loads(far)["done"]))

    def measure(self, cell: Cell, on_progress: Progress) -> Figures:
        """Measure a cell. Ctrl-C interrupts.

        Raises SystemLimitError when the disk is full and TargetError when it fails.
        """
        order = cell.order(self._settings.seconds, self._settings.warm_up_s, BATCHES)
        found = self._engine.measure(
            json.dumps(order), lambda far: on_progress(json.loads(far)["done"])
        )
        return figures(cell, json.loads(found))

    def close(self) -> None:
        """Close the test file, which deletes it."""
        self._engine.close()


@contextmanager
def bench(settings: Settings, cells: Sequence[Cell]) -> Iterator[Bench]:
    """A test file, until the end of the block."""
    made = Bench(settings, cells)
    try:
        yield made
    finally:
        made.close()
