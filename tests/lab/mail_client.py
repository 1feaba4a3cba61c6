"""The lab's mail server, and Python's own mail clients on it."""

import contextlib
import imaplib
import smtplib
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from headcount.lab import keeper
from headcount.lab.mail import MailServer
from processes import proc_file, processes_with

PATIENCE_S = 20.0


def place(address: str) -> tuple[str, int]:
    """The IP address and port of `ip:port`."""
    host, _, number = address.rpartition(":")
    return host, int(number)


def trusting(server: MailServer) -> ssl.SSLContext:
    """TLS that trusts only the lab's authority."""
    return ssl.create_default_context(cafile=str(server.authority))


@contextmanager
def session(
    server: MailServer, user: int | str = 0, password: str | None = None, how: str = "plain"
) -> Iterator[imaplib.IMAP4]:
    """A user who has logged on; `how` is plain, starttls or tls."""
    if how == "tls":
        assert server.implicit_tls is not None
        host, number = place(server.implicit_tls)
        opened: imaplib.IMAP4 = imaplib.IMAP4_SSL(
            host, number, ssl_context=trusting(server), timeout=PATIENCE_S
        )
    else:
        host, number = place(server.address)
        opened = imaplib.IMAP4(host, number, timeout=PATIENCE_S)
    try:
        if how == "starttls":
            opened.starttls(trusting(server))
        name = server.user.format(n=user) if isinstance(user, int) else user
        opened.login(name, server.password if password is None else password)
        yield opened
    finally:
        opened.logout()


def connected(server: MailServer) -> smtplib.SMTP:
    """A connection to where users hand over their mail."""
    kind = smtplib.SMTP if server.language == "smtp" else smtplib.LMTP
    host, number = place(server.front)
    opened = kind(host, number)
    opened.timeout = PATIENCE_S
    return opened


def send(
    server: MailServer, to: Sequence[int | str], subject: str, text: str = "hello\r\n"
) -> dict[str, tuple[int, bytes]]:
    """Send one message; returns who was refused, with the reply."""
    names = [
        f"{server.user.format(n=one)}@{server.domain}" if isinstance(one, int) else one
        for one in to
    ]
    message = f"From: load@{server.domain}\r\nSubject: {subject}\r\n\r\n{text}"
    # Python's LMTP reads one reply after the data, and a server of LMTP gives one a recipient.
    groups = [names] if server.language == "smtp" else [[name] for name in names]
    refused = {}
    with connected(server) as opened:
        for group in groups:
            try:
                refused |= opened.sendmail(f"load@{server.domain}", group, message)
            except smtplib.SMTPRecipientsRefused as error:
                refused |= error.recipients
    return refused


def inbox(server: MailServer, user: int) -> list[str]:
    """The whole messages of a user's inbox."""
    with session(server, user) as opened:
        _, (count,) = opened.select("INBOX", readonly=True)
        found = []
        for number in range(1, int(count or b"0") + 1):
            _, parts = opened.fetch(str(number), "(BODY.PEEK[])")
            assert isinstance(parts[0], tuple)
            found.append(parts[0][1].decode("ascii"))
        return found


@contextlib.contextmanager
def started(**settings: str) -> Iterator[MailServer]:
    server = MailServer({"users": "50", **settings})
    assert isinstance(server, MailServer)
    try:
        yield server
    finally:
        server.stop()


def family(server: MailServer) -> set[int]:
    """All processes of a server."""
    return {*server.pids}.union(*(keeper.descendants(pid) for pid in server.pids))


def named(server: MailServer, name: str) -> int:
    """How many of them run this program."""
    return sum(proc_file(pid, "comm") == f"{name}\n".encode() for pid in family(server))


def alive(pids: set[int]) -> bool:
    return bool(pids & {one.pid for one in keeper.processes()})


def nothing_is_left(base: Path) -> bool:
    return not processes_with(str(base)) and list(base.iterdir()) == []


def delivered(server: MailServer) -> bool:
    return not server.queue_length()
