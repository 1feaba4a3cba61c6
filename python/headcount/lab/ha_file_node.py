"""A node of `lab:ha-file`: an smbd and a keepalived in a network namespace."""

import os
import signal
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from headcount.errors import SystemLimitError
from headcount.lab import keepalived, port, samba, samba_files, samba_settings
from headcount.lab.installed import find
from headcount.lab.iproute import ip
from headcount.lab.keepalived import Member
from headcount.lab.kept import KeptServer
from headcount.lab.segment import Segment

PORT = 445
"""SMB's own (MS-SMB2 2.1): nobody else listens in a node."""
LISTENS = """\
#!/bin/bash
exec 3<>/dev/tcp/{address}/{port}
"""
ANSWERS = """\
#!/bin/bash
export LC_ALL=C
exec 3<>/dev/tcp/{address}/{port} || exit
printf '{question}' >&3
read -r -t 1 -n 1 -d '' <&3
"""
"""bash(1), REDIRECTION: `/dev/tcp` connects. A read with a limit fails when that is over."""
QUESTION = (
    b"\x00\x00\x00\x66\xfeSMB"
    + bytes.fromhex("4000 0000 00000000 0000 0100 00000000 00000000")
    + bytes(40)  # message, tree and session identifiers, signature
    + bytes.fromhex("2400 0100 0100 0000 00000000")
    + bytes(24)  # the client's GUID, no contexts
    + bytes.fromhex("1002")
)
"""An SMB2 NEGOTIATE that offers 2.1 (MS-SMB2 2.2.3), after the length of its message."""
RELEASE = """\
#!/bin/sh
exec {smbcontrol} -s {configuration} smbd kill-client-ip {host}
"""
"""Ends the sessions of users who are no longer here: their open files would be in their way when
the address comes back. CTDB does the same with addresses that leave a node."""


@dataclass(frozen=True)
class Place:
    """Where the files of the nodes are.

    Attributes:
        home: The home of all of them.
        short: The same under a name that programs can do with.

    """

    home: Path
    short: Path


class FileNode:
    """One node, running.

    Attributes:
        name: What it is called.
        network: What joins it to the segment.
        logs: What its programs write, by their names.

    """

    def __init__(
        self,
        parts: ExitStack,
        place: Place,
        segment: Segment,
        name: str,
        settings: Mapping[str, str],
        password: str,
    ) -> None:
        """Start it; raises SystemLimitError where that cannot be. `parts` gets what ends it."""
        self.name = name
        self.network = segment.node(name)
        self._floating = segment.floating
        home, short = place.home / name, place.short / name
        try:
            home.mkdir()
            configuration = samba_files.write(
                *(home, short, PORT, samba_settings.complete({}), password), is_everywhere=True
            )
            # Storage that both nodes share: what is written by one is there for the other.
            (home / "data").rmdir()
            (home / "data").symlink_to(place.short / "data")
            member = self._member(segment, settings, configuration)
            keepalived.write(home, short, member, settings)
        except OSError as error:
            raise SystemLimitError(
                f"cannot write the server's files in {home}: {error.strerror}; choose another "
                "folder: XDG_CACHE_HOME=/some/folder headcount run ..."
            ) from error
        smbd = [samba.program(), "--foreground", "--no-process-group", "-s", str(configuration)]
        smbd += ["-l", str(short / "log")]
        self._smbd = KeptServer(self.network.command(smbd), place.home, f"smbd of {name}")
        parts.callback(self._smbd.stop)
        log = home / samba_files.LOG
        self._smbd.wait_until(lambda: port.answers(PORT, self.network.address), log)
        command = self.network.command(keepalived.command(keepalived.program(), short))
        self._keepalived = KeptServer(command, place.home, f"keepalived of {name}")
        parts.callback(self._keepalived.stop)
        self._keepalived.wait_until((home / "vrrp.pid").exists, self._keepalived.log)
        self.logs = {f"samba {name}": log, f"keepalived {name}": self._keepalived.log}

    def _member(self, segment: Segment, settings: Mapping[str, str], configuration: Path) -> Member:
        check = ANSWERS if settings["check"] == "answers" else LISTENS
        question = "".join(f"\\x{byte:02x}" for byte in QUESTION)
        return Member(
            self.name,
            list(segment.nodes).index(self.name),
            f"{segment.floating}/{segment.prefix}",
            check.format(address=self.network.address, port=PORT, question=question),
            RELEASE.format(
                smbcontrol=find("smbcontrol", samba.PACKAGES.advice("lab:ha-file needs Samba")),
                configuration=configuration,
                host=segment.host,
            ),
        )

    @property
    def pids(self) -> list[int]:
        """The process of its smbd."""
        return [self._smbd.server_pid]

    @property
    def others(self) -> list[int]:
        """That of its keepalived."""
        return [self._keepalived.server_pid]

    def has_address(self) -> bool:
        """Whether it has the address that moves."""
        words = ("-4", "-o", "addr", "show", "dev", keepalived.DEVICE)
        return f" {self._floating}/" in ip("-n", self.network.namespace, *words)

    def start(self) -> None:
        """Start again what does not run of it; raises SystemLimitError where that cannot be."""
        for one in (self._smbd, self._keepalived):
            if not Path(f"/proc/{one.server_pid}").exists():
                one.restart()

    def move(self) -> None:
        """Have the address leave it: its keepalived says goodbye, and ends."""
        os.kill(self._keepalived.server_pid, signal.SIGTERM)
