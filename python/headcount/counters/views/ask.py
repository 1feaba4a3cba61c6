"""Requests to a server's own view: short, without credentials, and with a short time limit."""

import http.client
import socket
import ssl
import time
from collections.abc import Callable
from urllib.parse import urlsplit

PATIENCE_S = 0.2
"""A view that takes longer is not read: it would delay the sample, and burden the server."""
MOST_BYTES = 2_000_000
"""HAProxy has a line of 500 bytes for each server; a longer page is not a view."""
_PIECE = 65_536
_LAST_PORT = 65_535


class SlowError(TimeoutError):
    """The answer did not come, or not whole, within `PATIENCE_S`."""

    def __init__(self) -> None:
        """Say how long was waited."""
        super().__init__(f"it did not answer within {1000 * PATIENCE_S:.0f} ms")


def page(url: str, patience_s: float = PATIENCE_S) -> str:
    """The text at a URL, by one GET without credentials; follows no redirect.

    Raises OSError, including SlowError, and ValueError if the answer is not a page.
    """
    parts = urlsplit(url)
    until_s = time.monotonic() + patience_s
    connection = _connection(parts.scheme, parts.hostname or "", parts.port, patience_s)
    try:
        target = parts.path or "/"
        connection.request("GET", f"{target}?{parts.query}" if parts.query else target)
        answer = connection.getresponse()
        if answer.status != http.client.OK:
            raise ValueError(f"it answers status {answer.status}")
        return _until(until_s, answer.read1, lambda _: False).decode("utf-8", errors="replace")
    except TimeoutError as error:
        raise SlowError from error
    except http.client.HTTPException as error:
        raise ValueError("it does not speak HTTP") from error
    finally:
        connection.close()


def answer(
    address: str,
    question: bytes,
    is_whole: Callable[[bytes], bool] = lambda _: False,
    patience_s: float = PATIENCE_S,
) -> bytes:
    """The answer at a Unix socket's path or at `host:port`, until it is whole or ends.

    Raises OSError, including SlowError, and ValueError for another kind of address.
    """
    until_s = time.monotonic() + patience_s
    try:
        with _connected(address, patience_s) as asking:
            asking.sendall(question)
            return _until(until_s, asking.recv, is_whole)
    except TimeoutError as error:
        raise SlowError from error


def _until(
    until_s: float, piece: Callable[[int], bytes], is_whole: Callable[[bytes], bool]
) -> bytes:
    text = b""
    while not is_whole(text):
        more = piece(_PIECE)
        if not more:
            break
        text += more
        if len(text) > MOST_BYTES:
            raise ValueError("its answer is too long")
        if time.monotonic() > until_s:
            raise SlowError
    return text


def _connected(address: str, patience_s: float) -> socket.socket:
    if not address.startswith("/"):
        host, _, port = address.rpartition(":")
        if not host or not (port.isdecimal() and int(port) <= _LAST_PORT):
            raise ValueError("its address is neither HOST:PORT nor the path of a socket")
        return socket.create_connection((host.strip("[]"), int(port)), patience_s)
    asking = socket.socket(socket.AF_UNIX)
    try:
        asking.settimeout(patience_s)
        asking.connect(address)
    except OSError:
        asking.close()
        raise
    return asking


def _connection(
    scheme: str, host: str, port: int | None, patience_s: float
) -> http.client.HTTPConnection:
    if scheme == "http":
        return http.client.HTTPConnection(host, port, timeout=patience_s)
    # Nothing secret is sent, and the certificate may be for another name.
    trust = ssl.create_default_context()
    trust.check_hostname = False
    trust.verify_mode = ssl.CERT_NONE
    return http.client.HTTPSConnection(host, port, timeout=patience_s, context=trust)
