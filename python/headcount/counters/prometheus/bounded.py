"""HTTP answers with a total time limit: that of a socket restarts with every byte."""

import http.client
import io
import socket
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MOST_HEAD_BYTES = 32 * 2**10
"""Most bytes of status line and header; those of exporters have a few hundred."""


class HeadTooLargeError(Exception):
    """The status line and header are larger than `MOST_HEAD_BYTES`."""


class _Wire(io.RawIOBase):
    """The bytes of a socket until a deadline."""

    def __init__(self, below: io.RawIOBase, sock: socket.socket, until_s: float) -> None:
        self._below = below
        self._sock = sock
        self._until_s = until_s
        # The buffer may already have read ahead into the page.
        self.room: int | None = MOST_HEAD_BYTES + io.DEFAULT_BUFFER_SIZE

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int | None:
        left_s = self._until_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError
        self._sock.settimeout(left_s)
        count: int | None = self._below.readinto(buffer)
        if self.room is not None:
            self.room -= count or 0
            if self.room < 0:
                raise HeadTooLargeError
        return count

    def close(self) -> None:
        self._below.close()
        super().close()


def response_within(limit_s: float) -> type[http.client.HTTPResponse]:
    """The class of answers that must be read whole within `limit_s` of the request.

    Reading one raises TimeoutError after that time, however the bytes arrive, and
    HeadTooLargeError.
    """

    class Response(http.client.HTTPResponse):
        def __init__(
            self,
            sock: socket.socket,
            debuglevel: int = 0,
            method: str | None = None,
            url: str | None = None,
        ) -> None:
            super().__init__(sock, debuglevel, method, url)
            self._wire = _Wire(self.fp.detach(), sock, time.monotonic() + limit_s)
            self.fp = io.BufferedReader(self._wire)

        def begin(self) -> None:
            super().begin()
            self._wire.room = None

    return Response
