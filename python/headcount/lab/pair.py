"""Two nodes of which one has an address, as faults know them."""

import time
from collections.abc import Callable, Mapping, Sequence

from headcount.errors import SystemLimitError
from headcount.lab import keeper, port
from headcount.lab.node import Node, NodeStates
from headcount.lab.pair_node import HAS, PairNode
from headcount.lab.segment import Direction, Segment

NAMES = ("first", "second")
ACTIVE = "active"
"""The node that users reach at the address when a fault hits it."""
STALE_S = 75.0
"""Longest wait for this machine to notice, without an announcement, that the address has moved: up
to 45 s until ARP doubts it, 5 s until it asks, three questions, once more (arp(7)); and spare."""


class Pair:
    """Two nodes that share an address.

    Attributes:
        nodes: The node that is active, and both by their names.
        node_states: Which of them has the address.
        pids: The first processes of both.

    """

    def __init__(
        self, each: Sequence[PairNode], segment: Segment, settings: Mapping[str, str], number: int
    ) -> None:
        """Wait until one of them serves at the address, at this port.

        Raises SystemLimitError if that does not happen.
        """
        self._each = each
        self._segment = segment
        self._settings = settings
        self._number = number
        self.pids: list[int] = []
        self.settle()
        active = Active(each, self._reached, self.settle)
        self.node_states = NodeStates({one.name: one.state for one in each}, serving=HAS)
        self.nodes: Sequence[Node] = [
            Node(ACTIVE, active.pids, active.restart, active, active.others, active.move),
            *map(self._node, each),
        ]

    def _node(self, one: PairNode) -> Node:
        def restart() -> None:
            one.start()
            self.settle()

        network = Joined(one, self.settle)
        return Node(one.name, lambda: one.pids, restart, network, lambda: one.others, one.move)

    def settle(self) -> None:
        """Wait until one node, the first if it preempts, has the address and serves at it.

        Raises SystemLimitError if that does not happen.
        """
        first, second = self._each
        is_preempt = self._settings["preempt"] == "on"
        deadline_s = time.monotonic() + STALE_S + self._longest_s
        floating = self._segment.floating
        while True:
            has, other_has = first.has_address(), second.has_address()
            is_agreed = has and not other_has if is_preempt else has != other_has
            is_reached = is_agreed and port.answers(self._number, floating)
            if is_reached and self._reached() is (first if has else second):
                break
            if time.monotonic() > deadline_s:
                raise SystemLimitError(
                    f"the nodes did not agree who has the address {floating} (the first has "
                    f"it: {has}, the second: {other_has}); keepalived of the second says: "
                    f"{second.log.read_text('utf-8', 'replace')[-500:]}"
                )
            time.sleep(keeper.PAUSE_S)
        self.pids[:] = [pid for one in self._each for pid in (*one.pids, *one.others)]

    def _reached(self) -> PairNode:
        """The node that users reach, which need not be the only one with the address."""
        found = self._segment.reached(self._segment.floating)
        return next((one for one in self._each if one.network is found), self._each[0])

    @property
    def _longest_s(self) -> float:
        """How long a change of the address may take with its settings."""
        rise_s = (int(self._settings["check_rise"]) + 1) * int(self._settings["check_s"])
        return 4 * int(self._settings["advert_ms"]) / 1000 + rise_s


class Joined:
    """The network of a node; it counts as restored only when one node has the address."""

    def __init__(self, one: PairNode, settle: Callable[[], None]) -> None:
        """`settle` waits until one node has it."""
        self._one = one
        self._settle = settle
        self._is_killed = False

    def cut(self, direction: Direction = "both") -> None:
        """Drop packets; raises MachineLimitError."""
        self._one.network.cut(direction)

    def kill(self) -> None:
        """Take it away; raises MachineLimitError."""
        self._is_killed = True
        self._one.network.kill()

    def mend(self) -> None:
        """Connect the node again, and wait unless its programs must still be started."""
        self._one.network.mend()
        if not self._is_killed:
            self._settle()
        self._is_killed = False


class Active:
    """The node that users reach, looked up before each fault."""

    def __init__(
        self,
        each: Sequence[PairNode],
        reached: Callable[[], PairNode],
        settle: Callable[[], None],
    ) -> None:
        """`reached` returns the node; `settle` waits until one node has the address."""
        self._reached = reached
        self._settle = settle
        self._hit = each[0]
        self._network = Joined(each[0], settle)

    def _look_up(self) -> PairNode:
        self._hit = self._reached()
        self._network = Joined(self._hit, self._settle)
        return self._hit

    def pids(self) -> list[int]:
        """The process of its service."""
        return self._look_up().pids

    def others(self) -> list[int]:
        """The keepalived process of the node that was hit."""
        return self._hit.others

    def restart(self) -> None:
        """Start again what was hit."""
        self._hit.start()
        self._settle()

    def move(self) -> None:
        """Move the address away from it."""
        self._look_up().move()

    def cut(self, direction: Direction = "both") -> None:
        """Drop its packets; raises MachineLimitError."""
        self._look_up()
        self._network.cut(direction)

    def kill(self) -> None:
        """Remove the network of the node that was looked up last."""
        self._network.kill()

    def mend(self) -> None:
        """Connect the node again that was hit."""
        self._network.mend()
