"""Fetches an exporter's page over HTTP, on one connection for as long as it lasts."""

import contextlib
import http.client
import socket
import ssl
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from headcount.counters.address import Address
from headcount.counters.prometheus.bounded import (
    MOST_HEAD_BYTES,
    HeadTooLargeError,
    response_within,
)
from headcount.errors import TargetError

CONNECT_S = 0.5
"""A machine that does not accept a connection in this time is down, or in trouble."""
ANSWER_S = 5.0
"""Longest wait for a whole answer: windows_exporter may take over a second. No run waits for it."""
MOST_BYTES = 32 * 2**20
"""Largest page; one with every process of a large server has a few MiB."""
_CHUNK_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Answer:
    """A page.

    Attributes:
        text: The page.
        asked_s: When it was asked for, by the steady clock.
        heard_s: When the answer began to come.
        date_s: What the server's `Date` says, in whole seconds since 1970; None without.

    """

    text: str
    asked_s: float
    heard_s: float
    date_s: float | None


class Scraper:
    """Asks for one page again and again."""

    def __init__(self, address: Address, answer_s: float = ANSWER_S) -> None:
        """Connect to nothing yet; a whole answer may take `answer_s`."""
        self._address = address
        self._answer_s = answer_s
        self._connection: http.client.HTTPConnection | None = None
        self._interrupted = False

    def ask(self) -> Answer:
        """The page now; raises TargetError that says what is wrong and what to do.

        Reconnects once if the exporter has closed the connection.
        """
        kept = self._connection is not None
        try:
            return self._ask()
        except TimeoutError as error:
            self.close()
            raise self._failure(f"no whole answer within {self._answer_s:g} s") from error
        except HeadTooLargeError as error:
            self.close()
            most = MOST_HEAD_BYTES >> 10
            raise self._failure(f"the header of its answer is larger than {most} KiB") from error
        except (http.client.HTTPException, OSError) as error:
            self.close()
            if not kept or self._interrupted:
                raise self._failure(f"it closed the connection ({error})") from error
        return self.ask()  # recurses once: the new connection is fresh

    def interrupt(self) -> None:
        """Stop; a thread that waits for an answer gets none."""
        self._interrupted = True
        connection = self._connection
        if connection is not None and connection.sock is not None:
            with contextlib.suppress(OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection; asking opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _ask(self) -> Answer:
        connection = self._connect()
        asked_s = time.monotonic()
        connection.sock.settimeout(self._answer_s)  # the last answer shortened it
        connection.request("GET", self._address.path, headers={"Accept": "text/plain"})
        answer = connection.getresponse()
        heard_s = time.monotonic()
        if answer.status != http.client.OK:
            self.close()
            raise self._failure(_refusal(answer.status, answer.reason))
        body = bytearray()
        while chunk := answer.read(_CHUNK_BYTES):
            body += chunk
            if len(body) > MOST_BYTES:
                self.close()
                raise self._failure(f"its page is larger than {MOST_BYTES >> 20} MiB")
        if answer.will_close:
            self.close()
        text = body.decode("utf-8", "replace")
        return Answer(text, asked_s, heard_s, _date_s(answer.getheader("Date")))

    def _connect(self) -> http.client.HTTPConnection:
        if self._connection is not None:
            return self._connection
        one = self._address
        connection = (
            http.client.HTTPSConnection(
                one.host, one.port, timeout=CONNECT_S, context=ssl.create_default_context()
            )
            if one.kind == "https"
            else http.client.HTTPConnection(one.host, one.port, timeout=CONNECT_S)
        )
        try:
            connection.connect()
        except ssl.SSLCertVerificationError as error:
            raise self._failure(
                f"its certificate is not trusted ({error.verify_message}); add its issuer to "
                "this machine's trusted certificates, or use ssh or http"
            ) from error
        except ssl.SSLError as error:
            raise self._failure(f"TLS failed ({error.reason})") from error
        except TimeoutError as error:
            raise self._failure(
                "no answer; is the machine up, and does its firewall let this machine reach that "
                "port?"
            ) from error
        except OSError as error:
            raise self._failure(
                f"{error.strerror or error}; is the exporter running, and is the port correct? "
                "Defaults: 9100 (node_exporter) and 9182 (windows_exporter)"
            ) from error
        connection.response_class = response_within(self._answer_s)
        self._connection = connection
        return connection

    def _failure(self, reason: str) -> TargetError:
        return TargetError(f"no counters from {self._address.text}: {reason}")


def _refusal(status: int, reason: str) -> str:
    if status in {http.client.UNAUTHORIZED, http.client.FORBIDDEN}:
        return (
            f"it answers {status} {reason}: it requires credentials, and Headcount has none; allow "
            "this machine without them, or use ssh"
        )
    return f"it answers {status} {reason}; exporters serve their page at /metrics"


def _date_s(text: str | None) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp() if text else None
    except ValueError:
        return None
