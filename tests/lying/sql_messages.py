"""Messages between a PostgreSQL server and its clients, for servers that lie."""

import struct

from liar import Line

AUTHENTICATION_OK, CLEARTEXT, SASL, SASL_CONTINUE, SASL_FINAL = 0, 3, 10, 11, 12
BOOL, INT8, INT4, TEXT = 16, 20, 23, 25
"""Types by their number (pg_type.dat)."""


def message(tag: bytes, body: bytes = b"", length: int | None = None) -> bytes:
    """A message (PostgreSQL 15, 55.7)."""
    return tag + struct.pack(">I", len(body) + 4 if length is None else length) + body


def authentication(code: int, body: bytes = b"") -> bytes:
    return message(b"R", struct.pack(">I", code) + body)


READY = message(b"Z", b"I")
LET_IN = authentication(AUTHENTICATION_OK) + READY
PARSED = message(b"1")
BOUND = message(b"2")
NO_PARAMETERS = message(b"t", b"\0\0")


def error(*fields: bytes) -> bytes:
    """An error with these fields, each a letter and a text."""
    return message(b"E", b"".join(field + b"\0" for field in fields) + b"\0")


def columns(*types: int) -> bytes:
    """The description of the rows of an answer."""
    each = (b"c\0" + struct.pack(">IHIhih", 0, 0, kind, 4, -1, 0) for kind in types)
    return message(b"T", struct.pack(">H", len(types)) + b"".join(each))


def row(*values: bytes | None) -> bytes:
    parts = (
        struct.pack(">i", -1) if value is None else struct.pack(">i", len(value)) + value
        for value in values
    )
    return message(b"D", struct.pack(">H", len(values)) + b"".join(parts))


def begin(line: Line) -> None:
    """Refuse TLS, and take the startup message."""
    line.take(8)
    line.send(b"N")
    (size,) = struct.unpack(">I", line.take(4))
    line.take(size - 4)


def taken(line: Line) -> tuple[bytes, bytes]:
    """The tag and the body of the client's next message."""
    tag = line.take(1)
    (size,) = struct.unpack(">I", line.take(4))
    return tag, line.take(size - 4)
