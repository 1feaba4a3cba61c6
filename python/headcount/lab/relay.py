"""A line between two servers of the lab that can be cut: passes TCP connections on.

`python -m headcount.lab.relay HOST:PORT TO_HOST:TO_PORT` listens until it is ended. While it is
stopped (SIGSTOP) nothing passes, silently, as with a network that drops packets.
"""

import asyncio
import socket
import sys
from collections.abc import Sequence

CHUNK_BYTES = 65_536


async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on what comes until it ends."""
    try:
        while data := await reader.read(CHUNK_BYTES):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except OSError:  # one side has gone, which ends the other
        writer.close()


async def relay(host: str, port: int, to_host: str, to_port: int) -> None:
    """Listen, and pass on, until this is cancelled; raises OSError if it cannot listen."""

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection(to_host, to_port)
        except OSError:
            writer.close()
            return
        for one in (writer, far_writer):
            one.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            await asyncio.gather(carry(reader, far_writer), carry(far_reader, writer))
        finally:
            writer.close()
            far_writer.close()

    async with await asyncio.start_server(accept, host, port) as server:
        await server.serve_forever()


def main(arguments: Sequence[str]) -> int:
    """Pass connections on until this process is ended; returns the exit code."""
    here, there = arguments
    (host, port), (to_host, to_port) = here.rsplit(":", 1), there.rsplit(":", 1)
    try:
        asyncio.run(relay(host, int(port), to_host, int(to_port)))
    except OSError as error:
        print(f"cannot listen at {here}: {error.strerror}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
