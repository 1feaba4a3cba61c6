"""One of several servers that do the same work, so that one may fail."""

import contextlib
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from headcount.lab.keeper import descendants
from headcount.lab.segment import Direction
from headcount.lab.setting import Setting


def down(node: str) -> Setting:
    """The setting that has a node fail before the run."""
    return Setting(
        "none",
        ("none", node),
        "none",
        "Which node is down from the start: how many users does the other hold alone?",
    )


class Network(Protocol):
    """What joins a node to the others and to its users, as `headcount.lab.segment` makes it."""

    def cut(self, direction: Direction = "both") -> None:
        """Drop packets to the node, from it, or all, without a word; raises MachineLimitError."""
        ...

    def kill(self) -> None:
        """Take it away, as when the node loses its power; raises MachineLimitError."""
        ...

    def mend(self) -> None:
        """Join the node again, after `kill` as one that has just been started.

        Raises SystemLimitError where that cannot be.
        """
        ...


@dataclass(frozen=True)
class Node:
    """A node, as faults know it.

    Attributes:
        name: What it is called.
        pids: Its first processes now.
        restart: Starts again what does not run of it, with its data, and undoes `move`.
        network: Its network; None where it has none of its own.
        others: First processes that run on it beside those, and fail only with the whole node.
        move: Moves its service to another node, in an orderly way; None where nobody here can.
        problem: Why this node may not fail now, such as that another is not back yet; None where
            it may.
        lines: The processes that carry what goes between it and other nodes; stopped, they are cut
            off from each other. None where there are none.

    """

    name: str
    pids: Callable[[], Sequence[int]]
    restart: Callable[[], None]
    network: Network | None = None
    others: Callable[[], Sequence[int]] = tuple
    move: Callable[[], None] | None = None
    problem: Callable[[], str | None] = lambda: None
    lines: Callable[[], Sequence[int]] | None = None


@dataclass(frozen=True)
class NodeStates:
    """What nodes are at the moment, by the cluster's own account.

    Attributes:
        states: By the node's name, what tells its state; it raises nothing.
        serving: The state of a node that serves.
        noticed: States in which the cluster has noticed that a node fails.

    """

    states: Mapping[str, Callable[[], str]]
    serving: str
    noticed: frozenset[str] = frozenset()


def end(node: Node) -> None:
    """Kill all that runs of a node; what has ended meanwhile is passed over."""
    roots = [*node.pids(), *node.others()]
    for pid in {*roots, *descendants(*roots)}:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@runtime_checkable
class Watched(Protocol):
    """A lab server that says what its nodes are."""

    node_states: NodeStates


@runtime_checkable
class Nodes(Protocol):
    """A lab server that has several nodes."""

    nodes: Sequence[Node]
