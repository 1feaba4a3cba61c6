"""A shop in Python: the words of APP_FLAGS choose what a request does, and so what limits it.

`wsgi` is for uWSGI and waitress, `asgi` for Hypercorn.
"""

import argparse
import asyncio
import functools
import importlib
import os
import socket
import sqlite3
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

BODY = b"x" * 3000
Step = Callable[[], object]


def flags(words: Sequence[str]) -> argparse.Namespace:
    """What a request does."""
    parser = argparse.ArgumentParser()
    for name in ("sleep-ms", "thread-ms", "hold-ms"):
        parser.add_argument(f"--{name}", type=float, default=0.0)
    for name in ("rounds", "pool"):
        parser.add_argument(f"--{name}", type=int, default=0)
    for name in (
        "sqlite",
        "database",
        "fresh-database",
        "fresh-redis",
        "statement",
        "names",
        "log",
    ):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--synchronous", default="OFF")
    return parser.parse_args(words)


def spin(rounds: int) -> int:
    """Some arithmetic in Python."""
    return sum(number * number % 7 for number in range(rounds))


def sqlite(path: str, hold_ms: float, synchronous: str) -> Step:
    """A transaction that writes: SQLite lets in one at a time, and others try again and again."""
    local = threading.local()
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, note TEXT)")

    def ask() -> None:
        if not hasattr(local, "connection"):
            local.connection = sqlite3.connect(path, timeout=60, isolation_level=None)
            local.connection.execute(f"PRAGMA synchronous = {synchronous}")
        local.connection.execute("BEGIN IMMEDIATE")
        local.connection.execute("INSERT INTO orders (note) VALUES ('one more')")
        time.sleep(hold_ms / 1000)
        local.connection.execute("COMMIT")

    return ask


def address(database: str) -> dict[str, str]:
    """Where it is, as psycopg takes it."""
    where, _, name = database.partition("/")
    host, _, port = where.partition(":")
    return {"host": host, "port": port, "dbname": name, "user": "shop"}


def pooled(database: str, size: int, statement: str) -> Step:
    """A statement over a pool of SQLAlchemy's."""
    alchemy: Any = importlib.import_module("sqlalchemy")
    password = os.environ["PGPASSWORD"]
    engine = alchemy.create_engine(
        f"postgresql+psycopg://shop:{password}@{database}",
        pool_size=size,
        max_overflow=0,
        pool_timeout=60,
    )
    text = alchemy.text(statement)

    def ask() -> None:
        with engine.connect() as connection:
            connection.execute(text)

    return ask


def unpooled(database: str, statement: str) -> Step:
    """A statement over a connection of its own."""
    connect = importlib.import_module("psycopg").connect

    def ask() -> None:
        with connect(**address(database), autocommit=True) as connection:
            connection.execute(statement)

    return ask


def fresh(redis: str) -> Step:
    """A question to Redis over a connection of its own, which the application ends."""
    host, _, port = redis.partition(":")

    def ask() -> None:
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(b"PING\r\n")
            if not connection.recv(100).startswith(b"+PONG"):
                raise RuntimeError("Redis does not answer")

    return ask


def named(server: str) -> Step:
    """Look a name up."""
    resolver = importlib.import_module("dns.resolver").Resolver(configure=False)
    host, _, port = server.partition(":")
    resolver.nameservers, resolver.port, resolver.lifetime = [host], int(port), 30.0
    return lambda: resolver.resolve("shop.example.test", "A")


def steps(given: argparse.Namespace) -> list[Step]:
    """What each request does, in order."""
    found: list[Step] = []
    if given.rounds:
        found.append(lambda: spin(given.rounds))
    if given.sleep_ms:
        found.append(lambda: time.sleep(given.sleep_ms / 1000))
    if given.sqlite:
        found.append(sqlite(f"{given.sqlite}/orders", given.hold_ms, given.synchronous))
    if given.database:
        found.append(pooled(given.database, given.pool, given.statement.replace("+", " ")))
    if given.fresh_database:
        found.append(unpooled(given.fresh_database, given.statement.replace("+", " ")))
    if given.fresh_redis:
        found.append(fresh(given.fresh_redis))
    if given.names:
        found.append(named(given.names))
    if given.log:
        log = os.open(given.log, os.O_WRONLY)
        found.append(lambda: os.write(log, b"an order" + b" item" * 40 + b"\n"))
    return found


MAKING = threading.Lock()


@functools.cache
def _made() -> list[Step]:
    return steps(flags(os.environ["APP_FLAGS"].split()))


def made() -> list[Step]:
    """The steps of this process: workers make them after they were forked."""
    with MAKING:
        return _made()


def wsgi(_: dict[str, Any], start: Callable[..., object]) -> Iterable[bytes]:
    """For uWSGI and waitress (PEP 3333)."""
    try:
        for step in made():
            step()
    except Exception as error:  # noqa: BLE001 - whatever it is, users see an error page
        text = f"{error}\n".encode()
        start("502 Bad Gateway", [("Content-Length", str(len(text)))])
        return [text]
    start("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(BODY)))])
    return [BODY]


async def asgi(
    scope: dict[str, Any], _: object, send: Callable[[dict[str, Any]], Awaitable[None]]
) -> None:
    """For Hypercorn (ASGI 3.0)."""
    if scope["type"] != "http":
        return
    given = flags(os.environ["APP_FLAGS"].split())
    if given.rounds:
        spin(given.rounds)
    if given.thread_ms:
        await asyncio.to_thread(time.sleep, given.thread_ms / 1000)
    if given.sleep_ms:
        await asyncio.sleep(given.sleep_ms / 1000)
    headers = [(b"content-type", b"text/plain"), (b"content-length", b"%d" % len(BODY))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": BODY})
