"""A server on this machine that somebody else started: its processes, found and followed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from headcount.bundle.environment import ServerFound
from headcount.counters.proc.files import read_text
from headcount.counters.proc.listening import ServerSource
from headcount.counters.proc.serving import Found, Place, find
from headcount.errors import InputError, TargetError
from headcount.plan.client import mail_client
from headcount.plan.mail_client import parse_post
from headcount.plan.plan import Plan
from headcount.plan.target import Target, is_own, resolve_name

LIMITS = (("cpu", "{:g} CPUs"), ("memory", "{:,.0f} bytes"), ("processes", "{:,.0f} processes"))


@dataclass(frozen=True)
class LocalServer:
    """Where a server of this machine listens.

    Attributes:
        addresses: Its addresses, as `ip:port`.
        named: Its processes, where somebody named them.
        named_by: Who did.
        also: Processes that are part of it wherever they listen.

    """

    addresses: Sequence[str]
    named: Sequence[int] = ()
    named_by: str = "named with --pid"
    also: Sequence[int] = field(default=())

    @cached_property
    def places(self) -> list[Place]:
        """Where it listens."""
        return [Place.of(address) for address in self.addresses]

    @cached_property
    def first(self) -> Found:
        """As it was found first."""
        return self.find()

    def find(self) -> Found:
        """Look for it now."""
        return find(self.places, self.named, self.named_by)

    def source(self, name: str) -> ServerSource:
        """Counters of this machine and of the server, wherever its processes are by then."""
        places = None if self.also else self.places
        return ServerSource(name, lambda: [*self.find().pids, *self.also], places=places)

    def disclosed(self) -> ServerFound:
        """What was found, for the bundle."""
        found = self.first
        return ServerFound(
            addresses=list(self.addresses),
            found_by=found.how or None,
            processes={str(pid): name for pid, name in found.names.items()},
            control_group=dict(found.control_group),
            limits=dict(found.limits),
            missing=found.missing,
        )

    def sentence(self) -> str:
        """What was found, in a line."""
        found = self.first
        if not found.pids:
            return found.missing or "the server's processes are not known"
        names = list(dict.fromkeys(found.names.values()))
        several = len(found.names)
        who = f"{', '.join(names[:3])}{' and others' if len(names) > 3 else ''}"
        text = f"server {who} ({several} process{'' if several == 1 else 'es'}), {found.how}"
        if found.control_group:
            groups = list(dict.fromkeys(found.control_group.values()))
            text += f"; control group {', '.join(groups)}"
        limits = [form.format(found.limits[key]) for key, form in LIMITS if key in found.limits]
        if limits:
            text += f", limited to {', '.join(limits)}"
        return f"{text}; {found.missing}" if found.missing else text


def named_processes(pids: Sequence[int]) -> Sequence[int]:
    """Processes that somebody named; raises InputError for one that there is not."""
    for pid in pids:
        if read_text(f"/proc/{pid}/stat") is None:
            raise InputError(f"--pid {pid}: there is no such process on this machine")
    return pids


def joined_servers(
    first: LocalServer | None, second: LocalServer | None, pids: Sequence[int]
) -> LocalServer | None:
    """Two servers as one; `pids` are those of both, of which one may be the lab's."""
    found = [one for one in (first, second) if one is not None]
    if not found:
        return None
    addresses = [address for one in found for address in one.addresses]
    return LocalServer(addresses, also=pids if len(found) < 2 else ())


def local_server(plan: Plan, target: Target, address: str) -> LocalServer:
    """The server of a target at `ip:port` of this machine."""
    addresses = [address]
    if target.protocol == "mail" and (smtp := mail_client(plan.client).smtp):
        post = parse_post(smtp)
        try:
            other = resolve_name(post.host, post.port)
        except TargetError:
            other = ""
        if other and is_own(other):
            addresses.append(other)
    return LocalServer(addresses)
