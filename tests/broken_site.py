"""A web server of Python's own library that answers wrongly in a way of its choice."""

import contextlib
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

BODY = b"hello world\n" * 20
SLOW_S = 0.1
"""What the page /slow takes."""
STATUSES = {"redirect": 302, "missing": 404, "forbidden": 403, "error": 500, "rate": 429}


class _Site(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    way = "well"
    one_in = 1

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.asked = count(1)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Site

    def do_GET(self) -> None:
        way = self.server.way
        if next(self.server.asked) % self.server.one_in:
            way = "well"
        if way == "broken":
            self.close_connection = True
            return
        if way == "short":
            self._answer(200, BODY, length=len(BODY) + 100)
            self.close_connection = True
            return
        if way == "silent":
            time.sleep(30)
        if self.path == "/slow":
            time.sleep(SLOW_S)
        self._answer(STATUSES.get(way, 200), BODY)

    def _answer(self, status: int, body: bytes, length: int | None = None) -> None:
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/login?next=/")
        if status == 429:
            self.send_header("Retry-After", "7")
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def serving(way: str, one_in: int = 1) -> Iterator[str]:
    """Serve on a port of its own; one in `one_in` requests is answered wrongly, not the first."""
    with _Site(("127.0.0.1", 0), _Handler) as site:
        site.way, site.one_in = way, one_in
        thread = threading.Thread(target=site.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{site.server_port}"
        finally:
            site.shutdown()
            thread.join()
