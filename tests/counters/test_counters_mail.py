"""The counters of a mail server: what Dovecot's answer means."""

import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from headcount.counters.catalogue import catalogue
from headcount.counters.mail import HELLO, MailSource, figures

ANSWER = "VERSION\tstats-reader-server\t2\t0\ndeliveries\t{}\nlogins\t{}\nlogouts\t{}\n\n"


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


def test_what_dovecot_says() -> None:
    gauges, totals = figures(ANSWER.format(120, 9, 4))
    assert gauges == {"mail.sessions": 5}
    assert totals == {"mail.deliveries": 120, "mail.logons": 9}
    assert figures(ANSWER.format(120, 4, 9))[0] == {}  # told in another order than it happened
    assert figures("") == ({}, {})
    assert figures("VERSION\tstats-reader-server\t2\t0\nlogins\tmany\n\n") == ({}, {})


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
            "mail.logons": 3 / elapsed_s,
            "mail.destinations": 10 / elapsed_s,
        }
        source.close()
    assert set(second.values) <= set(catalogue())


def test_what_does_not_answer_is_absent(tmp_path: Path) -> None:
    source = MailSource(tmp_path / "nothing", lambda: None, dict)
    assert [source.sample().values for _ in range(2)] == [{}, {}]
    source = MailSource(tmp_path / "nothing", lambda: 7, dict)
    assert source.sample().values == {"mail.queue": 7}


def test_a_server_that_was_restarted_has_no_rates_for_a_moment() -> None:
    with answering(ANSWER.format(100, 5, 0), ANSWER.format(1, 1, 0)) as path:
        source = MailSource(path, lambda: None, dict)
        source.sample()
        assert source.sample().values == {"mail.sessions": 1}
