"""A relay that does to mail what no server may: it drops, duplicates and alters some."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from smtplib import LMTP

DROPPED, DOUBLED, ALTERED = 0, 1, 2
"""What is done to a message, by its number among those that came."""
EACH = 4
"""One message in so many is dropped, one doubled, one altered, and one left alone."""


class Relay(socketserver.ThreadingTCPServer):
    """It speaks SMTP, accepts everything, and hands what it lets live to an LMTP server."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, lmtp: str, crimes: tuple[int, ...]) -> None:
        """Listen on a loopback port; `crimes` are those that it commits."""
        super().__init__(("127.0.0.1", 0), Conversation)
        self._lmtp, self._crimes = lmtp, crimes
        self._lock = threading.Lock()
        self._came = 0
        self.victims: list[str] = []

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self.server_address[1]}"

    def take(self, sender: str, recipients: list[str], content: bytes) -> None:
        """Hand a message on, or not."""
        with self._lock:
            crime = self._came % EACH
            self._came += 1
            if crime in self._crimes:
                self.victims.append(message_from_bytes(content)["Message-ID"])
        times = 1
        if crime in self._crimes:
            times = {DROPPED: 0, DOUBLED: 2, ALTERED: 1}[crime]
            if crime == ALTERED:
                content = altered(content)
        for _ in range(times):
            for recipient in recipients:  # Python's LMTP reads one reply after the data
                host, _, number = self._lmtp.rpartition(":")
                with LMTP(host, int(number)) as post:
                    post.sendmail(sender, [recipient], content)


def altered(content: bytes) -> bytes:
    """The same with a letter of its text changed."""
    at = content.index(b"\r\n\r\n") + 40
    while not content[at : at + 1].isalpha():
        at += 1
    return content[:at] + bytes([content[at] ^ 0x20]) + content[at + 1 :]


class Conversation(socketserver.StreamRequestHandler):
    """One client."""

    server: Relay

    def handle(self) -> None:
        """Speak as much SMTP as clients need."""
        self._say("220 relay")
        sender, recipients = "", []
        while line := self.rfile.readline().decode("ascii").strip():
            verb = line.upper()
            if verb.startswith("MAIL FROM:"):
                sender, recipients = _address(line), []
            elif verb.startswith("RCPT TO:"):
                recipients.append(_address(line))
            elif verb == "DATA":
                self._say("354 go on")
                self.server.take(sender, recipients, self._content())
            elif verb == "QUIT":
                self._say("221 bye")
                return
            self._say("250 relay" if verb.startswith("EHLO") else "250 ok")

    def _content(self) -> bytes:
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line.removeprefix(b"."))
        return b"".join(lines)

    def _say(self, reply: str) -> None:
        self.wfile.write(f"{reply}\r\n".encode("ascii"))


def _address(line: str) -> str:
    return line[line.index("<") + 1 : line.index(">")]


@contextmanager
def relaying(lmtp: str, *crimes: int) -> Iterator[Relay]:
    """A relay as long as it is needed."""
    with Relay(lmtp, crimes) as relay:
        thread = threading.Thread(target=relay.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield relay
        finally:
            relay.shutdown()
            thread.join()
