"""Mailboxes on somebody's mail server: filled, kept, repaired, refused and emptied."""

import smtplib
from collections.abc import Iterator
from pathlib import Path

import pytest

from mail_office import MailOffice, serving, visitor
from processes import Ended, Headcount

pytestmark = pytest.mark.e2e

USERS = 6
FOLDERS, OLD, NEW = 4, 5, 1
"""mail-medium's 40 folders of 5 messages and an inbox of 4, with one deleted, at a tenth."""
FIRST = 352
"""Of 400 users: so few are left that none could be emptied fifty at a time. How many there are
is found by trying. Who does not exist costs the 2 s that Dovecot waits after a wrong login; with 48
left, two of them are tried."""
FIFTY = FIRST - 10
"""From here on fifty exist, so that nobody is tried who does not."""
LAST = range(FIRST, FIRST + USERS)


@pytest.fixture(scope="module")
def office() -> Iterator[MailOffice]:
    with serving(front="lmtp") as server:
        yield server


@pytest.fixture
def headcount(tmp_path: Path, office: MailOffice) -> Iterator[Headcount]:
    with visitor(tmp_path, office) as command:
        yield command


def prepare(headcount: Headcount, office: MailOffice, first: int, *options: str) -> Ended:
    return headcount.run(
        *("prepare", "mail-medium", *office.target, "--client", f"first_user={first}"),
        *("--users", str(USERS), "--scale", "0.1", "--json", *options),
    )


def cleanup(headcount: Headcount, office: MailOffice, first: int) -> Ended:
    return headcount.run("cleanup", *office.target, "--client", f"first_user={first}")


def deliver(office: MailOffice, user: int) -> None:
    host, _, number = office.server.lmtp.rpartition(":")
    with smtplib.LMTP(host, int(number)) as post:
        post.sendmail(
            "friend@test.invalid",
            [f"u{user:05}@test.invalid"],
            "Message-ID: <lunch@test.invalid>\r\nTo: u\r\nSubject: lunch\r\n\r\nat one?\r\n",
        )


def test_mailboxes_are_filled_kept_and_emptied(headcount: Headcount, office: MailOffice) -> None:
    ended = prepare(headcount, office, FIRST)
    assert ended.code == 0, ended
    assert ended.json["created_users"] == USERS
    before = [office.mailbox(user) for user in LAST]
    assert [len(office.letters(FIRST, f"f{n:02}")) for n in range(FOLDERS)] == [OLD] * FOLDERS
    assert len(office.letters(FIRST)) == NEW
    # Dovecot notes in a file's name how long the message is with the line ends of the wire.
    names = [name for box in before for name in box if not name.startswith(".Headcount/")]
    written = sum(int(name.partition(",W=")[2]) for name in names)
    assert ended.json["written_bytes"] == written
    again = prepare(headcount, office, FIRST)
    assert (again.json["created_users"], again.json["kept_users"]) == (0, USERS)
    assert [office.mailbox(user) for user in LAST] == before
    ended = cleanup(headcount, office, FIRST)
    assert ended.code == 0, ended
    assert f"of {USERS} users" in ended.out
    assert [office.mailbox(user) for user in LAST] == [{}] * USERS
    assert "no mailbox of Headcount's" in cleanup(headcount, office, FIFTY).out


def test_a_damaged_message_is_found_and_repaired(headcount: Headcount, office: MailOffice) -> None:
    assert prepare(headcount, office, 10).code == 0
    kept = office.mailbox(11)
    victim = office.letters(12, "f02")[3].path
    content = victim.read_bytes()
    at = len(content) - 40
    victim.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    ended = prepare(headcount, office, 10)
    assert ended.json["created_users"] == 0  # by default messages are not read
    ended = prepare(headcount, office, 10, "--verify")
    assert ended.code == 0, ended
    assert (ended.json["created_users"], ended.json["kept_users"]) == (1, USERS - 1)
    bodies = {one.path.read_bytes() for one in office.letters(12, "f02")}
    assert content in bodies
    assert len(bodies) == OLD
    assert office.mailbox(11) == kept
    ended = prepare(headcount, office, 10, "--verify")
    assert ended.json["created_users"] == 0
    assert cleanup(headcount, office, 10).code == 0


def test_a_mailbox_with_other_mail_is_refused_and_kept(
    headcount: Headcount, office: MailOffice
) -> None:
    deliver(office, 22)
    theirs = office.mailbox(22)
    assert len(theirs) == 1
    ended = prepare(headcount, office, 20)
    assert ended.code == 2, ended
    message = " ".join(ended.message.split())
    assert "the mailbox of u00022 holds mail that is not Headcount's (1 in INBOX" in message
    assert office.mailbox(22) == theirs
    run = headcount.run("run", "mail-medium", *office.target, "--client", "first_user=22")
    assert run.code == 2, run
    ended = cleanup(headcount, office, 20)
    assert ended.code == 0, ended
    assert office.mailbox(22) == theirs
    assert [office.mailbox(user) for user in (20, 21)] == [{}, {}]


def test_folders_of_others_in_a_mailbox_are_kept(headcount: Headcount, office: MailOffice) -> None:
    assert prepare(headcount, office, 30).code == 0
    box = office.maildir(31)
    theirs = box / ".Recipes"
    for part in ("cur", "new", "tmp"):
        (theirs / part).mkdir(parents=True)
    (theirs / "cur" / "1.M1P1.kitchen:2,S").write_text("Subject: soup\n\nboil\n", "utf-8")
    assert cleanup(headcount, office, 30).code == 0
    assert list(office.mailbox(31).values()) == [b"Subject: soup\n\nboil\n"]
