"""`examples/journeys/mail-codes.toml` and its mistakes, played on a real Dovecot and its LMTP."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from headcount.bundle import reader
from mail_office import MailOffice, serving, visitor
from processes import Headcount

ROOT = Path(__file__).resolve().parents[2]
JOURNEY = ROOT / "examples" / "journeys" / "mail-codes.toml"
LEVEL = ("--users", "4", "--duration", "4s", "--settle", "0s", "--ramp", "0s")


@pytest.fixture(scope="module")
def office() -> Iterator[MailOffice]:
    with serving(front="lmtp") as server:
        yield server


@pytest.fixture
def headcount(tmp_path: Path, office: MailOffice) -> Iterator[Headcount]:
    with visitor(tmp_path, office) as command:
        yield command


def changed_journey(tmp_path: Path, before: str, after: str) -> str:
    """The journey with another text in it."""
    text = JOURNEY.read_text("utf-8")
    assert before in text
    path = tmp_path / "codes.toml"
    path.write_text(text.replace(before, after), "utf-8")
    return str(path)


def test_one_user_sees_what_is_sent_searched_and_read(
    headcount: Headcount, office: MailOffice
) -> None:
    done = headcount.run("try", str(JOURNEY), *office.target)
    assert done.code == 0, done
    parts = ("> MAIL to u00000@", '> IMAP UID SEARCH UNSEEN SUBJECT "request 0-0"', "< 1 message")
    assert all(part in done.out for part in parts), done.out
    sent = re.search(r"\{code\} = (\d{6})", done.out)
    assert sent is not None, done.out
    assert f"{{received}} = {sent[1]}" in done.out


def test_many_users_find_their_own_codes_in_unprepared_mailboxes(
    headcount: Headcount, office: MailOffice, tmp_path: Path
) -> None:
    path = changed_journey(tmp_path, 'mean = "10s"', 'mean = "100ms"')
    done = headcount.run("run", path, *office.target, *LEVEL, "--client", "first_user=10")
    assert done.code == 0, done
    (level,) = reader.load(headcount.bundle).levels
    assert level.faults == []
    assert level.total.completed > 4
    for user in range(10, 14):
        letters = office.letters(user)
        assert letters
        # The last one may have been sent by a user who was asked to leave before reading it.
        read = [letter for letter in letters if "S" in letter.path.name.rpartition(",")[2]]
        assert len(read) >= len(letters) - 1
    assert not list(office.maildir(10).glob(".Headcount")), "no marker in a mailbox of others"


def test_a_code_that_is_not_the_one_that_was_sent_fails_and_is_shown(
    headcount: Headcount, office: MailOffice, tmp_path: Path
) -> None:
    path = changed_journey(tmp_path, "Your code: {code}", "Your code: 1{code}")
    done = headcount.run("try", path, *office.target, "--client", "first_user=20")
    assert done.code == 3, done
    assert re.search(r'check failed: regex .* is "1\d{6}" instead of "\d{6}"', done.out), done.out


def test_a_misspelt_variable_is_found_without_a_server(
    headcount: Headcount, tmp_path: Path
) -> None:
    path = changed_journey(tmp_path, 'equals = "{code}"', 'equals = "{cod}"')
    done = headcount.run("workloads", "check", path)
    assert done.code == 2, done
    assert 'do you mean "code"?' in " ".join((done.out + done.err).split())
