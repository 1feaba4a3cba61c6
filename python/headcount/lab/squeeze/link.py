"""A network of a run's own between the load generator and a server, as slow as is wanted.

The generator's threads live in a network namespace that a pair of virtual Ethernet devices joins to
the machine; the server listens on the machine's end. So the server's sockets, its device and its
queue are where they are with a real network: on the server's side. Each end sends through a token
bucket (tc-tbf(8)), so that the rate holds in both directions, as on a full-duplex link.

Where users are to be far away, a pair of TAP devices takes the place of that pair, and a process of
our own carries packets between them (`delay_line`). The kernel's emulator (tc-netem(8)) is never
used: many kernels are without it, and figures would depend on which one it is.
"""

import contextlib
import ctypes
import os
import re
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import BinaryIO

from headcount.errors import MachineLimitError, SystemLimitError
from headcount.lab.iproute import ip, tc
from headcount.lab.squeeze.delay_line import DelayLine, Line

CLONE_NEWNET = 0x40000000
"""linux/sched.h."""
DEVICES = Path("/proc/thread-self/net/dev")
"""The devices of the namespace that a thread is in, and their figures; the file stays of it."""
NAMESPACES = Path("/run/netns")
"""Where ip-netns(8) keeps their names."""
NAME = re.compile(r"headcount-([0-9]+)-[0-9]+")
NETWORKS = 254 * 64
"""Networks of four addresses in 10.77.1.0 to 10.77.254.255: private ones (RFC 1918) that nobody
else here has."""
BURST_S = 0.005
"""What may go at once, as time at the rate: a few ticks of the slowest kernel clock (100 Hz gives
10 ms, but virtual devices are served by high-resolution timers)."""
LEAST_BURST_BYTES = 65_536
"""A packet that is cut up by the device (GSO) holds up to 64 KiB."""
QUEUE = "50ms"
"""Longest wait in the bucket's queue; what does not fit is dropped, as by a switch."""
LINE_PACKETS = 10_000
"""Packets that a TAP device holds while the process that reads it sleeps; the default of 500 is
less than a single connection sends at once over a long way."""
HARDWARE_ADDRESS = "02:00:00:00:00:01"
"""Of both ends of a line: one of those that anybody may give."""
TRANSMIT_DROPPED = 11
"""Place of the figure in a line of `/proc/net/dev`, behind the device's name."""

_numbers = count(1)


