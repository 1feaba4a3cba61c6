"""Users of mail, end to end: each workload on a real server, counted again on the server's disk."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

import pytest

from headcount.bundle import reader
from headcount.bundle.level import LevelResult
from mail_office import Letter, MailOffice, open_home, serving, visitor
from processes import Headcount

pytestmark = pytest.mark.e2e

PREPARED = "6d61696c626f7865"
"""The run that prepared messages are stamped with: the word mailboxe, in ASCII."""
SENDING = ("send", "reply", "reply-all", "forward")
USERS = 20
AT_THE_ENDS = 4
"""Messages that may be made before an end of the window and counted after it."""
LOADS = {
    "mail-light": ("--compress", "1000", "--duration", "6s", "--settle", "0s"),
    "mail-medium": ("--compress", "600", "--duration", "5s", "--settle", "0s"),
    "mail-heavy": ("--compress", "300", "--duration", "5s", "--settle", "0s"),
    "mail-mmb": ("--compress", "300", "--duration", "5s", "--settle", "0s"),
    "notes-mail": ("--compress", "1000", "--duration", "5s", "--settle", "3s"),
    "mail-imap-mix": ("--compress", "40", "--duration", "6s", "--settle", "0s"),
}


@pytest.fixture(scope="module")
def office() -> Iterator[MailOffice]:
    with serving() as server:
        yield server


@pytest.fixture
def headcount(tmp_path: Path, office: MailOffice) -> Iterator[Headcount]:
    with visitor(tmp_path, office) as command:
        yield command


def completed(level: LevelResult) -> Counter[str]:
    return Counter({task.name: task.completed for task in level.tasks})


def bounds(level: LevelResult, messages: Iterable[Letter]) -> tuple[int, int]:
    """How many of the messages were at least and at most handed in within the window.

    A message is stamped when it is made, and counted when its task has ended.
    """
    assert level.total.service is not None
    longest_s = level.total.service.max_ms / 1000
    began_s = datetime.fromisoformat(level.started_at).timestamp() + level.ramp_s + level.settle_s
    end_s = began_s + level.steady_s
    sent = [one.sent_s for one in messages]
    surely = sum(began_s <= one < end_s - longest_s for one in sent)
    return surely, sum(began_s - longest_s <= one < end_s for one in sent)


@pytest.mark.parametrize("name", LOADS)
def test_a_workload_agrees_with_the_servers_own_disk(
    headcount: Headcount, office: MailOffice, name: str
) -> None:
    first = list(LOADS).index(name) * USERS
    ended = headcount.run(
        *("run", name, *office.target, "--client", f"first_user={first}"),
        *("--users", str(USERS), "--ramp", "1s", "--scale", "0.1", "--seed", "7", *LOADS[name]),
    )
    bundle = reader.load(headcount.bundle)
    (level,) = bundle.levels
    assert level.faults == [], level.faults
    # A busy machine may never get steady: where that is required, a flag says so.
    unsteady = name == "notes-mail" and any("never got steady" in one for one in level.reasons)
    assert ended.code == (4 if unsteady else 0), ended
    assert level.outcome == ("invalid" if unsteady else "passed")
    assert level.total.completed > USERS
    assert bundle.verdict is not None
    assert (level.marks is not None) == (name == "notes-mail")
    has_score = name not in ("notes-mail", "mail-imap-mix")
    assert (bundle.verdict.score is not None) == has_score
    tasks = completed(level)
    users = range(first, first + USERS)
    if name == "mail-imap-mix":
        messages = [one for user in users for one in office.letters(user) if one.run != PREPARED]
        counted = tasks["APPEND"]
    else:
        messages = [one for user in users for one in office.letters(user, "Sent")]
        counted = sum(tasks[kind] for kind in SENDING)
        # A message may be handed in before the window, and be kept as sent within it.
        assert tasks["smtp-message"] + AT_THE_ENDS >= counted > 0
    least, most = bounds(level, messages)
    assert least - AT_THE_ENDS <= counted <= most + AT_THE_ENDS
    assert len({one.id for one in messages}) == len(messages)
    # Each recipient has the message, once.
    delivered = office.delivered()
    ids = {one.id for one in messages}
    received = {key: count for key, count in delivered.items() if key[0] in ids}
    sent = {} if name == "mail-imap-mix" else {(one.id, to): 1 for one in messages for to in one.to}
    assert received == sent


def test_a_lab_run_over_tls_discloses_it() -> None:
    with open_home() as headcount:
        ended = headcount.run(
            *("run", "mail-medium", "--target", "lab:mail?tls=on&users=50&client_limit=50"),
            *("--client", "starttls=on", "--levels", "5,10", "--compress", "600", "--scale", "0.1"),
            *("--ramp", "0s", "--settle", "0s", "--duration", "3s"),
        )
        assert ended.code == 0, ended
        bundle = reader.load(headcount.bundle)
        assert [level.users for level in bundle.levels] == [5, 10]
        assert all(level.faults == [] for level in bundle.levels)
        assert bundle.environment is not None
        (side,) = bundle.environment.sides
        assert side.settings["IMAP TLS"] == "starttls"
        assert side.settings["tls"] == "on"
        assert headcount.lab.is_dir()
        assert headcount.leftovers() == []


def test_implicit_tls_trusts_the_named_authority(tmp_path: Path) -> None:
    with serving(tls="on", front="lmtp") as office, visitor(tmp_path, office) as headcount:
        assert office.server.implicit_tls is not None
        target = ["--target", f"imaps://{office.server.implicit_tls}", *office.target[2:]]
        run = ("run", "mail-light", "--users", "3", "--compress", "1000", "--scale", "0.1")
        short = ("--ramp", "0s", "--settle", "0s", "--duration", "2s")
        refused = headcount.run(*run, *target, *short)
        assert refused.code == 3, refused
        assert "certificate" in refused.message
        trust = ("--client", f"verify_certificates={office.server.authority}")
        ended = headcount.run(*run, *target, *short, *trust)
        assert ended.code == 0, ended
