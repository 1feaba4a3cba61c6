"""A plain web application in Python: its flags choose what a request does, and so what limits it.

`wsgi` is for gunicorn and `asgi` for uvicorn, with the flags in `APP_FLAGS`; run as a program it serves with a
thread for each connection.
"""

import argparse
import asyncio
import gc
import http.server
import os
import queue
import socket
import sys
import threading
import time

SCRIPT = "local x = 0 for i = 1, ARGV[1] do x = x + i % 7 end return x"
BODY = b"x" * 200


def flags(words):
    parser = argparse.ArgumentParser()
    for name in ("cpu-ms", "sleep-ms", "held-ms", "lock-ms", "collect-ms"):
        parser.add_argument(f"--{name}", type=float, default=0.0)
    for name in ("port", "places", "connections", "rounds", "live-thousands"):
        parser.add_argument(f"--{name}", type=int, default=0)
    for name in ("database", "statement", "redis", "log"):
        parser.add_argument(f"--{name}", default="")
    return parser.parse_args(words)


def spin(ms):
    """Burn CPU time of this thread, so that it is the same work whatever else runs."""
    end = time.thread_time() + ms / 1000
    total = 0
    while time.thread_time() < end:
        for number in range(500):
            total += number * number
    return total


class Redis:
    """Connections to Redis, one for each thread."""

    def __init__(self, address, rounds):
        self.address = address
        parts = [b"EVAL", SCRIPT.encode(), b"0", str(rounds).encode()]
        self.command = b"*4\r\n" + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
        self.local = threading.local()

    def ask(self):
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

    def __init__(self, address, connections, statement):
        import psycopg

        where, _, name = address.partition("/")
        host, _, port = where.partition(":")
        self.free = queue.Queue()
        for _ in range(connections):
            self.free.put(psycopg.connect(host=host, port=port, dbname=name, user="shop", autocommit=True))
        what, _, argument = statement.partition(":")
        self.text = f"SELECT pg_sleep({argument} / 1000.0)" if what == "sleep" else f"SELECT {what}({argument})"

    def ask(self):
        connection = self.free.get()
        try:
            connection.execute(self.text)
        finally:
            self.free.put(connection)


class Application:
    def __init__(self, given):
        self.given = given
        self.lock = threading.Lock()
        self.live = [[number] for number in range(given.live_thousands * 1000)]
        self.redis = Redis(given.redis, given.rounds) if given.redis else None
        self.database = Database(given.database, given.connections, given.statement) if given.database else None
        self.log = os.open(given.log, os.O_WRONLY) if given.log else None
        if given.collect_ms:
            threading.Thread(target=self.collect, daemon=True).start()

    def collect(self):
        while True:
            time.sleep(self.given.collect_ms / 1000)
            gc.collect()

    def handle(self):
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


APPLICATION = None


def application():
    """The one of this process: workers make it after they were forked."""
    global APPLICATION
    if APPLICATION is None:
        APPLICATION = Application(flags(os.environ["APP_FLAGS"].split()))
    return APPLICATION


def wsgi(environ, start):
    body = application().handle()
    start("200 OK", [("Content-Type", "application/octet-stream"), ("Content-Length", str(len(body)))])
    return [body]


PLACES = None


async def asgi(scope, receive, send):
    global PLACES
    if scope["type"] != "http":
        return
    given = application().given
    if given.cpu_ms:
        spin(given.cpu_ms)
    if given.places:
        PLACES = PLACES or asyncio.Semaphore(given.places)
        async with PLACES:
            await asyncio.sleep(given.held_ms / 1000)
    if given.sleep_ms:
        await asyncio.sleep(given.sleep_ms / 1000)
    headers = [(b"content-type", b"application/octet-stream"), (b"content-length", str(len(BODY)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": BODY})


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_GET(self):
        body = APPLICATION.handle()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True


if __name__ == "__main__":
    given = flags(sys.argv[1:])
    APPLICATION = Application(given)
    Server(("127.0.0.1", given.port), Handler).serve_forever()
