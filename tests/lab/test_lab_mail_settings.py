"""Settings of the lab's mail server: each is in effect, and what cannot be is refused."""

import contextlib
import imaplib
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from mail_client import connected, inbox, named, nothing_is_left, place, send, session, started

from headcount.counters import dovecot
from headcount.counters.mail import MailSource
from headcount.errors import InputError
from headcount.lab import home, installed, port
from headcount.protocols.registry import start_lab
from processes import processes_with, wait_for


@pytest.fixture(autouse=True)
def base(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where homes are, at a path that every user may pass through."""
    with tempfile.TemporaryDirectory() as cache:
        Path(cache).chmod(0o711)
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
        yield home.base()
        for pid in processes_with(cache):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def test_sessions_share_processes_only_with_client_limit() -> None:
    for limit, processes in (("1", 6), ("200", 1)):
        with (
            started(front="lmtp", client_limit=limit) as server,
            contextlib.ExitStack() as open_ones,
        ):
            for user in range(6):
                open_ones.enter_context(session(server, user))
            assert named(server, "imap") == processes


def test_processes_are_kept_ready() -> None:
    with started(front="lmtp", imap_processes="3", login_processes="2") as server:
        wait_for(lambda: named(server, "imap") >= 3)
        wait_for(lambda: named(server, "imap-login") == 2)


def test_lmtp_serves_as_many_connections_as_it_has_processes() -> None:
    with started(front="lmtp", lmtp_processes="2") as server, contextlib.ExitStack() as open_ones:
        for _ in range(2):
            open_ones.enter_context(connected(server)).ehlo()
        third = open_ones.enter_context(port.socket.create_connection(place(server.lmtp)))
        third.settimeout(0.5)
        with pytest.raises(TimeoutError):
            third.recv(1)


@pytest.mark.parametrize(
    ("settings", "stored"),
    [
        ({}, "mail/*/u00002/mail/new/*"),
        ({"format": "mdbox"}, "mail/*/u00002/mail/storage/m.1"),
        ({"format": "sdbox"}, "mail/*/u00002/mail/mailboxes/INBOX/dbox-Mails/u.1"),
    ],
)
def test_the_format_is_what_is_on_the_disk(settings: dict[str, str], stored: str) -> None:
    with started(front="lmtp", **settings) as server:
        assert send(server, [2], "stored", "word " * 10 + "\r\n") == {}
        (found,) = server.stats.parent.parent.glob(stored)
        assert b"word word" in found.read_bytes()


@pytest.mark.parametrize(("kind", "magic"), [("gz", b"\x1f\x8b"), ("zstd", b"\x28\xb5\x2f\xfd")])
def test_compressed_mail_is_on_the_disk_and_read_back(kind: str, magic: bytes) -> None:
    with started(front="lmtp", compress=kind) as server:
        assert send(server, [2], "stored", "word word word\r\n" * 500) == {}
        (found,) = server.stats.parent.parent.glob("mail/*/u00002/mail/new/*")
        assert found.read_bytes().startswith(magic)
        assert found.stat().st_size < 1000
        assert inbox(server, 2)[0].count("word") == 1500


def test_the_counters_agree_with_what_happened() -> None:
    with started(front="lmtp") as server:
        source = MailSource(server.stats, server.queue_length, server.arrivals)

        def figures() -> dict[str, float]:
            metrics = dovecot.metrics(dovecot.response(server.stats, dovecot.HELLO))
            totals = {f"total {name}": float(many) for name, (many, _) in metrics.items()}
            return {**source.sample().values, **totals}

        with session(server, 1), session(server, 2):
            with pytest.raises(imaplib.IMAP4.error), session(server, 3, "guess"):
                raise AssertionError("could log on")
            send(server, [1, 2, 3, 50], "three are there")
            wait_for(lambda: figures()["total deliveries"] == 3)
            wait_for(lambda: figures()["mail.sessions"] == 2)
            assert figures()["total logins"] == 3  # with its own
        wait_for(lambda: figures()["mail.sessions"] == 0)


def test_the_quota_is_shown_to_users() -> None:
    with started(front="lmtp", quota="on") as server, session(server, 4) as opened:
        assert "QUOTA" in opened.capability()[1][0].decode()
        assert send(server, [4], "counted", "word word word\r\n" * 500) == {}
        opened.select("INBOX")
        assert opened.getquotaroot("INBOX")[0] == "OK"


def test_dovecot_reads_the_settings() -> None:
    program = installed.find("doveconf", "dovecot-core")
    with started(front="lmtp", fsync="never", log="off") as server:
        where = server.stats.parent.parent / "dovecot.conf"
        for key, value in (
            ("mail_fsync", "never"),
            ("info_log_path", "/dev/null"),
            ("mail_max_userip_connections", "0"),
        ):
            setting = subprocess.check_output([program, "-c", str(where), "-h", key], text=True)
            assert setting.strip() == value


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"user": "5"}, "lab:mail has no setting user; it has: profile, users, format"),
        ({"users": "100001"}, 'users is "100001"; it can be: 1 to 100,000'),
        ({"format": "mbox"}, 'format is "mbox"; it can be: maildir, mdbox, sdbox'),
        ({"front": "lmtp", "destinations": "1"}, "need a front that relays mail"),
    ],
)
def test_invalid_settings_are_refused(settings: dict[str, str], message: str, base: Path) -> None:
    with pytest.raises(InputError, match=r"^[^\n]*$") as caught:
        start_lab("mail", settings)
    assert message in str(caught.value)
    assert not base.exists() or nothing_is_left(base)
