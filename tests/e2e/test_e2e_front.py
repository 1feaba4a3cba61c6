"""`headcount serve smtp` between Python's own clients and a real Dovecot."""

import contextlib
import imaplib
import json
import os
import secrets
import signal
import smtplib
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from headcount.lab.mail import MailServer
from processes import Command, Headcount, listening, processes_with

pytestmark = pytest.mark.e2e


@pytest.fixture
def headcount(tmp_path: Path) -> Iterator[Headcount]:
    commands = Headcount(tmp_path)
    yield commands
    commands.close()


@pytest.fixture
def dovecot(monkeypatch: pytest.MonkeyPatch) -> Iterator[MailServer]:
    """The lab's mail server, at a path that every user may pass through."""
    with tempfile.TemporaryDirectory() as cache:
        Path(cache).chmod(0o711)
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
        server = MailServer({"front": "lmtp", "users": "10"})
        try:
            yield server
        finally:
            server.stop()
            for pid in processes_with(cache):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def front(headcount: Headcount, *arguments: str, **environment: str) -> tuple[Command, int]:
    """Start one; returns it and its port."""
    listen = ("serve", "smtp", "--json", "--listen", "127.0.0.1:0")
    command = headcount.start(*listen, *arguments, **environment)
    command.reach(lambda: command.out.endswith("\n"))
    return command, int(json.loads(command.out)["address"].rpartition(":")[2])


def counts_at_end(command: Command, name: signal.Signals) -> dict[str, object]:
    """End it; returns its counts."""
    command.send(name)
    ended = command.ended(20)
    assert (ended.code, ended.err) == (0, "")
    counts = json.loads(ended.out.splitlines()[-1])
    assert isinstance(counts, dict)
    return counts


def test_mail_is_in_the_mailbox_when_it_is_accepted(
    headcount: Headcount, dovecot: MailServer
) -> None:
    command, port = front(
        headcount,
        "--lmtp",
        dovecot.lmtp,
        "--route",
        "far.invalid=count",
        "--reject",
        "*@no.invalid",
    )
    first = dovecot.user.format(n=0)
    at_home = f"{first}@{dovecot.domain}"
    to = [at_home, "x@far.invalid", "x@no.invalid", f"stranger@{dovecot.domain}"]
    text = "Subject: dots\r\n\r\n.\r\n..two\r\nend\r\n"
    with smtplib.SMTP("127.0.0.1", port, timeout=10) as client:
        refused = client.sendmail("a@b.invalid", to, text)
        assert {who: code for who, (code, _) in refused.items()} == {to[2]: 550, to[3]: 550}
        host, _, imap_port = dovecot.address.rpartition(":")
        with imaplib.IMAP4(host, int(imap_port)) as mailbox:
            mailbox.login(first, dovecot.password)
            mailbox.select("INBOX")
            _, found = mailbox.fetch("1:*", "(BODY.PEEK[TEXT])")
        bodies = [item[1] for item in found if isinstance(item, tuple)]
        assert bodies == [b".\r\n..two\r\nend\r\n"]
        code, answer = client.docmd("XCOUNT")
        assert (code, json.loads(answer)["messages"]) == (250, 1)
    counts = counts_at_end(command, signal.SIGTERM)
    place = {"messages": 1, "recipients": 1, "bytes": len(text)}
    assert counts == {
        "connections": 1,
        "messages": 1,
        "refused": 2,
        "held": 0,
        "lost": 0,
        "delivered": {dovecot.lmtp: place, "far.invalid": place},
    }


def test_held_mail_is_delivered_at_the_end_and_clients_need_the_password(
    headcount: Headcount,
) -> None:
    arguments = ("--lmtp", "count", "--delay", "3600000")
    password = secrets.token_hex()
    command, port = front(headcount, *arguments, HEADCOUNT_PASSWORD=password)
    with smtplib.SMTP("127.0.0.1", port, timeout=10) as client:
        with pytest.raises(smtplib.SMTPSenderRefused, match="log on first"):
            client.sendmail("a@b.invalid", ["c@d.invalid"], "Subject: x\r\n\r\n")
        with pytest.raises(smtplib.SMTPAuthenticationError):
            client.login("anybody", "wrong")
        client.login("anybody", password)
        client.sendmail("a@b.invalid", ["c@d.invalid"], "Subject: x\r\n\r\n")
        _, answer = client.docmd("XCOUNT")
        assert (json.loads(answer)["held"], json.loads(answer)["delivered"]) == (1, {})
    counts = counts_at_end(command, signal.SIGINT)
    assert (counts["held"], counts["messages"]) == (0, 1)
    assert password not in command.out + command.err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--lmtp", "127.0.0.1:1"), 3, "mail for 127.0.0.1:1 cannot be delivered: no connection"),
        (("--lmtp", "count", "--route", "x"), 2, '"x" is not a route: write DOMAIN=HOST:PORT'),
        (("--lmtp", "count", "--listen", "nowhere"), 2, '"nowhere" is not an address to listen on'),
        (("--lmtp", "count", "--listen", "0.0.0.0:0"), 2, "set a password"),
    ],
)
def test_mistakes_are_errors(
    headcount: Headcount, arguments: tuple[str, ...], code: int, message: str
) -> None:
    ended = headcount.run("serve", "smtp", *arguments)
    assert message in " ".join(ended.message.split())
    assert ended.code == code


def test_a_taken_port_is_an_error(headcount: Headcount) -> None:
    with listening() as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        ended = headcount.run("serve", "smtp", "--lmtp", "count", "--listen", address)
    assert f"cannot listen on {address}" in " ".join(ended.message.split())
