"""A network of a run's own between the load generator and a server, as slow as is wanted.

The generator's threads live in a network namespace that a pair of devices joins to the machine; the
server listens on the machine's end. So the server's sockets, its device and its queue are where
they are with a real network: on the server's side. Each end sends through a token bucket
(tc-tbf(8)), so that the rate holds in both directions, as on a full-duplex link.

Where users are to be far away, a process of our own carries packets (`way`, `delay_line`). The
kernel's emulator (tc-netem(8)) is never used: many kernels are without it, and figures would
depend on which one it is. Groups of users who are elsewhere have a way of their own beside that
pair, to the same server: what they send from its address takes it, and so do the answers.
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
"""Of the devices of users' lines. Names have 15 characters at most, and `p` ends a far device's."""
FIRST_TABLE = 100
"""Of the routing tables in the namespace; those of the system are others (ip-route(8))."""

_numbers = count(1)


@dataclass(frozen=True, slots=True)
class UsersLine:
    """The line of a group of users.

    Attributes:
        name: What the plan calls it.
        line: How far away the users are; None where nothing delays packets.
        network_bits_s: Bits/s in each direction; None is no limit.

    """

    name: str
    line: Line | None = None
    network_bits_s: int | None = None


class Link:
    """A network between this machine and a namespace.

    Attributes:
        name: The namespace's.
        way: What joins them, of users without a line of their own.
        lines: The ways of groups of users, by the names of their lines.

    """

    def __init__(self, line: Line | None = None, lines: Sequence[UsersLine] = ()) -> None:
        """Make it, as fast as the machine, and as long as `line`; and a way for each of `lines`.

        Raises SystemLimitError where that cannot be.
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
        """Where a server is to listen to be reached by all users."""
        return self.way.address

    @property
    def line(self) -> DelayLine | None:
        """What carries the packets of users without a line of their own; None: the kernel does."""
        return self.way.line

    @property
    def users_addresses(self) -> list[str]:
        """What users connect from: those without a line of their own, then those on each."""
        return [self.way.far_address, *(way.far_address for way in self.lines.values())]

    def figures(self) -> Mapping[str, float] | None:
        """What the line of users without one of their own has done (`Way.figures`)."""
        return self.way.figures()

    def limit(self, bits_s: int | None) -> None:
        """Let this many bits/s through, of users without a line of their own; None: no limit."""
        self.way.limit(bits_s)

    def inside(self) -> AbstractContextManager[None]:
        """Have the threads that are started in here live in the namespace."""
        return inside(self.name)

    def close(self) -> None:
        """Take it away; safe to call twice."""
        for way in self._made:
            way.close()
        with suppress(SystemLimitError):
            ip("netns", "del", self.name)


def remove(name: str, device: str) -> None:
    """Take a namespace and a device away, as far as they are there.

    The devices of users' lines go with the processes that carry their packets, or the namespace.
    """
    for words in (("link", "del", device), ("netns", "del", name)):
        with suppress(SystemLimitError):
            ip(*words)


def sweep() -> None:
    """Take away the networks of runs that are dead."""
    if os.geteuid() != 0 or not NAMESPACES.is_dir():
        return
    for place in NAMESPACES.iterdir():
        match = NAME.fullmatch(place.name)
        if match and not Path(f"/proc/{match[1]}").exists():
            remove(place.name, "hc" + place.name.removeprefix("headcount-"))
