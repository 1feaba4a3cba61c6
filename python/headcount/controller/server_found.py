"""What was found of a server that somebody else started: for the bundle, and in a line."""

from collections.abc import Sequence
from dataclasses import dataclass

from headcount.bundle.environment import ServerFound
from headcount.counters.proc.named import NOBODY, Named
from headcount.counters.proc.serving import Found
from headcount.counters.ssh.source import SshSource
from headcount.errors import InputError

LIMITS = (("cpu", "{:g} CPUs"), ("memory", "{:,.0f} bytes"), ("processes", "{:,.0f} processes"))


@dataclass(frozen=True)
class FarServerFound:
    """A server on another machine, whose counters come over SSH.

    Attributes:
        addresses: Where it listens, as `ip:port`.
        source: The source of its counters.
        named: The user's description of it.

    """

    addresses: Sequence[str]
    source: SshSource
    named: Named = NOBODY

    def disclosed(self) -> ServerFound:
        """What was found, for the bundle."""
        origin = self.source.origin.address
        return record(self.source.found, self.addresses, origin, self.named)

    def sentence(self) -> str:
        """What was found, in a line."""
        return sentence(self.source.found, self.source.origin.address)


def record(
    found: Found, addresses: Sequence[str], machine: str | None = None, named: Named = NOBODY
) -> ServerFound:
    """What was found, for the bundle.

    `machine` is the login it was found through, `named` the user's description of it.
    """
    return ServerFound(
        addresses=list(addresses),
        found_by=found.how or None,
        processes={str(pid): name for pid, name in found.names.items()},
        control_group=dict(found.control_group),
        limits=dict(found.limits),
        missing=found.missing,
        machine=machine,
        named={} if named.by else named.record(),
    )


def sentence(found: Found, machine: str | None = None) -> str:
    """What was found, in a line; `machine` is the login it was found through."""
    if not found.pids:
        return found.missing or "the server's processes are not known"
    names = list(dict.fromkeys(found.names.values()))
    several = len(found.names)
    who = f"{', '.join(names[:3])}{' and others' if len(names) > 3 else ''}"
    where = f" at {machine}" if machine is not None else ""
    text = f"server {who} ({several} process{'' if several == 1 else 'es'}){where}, {found.how}"
    if found.control_group:
        groups = list(dict.fromkeys(found.control_group.values()))
        text += f"; control group {', '.join(groups)}"
    limits = [form.format(found.limits[key]) for key, form in LIMITS if key in found.limits]
    if limits:
        text += f", limited to {', '.join(limits)}"
    return f"{text}; {found.missing}" if found.missing else text


def check_named(named: Named, found: Found) -> None:
    """Raise InputError if something that the user named is not there."""
    if named and found.missing:
        raise InputError(found.missing)
