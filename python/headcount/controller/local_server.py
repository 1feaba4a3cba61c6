"""A server on this machine that somebody else started: its processes, found and followed."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from headcount.bundle.environment import ServerFound
from headcount.controller.server_found import record, sentence
from headcount.counters.proc.listening import ServerSource
from headcount.counters.proc.machine import ThisMachine
from headcount.counters.proc.named import NOBODY, Named
from headcount.counters.proc.serving import Found, Place, find_on
from headcount.errors import TargetError
from headcount.plan import gate
from headcount.plan.gate import is_own
from headcount.plan.plan import Plan
from headcount.protocols.registry import protocol_of
from headcount.protocols.target import Target


@dataclass(frozen=True)
class LocalServer:
    """A server that listens on this machine.

    Attributes:
        addresses: Its addresses, as `ip:port`.
        named: The user's description of it.
        also: Processes that are part of it wherever they listen.

    """

    addresses: Sequence[str]
    named: Named = NOBODY
    also: Sequence[int] = field(default=())

    @cached_property
    def places(self) -> list[Place]:
        """Where it listens."""
        return [Place.of(address) for address in self.addresses]

    @cached_property
    def first(self) -> Found:
        """The result of the first search."""
        return find_on(ThisMachine(), self.places, self.named)

    def find(self) -> Found:
        """Search for it again; runtimes are not asked twice for a container's group."""
        named, known = self.named, set(self.first.control_group.values())
        if named.containers and len(known) == 1:
            named = replace(named, containers=(), cgroups=(*named.cgroups, *known), by=named.how)
        return find_on(ThisMachine(), self.places, named)

    def source(self, name: str) -> ServerSource:
        """Counters of this machine and of the server, wherever its processes are by then."""
        places = None if self.also else self.places
        group = self.first.control_group if self.named.is_a_group else None
        return ServerSource(
            name, lambda: [*self.find().pids, *self.also], places=places, group=group
        )

    def disclosed(self) -> ServerFound:
        """What was found, for the bundle."""
        return record(self.first, self.addresses, named=self.named)

    def sentence(self) -> str:
        """What was found, in a line."""
        return sentence(self.first)


def joined_servers(
    first: LocalServer | None, second: LocalServer | None, pids: Sequence[int]
) -> LocalServer | None:
    """Two servers as one; `pids` are those of both, one of which may be the lab's."""
    found = [one for one in (first, second) if one is not None]
    if not found:
        return None
    addresses = [address for one in found for address in one.addresses]
    return LocalServer(addresses, also=pids if len(found) < 2 else ())


def server_addresses(plan: Plan, target: Target, address: str) -> list[str]:
    """Where a target's server listens on its machine, the first at `ip:port`."""
    addresses = [address]
    for host, port in protocol_of(target.protocol).others(plan.client):
        try:
            other = gate.addresses(host, port)[0]
        except TargetError:
            other = ""
        if other and (is_own(other) if is_own(address) else same_host(other, address)):
            addresses.append(other)
    return addresses


def same_host(one: str, other: str) -> bool:
    """Whether two addresses, as `ip:port`, are of one machine."""
    return one.rpartition(":")[0] == other.rpartition(":")[0]
