"""A network of a run's own between the load generator and a server, as slow as required.

The generator's threads live in a network namespace that a pair of devices connects to the machine;
the server listens on the machine's end. So the server's sockets, its device and its queue are where
a real network has them: on the server's side. Each end sends through a token bucket (tc-tbf(8)), so
that the rate holds in both directions, as on a full-duplex link.

If users must be far away, a process of Headcount's carries packets (`way`, `delay_line`). The
kernel's emulator (tc-netem(8)) is never used: many kernels lack it, and figures would depend on the
kernel. Groups of users who are elsewhere have a way of their own beside that pair, to the same
server: packets from its address take it, and so do the answers.
"""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from headcount.errors import MachineLimitError, SystemLimitError
from headcount.lab.iproute import ip
from headcount.lab.squeeze.delay_line import DelayLine, Line
from headcount.lab.squeeze.namespace import NAMESPACES, inside
from headcount.lab.squeeze.way import Way

NAME = re.compile(r"headcount-([0-9]+)-[0-9]+")
LETTERS = "abcdefghijklmnoq"
"""Suffixes of users' lines' devices. Names have at most 15 characters; a far one's ends in `p`."""
FIRST_TABLE = 100
"""First of the routing tables in the namespace; the system uses others (ip-route(8))."""

_numbers = count(1)


@dataclass(frozen=True, slots=True)
class UsersLine:
    """The line of a group of users.

    Attributes:
        name: Its name in the plan.
        line: How far away the users are; None if nothing delays packets.
        network_bits_s: Bits/s in each direction; None is no limit.

    """

    name: str
    line: Line | None = None
    network_bits_s: int | None = None


class Link:
    """A network between this machine and a namespace.

    Attributes:
        name: The namespace's name.
        way: The way of users without a line of their own.
        lines: The ways of groups of users, by the names of their lines.

    """

    def __init__(self, line: Line | None = None, lines: Sequence[UsersLine] = ()) -> None:
        """Make it, as fast as the machine, with the delay of `line`; and a way for each of `lines`.

        Raises SystemLimitError if that fails.
        """
        if os.geteuid() != 0:
            raise MachineLimitError(
                "limits of the network (network, latency, jitter, loss, reorder) and lines use a "
                "network namespace, which needs root: sudo headcount run ..."
            )
        number = next(_numbers)
        self.name = f"headcount-{os.getpid()}-{number}"
        device = f"hc{os.getpid()}-{number}"
        self.lines: dict[str, Way] = {}
        self._made: list[Way] = []
        try:
            ip("netns", "add", self.name)
            self.way = self._way(device, line)
            ip("-n", self.name, "link", "set", "lo", "up")
            for place, one in enumerate(lines):
                way = self._way(device + LETTERS[place], one.line)
                self._route(way, FIRST_TABLE + place)
                if one.network_bits_s is not None:
                    way.limit(one.network_bits_s)
                self.lines[one.name] = way
        except BaseException:
            self.close()
            raise

    def _way(self, device: str, line: Line | None) -> Way:
        way = Way(self.name, device, line)
        self._made.append(way)
        return way

    @staticmethod
    def _route(way: Way, table: int) -> None:
        try:
            way.carry_from_its_address(table)
        except SystemLimitError as error:
            raise MachineLimitError(
                f"users cannot have lines of their own here: {error}; they need a kernel that "
                "chooses routes by a packet's source (CONFIG_IP_MULTIPLE_TABLES)"
            ) from error

    @property
    def device(self) -> str:
        """The server's end of the way of users without a line of their own."""
        return self.way.device

    @property
    def address(self) -> str:
        """The address at which a server must listen for all users to reach it."""
        return self.way.address

    @property
    def line(self) -> DelayLine | None:
        """What carries the packets of users without a line of their own; None for the kernel."""
        return self.way.line

    @property
    def users_addresses(self) -> list[str]:
        """The users' addresses: those without a line of their own, then those on each line."""
        return [self.way.far_address, *(way.far_address for way in self.lines.values())]

    def figures(self) -> Mapping[str, float] | None:
        """What the line of users without one of their own has done (`Way.figures`)."""
        return self.way.figures()

    def limit(self, bits_s: int | None) -> None:
        """Limit users without a line of their own to this many bits/s; None: no limit."""
        self.way.limit(bits_s)

    def inside(self) -> AbstractContextManager[None]:
        """Put threads that start within the block into the namespace."""
        return inside(self.name)

    def close(self) -> None:
        """Remove it; safe to call twice."""
        for way in self._made:
            way.close()
        with suppress(SystemLimitError):
            ip("netns", "del", self.name)


def remove(name: str, device: str) -> None:
    """Remove a namespace and a device, if they exist.

    The devices of users' lines go with the processes that carry their packets, or the namespace.
    """
    for words in (("link", "del", device), ("netns", "del", name)):
        with suppress(SystemLimitError):
            ip(*words)


def sweep() -> None:
    """Remove the networks of runs that are dead."""
    if os.geteuid() != 0 or not NAMESPACES.is_dir():
        return
    for place in NAMESPACES.iterdir():
        match = NAME.fullmatch(place.name)
        if match and not Path(f"/proc/{match[1]}").exists():
            remove(place.name, "hc" + place.name.removeprefix("headcount-"))
