"""A network segment of a run's own: a bridge of this machine, and nodes in network namespaces.

Each node has a network namespace, whose `eth0` a pair of virtual Ethernet devices joins to the
bridge. The machine has an address on the bridge, so programs here reach the nodes, and the nodes
reach each other, like hosts at one switch.

A node is cut off at its port of the bridge, on this machine's side, where neither end notices: no
reset, no ICMP message, no error of the device; packets just do not arrive. A classic BPF program of
one instruction at tc's `clsact` hooks drops them, separately for each direction. It needs only
iproute2 and `cls_bpf`, which distributions' kernels have. nftables would be one more package, netem
can lose packets only on their way out and reports it to the node's own TCP, and `matchall` with
`action drop` needs two more modules. The state of the port has no directions.
"""

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Literal

from headcount.errors import MachineLimitError, SystemLimitError
from headcount.lab.iproute import ip, program, tc

Direction = Literal["both", "in", "out"]
"""What is cut: packets to the node ("in"), from it ("out"), or all."""

NAMESPACES = Path("/run/netns")
"""Where ip-netns(8) keeps their names."""
DEVICES = Path("/sys/class/net")
SPACE = re.compile(r"headcount-(([0-9]+)-[0-9]+)-node[0-9]+")
DEVICE = re.compile(r"hs(([0-9]+)-[0-9]+)(\.[0-9]+)?")
"""Names have at most 15 characters: hs4194304-99.99 (linux/if.h, IFNAMSIZ)."""
NETWORKS = 254
"""Networks of 256 addresses in 10.78.1.0 to 10.78.254.0: private ones (RFC 1918) that nobody else
here has."""
HOST, FLOATING, FIRST = 1, 100, 11
"""Last numbers of the machine's address, the spare one, and the first node's."""
MOST = 80
"""Most nodes."""
DROP = 'protocol all bpf direct-action bytecode "1,6 0 0 2"'
"""One instruction: return TC_ACT_SHOT (linux/bpf.h, linux/pkt_cls.h)."""
HOOKS = {"both": ("egress", "ingress"), "in": ("egress",), "out": ("ingress",)}
"""Packets that leave the bridge's port enter the node."""
JANITOR_S = 20.0
"""Longest wait for the janitor, who has nothing left to do."""

_numbers = count(1)


class SegmentNode:
    """A node of a segment: a network namespace with an address.

    Attributes:
        name: What it is called.
        namespace: The name of its network namespace.
        device: The bridge's port to it, on this machine.
        address: Where the machine and the other nodes reach it.
        mac: That of its network device.

    """

    def __init__(self, name: str, tag: str, network: int, number: int) -> None:
        """Make it and connect it to the bridge; raises MachineLimitError if that fails."""
        self.name = name
        self.namespace = f"headcount-{tag}-node{number}"
        self.device = f"{_bridge(tag)}.{number}"
        self.address = _address(network, FIRST + number)
        self.mac = _mac(network, FIRST + number)
        self._bridge = _bridge(tag)
        self._is_killed = False
        self._make()

    def _make(self) -> None:
        ip("netns", "add", self.namespace)
        peer = f"peer name eth0 address {self.mac} netns {self.namespace}"
        outside = [
            f"link add {self.device} type veth {peer}",
            f"link set {self.device} master {self._bridge} up",
        ]
        inside = ["link set lo up", f"addr add {self.address}/24 dev eth0", "link set eth0 up"]
        ip("-batch", "-", batch="\n".join(outside) + "\n")
        ip("-n", self.namespace, "-batch", "-", batch="\n".join(inside) + "\n")

    def command(self, words: Sequence[str]) -> list[str]:
        """The command that starts a program in it; the program keeps the command's pid."""
        return [program(), "netns", "exec", self.namespace, *words]

    def cut(self, direction: Direction = "both") -> None:
        """Silently drop packets to it, from it, or both; raises MachineLimitError.

        Connections stay open, and wait.
        """
        self._uncut()
        lines = [f"qdisc add dev {self.device} clsact"]
        lines += [f"filter add dev {self.device} {hook} {DROP}" for hook in HOOKS[direction]]
        tc("-batch", "-", batch="\n".join(lines) + "\n")

    def kill(self) -> None:
        """Take its network away at once, as when a machine loses its power.

        End its processes afterwards: `mend` forgets its connections.
        """
        ip("link", "set", self.device, "down")
        self._is_killed = True

    def mend(self) -> None:
        """Connect it again; raises MachineLimitError.

        After `cut`, it continues as before. After `kill`, it is like a machine that has just
        booted: with its address, and without its earlier sockets, ARP entries and other addresses.
        """
        if self._is_killed:
            _remove([self.device], [self.namespace])
            self._make()
            self._is_killed = False
        else:
            self._uncut()

    def _uncut(self) -> None:
        with contextlib.suppress(MachineLimitError):  # it was not cut
            tc("qdisc", "del", "dev", self.device, "clsact")


