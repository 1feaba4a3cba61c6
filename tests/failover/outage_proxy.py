"""A proxy whose outages have a known length: between users and a server that never fails.

`python outage_proxy.py PORT SERVER_PORT FIFO LOG KIND:SECONDS ...` relays connections. Each byte
that is written to the FIFO makes the next outage of the list: `drop` ends all connections and
refuses new ones, `stall` keeps them and relays nothing. When it is over, a line with its kind and
its real length is in LOG.
"""

import asyncio
import os
import sys
import time
from pathlib import Path

BLOCK = 65_536


class Proxy:
    """Relays connections, except in its outages."""

    def __init__(self, port: int, server_port: int, log: Path, outages: list[str]) -> None:
        """Relay nothing yet."""
        self._port = port
        self._server_port = server_port
        self._log = log
        self._outages = outages
        self._flows = asyncio.Event()
        self._flows.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Accept connections."""
        self._server = await asyncio.start_server(
            self._relay, "127.0.0.1", self._port, reuse_address=True, backlog=1024
        )

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there = await asyncio.open_connection("127.0.0.1", self._server_port)
        except OSError:
            writer.close()
            return
        self._writers |= {writer, there[1]}
        try:
            await asyncio.gather(self._copy(reader, there[1]), self._copy(there[0], writer))
        finally:
            self._writers -= {writer, there[1]}
            writer.close()
            there[1].close()

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while block := await reader.read(BLOCK):
                await self._flows.wait()
                writer.write(block)
                await writer.drain()
        except OSError:
            pass
        writer.close()

    async def next_outage(self) -> None:
        """Make the next outage of the list."""
        kind, length = self._outages.pop(0).split(":")
        began_s = time.monotonic()
        if kind == "drop":
            assert self._server is not None
            self._server.close()
            for writer in set(self._writers):
                writer.transport.abort()
            await asyncio.sleep(float(length))
            await self.open()
        else:
            self._flows.clear()
            await asyncio.sleep(float(length))
            self._flows.set()
        took_s = time.monotonic() - began_s
        with self._log.open("a") as log:
            log.write(f"{kind} {took_s}\n")


async def main(arguments: list[str]) -> None:
    """Relay until a signal ends it."""
    port, server_port, fifo, log, *outages = arguments
    proxy = Proxy(int(port), int(server_port), Path(log), outages)
    await proxy.open()
    orders = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
    orders_left: asyncio.Queue[None] = asyncio.Queue()

    def ordered() -> None:
        for _ in os.read(orders, 100):
            orders_left.put_nowait(None)

    asyncio.get_running_loop().add_reader(orders, ordered)
    print("ready", flush=True)
    while True:
        await orders_left.get()
        await proxy.next_outage()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
