"""What a real Dovecot reports, against what clients did."""

import contextlib
import imaplib
import smtplib
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from headcount.counters.catalogue import catalogue
from headcount.counters.mail import MailSource
from headcount.lab.mail import MailServer
from headcount.protocols.registry import start_lab

LMTP = "dovecot.processes.busy{dovecot.service=lmtp}"


@pytest.fixture
def server() -> Iterator[MailServer]:
    with tempfile.TemporaryDirectory() as cache, pytest.MonkeyPatch.context() as patch:
        Path(cache).chmod(0o711)  # the server may run as another user
        patch.setenv("XDG_CACHE_HOME", cache)
        started = start_lab("mail", {"front": "lmtp", "users": "9", "lmtp_processes": "3"})
        assert isinstance(started, MailServer)
        try:
            yield started
        finally:
            started.stop()


class Sums:
    """Rates of a source, summed to counts."""

    def __init__(self, source: MailSource) -> None:
        self.source = source
        self.was_s = source.sample().at_s
        self.sums: dict[str, float] = {}
        self.latest: Mapping[str, float] = {}
        self.seen: set[str] = set()

    def until(self, holds: Callable[[], bool]) -> None:
        deadline_s = time.monotonic() + 20
        while True:
            sample = self.source.sample()
            for name, value in sample.values.items():
                counted = value * (sample.at_s - self.was_s)
                self.sums[name] = self.sums.get(name, 0.0) + counted
            self.was_s, self.latest = sample.at_s, sample.values
            self.seen |= sample.values.keys()
            if holds():
                return
            assert time.monotonic() < deadline_s, (self.sums, self.latest)
            time.sleep(0.05)


def test_counters_match_what_clients_did(server: MailServer) -> None:
    source = MailSource(server.stats, server.queue_length, server.arrivals, master=server.master)
    counters = Sums(source)
    host, _, port = server.address.rpartition(":")
    sessions = []
    for number in range(3):
        session = imaplib.IMAP4(host, int(port))
        session.login(server.user.format(n=number + 1), server.password)
        sessions.append(session)
    for _ in range(20):
        sessions[0].noop()
    refused = imaplib.IMAP4(host, int(port))
    with contextlib.suppress(imaplib.IMAP4.error):
        refused.login(server.user.format(n=1), "wrong")
    counters.until(
        lambda: counters.sums.get("mail.logons", 0) > 2.9 and counters.sums["dovecot.auths"] > 3.9
    )
    assert counters.latest["mail.sessions"] == 3
    assert counters.latest["mail.sessions.limit"] == 20_000
    host, _, lmtp = server.lmtp.rpartition(":")
    with smtplib.LMTP(host, int(lmtp)) as delivery:
        for number in (1, 2):  # one at a time: this client expects one answer a message
            to = f"{server.user.format(n=number)}@{server.domain}"
            delivery.sendmail("someone@test.invalid", to, "Subject: x\r\n\r\nx\r\n")
        counters.until(lambda: counters.latest.get(LMTP) == 1)
    sessions.pop().logout()
    counters.until(lambda: counters.latest["mail.sessions"] == 2)
    counters.until(lambda: counters.sums["mail.deliveries"] > 1.9)
    counters.until(lambda: counters.latest[LMTP] == 0)
    assert counters.sums["mail.deliveries"] == pytest.approx(2)
    assert counters.sums["mail.logons"] == pytest.approx(3)
    assert counters.sums["dovecot.auths"] == pytest.approx(4)
    # Once logged on, imaplib sends only what the test asks for; LOGOUT is a command.
    assert counters.sums["dovecot.commands"] == pytest.approx(21)
    assert counters.latest["dovecot.processes.limit{dovecot.service=lmtp}"] == 3
    for session in [*sessions, refused]:
        session.shutdown()
    source.close()
    explained = {name for name in catalogue() if name.startswith(("mail.", "dovecot."))}
    # Without a front and destinations nothing is queued or counted there.
    assert explained - counters.seen == {"mail.queue", "mail.destinations"}
    assert counters.seen <= explained
