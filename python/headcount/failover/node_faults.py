"""Faults that hit a node of several: its network, all of it, or where its service runs."""

import signal
from threading import Event

from headcount.errors import InputError
from headcount.failover import command
from headcount.failover.fault import FaultTarget, Unprepared
from headcount.failover.process_faults import kill_with_descendants, send
from headcount.lab.node import Network
from headcount.lab.segment import Direction

CUT_TEXT = {
    "both": "cut {} off the network",
    "in": "drop what is sent to {}",
    "out": "drop what {} sends",
}


class Cut(Unprepared):
    """Packets of a node are dropped silently: connections stay open, and wait."""

    def __init__(self, direction: Direction, target: FaultTarget, recover: str | None) -> None:
        """`recover` is a command to run after the node is connected again.

        Raises InputError for a server whose network is not of the lab.
        """
        self._network = _network(target, f"cut{'' if direction == 'both' else f'-{direction}'}")
        self._direction = direction
        self._command = recover
        self.text = CUT_TEXT[direction].format(target.name)
        self.recovery: str | None = f"reconnect {target.name}"
        if recover is not None:
            self.recovery += f", then {recover}"

    def inject(self, ended: Event) -> None:
        """Cut it off."""
        del ended  # it takes no time
        self._network.cut(self._direction)

    def recover(self) -> None:
        """Connect it again."""
        self._network.mend()
        if self._command is not None:
            command.run(self._command, "--recover")


class NodeFault:
    """A node fails with all that runs on it, silently, as if it had lost its power."""

    def __init__(self, target: FaultTarget, recover: str | None) -> None:
        """`recover` is a command that starts it again, if the lab must not.

        Raises InputError for a server whose network is not of the lab.
        """
        self._network = _network(target, "node")
        self._fault_target = target
        self._command = recover
        self._roots: set[int] = set()
        self.text = f"fail {target.name}: its network and all its processes"
        self.recovery: str | None = recover or f"start {target.name} again"

    def prepare(self) -> None:
        """Find what runs on it."""
        self._roots = self._fault_target.roots() | self._fault_target.other_roots()

    def inject(self, ended: Event) -> None:
        """Take its network away, then kill what runs on it, so that no connection is closed."""
        del ended  # it takes no time
        self._network.kill()
        kill_with_descendants(self._roots)

    def recover(self) -> None:
        """Give it a network, and start it again."""
        self._network.mend()
        if self._command is not None:
            command.run(self._command, "--recover")
        elif self._fault_target.restart is not None:
            self._fault_target.restart()


class Isolate:
    """Nothing passes between a node and the others any more; users still reach it."""

    def __init__(self, target: FaultTarget, recover: str | None) -> None:
        """`recover` is a command to run after they reach each other again.

        Raises InputError for a server without lines of the lab to other nodes.
        """
        if target.lines is None:
            raise InputError(
                f"--fault isolate: Headcount does not know the lines of {target.name} to other "
                "nodes (it does for lab:ha-postgresql); give commands that do it: "
                '--fault "ssh node1 nft -f cut.nft" --recover "ssh node1 nft delete table inet cut"'
            )
        self._lines = target.lines
        self._command = recover
        self._cut: list[int] = []
        self.text = f"cut {target.name} off from the others, not from users"
        self.recovery: str | None = "restore the lines between the nodes"
        if recover is not None:
            self.recovery += f", then {recover}"

    def prepare(self) -> None:
        """Find its lines."""
        self._cut = list(self._lines())

    def inject(self, ended: Event) -> None:
        """Cut it off."""
        del ended  # it takes no time
        send(self._cut, signal.SIGSTOP)

    def recover(self) -> None:
        """Reconnect the lines."""
        send(self._cut, signal.SIGCONT)
        self._cut = []
        if self._command is not None:
            command.run(self._command, "--recover")


class Move(Unprepared):
    """The service of a node moves to another in an orderly way, and back."""

    def __init__(self, target: FaultTarget, recover: str | None) -> None:
        """`recover` is a command that moves it back, if the lab must not.

        Raises InputError for a server that the lab cannot move.
        """
        if target.move is None:
            raise InputError(
                f"--fault move: Headcount cannot move the service of {target.name}; give the "
                'commands that do: --planned --fault "ssh node1 crm_resource --move ..." '
                '--recover "ssh node1 crm_resource --clear ..."'
            )
        self._move = target.move
        self._restart = target.restart
        self._command = recover
        self.text = f"move the service away from {target.name}"
        self.recovery: str | None = recover or f"let {target.name} serve again"

    def inject(self, ended: Event) -> None:
        """Move it away."""
        del ended  # it takes no time
        self._move()

    def recover(self) -> None:
        """Let it come back."""
        if self._command is not None:
            command.run(self._command, "--recover")
        elif self._restart is not None:
            self._restart()


def _network(target: FaultTarget, kind: str) -> Network:
    if target.network is None:
        raise InputError(
            f"--fault {kind}: {target.name} is not on a network that Headcount made (the nodes of "
            "lab:ha-file are); give commands that do it: "
            '--fault "ssh node1 nft -f cut.nft" --recover "ssh node1 nft delete table inet cut", '
            "where cut.nft leaves SSH alone"
        )
    return target.network
