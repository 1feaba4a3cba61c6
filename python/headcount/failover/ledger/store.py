"""The seam of the ledger: a session in which numbered rows are written and read."""

from collections.abc import Callable, Mapping
from pkgutil import resolve_name
from typing import Protocol

from headcount.protocols.registry import protocol_of

Kept = Mapping[int, frozenset[int]]
"""The numbers that are there, by writer."""


class Store(Protocol):
    """A session with a server. All methods but `close` raise HeadcountError."""

    def begin(self) -> None:
        """Make an empty place for the rows."""
        ...

    def write(self, writer: int, number: int) -> None:
        """Write a row; returns when the server has acknowledged it."""
        ...

    def newest(self, writer: int) -> int:
        """The highest number of a writer that is there; 0 for none."""
        ...

    def kept(self) -> Kept:
        """All rows that are there."""
        ...

    def remove(self) -> None:
        """Delete the rows and their place."""
        ...

    def close(self) -> None:
        """End the session; safe to call twice."""
        ...


Opening = Callable[[], Store]
"""Opens a session; raises HeadcountError."""


def opening(protocol: str, target: str) -> Opening | None:
    """How sessions with a target are opened; None for a protocol whose servers keep no rows.

    `target` is the engine's (JSON).
    """
    name = protocol_of(protocol).ledger
    if not name:
        return None
    kind = resolve_name(name)
    return lambda: kind(target)
