"""A way between this machine and a network namespace: a pair of devices, as slow as required.

The pair is of virtual Ethernet devices or, if users must be far away, of TAP devices between which
a process of Headcount's carries packets (`delay_line`).
"""

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from headcount.errors import SystemLimitError
from headcount.lab.iproute import ip, tc
from headcount.lab.squeeze.delay_line import DelayLine, Line
from headcount.lab.squeeze.namespace import inside

DEVICES = Path("/proc/thread-self/net/dev")
"""The devices of the thread's namespace, and their figures; an open file keeps that namespace."""
NETWORKS = 254 * 64
"""Networks of four addresses in 10.77.1.0 to 10.77.254.255: private ones (RFC 1918) that nobody
else here has."""
BURST_S = 0.005
"""Largest burst, as time at the rate: a few ticks of the slowest kernel clock (100 Hz gives 10 ms,
but high-resolution timers serve virtual devices)."""
LEAST_BURST_BYTES = 65_536
"""A packet that the device segments (GSO) holds up to 64 KiB."""
QUEUE = "50ms"
"""Longest wait in the bucket's queue; what does not fit is dropped, as by a switch."""
LINE_PACKETS = 10_000
"""Packets that a TAP device holds while the process that reads it sleeps; the default of 500 is
less than one connection sends in a burst over a long way."""
HARDWARE_ADDRESS = "02:00:00:00:00:01"
"""The MAC address of both ends of a line: a locally administered one."""
TRANSMIT_DROPPED = 11
"""Position of the figure in a line of `/proc/net/dev`, after the device's name."""


class Way:
    """A way between this machine and a namespace.

    Attributes:
        device: The server's end.
        address: Of the server's end.
        far_device: The users' end, in the namespace.
        far_address: Of the users' end.
        line: What carries its packets if the users are far away; None if the kernel does.

    """

    def __init__(self, namespace: str, device: str, line: Line | None = None) -> None:
        """Make it with this device, and one of that name and a `p` in the namespace.

        Raises SystemLimitError if that fails; what was made then goes with the namespace.
        """
        self.device, self.far_device = device, f"{device}p"
        self.line: DelayLine | None = None
        self._namespace = namespace
        self._tables: list[BinaryIO] = []
        network = _free_network()
        self.address, self.far_address = _address(network, 1), _address(network, 2)
        try:
            self._make(line)
        except BaseException:
            self.close()
            raise

    def _make(self, line: Line | None) -> None:
        if line is None:
            ip("link", "add", self.device, "type", "veth", "peer", "name", self.far_device)
        else:
            self.line = DelayLine(self.device, self.far_device, line)
        ip("link", "set", self.far_device, "netns", self._namespace)
        if line is not None:
            self._prepare_ends()
        for where, device, address in (
            ([], self.device, self.address),
            (["-n", self._namespace], self.far_device, self.far_address),
        ):
            ip(*where, "addr", "add", f"{address}/30", "dev", device)
            ip(*where, "link", "set", device, "up")

    def _prepare_ends(self) -> None:
        """Keep all but users' packets off a line, and open the figures of its ends.

        With one hardware address for both ends, neither asks for the other's (ARP). Without IPv6
        nothing is announced; a device forgets that when it is moved.
        """
        quiet = ("address", HARDWARE_ADDRESS, "arp", "off", "addrgenmode", "none")
        for where, device in (([], self.device), (["-n", self._namespace], self.far_device)):
            ip(*where, "link", "set", device, "txqueuelen", str(LINE_PACKETS), *quiet)
        self._tables.append(DEVICES.open("rb", buffering=0))
        with inside(self._namespace):
            self._tables.append(DEVICES.open("rb", buffering=0))

    def carry_from_its_address(self, table: int) -> None:
        """Route all packets from its address in the namespace over this way.

        `table` is a routing table of the namespace that nobody else uses (ip-rule(8)).
        """
        where, number = ("-n", self._namespace), str(table)
        ip(
            *where,
            "route",
            "add",
            "default",
            "via",
            self.address,
            "dev",
            self.far_device,
            "table",
            number,
        )
        ip(*where, "rule", "add", "from", self.far_address, "lookup", number)

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
        for where, device in (([], self.device), (["-n", self._namespace], self.far_device)):
            if bits_s is None:
                with contextlib.suppress(SystemLimitError):  # there was no limit
                    tc(*where, "qdisc", "del", "dev", device, "root")
                continue
            burst = max(LEAST_BURST_BYTES, round(bits_s / 8 * BURST_S))
            bucket = ["tbf", "rate", f"{bits_s}bit", "burst", f"{burst}b", "latency", QUEUE]
            tc(*where, "qdisc", "replace", "dev", device, "root", *bucket)

    def close(self) -> None:
        """End its line; its devices go with the namespace. Safe to call twice."""
        for table in self._tables:
            table.close()
        if self.line is not None:
            self.line.close()
        with contextlib.suppress(SystemLimitError):  # it went with its line
            ip("link", "del", self.device)


def _dropped(table: BinaryIO, names: tuple[bytes, ...]) -> int:
    """Packets that these devices had no room for, from a namespace's table of devices."""
    table.seek(0)
    lines = [text.partition(b":") for text in table.read().splitlines()]
    found = [rest.split() for name, _, rest in lines if name.strip() in names]
    return sum(int(figures[TRANSMIT_DROPPED]) for figures in found)


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
