"""A session with PostgreSQL for a question now and then.

Protocol: https://www.postgresql.org/docs/current/protocol.html (version 3.0, simple query). The
engine has a client of its own for the load; what users send must not share a session with this.
"""

import re
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from headcount.counters.postgresql.scram import MECHANISM, Scram

_VERSION_3 = 196_608
_OK, _SASL, _CONTINUE, _FINAL = 0, 10, 11, 12
_MOST_BYTES = 1 << 20
"""Longest message taken: answers are a row of numbers."""


@dataclass(frozen=True)
class Login:
    """Where and as whom. The password is in no text of it."""

    address: str
    database: str
    user: str
    password: str = field(repr=False)


class Session:
    """Logged on when made. All methods raise OSError, TimeoutError among them."""

    def __init__(self, login: Login, patience_s: float) -> None:
        """Log on, with SCRAM-SHA-256 or where no password is asked for."""
        host, _, port = login.address.rpartition(":")
        self.version = 0
        """The server's, as its major number."""
        self._socket = socket.create_connection((host.strip("[]"), int(port)), patience_s)
        try:
            self._log_on(login)
        except BaseException:
            self._socket.close()
            raise

    def ask(self, statements: str) -> list[list[str | None]]:
        """Rows of all statements together."""
        self._send(b"Q", statements.encode() + b"\0")
        return [_row(content) for kind, content in self._until_ready() if kind == b"D"]

    def close(self) -> None:
        """End it."""
        self._socket.close()

    def _log_on(self, login: Login) -> None:
        named = {"user": login.user, "database": login.database, "application_name": "headcount"}
        text = "".join(f"{key}\0{value}\0" for key, value in named.items()).encode() + b"\0"
        self._socket.sendall(struct.pack("!II", len(text) + 8, _VERSION_3) + text)
        scram = Scram(login.password)
        for kind, content in self._until_ready():
            if kind == b"S" and content.startswith(b"server_version\0"):
                found = re.match(rb"\d+", content.split(b"\0")[1])
                self.version = int(found[0]) if found else 0
            if kind != b"R":
                continue
            (wanted,) = struct.unpack_from("!I", content)
            if wanted == _SASL:
                first = scram.first()
                name = MECHANISM.encode() + b"\0"
                self._send(b"p", name + struct.pack("!I", len(first)) + first)
            elif wanted == _CONTINUE:
                self._send(b"p", scram.proof(content[4:]))
            elif wanted == _FINAL:
                scram.check(content[4:])
            elif wanted != _OK:
                raise OSError(f"the server requires an unsupported authentication ({wanted})")

    def _until_ready(self) -> Iterator[tuple[bytes, bytes]]:
        """Messages until the server waits for the next question; raises what it complains of."""
        complaint = ""
        while True:
            kind, length = struct.unpack("!cI", self._exactly(5))
            if not 4 <= length <= _MOST_BYTES:
                raise OSError("the server sent a message of impossible length")
            content = self._exactly(length - 4)
            if kind == b"E":
                complaint = _complaint(content)
                if complaint.startswith(("FATAL", "PANIC")):
                    raise OSError(complaint)
            elif kind == b"Z":
                if complaint:
                    raise OSError(complaint)
                return
            else:
                yield kind, content

    def _send(self, kind: bytes, content: bytes) -> None:
        self._socket.sendall(kind + struct.pack("!I", len(content) + 4) + content)

    def _exactly(self, length: int) -> bytes:
        found = b""
        while len(found) < length:
            piece = self._socket.recv(length - len(found))
            if not piece:
                raise OSError("the server closed the connection")
            found += piece
        return found


def _row(content: bytes) -> list[str | None]:
    """The columns of a DataRow, None for NULL."""
    (many,) = struct.unpack_from("!H", content)
    columns: list[str | None] = []
    at = 2
    for _ in range(many):
        (length,) = struct.unpack_from("!i", content, at)
        at += 4
        columns.append(None if length < 0 else content[at : at + length].decode("utf-8", "replace"))
        at += max(0, length)
    return columns


def _complaint(content: bytes) -> str:
    parts = {part[:1]: part[1:].decode("utf-8", "replace") for part in content.split(b"\0") if part}
    return f"{parts.get(b'S', 'ERROR')}: {parts.get(b'M', '')}"
