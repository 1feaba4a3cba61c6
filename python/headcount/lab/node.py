"""Nodes: servers that do the same work, so that one may fail."""

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
    """The setting that makes a node fail before the run."""
    return Setting(
        "none",
        ("none", node),
        "none",
        "Which node is down from the start: how many users does the other hold alone?",
    )


class Network(Protocol):
    """What connects a node to the others and to its users, as `headcount.lab.segment` makes it."""

    def cut(self, direction: Direction = "both") -> None:
        """Silently drop packets to the node, from it, or both; raises MachineLimitError."""
        ...

    def kill(self) -> None:
        """Take it away, as when the node loses its power; raises MachineLimitError."""
        ...

    def mend(self) -> None:
        """Connect the node again, after `kill` as one that has just started.

        Raises SystemLimitError if that fails.
        """
        ...


@dataclass(frozen=True)
class Node:
    """A node, as faults know it.

    Attributes:
        name: What it is called.
        pids: Its first processes now.
        restart: Restarts those of its programs that do not run, with their data; undoes `move`.
        network: Its network; None if it has none of its own.
        others: First processes of other programs on it, which fail only with the whole node.
        move: Moves its service to another node, in an orderly way; None if Headcount cannot.
        problem: Why this node may not fail now, such as that another is not back yet; None if it
            may.
        lines: The processes that carry its traffic to and from other nodes; stopping them cuts the
            nodes off from each other. None if there are none.

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
    """The present states of nodes, according to the cluster itself.

    Attributes:
        states: By the node's name, the function that returns its state; it raises nothing.
        serving: The state of a node that serves.
        noticed: States in which the cluster has noticed that a node fails.

    """

    states: Mapping[str, Callable[[], str]]
    serving: str
    noticed: frozenset[str] = frozenset()


def end(node: Node) -> None:
    """Kill all processes of a node; those that have ended meanwhile are skipped."""
    roots = [*node.pids(), *node.others()]
    for pid in {*roots, *descendants(*roots)}:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@runtime_checkable
class Watched(Protocol):
    """A lab server that reports its nodes' states."""

    node_states: NodeStates


@runtime_checkable
class Nodes(Protocol):
    """A lab server that has several nodes."""

    nodes: Sequence[Node]
