"""A node of `lab:ha-file`: an smbd in a network namespace, and keepalived's check of it."""

from contextlib import ExitStack
from pathlib import Path

from headcount.errors import SystemLimitError
from headcount.lab import port, samba, samba_files, samba_settings
from headcount.lab.installed import find
from headcount.lab.kept import KeptServer
from headcount.lab.pair_node import LISTENS, Place, Scripts
from headcount.lab.segment import Segment, SegmentNode

PORT = 445
"""SMB's standard port (MS-SMB2 2.1): nothing else listens in a node."""
ANSWERS = """\
#!/bin/bash
export LC_ALL=C
exec 3<>/dev/tcp/{address}/{number} || exit
printf '{question}' >&3
read -r -t 1 -n 1 -d '' <&3
"""
"""bash(1): `read -t` fails at its timeout."""
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
"""Ends the sessions of users who have left the node: their open files would block them when the
address comes back. CTDB does the same with addresses that leave a node."""


class FileServer:
    """The smbd of a node, running.

    Attributes:
        server: Its process.
        log: Its log file.

    """

    def __init__(self, parts: ExitStack, place: Place, node: SegmentNode, password: str) -> None:
        """Start it; `parts` gets what ends it. Raises SystemLimitError if that fails."""
        home, short = place.home / node.name, place.short / node.name
        try:
            home.mkdir()
            self._configuration = samba_files.write(
                *(home, short, PORT, samba_settings.complete({}), password), is_everywhere=True
            )
            # Storage that both nodes share: each sees what the other writes.
            (home / "data").rmdir()
            (home / "data").symlink_to(place.short / "data")
        except OSError as error:
            raise SystemLimitError(
                f"cannot write the server's files in {home}: {error.strerror}; choose another "
                "folder: XDG_CACHE_HOME=/some/folder headcount run ..."
            ) from error
        command = [samba.program(), "--foreground", "--no-process-group"]
        command += ["-s", str(self._configuration), "-l", str(short / "log")]
        self._address = node.address
        self.log: Path = home / samba_files.LOG
        self.server = KeptServer(node.command(command), place.home, f"smbd of {node.name}")
        parts.callback(self.server.stop)
        self.server.wait_until(lambda: port.answers(PORT, node.address), self.log)

    def scripts(self, segment: Segment, check: str) -> Scripts:
        """What keepalived runs, for the setting `check`."""
        question = "".join(f"\\x{byte:02x}" for byte in QUESTION)
        text = ANSWERS if check == "answers" else LISTENS
        return Scripts(
            text.format(address=self._address, number=PORT, question=question),
            RELEASE.format(
                smbcontrol=find("smbcontrol", samba.PACKAGES.advice("lab:ha-file needs Samba")),
                configuration=self._configuration,
                host=segment.host,
            ),
        )
