"""What tests ask a Samba server with programs and bytes that are none of Headcount's."""

import os
import socket
import struct
import subprocess
from dataclasses import dataclass

from headcount.lab.samba import SambaServer

DIALECTS = (0x0210, 0x0300, 0x0302)
SIGNING_REQUIRED = 2
CAP_ENCRYPTION = 0x40


def logon(
    server: SambaServer,
    command: str,
    *options: str,
    share: int = 0,
    user: int = 0,
    password: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Log on with smbclient and run its command."""
    host, number = server.address.split(":")
    service = f"//{host}/{server.share.format(n=share)}"
    return subprocess.run(
        [
            *("smbclient", "-s", "/dev/null", service, "-p", number, *options),
            *("-U", server.user.format(n=user), "-c", command),
        ],
        env={**os.environ, "PASSWD": server.password if password is None else password},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


@dataclass(frozen=True)
class Negotiated:
    """A server's answer to NEGOTIATE (MS-SMB2 2.2.4)."""

    status: int
    dialect: int
    signing_required: bool
    encryption: bool


def negotiate(address: str, dialects: tuple[int, ...] = DIALECTS) -> Negotiated:
    """Offer dialects with encryption, and see what the server takes."""
    header = struct.pack("<4sHHIHHIIQIIQ16s", b"\xfeSMB", 64, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, b"")
    body = struct.pack(
        "<HHHHI16sQ", 36, len(dialects), 1, 0, CAP_ENCRYPTION, b"headcount-tester", 0
    )
    message = header + body + struct.pack(f"<{len(dialects)}H", *dialects)
    host, number = address.split(":")
    with socket.create_connection((host, int(number)), timeout=10) as server:
        server.sendall(struct.pack(">I", len(message)) + message)
        with server.makefile("rb") as stream:
            (length,) = struct.unpack(">I", stream.read(4))
            answer = stream.read(length)
    (status,) = struct.unpack_from("<I", answer, 8)
    if status != 0:
        return Negotiated(status, 0, False, False)
    mode, dialect = struct.unpack_from("<HH", answer, 64 + 2)
    (capabilities,) = struct.unpack_from("<I", answer, 64 + 24)
    return Negotiated(
        status, dialect, bool(mode & SIGNING_REQUIRED), bool(capabilities & CAP_ENCRYPTION)
    )
