"""A plain web application in Python: its flags choose what a request does, and so what limits it.

`wsgi` is for gunicorn and `asgi` for uvicorn, with the flags in `APP_FLAGS`; run as a program it
serves with a thread for each connection.
"""

import argparse
import asyncio
import functools
import gc
import http.server
import importlib
import os
import queue
import socket
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

SCRIPT = "local x = 0 for i = 1, ARGV[1] do x = x + i % 7 end return x"
BODY = b"x" * 200
TYPE = "application/octet-stream"


def flags(words: Sequence[str]) -> argparse.Namespace:
    """What a request does."""
    parser = argparse.ArgumentParser()
    for name in ("cpu-ms", "sleep-ms", "held-ms", "lock-ms", "collect-ms"):
        parser.add_argument(f"--{name}", type=float, default=0.0)
    for name in ("port", "places", "connections", "rounds", "live-thousands"):
        parser.add_argument(f"--{name}", type=int, default=0)
    for name in ("database", "statement", "redis", "log"):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--host", default="127.0.0.1")
    return parser.parse_args(words)


def spin(ms: float) -> int:
    """Burn CPU time of this thread, so that it is the same work whatever else runs."""
    end = time.thread_time() + ms / 1000
    total = 0
    while time.thread_time() < end:
        for number in range(500):
            total += number * number
    return total


class Redis:
    """Connections to Redis, one for each thread."""

    def __init__(self, address: str, rounds: int) -> None:
        self.address = address
        parts = [b"EVAL", SCRIPT.encode(), b"0", str(rounds).encode()]
        self.command = b"*4\r\n" + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
        self.local = threading.local()

    def ask(self) -> None:
        """Run the script."""
        if not hasattr(self.local, "file"):
            host, _, port = self.address.rpartition(":")
            connection = socket.create_connection((host, int(port)))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.local.file = connection.makefile("rwb")
        self.local.file.write(self.command)
        self.local.file.flush()
        line = self.local.file.readline()
        if not line.startswith(b":"):
            raise RuntimeError(line.decode())


class Database:
    """A pool of connections that threads share."""

    def __init__(self, address: str, connections: int, statement: str) -> None:
        connect = importlib.import_module("psycopg").connect
        where, _, name = address.partition("/")
        host, _, port = where.partition(":")
        how = {"host": host, "port": port, "dbname": name, "user": "shop", "autocommit": True}
        self.free: queue.Queue[Any] = queue.Queue()
        for _ in range(connections):
            self.free.put(connect(**how))
        what, _, argument = statement.partition(":")
        function = f"pg_sleep({argument} / 1000.0)" if what == "sleep" else f"{what}({argument})"
        self.text = f"SELECT {function}"

    def ask(self) -> None:
        """Say the statement over a connection that is free."""
        connection = self.free.get()
        try:
            connection.execute(self.text)
        finally:
            self.free.put(connection)


class Application:
    """What all its users share."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.lock = threading.Lock()
        self.live = [[number] for number in range(given.live_thousands * 1000)]
        self.redis = Redis(given.redis, given.rounds) if given.redis else None
        self.log = os.open(given.log, os.O_WRONLY) if given.log else None
        self.database = None
        if given.database:
            self.database = Database(given.database, given.connections, given.statement)
        if given.collect_ms:
            threading.Thread(target=self.collect, daemon=True).start()

    def collect(self) -> None:
        """Collect all of the heap, again and again."""
        while True:
            time.sleep(self.given.collect_ms / 1000)
            gc.collect()

    def handle(self) -> bytes:
        """The answer of a request."""
        given = self.given
        if given.cpu_ms:
            spin(given.cpu_ms)
        if given.lock_ms:
            with self.lock:
                time.sleep(given.lock_ms / 1000)
        if given.sleep_ms:
            time.sleep(given.sleep_ms / 1000)
        if self.redis:
            self.redis.ask()
        if self.database:
            self.database.ask()
        if self.log is not None:
            os.write(self.log, b"GET /" + b" line" * 40 + b"\n")
        return BODY


MAKING = threading.Lock()


@functools.cache
def _application() -> Application:
    return Application(flags(os.environ["APP_FLAGS"].split()))


def application() -> Application:
    """The one of this process: workers make it after they were forked."""
    with MAKING:
        return _application()


@functools.cache
def places() -> asyncio.Semaphore:
    """The requests that go on at a time."""
    return asyncio.Semaphore(application().given.places)


def wsgi(_: dict[str, Any], start: Callable[..., object]) -> Iterable[bytes]:
    """For gunicorn (PEP 3333)."""
    body = application().handle()
    start("200 OK", [("Content-Type", TYPE), ("Content-Length", str(len(body)))])
    return [body]


async def asgi(
    scope: dict[str, Any], _: object, send: Callable[[dict[str, Any]], Awaitable[None]]
) -> None:
    """For uvicorn (ASGI 3.0)."""
    if scope["type"] != "http":
        return
    given = application().given
    if given.cpu_ms:
        spin(given.cpu_ms)
    if given.places:
        async with places():
            await asyncio.sleep(given.held_ms / 1000)
    if given.sleep_ms:
        await asyncio.sleep(given.sleep_ms / 1000)
    headers = [(b"content-type", TYPE.encode()), (b"content-length", b"%d" % len(BODY))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": BODY})


class Server(http.server.ThreadingHTTPServer):
    """A thread for each connection."""

    request_queue_size = 1024
    daemon_threads = True

    def __init__(self, given: argparse.Namespace) -> None:
        super().__init__((given.host, given.port), Handler)
        self.application = Application(given)


class Handler(http.server.BaseHTTPRequestHandler):
    """Of a connection that is kept."""

    server: Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_GET(self) -> None:
        """Answer."""
        body = self.server.application.handle()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


if __name__ == "__main__":
    Server(flags(sys.argv[1:])).serve_forever()