class Link:
    """A network between this machine and a namespace.

    Attributes:
        name: The namespace's.
        device: The server's end.
        address: Where a server is to listen to be reached through it.
        line: What carries its packets where the users are far away; None where the kernel does.

    """

    def __init__(self, line: Line | None = None) -> None:
        """Make it, as fast as the machine, and as long as `line`.

        Raises SystemLimitError where that cannot be.
        """
        if os.geteuid() != 0:
            raise MachineLimitError(
                "limits of the network (network, latency, jitter, loss, reorder) use a network "
                "namespace, which needs root: sudo headcount run ..."
            )
        self.line: DelayLine | None = None
        self._tables: list[BinaryIO] = []
        number = next(_numbers)
        self.name = f"headcount-{os.getpid()}-{number}"
        self.device, self.far_device = f"hc{os.getpid()}-{number}", f"hc{os.getpid()}-{number}p"
        network = _free_network()
        self.address, far = _address(network, 1), _address(network, 2)
        try:
            ip("netns", "add", self.name)
            if line is None:
                ip("link", "add", self.device, "type", "veth", "peer", "name", self.far_device)
            else:
                self.line = DelayLine(self.device, self.far_device, line)
            ip("link", "set", self.far_device, "netns", self.name)
            if line is not None:
                self._prepare_ends()
            ip("addr", "add", f"{self.address}/30", "dev", self.device)
            ip("link", "set", self.device, "up")
            ip("-n", self.name, "addr", "add", f"{far}/30", "dev", self.far_device)
            ip("-n", self.name, "link", "set", self.far_device, "up")
            ip("-n", self.name, "link", "set", "lo", "up")
        except BaseException:
            self.close()
            raise

    def _prepare_ends(self) -> None:
        """Have nothing but the users' packets on a line, and the figures of its ends at hand.

        With one hardware address for both ends nobody asks for the other's (ARP). Without IPv6
        nothing is announced; a device forgets that when it is moved.
        """
        quiet = ("address", HARDWARE_ADDRESS, "arp", "off", "addrgenmode", "none")
        for where, device in (([], self.device), (["-n", self.name], self.far_device)):
            ip(*where, "link", "set", device, "txqueuelen", str(LINE_PACKETS), *quiet)
        self._tables.append(DEVICES.open("rb", buffering=0))
        with self.inside():
            self._tables.append(DEVICES.open("rb", buffering=0))

    def figures(self) -> Mapping[str, float] | None:
        """What its line has done so far (`DelayLine.figures`), and what its devices dropped.

        None without a line. Raises SystemLimitError if the line has ended.
        """
        found = self.line.figures() if self.line is not None else None
        if found is None:
            return None
        names = (self.device.encode(), self.far_device.encode())
        lost = sum(_dropped(table, names) for table in self._tables)
        return {**found, "device_dropped": lost}

    def limit(self, bits_s: int | None) -> None:
        """Let this many bits/s through in each direction, with all headers; None: no limit."""
        for where, device in (([], self.device), (["-n", self.name], self.far_device)):
            if bits_s is None:
                with contextlib.suppress(SystemLimitError):  # there was none
                    tc(*where, "qdisc", "del", "dev", device, "root")
                continue
            burst = max(LEAST_BURST_BYTES, round(bits_s / 8 * BURST_S))
            bucket = ["tbf", "rate", f"{bits_s}bit", "burst", f"{burst}b", "latency", QUEUE]
            tc(*where, "qdisc", "replace", "dev", device, "root", *bucket)

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """Have the threads that are started in here live in the namespace."""
        with (
            Path("/proc/thread-self/ns/net").open() as here,
            (NAMESPACES / self.name).open() as far,
        ):
            _enter(far.fileno())
            try:
                yield
            finally:
                _enter(here.fileno())

    def close(self) -> None:
        """Take it away; safe to call twice."""
        for table in self._tables:
            table.close()
        if self.line is not None:
            self.line.close()
        remove(self.name, self.device)


def _dropped(table: BinaryIO, names: tuple[bytes, ...]) -> int:
    """Packets that these devices had no room for, of a namespace's table of devices."""
    table.seek(0)
    lines = [text.partition(b":") for text in table.read().splitlines()]
    found = [rest.split() for name, _, rest in lines if name.strip() in names]
    return sum(int(figures[TRANSMIT_DROPPED]) for figures in found)


def remove(name: str, device: str) -> None:
    """Take a namespace and its devices away, as far as they are there."""
    for words in (("link", "del", device), ("netns", "del", name)):
        with contextlib.suppress(SystemLimitError):
            ip(*words)


def sweep() -> None:
    """Take away the networks of runs that are dead."""
    if os.geteuid() != 0 or not NAMESPACES.is_dir():
        return
    for place in NAMESPACES.iterdir():
        match = NAME.fullmatch(place.name)
        if match and not Path(f"/proc/{match[1]}").exists():
            remove(place.name, "hc" + place.name.removeprefix("headcount-"))


def _address(network: int, host: int) -> str:
    return f"10.77.{1 + network // 64}.{network % 64 * 4 + host}"


def _free_network() -> int:
    """A network that no device of this machine is in."""
    taken = ip("-4", "-o", "addr", "show")
    for step in range(NETWORKS):
        network = (os.getpid() * 64 + step) % NETWORKS  # runs that start at once differ
        if f" {_address(network, 1)}/" not in taken:
            return network
    raise SystemLimitError("all networks of 10.77.0.0/16 are in use; remove some: ip addr")


def _enter(handle: int) -> None:
    """Move this thread into a network namespace (setns(2))."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(handle, CLONE_NEWNET) != 0:
        reason = os.strerror(ctypes.get_errno())
        raise MachineLimitError(f"cannot enter the run's network namespace: {reason}; run as root")
