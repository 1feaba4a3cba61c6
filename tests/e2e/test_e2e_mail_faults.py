"""Mail that is lost, doubled or altered, and servers that refuse, fill up, freeze or die."""

import contextlib
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from signal import SIGCONT, SIGKILL, SIGSTOP, Signals

import pytest
from altered import altered

from file_server import alive, lab_processes, signal_all
from headcount.bundle import reader
from headcount.bundle.level import LevelResult
from mail_office import MailOffice, open_home, serving, visitor
from mail_relay import ALTERED, DOUBLED, DROPPED, relaying
from processes import Ended, Headcount, phase

pytestmark = pytest.mark.e2e

FAST = ("--compress", "600", "--scale", "0.1", "--ramp", "0s", "--settle", "0s", "--seed", "3")
WAIT = "6s"
"""How long users wait here: longer than the levels are, so that no step is given up in one."""


@pytest.fixture(scope="module")
def office() -> Iterator[MailOffice]:
    with serving(front="lmtp") as server:
        yield server


@pytest.fixture
def headcount(tmp_path: Path, office: MailOffice) -> Iterator[Headcount]:
    with visitor(tmp_path, office) as command:
        yield command


def output(ended: Ended) -> str:
    return " ".join((ended.out + ended.err).split())


def level_of(headcount: Headcount) -> LevelResult:
    (level,) = reader.load(headcount.bundle).levels
    return level


def examples(level: LevelResult, kind: str) -> list[str]:
    return [text for fault in level.faults if fault.kind == kind for text in fault.examples]


@pytest.mark.parametrize(
    ("crime", "first", "sentence"),
    [
        (DROPPED, 0, r"message (\d+) of u(\d+) to u\d+ was accepted but is not in the inbox"),
        (DOUBLED, 20, r"message (\d+) of u(\d+) in the inbox of u\d+ was delivered twice"),
        (ALTERED, 40, r"message (\d+) of u(\d+) to u\d+ was altered"),
    ],
    ids=["lost", "doubled", "altered"],
)
def test_wrong_data_is_found_with_its_message(
    headcount: Headcount, office: MailOffice, crime: int, first: int, sentence: str
) -> None:
    with relaying(office.server.lmtp, crime) as relay:
        ended = headcount.run(
            *("run", "mail-medium", *office.target_by(f"smtp://{relay.address}"), *FAST),
            *("--client", f"first_user={first}", "--client", "delivery_limit=2s"),
            *("--users", "10", "--duration", "6s"),
        )
        victims = list(relay.victims)
    assert ended.code == 1, ended
    level = level_of(headcount)
    assert level.outcome == "failed"
    wrong = examples(level, "wrong-data")
    found = [match for text in wrong if (match := re.search(sentence, text))]
    assert found, level.faults
    for match in found:
        assert any(f".{int(match[2])}.{match[1]}@" in victim for victim in victims), match[0]
    assert "wrong data" in output(ended)


def test_refused_recipients_are_named(headcount: Headcount, office: MailOffice) -> None:
    front = headcount.start(
        *("serve", "smtp", "--lmtp", office.server.lmtp, "--listen", "127.0.0.1:0", "--json"),
        *("--reject", "u00061@*", "--reject", "u00062@*"),
        HEADCOUNT_PASSWORD="",
    )
    front.reach(lambda: front.out.endswith("\n"))
    post = f"smtp://{json.loads(front.out)['address']}"
    ended = headcount.run(
        *("run", "mail-medium", *office.target_by(post), *FAST, "--client", "first_user=60"),
        *("--users", "6", "--duration", "4s"),
    )
    assert ended.code == 1, ended
    refused = examples(level_of(headcount), "refused")
    assert any("550" in text and re.search(r"u0006[12]@", text) for text in refused), refused


def test_slow_delivery_fails_its_criterion(headcount: Headcount, office: MailOffice) -> None:
    criteria = ("--criteria", "delivery:p95<=1s")
    run = ("run", "mail-medium", *FAST, "--client", "first_user=80", *criteria)
    load = ("--users", "10", "--duration", "6s")
    front = headcount.start(
        *("serve", "smtp", "--lmtp", office.server.lmtp, "--listen", "127.0.0.1:0", "--json"),
        *("--delay", "1500"),
        HEADCOUNT_PASSWORD="",
    )
    front.reach(lambda: front.out.endswith("\n"))
    post = f"smtp://{json.loads(front.out)['address']}"
    ended = headcount.run(*run, *load, *office.target_by(post))
    assert ended.code == 1, ended
    level = level_of(headcount)
    (delivery,) = [task for task in level.tasks if task.name == "delivery"]
    assert delivery.service is not None
    assert delivery.service.p95_ms >= 1500
    assert any("delivery" in reason and "1.00 s" in reason for reason in level.reasons), level
    (send,) = [task for task in level.tasks if task.name == "send"]
    assert send.failed == 0
    assert level.faults == []


