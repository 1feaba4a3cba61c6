"""The part of `headcount pilot` that a tuning uses while it compares its winner."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol


class Piloting(Protocol):
    """The pilot of a server that is tuned."""

    def find(self, play: Callable[[], object]) -> Sequence[str]:
        """The names of the modules that help while `play` is called again and again.

        Puts everything back. Raises HeadcountError.
        """
        ...

    def on(self) -> AbstractContextManager[None]:
        """Those modules, in force for as long as the block lasts."""
        ...
