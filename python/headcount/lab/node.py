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

    """

    name: str
    pids: Callable[[], Sequence[int]]
    restart: Callable[[], None]


@runtime_checkable
class Nodes(Protocol):
    """A lab server that has several nodes."""

    nodes: Sequence[Node]
