"""Servers that lie: what they say on each connection, bounded in time and bytes."""

import contextlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

PATIENCE_S = 90.0
"""Longest life of a connection: longer than any client may wait."""
MOST_BYTES = 96 << 20
"""Bytes of a flood that a client may take before it hangs up: what sockets hold, and far more."""
APART_S = 0.05
"""The time between two bytes of what drips, and between two pieces of what flows."""
RESET = struct.pack("ii", 1, 0)
"""SO_LINGER: hang up without a farewell."""


class Gone(Exception):  # noqa: N818 - no mistake: a client that hangs up ends every attack
    """The client has hung up, or the test has ended."""


class Line:
    """One connection, from the server's side."""

    def __init__(self, stream: socket.socket, number: int, is_over: threading.Event) -> None:
        """The connection with this number at its server, from 0."""
        self.number = number
        self._stream = self.raw = stream
        self._is_over = is_over
        self._heard = b""
        stream.settimeout(PATIENCE_S)
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def secure(self, context: ssl.SSLContext) -> None:
        """Shake hands over TLS; what is said from now on is encrypted."""
        self.raw = self._stream.dup()
        try:
            self._stream = context.wrap_socket(self._stream, server_side=True)
        except OSError as error:
            raise Gone from error

    def close(self) -> None:
        """Hang up; under TLS without its farewell."""
        for stream in (self._stream, self.raw):
            with contextlib.suppress(OSError):
                stream.shutdown(socket.SHUT_RDWR)
            stream.close()

    def send(self, *parts: bytes) -> None:
        """Say this in one piece."""
        try:
            self._stream.sendall(b"".join(parts))
        except OSError as error:
            raise Gone from error

    def take(self, size: int) -> bytes:
        """The next bytes of the client, this many."""
        while len(self._heard) < size:
            self._hear()
        taken, self._heard = self._heard[:size], self._heard[size:]
        return taken

    def take_until(self, end: bytes) -> bytes:
        """The next bytes of the client, to the end of these."""
        while end not in self._heard:
            self._hear()
        taken, _, self._heard = self._heard.partition(end)
        return taken + end

    def drip(self, text: bytes) -> None:
        """Say this again and again, a byte at a time, until the client hangs up."""
        while True:
            for byte in text:
                self.send(bytes([byte]))
                self._pause()

    def flow(self, text: bytes) -> None:
        """Say this again and again without haste, for as long as the client takes it."""
        while True:
            self.send(text)
            self._pause()

    def flood(self, text: bytes) -> None:
        """Say this again and again as fast as it is taken; a client that takes all of it is caught.

        Raises AssertionError then, which the test sees.
        """
        piece = text * max(1, (1 << 16) // len(text))
        for _ in range(MOST_BYTES // len(piece)):
            self.send(piece)
        raise AssertionError(f"the client took {MOST_BYTES >> 20} MiB of a flood")

    def wait(self) -> None:
        """Say nothing until the client hangs up."""
        while True:
            self._hear()
            self._heard = b""

    def reset(self) -> None:
        """Hang up without a farewell."""
        self._stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        raise Gone

    def _hear(self) -> None:
        try:
            piece = self._stream.recv(1 << 16)
        except OSError as error:
            raise Gone from error
        if not piece:
            raise Gone
        self._heard += piece

    def _pause(self) -> None:
        if self._is_over.wait(APART_S):
            raise Gone


Play = Callable[[Line], None]


@dataclass
class Liar:
    """A server under way.

    Attributes:
        address: Where it listens.
        connections: How often somebody came.
        wrong: What the attack itself found wrong with its client, such as that it took a flood.

    """

    address: str
    connections: int = 0
    wrong: list[str] = field(default_factory=list)


@contextlib.contextmanager
def lying(play: Play) -> Iterator[Liar]:
    """Play this on each connection to a port of its own, in a thread for each."""
    is_over = threading.Event()
    streams: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listener:
        liar = Liar("{}:{}".format(*listener.getsockname()))

        def serve(stream: socket.socket, number: int) -> None:
            line = Line(stream, number, is_over)
            with contextlib.suppress(Gone):
                try:
                    play(line)
                except AssertionError as error:
                    liar.wrong.append(str(error))
            line.close()

        def accept() -> None:
            while True:
                try:
                    stream, _ = listener.accept()
                except OSError:
                    return
                streams.append(stream)
                number, liar.connections = liar.connections, liar.connections + 1
                threading.Thread(target=serve, args=(stream, number), daemon=True).start()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield liar
        finally:
            is_over.set()
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            for stream in streams:
                with contextlib.suppress(OSError):
                    stream.shutdown(socket.SHUT_RDWR)
