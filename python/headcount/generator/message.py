"""Messages between the controller and its agents: named values, and bytes beside them."""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from headcount.errors import EngineError

_SIZES = struct.Struct(">II")
"""Header of each message: bytes of its values as JSON, and of its body."""
MOST_BYTES = 64 << 20
"""Most bytes of the values, and of a body. A workload from a recording has some MB."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message.

    Attributes:
        kind: What it is: `start`, `users`, `second`, ...
        values: What it says; anything that JSON can hold.
        body: Figures of the engine, unchanged.

    """

    kind: str
    values: Mapping[str, Any] = field(default_factory=dict)
    body: bytes = b""


def encoded(message: Message) -> bytes:
    """A message as bytes, for a `Decoder`."""
    values = json.dumps({**message.values, "kind": message.kind}).encode()
    return _SIZES.pack(len(values), len(message.body)) + values + message.body


class Decoder:
    """Decodes messages from bytes that come in pieces of any size."""

    def __init__(self) -> None:
        """Nothing has come yet."""
        self._waiting = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """The messages that are complete now; raises EngineError for anything else."""
        self._waiting += data
        found = []
        while (message := self._next()) is not None:
            found.append(message)
        return found

    def _next(self) -> Message | None:
        waiting = self._waiting
        if len(waiting) < _SIZES.size:
            return None
        values_bytes, body_bytes = _SIZES.unpack_from(waiting)
        if max(values_bytes, body_bytes) > MOST_BYTES:
            raise EngineError("an agent sent a message that this version of Headcount cannot read")
        end = _SIZES.size + values_bytes
        if len(waiting) < end + body_bytes:
            return None
        try:
            values = json.loads(waiting[_SIZES.size : end])
            kind = values.pop("kind")
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise EngineError(
                "an agent sent a message that this version of Headcount cannot read"
            ) from error
        message = Message(str(kind), values, bytes(waiting[end : end + body_bytes]))
        del waiting[: end + body_bytes]
        return message