def test_wrong_passwords_and_unknown_users_are_refused(
    headcount: Headcount, office: MailOffice
) -> None:
    run = ("run", "mail-medium", *office.target, *FAST, "--duration", "2s")
    ended = headcount.run(*run, "--users", "3", HEADCOUNT_PASSWORD="wr0ng")  # noqa: S106
    assert ended.code == 2, ended
    assert "u00000" in ended.message
    assert "--password-file" in ended.message
    assert "wr0ng" not in ended.message
    ended = headcount.run(*run, "--users", "5", "--client", "first_user=397")
    assert ended.code == 2, ended
    assert re.search(r"user u0040[01]: ", ended.message)


def test_more_users_than_the_lab_has() -> None:
    with open_home() as headcount:
        ended = headcount.run(
            *("run", "mail-medium", "--target", "lab:mail?users=3", *FAST),
            *("--users", "5", "--duration", "2s"),
        )
        assert ended.code == 2, ended
        assert re.search(r"user u0000[34]: ", ended.message)
        assert headcount.lab.is_dir()
        assert headcount.leftovers() == []


@pytest.mark.parametrize("number", [SIGKILL, SIGSTOP], ids=["killed", "frozen"])
def test_a_server_that_dies_or_freezes_in_a_level(tmp_path: Path, number: Signals) -> None:
    server: list[int] = []
    with open_home() as headcount:
        try:
            command = headcount.start(
                *("run", altered("mail-medium", tmp_path, step_timeout=WAIT), *FAST),
                *("--target", "lab:mail?users=20&front=lmtp", "--levels", "6,8"),
                *("--duration", "5s"),
            )
            steady = "steady"
            command.reach(lambda: bool(headcount.bundles()) and phase(headcount.bundle) == steady)
            server = lab_processes(headcount)
            assert len(server) > 4
            signal_all(server, number)
            ended = command.ended()
            assert ended.code == 3, ended
            message = " ".join(ended.message.split())
            assert "the target stopped answering during level 1 at 6 users" in message
            # A late timer breaks no connection, but users may be waiting for the generator.
            allowed = ("failed",) if number == SIGKILL else ("failed", "invalid")
            assert level_of(headcount).outcome in allowed
            assert alive(server) == []
            assert headcount.leftovers() == []
        finally:
            signal_all(server, SIGCONT)


def test_a_server_that_freezes_for_a_while_is_not_fast(
    headcount: Headcount, office: MailOffice
) -> None:
    command = headcount.start(
        *("run", "mail-medium", *office.target, *FAST, "--client", "first_user=100"),
        *("--users", "10", "--duration", "8s"),  # by the workload's own criteria
    )
    command.reach(lambda: bool(headcount.bundles()) and phase(headcount.bundle) == "steady")
    stopped = office.dovecot()
    signal_all(stopped, SIGSTOP)
    try:
        seen = len(reader.load(headcount.bundle).seconds)
        command.reach(lambda: len(reader.load(headcount.bundle).seconds) >= seen + 4)
    finally:
        signal_all(stopped, SIGCONT)
    ended = command.ended()
    assert ended.code in (1, 4), ended  # 4 where the users' own timers were late, too
    level = level_of(headcount)
    assert level.outcome != "passed"
    broken = [result.criterion for result in level.criteria if not result.passed]
    assert "people:p95<=2s" in broken, level.criteria
    assert level.total.response is not None
    assert level.total.response.p95_ms > 2000
    assert level.faults == []


if os.geteuid() == 0:  # only root can mount a file system that is soon full

    def test_a_full_disk_is_named_and_no_mail_is_lost_unnoticed(tmp_path: Path) -> None:
        with (
            small_disk() as disk,
            serving(disk, front="lmtp") as office,
            visitor(tmp_path, office) as headcount,
        ):
            command = headcount.start(
                *(
                    "run",
                    altered("mail-medium", tmp_path, step_timeout=WAIT),
                    *office.target,
                    *FAST,
                ),
                *("--users", "10", "--duration", "5s", "--client", "delivery_limit=2s"),
            )
            bundles = headcount.bundles
            command.reach(lambda: bool(bundles()) and phase(headcount.bundle) == "steady")
            filled = subprocess.run(
                ["/bin/dd", "if=/dev/zero", f"of={disk}/full", "bs=64k"],
                capture_output=True,
                check=False,
            )
            assert b"No space left" in filled.stderr
            ended = command.ended()
            # Dovecot refuses what it cannot write, and ends when it cannot even write its log.
            assert ended.code in (1, 3), ended
            level = level_of(headcount)
            assert level.outcome == "failed"
            kinds = {fault.kind for fault in level.faults}
            assert "refused" in kinds, level.faults
            # It may accept a message and not keep it: then the failures say that, and nothing else.
            sentence = "was accepted but is not in the inbox"
            wrong = examples(level, "wrong-data")
            assert all(sentence in text for text in wrong), level.faults
            assert any(": 45" in text for text in examples(level, "refused")), level.faults


@contextlib.contextmanager
def small_disk() -> Iterator[Path]:
    """A file system of its own, in memory, of 64 MB."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "headcount", folder], check=True)
        try:
            Path(folder).chmod(0o711)
            yield Path(folder)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)
