"""`lab:ha-file`: two real smbd that share a folder, and an address that keepalived moves.

One node serves at a time, and users speak to the address: when its node fails, the other takes the
address over. What was open is lost then, also durable handles: smbd keeps them in a database on its
own node. CTDB, which shares that database, is not used: it needs a cluster file system.
"""

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from headcount.errors import InputError, SystemLimitError
from headcount.lab import keepalived, keeper, port, samba, samba_files, setting
from headcount.lab.alias import Alias
from headcount.lab.ha_file_node import PORT, FileNode, Place
from headcount.lab.home import Home
from headcount.lab.installed import command_output
from headcount.lab.node import Node
from headcount.lab.segment import Direction, Segment
from headcount.lab.setting import Setting

HA_FILE: Mapping[str, Setting] = {
    **keepalived.SETTINGS,
    "check": Setting(
        "listens",
        ("listens", "answers"),
        "script",
        "When the service is well: smbd takes a connection, which it also does while it stands "
        "still, or it answers in SMB.",
    ),
}
NAMES = ("first", "second")
STALE_S = 75.0
"""Longest wait for this machine to notice that the address is at another node if nobody says so:
up to 45 s until it doubts, 5 s until it asks, three questions, once more (arp(7)); and some."""
ACTIVE = "active"
"""The node that has the address when it is hit."""


class HaFileServer:
    """Two smbd, two keepalived and their network in the lab, running.

    Attributes:
        share: The share.
        shares: How many there are.
        user: The pattern of user names; there is no name that cannot log on.
        password: That of all of them, new with each start.
        status: Nothing: there are two smbd to ask.
        data: The folder that is shared.
        nodes: The node that is active, and both by their names.

    """

    known = HA_FILE
    share = samba_files.SHARE
    shares = 1
    user = "user{n:05}"
    status: Sequence[str] = ()

    @staticmethod
    def check_settings(settings: Mapping[str, str]) -> None:
        """Raise InputError for settings that it does not have; starts nothing."""
        setting.complete("ha-file", HA_FILE, settings)

    def __init__(self, settings: Mapping[str, str]) -> None:
        """Start it; raises InputError for settings it does not have, else SystemLimitError."""
        self.settings: Mapping[str, str] = setting.complete("ha-file", HA_FILE, settings)
        if port.host() != port.LOOPBACK:
            raise InputError("lab:ha-file has a network of its own: leave out --limit network")
        version = command_output([keepalived.program(), "--version"]).split()[1]
        self.programs: Mapping[str, str] = {
            "samba": samba.version(samba.program()),
            "keepalived": version.removeprefix("v"),
        }
        self.password = secrets.token_urlsafe(samba.PASSWORD_BYTES)
        with ExitStack() as parts:
            self._start(parts)
            self._parts = parts.pop_all()
        self.logs: Mapping[str, Path] = {
            name: log for one in self._each for name, log in one.logs.items()
        }
        self.address = f"{self._segment.floating}:{PORT}"
        active = Active(self._each, self._settled)
        self.nodes: Sequence[Node] = [
            Node(ACTIVE, active.pids, active.restart, active, active.others, active.move),
            *map(self._node, self._each),
        ]

    def _start(self, parts: ExitStack) -> None:
        home = Home("ha-file")
        parts.callback(home.delete)
        self.home = home.path.absolute()
        self.data = self.home / "data"
        self.data.mkdir()
        alias = Alias(self.home)
        parts.callback(alias.close)
        self._segment = Segment(NAMES)
        parts.callback(self._segment.close)
        place = Place(self.home, alias.path)
        self._each = [
            FileNode(parts, place, self._segment, name, self.settings, self.password)
            for name in NAMES
        ]
        self.pids: list[int] = []
        self._settled()

    def _node(self, one: FileNode) -> Node:
        network = Joined(one, self._settled)
        return Node(
            one.name,
            lambda: one.pids,
            lambda: _restarted(one, self._settled),
            network,
            lambda: one.others,
            one.move,
        )

    def _settled(self) -> None:
        """Wait until one node has the address and serves at it: the first if that is to be.

        Raises SystemLimitError where that does not come.
        """
        first, second = self._each
        deadline_s = time.monotonic() + STALE_S + self._longest_s
        while True:
            has, other_has = first.has_address(), second.has_address()
            is_right = has and not other_has if self._is_preempt else has != other_has
            if is_right and port.answers(PORT, self._segment.floating):
                break
            if time.monotonic() > deadline_s:
                raise SystemLimitError(
                    f"the nodes of lab:ha-file did not agree who has the address (the first has "
                    f"it: {has}, the second: {other_has}); see keepalived's logs in {self.home}"
                )
            time.sleep(keeper.PAUSE_S)
        self.pids[:] = [pid for one in self._each for pid in (*one.pids, *one.others)]

    @property
    def _is_preempt(self) -> bool:
        return self.settings["preempt"] == "on"

    @property
    def _longest_s(self) -> float:
        """How long its settings let it take."""
        rise_s = (int(self.settings["check_rise"]) + 1) * int(self.settings["check_s"])
        return 4 * int(self.settings["advert_ms"]) / 1000 + rise_s

    def stop(self) -> None:
        """End all of it and delete what it stored; safe to call twice."""
        self._parts.close()


class Joined:
    """The network of a node, which is whole again only when one node has the address."""

    def __init__(self, one: FileNode, settled: Callable[[], None]) -> None:
        """`settled` waits until one node has it."""
        self._one = one
        self._settled = settled
        self._is_killed = False

    def cut(self, direction: Direction = "both") -> None:
        """Drop packets; raises MachineLimitError."""
        self._one.network.cut(direction)

    def kill(self) -> None:
        """Take it away; raises MachineLimitError."""
        self._is_killed = True
        self._one.network.kill()

    def mend(self) -> None:
        """Join the node again, and wait unless its programs are still to be started."""
        self._one.network.mend()
        if not self._is_killed:
            self._settled()
        self._is_killed = False


class Active:
    """The node that has the address, looked for whenever it is to be hit."""

    def __init__(self, each: Sequence[FileNode], settled: Callable[[], None]) -> None:
        """`settled` waits until one node has it."""
        self._each = each
        self._settled = settled
        self._hit = each[0]
        self._network = Joined(each[0], settled)

    def _found(self) -> FileNode:
        self._hit = next((one for one in self._each if one.has_address()), self._each[0])
        self._network = Joined(self._hit, self._settled)
        return self._hit

    def pids(self) -> list[int]:
        """The process of its smbd."""
        return self._found().pids

    def others(self) -> list[int]:
        """That of the keepalived of the node that was hit."""
        return self._hit.others

    def restart(self) -> None:
        """Start again what was hit."""
        _restarted(self._hit, self._settled)

    def move(self) -> None:
        """Have the address leave it."""
        self._found().move()

    def cut(self, direction: Direction = "both") -> None:
        """Drop its packets; raises MachineLimitError."""
        self._found()
        self._network.cut(direction)

    def kill(self) -> None:
        """Take the network of the node away whose processes were looked for last."""
        self._network.kill()

    def mend(self) -> None:
        """Join the node again that was hit."""
        self._network.mend()


def _restarted(one: FileNode, settled: Callable[[], None]) -> None:
    one.start()
    settled()
