"""Faults of Headcount's own, by name."""

from collections.abc import Mapping
from functools import partial
from typing import Protocol

from headcount.errors import InputError
from headcount.failover import disk_fault
from headcount.failover.fault import Command, Fault, FaultTarget
from headcount.failover.node_faults import Cut, Isolate, Move, NodeFault
from headcount.failover.process_faults import Kill, Stop


class Kind(Protocol):
    """A fault of Headcount's own."""

    def __call__(self, target: FaultTarget, recover: str | None) -> Fault:
        """The fault for a server; raises InputError if it cannot be recovered from."""
        ...


KINDS: Mapping[str, Kind] = {
    "kill": Kill,
    "stop": Stop,
    "cut": partial(Cut, "both"),
    "cut-in": partial(Cut, "in"),
    "cut-out": partial(Cut, "out"),
    "isolate": Isolate,
    "node": NodeFault,
    "move": Move,
}
"""Faults by name; anything else is a command."""
PLANNED = frozenset({"move"})
"""Faults that are planned moves."""


def fault_of(given: str, recover: str | None, target: FaultTarget | None) -> Fault:
    """The fault that is asked for; raises InputError if it is not possible here."""
    if given.startswith(disk_fault.PREFIX):
        return disk_fault.Fill(given.removeprefix(disk_fault.PREFIX), recover)
    kind = KINDS.get(given)
    if kind is None:
        return Command(given, recover)
    if target is None:
        raise InputError(
            f"--fault {given} hits processes of this machine, and the server's are not known "
            "here: name them with --pid or --unit, or give a command: "
            '--fault "ssh node1 systemctl kill -s KILL nginx"'
        )
    return kind(target, recover)
