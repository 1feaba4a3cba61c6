"""`lab:ha-file`: two real smbd that share a folder, and an address that keepalived moves.

One node serves at a time, and users speak to the address: when its node fails, the other takes the
address over. Open files are lost then, even durable handles: smbd keeps them in a database on its
own node. CTDB, which shares that database, is not used: it needs a cluster file system.
"""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from headcount.errors import InputError
from headcount.lab import keepalived, port, samba, samba_files, setting
from headcount.lab.alias import Alias
from headcount.lab.ha_file_node import PORT, FileServer
from headcount.lab.home import Home
from headcount.lab.node import Node, NodeStates, down, end
from headcount.lab.pair import NAMES, Pair
from headcount.lab.pair_node import PairNode, Place
from headcount.lab.segment import Segment
from headcount.lab.setting import Setting

HA_FILE: Mapping[str, Setting] = {
    "down": down(NAMES[1]),
    **keepalived.SETTINGS,
    "check": Setting(
        "listens",
        ("listens", "answers"),
        "script",
        "When the service is well: smbd takes a connection, which it also does while it stands "
        "still, or it answers in SMB.",
    ),
}


class HaFileServer:
    """Two smbd, two keepalived and their network in the lab, running.

    Attributes:
        share: The share.
        shares: How many there are.
        user: The pattern of user names; any name can log on.
        password: That of all of them, new with each start.
        status: Empty: there are two smbd to ask.
        data: The folder that is shared.

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
            raise InputError(
                "lab:ha-file has a network of its own: leave out --limit network, and --line"
            )
        self.programs: Mapping[str, str] = {
            "samba": samba.version(samba.program()),
            "keepalived": keepalived.version(keepalived.program()),
        }
        self.password = secrets.token_urlsafe(samba.PASSWORD_BYTES)
        with ExitStack() as parts:
            self._start(parts)
            if self.settings["down"] != "none":
                end(next(one for one in self.nodes if one.name == self.settings["down"]))
            self._parts = parts.pop_all()

    def _start(self, parts: ExitStack) -> None:
        home = Home("ha-file")
        parts.callback(home.delete)
        self.home = home.path.absolute()
        self.data = self.home / "data"
        self.data.mkdir()
        alias = Alias(self.home)
        parts.callback(alias.close)
        segment = Segment(NAMES)
        parts.callback(segment.close)
        place = Place(self.home, alias.path)
        self.logs: dict[str, Path] = {}
        each = []
        for name in NAMES:
            server = FileServer(parts, place, segment.node(name), self.password)
            scripts = server.scripts(segment, self.settings["check"])
            node = (name, self.settings, server.server, scripts)
            each.append(PairNode(parts, place, segment, *node))
            self.logs |= {f"samba {name}": server.log, f"keepalived {name}": each[-1].log}
        self._pair = Pair(each, segment, self.settings, PORT)
        self.address = f"{segment.floating}:{PORT}"

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

    def stop(self) -> None:
        """End all of it and delete what it stored; safe to call twice."""
        self._parts.close()
