"""Exporters whose answers do not end: the header or page comes slowly or never ends."""

import contextlib
import itertools
import socket
import threading
import time
from collections.abc import Iterable, Iterator

import pytest

from headcount.counters.address import parse
from headcount.counters.prometheus import bounded
from headcount.counters.prometheus.scrape import Scraper
from headcount.errors import TargetError

LIMIT_S = 0.4
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 40000\r\n\r\n"
LINE = b"X-Filler: " + b"x" * 1000 + b"\r\n"
FOR_S = 30.0
"""Longer than any limit here; no client listens that long."""


@contextlib.contextmanager
def sending(pieces: Iterable[bytes], apart_s: float) -> Iterator[str]:
    """A server that sends these, with a pause after each; its URL."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with contextlib.suppress(OSError), listener.accept()[0] as client:
                client.recv(4096)
                end_s = time.monotonic() + FOR_S
                for piece in pieces:
                    client.sendall(piece)
                    time.sleep(apart_s)
                    if time.monotonic() > end_s:
                        return

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/metrics"
    thread.join(FOR_S)


def error_of(url: str) -> str:
    scraper = Scraper(parse(url), LIMIT_S)
    try:
        with pytest.raises(TargetError) as caught:
            scraper.ask()
    finally:
        scraper.close()
    return str(caught.value)


def bytes_of(text: bytes) -> Iterator[bytes]:
    return (bytes((byte,)) for byte in itertools.cycle(text))


@pytest.mark.parametrize(
    "before",
    [b"", b"HTTP/1.1 200 OK\r\nX-Slow: ", HEAD],
    ids=["status", "header", "page"],
)
def test_a_byte_at_a_time_ends_at_the_limit_for_the_whole_answer(before: bytes) -> None:
    pieces = itertools.chain((before,), bytes_of(b"HTTP" if not before else b"x"))
    with sending(pieces, 0.02) as url:
        message = error_of(url)
    assert message == f"no counters from {url}: no whole answer within 0.4 s"


def test_an_endless_100_continue_ends_at_the_limit() -> None:
    with sending(itertools.repeat(b"HTTP/1.1 100 Continue\r\n\r\n"), 0.02) as url:
        assert "no whole answer within 0.4 s" in error_of(url)


def test_an_endless_header_is_refused() -> None:
    most = bounded.MOST_HEAD_BYTES >> 10
    pieces = itertools.chain((b"HTTP/1.1 200 OK\r\n",), itertools.repeat(LINE))
    with sending(pieces, 0.0) as url:
        assert f"the header of its answer is larger than {most} KiB" in error_of(url)
