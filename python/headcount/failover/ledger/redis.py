"""Rows in a hash of Redis, under a key of Headcount's own.

RESP version 2: https://redis.io/docs/latest/develop/reference/protocol-spec/.
"""

import json
import socket
import ssl
from contextlib import suppress
from typing import Any, BinaryIO

from headcount.errors import TargetError
from headcount.failover.ledger.store import Kept

PATIENCE_S = 5.0
"""How long an answer may take: a write that takes longer was not acknowledged."""
KEY = "headcount:ledger"
MARKER = "headcount:data-set"
"""Says whose the keys are (`MARKER` of crates/redis); any other text than that of a whole data set
has it made again."""
LOST = "Headcount's: keys that begin with headcount: are made and deleted by it (lost)"
NEWEST = "newest"
"""Prefix of the field with a writer's newest number; the others are `writer:number`."""
MOST_BYTES = 64 << 20
"""Longest answer."""

Reply = str | int | None | list["Reply"]


class RedisStore:
    """A connection to a Redis server."""

    def __init__(self, target: str) -> None:
        """Log on to the engine's target (JSON); raises TargetError."""
        options: dict[str, Any] = json.loads(target)
        self._socket = _connected(options)
        self._answers: BinaryIO = self._socket.makefile("rb")
        try:
            if options.get("logins"):
                self._ask("AUTH", *options["logins"][0])
            elif options.get("password") is not None:
                user = [options["user"]] if options.get("user") else []
                self._ask("AUTH", *user, options["password"])
            if options.get("database"):
                self._ask("SELECT", str(options["database"]))
        except BaseException:
            self.close()
            raise

    def begin(self) -> None:
        """Delete all rows."""
        self._ask("DEL", KEY)

    def write(self, writer: int, number: int) -> None:
        """Set the field of a row and the newest number in one command."""
        self._ask("HSET", KEY, f"{writer}:{number}", "1", f"{NEWEST}:{writer}", str(number))

    def newest(self, writer: int) -> int:
        """The highest number of a writer; 0 for none."""
        found = self._ask("HGET", KEY, f"{NEWEST}:{writer}")
        return int(found) if isinstance(found, str) else 0

    def kept(self) -> Kept:
        """All rows."""
        fields = self._ask("HKEYS", KEY)
        rows: dict[int, set[int]] = {}
        for field in fields if isinstance(fields, list) else ():
            writer, _, number = str(field).partition(":")
            if writer != NEWEST:
                rows.setdefault(int(writer), set()).add(int(number))
        return {writer: frozenset(numbers) for writer, numbers in rows.items()}

    def remove(self) -> None:
        """Delete the key.

        A server that has lost its data set has lost its marker, too, and users have written keys
        since: a new marker lets `prepare` and `cleanup` know and delete them.
        """
        self._ask("DEL", KEY)
        self._ask("SET", MARKER, LOST, "NX")

    def close(self) -> None:
        """End the connection; safe to call twice."""
        with suppress(OSError):
            self._answers.close()
        with suppress(OSError):
            self._socket.close()

    def _ask(self, *words: str) -> Reply:
        """The answer to a command; raises TargetError if it is an error, or missing."""
        parts = [f"*{len(words)}\r\n".encode()]
        for word in words:
            raw = word.encode()
            parts.append(b"$%d\r\n%s\r\n" % (len(raw), raw))
        try:
            self._socket.sendall(b"".join(parts))
            return self._reply()
        except (OSError, ValueError) as error:
            raise TargetError(f"Redis does not answer {words[0]}: {error}") from error

    def _reply(self) -> Reply:
        """The next answer; raises OSError, ValueError, TargetError."""
        line = self._answers.readline(1 << 16)
        if not line.endswith(b"\r\n"):
            raise ConnectionResetError("the connection was closed")
        kind, text = line[:1], line[1:-2].decode("utf-8", errors="replace")
        if kind == b"-":
            raise TargetError(f"Redis refuses: {text}")
        if kind == b"+":
            return text
        if kind == b":":
            return int(text)
        number = int(text)
        if number > MOST_BYTES:
            raise ValueError(f"an answer of {number} parts or bytes")
        if number < 0:
            return None
        if kind == b"*":
            return [self._reply() for _ in range(number)]
        if kind != b"$":
            raise ValueError(f"this is not RESP: {line[:40]!r}")
        found = self._answers.read(number + 2)
        if len(found) != number + 2:
            raise ConnectionResetError("the connection was closed")
        return found[:-2].decode("utf-8", errors="replace")


def _connected(options: dict[str, Any]) -> socket.socket:
    """A connection, encrypted if that is asked for; raises TargetError."""
    host, _, _ = options["address"].rpartition(":")
    place = options["at"][0] if options.get("at") else options["address"]
    at, _, number = place.rpartition(":")
    try:
        plain = socket.create_connection((at.strip("[]"), int(number)), PATIENCE_S)
    except OSError as error:
        raise TargetError(f"Redis at {options['address']} does not answer: {error}") from error
    if not options.get("tls"):
        return plain
    try:
        trust = _trust(options["verify_certificates"])
        trust.check_hostname &= options.get("verify_name", True)
        return trust.wrap_socket(plain, server_hostname=host.strip("[]"))
    except (OSError, ValueError) as error:
        plain.close()
        raise TargetError(f"Redis at {options['address']}: {error}") from error


def _trust(verify: bool | str) -> ssl.SSLContext:
    """Which certificates are accepted, as in the engine; raises OSError."""
    made = ssl.create_default_context(cafile=verify if isinstance(verify, str) else None)
    if verify is False:
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
    return made
