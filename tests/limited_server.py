"""A threaded web server with one known limit, which tests start and Headcount experiments on.

`python limited_server.py LIMIT` listens on a free port of loopback and prints it. `/cheap` and
`/dear` take different times, unless the limit says otherwise:

- `pool`: a semaphore of 4 around the whole request
- `lock`: a mutex around the whole request
- `limiter`: a token bucket without tokens in stock, whatever is asked for
- `cpu`: 1 ms of computing
- `delay`: a sleep, and nothing that is shared
- `upstream=HOST:PORT`: the answer of another server, with nothing of its own
"""

import contextlib
import http.client
import http.server
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

HELD_S = {"/cheap": 0.008, "/dear": 0.024}
PLACES = 4
PER_S = 60.0
"""Of the token bucket: far below what one user could ask for."""
COMPUTED_S = 0.001
SLOW = 5
"""How many times longer the server takes that is slow for everybody."""


class Bucket:
    """Lets this many requests a second through, one after the other."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.next_s = time.monotonic()

    def wait(self) -> None:
        """Wait for a token."""
        with self.lock:
            self.next_s = max(self.next_s, time.monotonic()) + 1 / PER_S
            due_s = self.next_s
        time.sleep(max(due_s - time.monotonic() - 1 / PER_S, 0.0))


class Server(http.server.ThreadingHTTPServer):
    """The server, with what its threads share."""

    request_queue_size = 128
    daemon_threads = True

    def __init__(self, limit: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.limit, _, self.upstream = limit.partition("=")
        self.places = threading.Semaphore(PLACES if self.limit == "pool" else 1)
        self.bucket = Bucket()
        self.local = threading.local()

    def work(self, path: str) -> None:
        """What a request costs."""
        held_s = HELD_S.get(path, 0.0)
        if self.limit in ("pool", "lock"):
            with self.places:
                time.sleep(held_s)
        elif self.limit == "limiter":
            if held_s:
                self.bucket.wait()
            time.sleep(held_s / 8)
        elif self.limit == "cpu":
            end_s = time.thread_time() + COMPUTED_S
            while time.thread_time() < end_s:
                pass
        elif self.limit == "delay":
            time.sleep(SLOW * held_s)
        elif self.upstream and held_s:
            self.ask(path)

    def ask(self, path: str) -> None:
        """Ask the other server, over a connection that the thread keeps."""
        if not hasattr(self.local, "connection"):
            self.local.connection = http.client.HTTPConnection(self.upstream)
        self.local.connection.request("GET", path)
        self.local.connection.getresponse().read()


class Handler(http.server.BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def do_GET(self) -> None:
        """Answer after what the limit makes of it."""
        self.server.work(self.path)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def main(words: list[str]) -> None:
    """Serve until standard input ends."""
    server = Server(words[0])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


@dataclass(frozen=True)
class Serving:
    """A server under way."""

    address: str
    process: subprocess.Popen[str]

    def stop(self) -> None:
        """Kill it, as a crash would."""
        self.process.kill()
        self.process.communicate()


@contextlib.contextmanager
def serving(limit: str) -> Iterator[Serving]:
    """A server with this limit in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, __file__, limit], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        yield Serving(f"127.0.0.1:{port}", process)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


if __name__ == "__main__":
    main(sys.argv[1:])
