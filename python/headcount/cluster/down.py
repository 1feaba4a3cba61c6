"""Ending a cluster: its processes, its files, and what is known of it."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headcount.cluster import state
from headcount.cluster.far.node import END_S
from headcount.cluster.hosts import Host
from headcount.cluster.login import HERE, Login
from headcount.cluster.machines import Machines
from headcount.cluster.state import ClusterState, NodeState
from headcount.errors import HeadcountError, SystemLimitError

STOP_S = 2 * END_S + 10
REMOVE_S = 120.0

Note = Callable[[str], None]


@dataclass(frozen=True)
class Left:
    """A machine on which parts of a cluster are left.

    Attributes:
        node: The machine.
        why: What went wrong.

    """

    node: NodeState
    why: str

    @property
    def remedy(self) -> str:
        """A command for that machine, which does what could not be done."""
        node = self.node
        folders = shlex.join(one for one in (node.run, node.temp, node.build) if one)
        # Brackets and the last slash: it must not match a shell that was given the command itself.
        return f"pkill -f '[/]{node.temp[1:]}/'; rm -rf {folders}"


def end(cluster: ClusterState, note: Note, *, keep_files: bool = False) -> list[Left]:
    """End a cluster on all machines that are reached; returns those on which something is left.

    The cluster's state is reduced to them, or deleted.
    """
    nodes = cluster.nodes
    others = [number for number, one in enumerate(nodes) if not one.is_head]
    head = [number for number, one in enumerate(nodes) if one.is_head]
    wrong: dict[int, str] = {}
    with Machines([host_of(one) for one in nodes]) as machines:
        for numbers in (others, head):  # the head last: nodes leave it in an orderly way
            stopped = machines.each(lambda number, login: _stop(nodes[number], login), numbers)
            for number, outcome in stopped.items():
                if isinstance(outcome, HeadcountError):
                    wrong[number] = str(outcome)
        reached = [number for number in range(len(nodes)) if number not in wrong]
        removed = machines.each(
            lambda number, login: _remove(nodes[number], login, keep_files=keep_files), reached
        )
    for number, outcome in removed.items():
        if isinstance(outcome, HeadcountError):
            wrong[number] = str(outcome)
        else:
            note(f"{name_of(nodes[number])}: ended")
    left = [Left(nodes[number], why) for number, why in sorted(wrong.items())]
    _remember(cluster, left)
    return left


def host_of(node: NodeState) -> Host | None:
    """The host to log in to; None for this machine."""
    return None if node.address is None else Host(address=node.address, python=node.python)


def name_of(node: NodeState) -> str:
    """A machine, for people."""
    host = host_of(node)
    return HERE if host is None else host.login.place


def _remember(cluster: ClusterState, left: Sequence[Left]) -> None:
    if left:
        nodes = [one.node for one in left]
        state.save(cluster.model_copy(update={"nodes": nodes, "is_up": False}))
    else:
        state.forget(cluster.name)


def _stop(node: NodeState, login: Login) -> None:
    left = login.ask("stop", STOP_S, run=node.run)
    if left:
        numbers = " ".join(str(one) for one in left)
        raise SystemLimitError(f"{login.name}: processes {numbers} do not end")


def _remove(node: NodeState, login: Login, *, keep_files: bool) -> None:
    build = None if keep_files else node.build
    own = [node.run, node.temp]
    left = login.ask("remove", REMOVE_S, own=own, folder=node.folder, build=build)
    if left:
        raise SystemLimitError(f"{login.name}: cannot delete {', '.join(left)}")
