"""keepalived beside each of the two nginx of `lab:ha-web`, which share an address."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from headcount.errors import InputError
from headcount.lab import keepalived, port
from headcount.lab.alias import Alias
from headcount.lab.home import Home
from headcount.lab.nginx import NginxServer
from headcount.lab.node import Node, NodeStates
from headcount.lab.pair import NAMES, Pair
from headcount.lab.pair_node import LISTENS, PairNode, Place, Scripts
from headcount.lab.segment import Segment, SegmentNode

PORT = 80
"""HTTP's standard port: nothing else listens in a node."""
EVERYWHERE = "0.0.0.0"  # noqa: S104 - its network is its own
"""The moving address appears only later."""


class NodeNginx(NginxServer):
    """nginx in a node of a segment, running."""

    def __init__(self, node: SegmentNode) -> None:
        """Start it; raises SystemLimitError if that fails."""
        self._node = node
        with port.listening_on(EVERYWHERE):
            super().__init__({})
        self.address = f"{node.address}:{PORT}"
        self.url = f"http://{self.address}"

    def chosen_port(self) -> int:
        """HTTP's standard port: all ports are free in its network."""
        return PORT

    def has_port(self, number: int, log: Path) -> bool:
        """Wait until it listens."""
        self.server.wait_until(lambda: port.answers(number, self._node.address), log)
        return True

    def command(self, place: Path) -> list[str]:
        """In the foreground of the node."""
        return self._node.command(super().command(place))


class WebPair:
    """Two nginx and two keepalived in a network segment, running.

    Attributes:
        address: The one that moves.
        home: The folder of the data of keepalived.
        logs: The programs' log files, by program.
        programs: Programs and versions.

    """

    def __init__(self, parts: ExitStack, settings: Mapping[str, str]) -> None:
        """Start them; `parts` gets what ends them. Raises InputError, SystemLimitError."""
        if port.host() != port.LOOPBACK:
            raise InputError(
                "front=keepalived has a network of its own: no --limit network, no --line"
            )
        version = keepalived.version(keepalived.program())
        home = Home("ha-web")
        parts.callback(home.delete)
        self.home = home.path.absolute()
        alias = Alias(self.home)
        parts.callback(alias.close)
        segment = Segment(NAMES)
        parts.callback(segment.close)
        self._nginx: list[NodeNginx] = []
        self.logs: dict[str, Path] = {}
        each = []
        for name in NAMES:
            one = NodeNginx(segment.node(name))
            parts.callback(one.stop)
            self._nginx.append(one)
            scripts = Scripts(LISTENS.format(address=segment.node(name).address, number=PORT))
            where = (parts, Place(self.home, alias.path), segment)
            each.append(PairNode(*where, name, settings, one.server, scripts))
            self.logs |= {f"nginx {name}": one.logs["nginx"], f"keepalived {name}": each[-1].log}
        first, second = self._nginx
        # Storage that both nodes share: each sees what is written for the other.
        second.data.rmdir()
        second.data.symlink_to(first.data)
        self.programs: Mapping[str, str] = {"keepalived": version, **first.programs}
        self._pair = Pair(each, segment, settings, PORT)
        self.address = f"{segment.floating}:{PORT}"

    def wait_until_noticed(self) -> None:
        """Return at once: users speak to the first node."""

    @property
    def nodes(self) -> Sequence[Node]:
        """The node that has the address when it is hit, and both by their names."""
        return self._pair.nodes

    @property
    def node_states(self) -> NodeStates:
        """Which node has the address."""
        return self._pair.node_states

    @property
    def pids(self) -> list[int]:
        """The first processes of both nodes, also after they were started again."""
        return self._pair.pids

    @property
    def data(self) -> Path:
        """The folder that both nodes serve; the data set's pages go there."""
        return self._nginx[0].data

    @property
    def most(self) -> Mapping[str, int]:
        """How many connections a node takes at a time."""
        return self._nginx[0].most
