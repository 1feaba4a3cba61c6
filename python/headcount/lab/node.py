"""One of several servers that do the same work, so that one may fail."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True)
class Node:
    """A node, as faults know it.

    Attributes:
        name: What it is called.
        pids: Its first processes now.
        restart: Starts it again after it was killed, with its data.
        problem: Why this node may not fail now, such as that another is not back yet; None where
            it may.
        lines: The processes that carry what goes between it and other nodes; stopped, they are cut
            off from each other. None where nothing can be cut.

    """

    name: str
    pids: Callable[[], Sequence[int]]
    restart: Callable[[], None]
    problem: Callable[[], str | None] = lambda: None
    lines: Callable[[], Sequence[int]] | None = None


@runtime_checkable
class Nodes(Protocol):
    """A lab server that has several nodes."""

    nodes: Sequence[Node]
