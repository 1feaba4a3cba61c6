"""A name server that knows every name, and says so after a while."""

import argparse
import asyncio
import socket
from typing import cast

ADDRESS = bytes((0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4))
"""A pointer to the name, type A, class IN, kept for 0 s, four bytes follow (RFC 1035, 4.1.3)."""
IS_ADDRESS = b"\0\1"
ANSWER = b"\x85\x80"
"""A response with authority, recursion available (RFC 1035, 4.1.1)."""


class Names(asyncio.DatagramProtocol):
    """Answers each question for the type A with its own address, and others with nothing."""

    def __init__(self, host: str, after_s: float) -> None:
        self.address = ADDRESS + socket.inet_aton(host)
        self.after_s = after_s

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep what answers are sent by."""
        self.transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """Answer later."""
        asyncio.get_running_loop().call_later(self.after_s, self.answer, data, addr)

    def answer(self, data: bytes, addr: tuple[str, int]) -> None:
        """Say where the name is."""
        end = data.index(0, 12) + 5
        is_known = data[end - 4 : end - 2] == IS_ADDRESS
        head = data[:2] + ANSWER + b"\0\1" + (b"\0\1" if is_known else b"\0\0") + bytes(4)
        message = head + data[12:end] + (self.address if is_known else b"")
        self.transport.sendto(message, addr)


async def main() -> None:
    """Serve until it is ended."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int)
    parser.add_argument("--after-ms", type=float)
    given = parser.parse_args()
    await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: Names(given.host, given.after_ms / 1000), (given.host, given.port)
    )
    await asyncio.Event().wait()


asyncio.run(main())
