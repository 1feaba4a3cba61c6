"""A name server that knows every name, and says so after a while."""

import argparse
import asyncio

ADDRESS = bytes((0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1))
"""A pointer to the name, type A, class IN, kept for 0 s, four bytes (RFC 1035, 4.1.3)."""


class Names(asyncio.DatagramProtocol):
    def __init__(self, after_s):
        self.after_s = after_s

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, sender):
        asyncio.get_running_loop().call_later(self.after_s, self.answer, data, sender)

    def answer(self, data, sender):
        end = data.index(0, 12) + 5
        is_address = data[end - 4 : end - 2] == b"\0\1"
        head = data[:2] + b"\x85\x80\0\1" + (b"\0\1" if is_address else b"\0\0") + bytes(4)
        self.transport.sendto(head + data[12:end] + (ADDRESS if is_address else b""), sender)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int)
    parser.add_argument("--after-ms", type=float)
    given = parser.parse_args()
    loop = asyncio.get_running_loop()
    await loop.create_datagram_endpoint(lambda: Names(given.after_ms / 1000), ("127.0.0.1", given.port))
    await asyncio.Event().wait()


asyncio.run(main())
