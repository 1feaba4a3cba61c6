"""The servers behind a server: what its processes are connected to."""

from collections.abc import Sequence

from headcount.controller.sut import Sut
from headcount.counters.proc.behind import peers_of
from headcount.counters.proc.machine import ThisMachine
from headcount.counters.proc.serving import Place, find_on

MOST_PEERS = 8
"""Most addresses of servers behind the target that are looked up."""


def servers_behind(machine: ThisMachine, pids: Sequence[int]) -> dict[str, dict[int, str]]:
    """Listening processes that these are connected to, with their names, by address."""
    peers = peers_of(machine.proc, pids)[:MOST_PEERS]
    return {peer: find_on(machine, [Place.of(peer)]).names for peer in peers}


def programs_behind(sut: Sut) -> dict[str, str]:
    """The program at each address that the target is connected to now.

    Addresses of other machines, or of programs that may not be inspected, are absent.
    """
    if sut.far_server is not None:
        return dict(sut.far_server.source.programs_behind)
    if sut.server is None:
        return {}
    found = servers_behind(ThisMachine(), list(sut.server.find().names))
    return {peer: names[min(names)] for peer, names in found.items() if names}
