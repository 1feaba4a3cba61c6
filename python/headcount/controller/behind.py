"""The servers behind a server: what its processes are connected to."""

from collections.abc import Sequence

from headcount.controller.sut import Sut
from headcount.counters.proc.behind import peers_of
from headcount.counters.proc.machine import ThisMachine
from headcount.counters.proc.serving import Place, find_on

MOST_PEERS = 8
"""Addresses of servers behind the target that are looked at."""


def servers_behind(machine: ThisMachine, pids: Sequence[int]) -> dict[str, dict[int, str]]:
    """The processes that listen where these are connected to, with their names, by address."""
    peers = peers_of(machine.proc, pids)[:MOST_PEERS]
    return {peer: find_on(machine, [Place.of(peer)]).names for peer in peers}


def programs_behind(sut: Sut) -> dict[str, str]:
    """What program listens at each address that somebody's server is connected to now.

    An address elsewhere, or of a program that may not be seen, is absent.
    """
    if sut.far_server is not None:
        return dict(sut.far_server.source.programs_behind)
    if sut.server is None:
        return {}
    found = servers_behind(ThisMachine(), list(sut.server.find().names))
    return {peer: names[min(names)] for peer, names in found.items() if names}