class Segment:
    """A network segment.

    Attributes:
        tag: What the names of its parts share.
        host: The machine's address in it.
        floating: A spare address, for one that moves between nodes.
        prefix: How many bits of an address are those of the network.
        nodes: Its nodes, by name.

    """

    prefix = 24

    def __init__(self, names: Sequence[str]) -> None:
        """Make it with nodes of these names; raises MachineLimitError if that fails."""
        if os.geteuid() != 0:
            raise MachineLimitError(
                "a lab server with a network of its own uses network namespaces, "
                "which needs root: sudo headcount ..."
            )
        if len(names) > MOST:
            raise MachineLimitError(f"a network segment has at most {MOST} nodes")
        program()
        sweep()
        self.tag = f"{os.getpid()}-{next(_numbers)}"
        network = _free_network()
        self.host, self.floating = _address(network, HOST), _address(network, FLOATING)
        self._janitor: subprocess.Popen[bytes] | None = self._started_janitor()
        try:
            bridge = _bridge(self.tag)
            kind = "type bridge stp_state 0 forward_delay 0 mcast_snooping 0"
            lines = [
                f"link add {bridge} address {_mac(network, HOST)} {kind}",
                f"addr add {self.host}/{self.prefix} dev {bridge}",
                f"link set {bridge} up",
            ]
            ip("-batch", "-", batch="\n".join(lines) + "\n")
            self.nodes = {
                name: SegmentNode(name, self.tag, network, number)
                for number, name in enumerate(names)
            }
        except BaseException:
            self.close()
            raise

    def _started_janitor(self) -> subprocess.Popen[bytes]:
        """The process that removes it if this one is killed."""
        return subprocess.Popen(
            [sys.executable, "-m", "headcount.lab.squeeze.janitor", "--segment", self.tag],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def node(self, name: str) -> SegmentNode:
        """The node of this name."""
        return self.nodes[name]

    def reached(self, address: str) -> SegmentNode | None:
        """The node to which this machine sends packets for an address; None if it does not know."""
        found = ip("neigh", "show", "to", address, "dev", _bridge(self.tag)).split()
        return next((one for one in self.nodes.values() if one.mac in found), None)

    def close(self) -> None:
        """Remove it; safe to call twice. The servers in it must have been stopped."""
        remove(self.tag)
        if self._janitor is not None:
            self._janitor.communicate(timeout=JANITOR_S)
            self._janitor = None


def remove(tag: str) -> None:
    """Remove what exists of a segment."""
    devices = [name for name, its in _found(DEVICES, DEVICE) if its[1] == tag]
    _remove(devices, [name for name, its in _found(NAMESPACES, SPACE) if its[1] == tag])


def sweep() -> None:
    """Remove the segments of runs that are dead."""
    found = [*_found(DEVICES, DEVICE), *_found(NAMESPACES, SPACE)]
    for tag in {its[1] for _, its in found if not Path(f"/proc/{its[2]}").exists()}:
        remove(tag)


def _found(folder: Path, pattern: re.Pattern[str]) -> Iterator[tuple[str, re.Match[str]]]:
    if folder.is_dir():
        for place in sorted(folder.iterdir()):
            match = pattern.fullmatch(place.name)
            if match:
                yield place.name, match


def _remove(devices: Sequence[str], namespaces: Sequence[str]) -> None:
    words = [("link", "del", one) for one in devices]
    for each in (*words, *(("netns", "del", one) for one in namespaces)):
        with contextlib.suppress(SystemLimitError):  # another process was faster
            ip(*each)


def _bridge(tag: str) -> str:
    return f"hs{tag}"


def _address(network: int, number: int) -> str:
    return f"10.78.{1 + network}.{number}"


def _mac(network: int, number: int) -> str:
    """The same whenever a device is re-created: others know it (0x02: locally administered)."""
    return f"02:00:0a:4e:{1 + network:02x}:{number:02x}"


def _free_network() -> int:
    """A network that no device of this machine is in."""
    taken = ip("-4", "-o", "addr", "show")
    for step in range(NETWORKS):
        network = (os.getpid() + step) % NETWORKS  # runs that start at once differ
        if f" {_address(network, HOST)}/" not in taken:
            return network
    raise SystemLimitError("all networks of 10.78.0.0/16 are in use; remove some: ip addr")
