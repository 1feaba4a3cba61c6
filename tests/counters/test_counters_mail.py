"""The counters of a mail server: what Dovecot's answer means."""

import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from headcount.counters import dovecot
from headcount.counters.catalogue import catalogue
from headcount.counters.dovecot import HELLO
from headcount.counters.mail import MailSource

ANSWER = (
    "VERSION\tstats-reader-server\t2\t0\n"
    "deliveries\t{0}\t{0}500\nlogins\t{1}\t336\nlogouts\t{2}\t99\n\n"
)
STATUS = (
    "VERSION\tmaster-server\t1\t0\nlmtp\t3\t1\t100\t1\t0\t0\t0\t0\tn\tn\tn\t1\n"
    "imap\t7\t0\t20\t4\t0\t0\t0\t0\tn\ty\tn\t4\nanvil\t1\t1\t1\t9\t0\n\n"
)


@contextmanager
def answering(*texts: str) -> Iterator[Path]:
    """A socket that answers one question after the other, as Dovecot's does, in two pieces."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        path = Path(folder) / "stats"
        server.bind(str(path))
        server.listen()

        def serve() -> None:
            for text in texts:
                peer, _ = server.accept()
                with peer:
                    asked = b""
                    while len(asked) < len(HELLO):
                        asked += peer.recv(4096)
                    peer.sendall(text[:30].encode())
                    peer.sendall(text[30:].encode())

        serving = threading.Thread(target=serve)
        serving.start()
        yield path
        serving.join(10)


def test_answers_of_dovecot_are_parsed() -> None:
    found = dovecot.metrics(ANSWER.format(120, 9, 4))
    assert found == {"deliveries": (120, 120_500), "logins": (9, 336), "logouts": (4, 99)}
    assert dovecot.gauges(found) == {"mail.sessions": 5}
    # Reported out of order.
    assert dovecot.gauges(dovecot.metrics(ANSWER.format(120, 4, 9))) == {}
    torn = "VERSION\tstats-reader-server\t2\t0\nlogins\tmany\t1\n\n"
    for text in ("", torn):
        assert dovecot.metrics(text) == dovecot.gauges(dovecot.metrics(text)) == {}


def test_durations_are_means_of_what_ended_in_between() -> None:
    before = {"deliveries": (2, 9000), "commands": (10, 500), "auths": (1, 1), "logins": (1, 1)}
    now = {"deliveries": (2, 9000), "commands": (30, 20_500), "auths": (5, 401), "logins": (4, 9)}
    assert dovecot.delta(before, now, 2.0) == {
        "mail.deliveries": 0,
        "mail.logons": 1.5,
        "dovecot.commands": 10,
        "dovecot.command.duration": 1,
        "dovecot.auths": 2,
        "dovecot.auth.duration": 0.1,
    }
    assert dovecot.delta(now, before, 2.0) == dovecot.delta(before, now, 0.0) == {}


def test_processes_of_services() -> None:
    assert dovecot.services(STATUS) == {
        "dovecot.processes.busy{dovecot.service=lmtp}": 2,
        "dovecot.processes.limit{dovecot.service=lmtp}": 100,
        "dovecot.processes.busy{dovecot.service=imap}": 7,
        "dovecot.processes.limit{dovecot.service=imap}": 20,
        "mail.sessions.limit": 80,
    }
    assert dovecot.services("") == dovecot.services("imap\t1\tx\t2\t3\n") == {}


def test_rates_and_gauges_of_two_samples() -> None:
    queued, arrived = iter([3, 0]), iter([{"a": 1, "b": 2}, {"a": 11, "b": 2}])
    with answering(ANSWER.format(100, 5, 0), ANSWER.format(140, 8, 2)) as path:
        source = MailSource(path, lambda: next(queued), lambda: next(arrived))
        first = source.sample()
        assert first.values == {"mail.queue": 3, "mail.sessions": 5}
        second = source.sample()
        elapsed_s = second.at_s - first.at_s
        assert second.values == {
            "mail.queue": 0,
            "mail.sessions": 6,
            "mail.deliveries": 40 / elapsed_s,
            "dovecot.delivery.duration": 1.0,
            "mail.logons": 3 / elapsed_s,
            "mail.destinations": 10 / elapsed_s,
        }
        source.close()
    assert set(second.values) <= set(catalogue())


def test_figures_of_a_silent_dovecot_are_absent(tmp_path: Path) -> None:
    source = MailSource(tmp_path / "nothing", lambda: None, dict)
    assert [source.sample().values for _ in range(2)] == [{}, {}]
    source = MailSource(tmp_path / "nothing", lambda: 7, dict)
    assert source.sample().values == {"mail.queue": 7}


def test_a_server_that_was_restarted_has_no_rates_for_a_moment() -> None:
    with answering(ANSWER.format(100, 5, 0), ANSWER.format(1, 1, 0)) as path:
        source = MailSource(path, lambda: None, dict)
        source.sample()
        assert source.sample().values == {"mail.sessions": 1}
