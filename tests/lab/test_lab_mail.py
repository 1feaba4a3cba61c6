"""The lab's mail server: real Dovecot and Postfix, spoken to with Python's own clients."""

import contextlib
import errno
import imaplib
import json
import os
import shutil
import signal
import ssl
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import mail_client
import pytest
from mail_client import (
    alive,
    connected,
    delivered,
    family,
    inbox,
    nothing_is_left,
    place,
    send,
    session,
    started,
)
from other_user import USER, run, usable_folder

import preloaded
import processes
from headcount.errors import SystemLimitError
from headcount.lab import dovecot, dovecot_files, home, installed, keeper, port, postfix
from headcount.protocols.registry import start_lab
from processes import owners, proc_file, processes_with, wait_for

ROOT = os.geteuid() == 0
FRONTS = ["lmtp", "headcount", *(["postfix"] if ROOT else [])]
"""Only root can start a Postfix."""


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


@pytest.mark.parametrize("front", FRONTS)
def test_mail_to_ten_users_is_read_back_and_nothing_is_left(base: Path, front: str) -> None:
    with started(front=front) as server:
        text = "".join(f"line {n} of the text\r\n" for n in range(2000))
        assert send(server, range(10), "to ten", text) == {}
        wait_for(lambda: delivered(server))
        for user in range(10):
            (message,) = inbox(server, user)
            assert "Subject: to ten\r\n" in message
            assert message.endswith("\r\n\r\n" + text)
        assert inbox(server, 10) == []
        version = subprocess.check_output(["/usr/sbin/dovecot", "--version"], text=True)
        assert version.startswith(server.programs["dovecot"] + " ")
        assert ("postfix" in server.programs) == (front == "postfix")
        assert server.settings["front"] == front
        assert server.language == ("lmtp" if front == "lmtp" else "smtp")
        pids = family(server)
        assert len(pids) > 5
        numbers = [place(where)[1] for where in (server.address, server.front, server.lmtp)]
    assert nothing_is_left(base)
    assert not alive(pids)
    assert not any(port.answers(number) for number in numbers)
    server.stop()


def test_dovecot_runs_without_root_and_its_files_are_its_own(base: Path) -> None:
    with started(front="lmtp") as server:
        user = 65534 if ROOT else os.geteuid()
        assert owners(family(server)) == {user}
        (found,) = base.glob("dovecot-*")
        assert stat.S_IMODE(found.stat().st_mode) == 0o700
        assert stat.S_IMODE((found / "users").stat().st_mode) == 0o600
        for pid in family(server):
            assert server.password.encode() not in proc_file(pid, "cmdline")


def test_a_home_that_others_cannot_pass_through_is_elsewhere_for_root(base: Path) -> None:
    base.parent.parent.chmod(0o700)
    with started(front="lmtp") as server:
        where = home.OPEN if ROOT else base
        found = server.stats.parent.parent
        assert found.parent == where
        assert inbox(server, 1) == []
    assert not found.exists()


@pytest.mark.parametrize("how", ["plain", "starttls", "tls"])
def test_users_log_on_by_imap_plain_and_over_tls(how: str) -> None:
    with started(front="lmtp", tls="on") as server:
        with session(server, 49, how=how) as opened:
            assert opened.noop()[0] == "OK"
            assert isinstance(opened.socket(), ssl.SSLSocket) == (how != "plain")
        stranger = ssl.create_default_context()
        with pytest.raises(ssl.SSLCertVerificationError):
            imaplib.IMAP4_SSL(*place(server.implicit_tls or ""), ssl_context=stranger)


def test_starttls_is_not_offered_without_tls() -> None:
    with started(front="lmtp") as server:
        assert (server.implicit_tls, server.authority) == (None, None)
        with session(server) as opened:
            assert "STARTTLS" not in opened.capabilities


def test_a_wrong_password_and_an_unknown_user_are_refused_and_make_no_mailbox() -> None:
    with started(front="lmtp") as server:
        for user, password in ((1, "guess"), (50, None), ("root", None), (1, "")):
            with (
                pytest.raises(imaplib.IMAP4.error, match="failed"),
                session(server, user, password),
            ):
                raise AssertionError(f"{user} could log on")
        mail = server.stats.parent.parent / "mail"
        assert list(mail.glob("*/*")) == []
        assert inbox(server, 1) == []
        assert [one.name for one in mail.glob("*/*")] == ["u00001"]


@pytest.mark.parametrize("front", FRONTS)
def test_an_unknown_recipient_is_refused_and_the_others_get_their_mail(front: str) -> None:
    with started(front=front) as server:
        refused = send(server, [3, 50, f"nobody@{server.domain}"], "some")
        assert {code for code, _ in refused.values()} == {550}
        assert sorted(refused) == [f"nobody@{server.domain}", f"u00050@{server.domain}"]
        wait_for(lambda: delivered(server))
        assert len(inbox(server, 3)) == 1


def test_headcounts_own_front_counts_mail_for_elsewhere(base: Path) -> None:
    with started(front="headcount", destinations="2") as server:
        near, far = "dest1.test.invalid", "dest2.test.invalid"
        assert server.arrivals() == {near: 0, far: 0}
        assert server.queue_length() is None
        for number in range(3):
            to = [7, f"a@{near}"] + [f"b@{far}"] * (number < 1)
            assert send(server, to, f"message {number}") == {}
        assert len(inbox(server, 7)) == 3  # at once: it was there when it was accepted
        assert server.arrivals() == {near: 3, far: 1}
        assert list(send(server, ["a@example.org"], "away")) == ["a@example.org"]
        assert server.settings["front"] == "headcount"
    assert nothing_is_left(base)


if ROOT:  # only root can start a Postfix

    def test_mail_for_destinations_arrives_there_and_is_counted() -> None:
        with started(destinations="3") as server:
            assert server.destinations == [f"dest{n}.test.invalid" for n in (1, 2, 3)]
            for number in range(5):
                to = [7, "a@dest1.test.invalid"] + ["b@dest3.test.invalid"] * (number < 2)
                assert send(server, to, f"message {number}") == {}
            wait_for(lambda: delivered(server))
            wait_for(
                lambda: list(server.arrivals().values()) == [5, 0, 2],
            )
            assert len(inbox(server, 7)) == 5

    def test_nothing_leaves_the_lab() -> None:
        with started(destinations="1") as server:
            for stranger in ("a@dest2.test.invalid", "a@example.org", "root", "a@localhost"):
                assert list(send(server, [stranger], "away")) == [stranger]
            assert server.queue_length() == 0

    def test_mail_waits_in_the_queue_while_dovecot_does_not_take_it() -> None:
        with started(front="postfix") as server:
            os.kill(server.pids[0], signal.SIGSTOP)
            others = keeper.descendants(server.pids[0])
            for pid in others:
                os.kill(pid, signal.SIGSTOP)
            for number in range(4):
                assert send(server, [number], "later") == {}
            assert server.queue_length() == 4
            for pid in [*others, server.pids[0]]:
                os.kill(pid, signal.SIGCONT)
            wait_for(lambda: delivered(server))
            assert [len(inbox(server, number)) for number in range(4)] == [1] * 4

    def test_postfix_offers_tls() -> None:
        with started(front="postfix", tls="on") as server, connected(server) as opened:
            context = ssl.create_default_context(cafile=str(server.authority))
            assert opened.starttls(context=context)[0] == 220
            opened.sendmail("a@b.invalid", ["u00001@test.invalid"], "Subject: x\r\n\r\ny\r\n")

    def test_a_missing_postfix_is_an_error(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        real = postfix.find

        def find(program: str, advice: str) -> str:
            return real("no-such-program" if program == "postfix" else program, advice)

        monkeypatch.setattr(postfix, "find", find)
        with pytest.raises(SystemLimitError, match=r"apt-get install .* postfix .*front=lmtp"):
            start_lab("mail", {"users": "5"})
        assert nothing_is_left(base)

    def test_complaints_of_postfix_are_quoted(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        broken = postfix.postfix_files.MASTER.replace("pickup unix", "pickup pigeon")
        monkeypatch.setattr(postfix.postfix_files, "MASTER", broken)
        with pytest.raises(SystemLimitError, match="pigeon"):
            start_lab("mail", {"users": "5"})
        assert nothing_is_left(base)


OWNER = """
import json, time
from headcount.protocols.registry import start_lab
server = start_lab("mail", {"users": "5", "destinations": "DESTINATIONS"})
print(json.dumps(server.pids), flush=True)
time.sleep(600)
"""


def test_a_killed_owner_leaves_nothing(base: Path) -> None:
    program = OWNER.replace("DESTINATIONS", "1" if ROOT else "0")
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as owner:
        try:
            assert owner.stdout is not None
            pids = set(json.loads(owner.stdout.readline()))
            pids |= set().union(*(keeper.descendants(pid) for pid in pids))
            assert len(list(base.iterdir())) == (3 if ROOT else 1)
        finally:
            owner.kill()
    wait_for(lambda: nothing_is_left(base))
    assert not alive(pids)


def test_a_killed_keeper_leaves_nothing(base: Path) -> None:
    with started() as server, session(server, 1):
        pids = family(server)
        for one in keeper.processes():
            if one.pid in server.pids:
                os.kill(one.parent, signal.SIGKILL)
    assert nothing_is_left(base)
    assert not alive(pids)


def test_ports_that_are_taken_meanwhile_are_replaced(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with port.socket.create_server((port.host(), 0)) as stranger:
        taken = stranger.getsockname()[1]
        numbers = iter([port.free(), taken, port.free(), *(port.free() for _ in range(3))])
        monkeypatch.setattr(port, "free", lambda: next(numbers))
        with started(front="lmtp") as server:
            assert inbox(server, 1) == []
        monkeypatch.setattr(port, "free", lambda: taken)
        monkeypatch.setattr(port, "STARTS", 2)
        with pytest.raises(SystemLimitError, match="tried 2 ports, each in use"):
            start_lab("mail", {"users": "5"})
    assert nothing_is_left(base)


def test_a_missing_dovecot_is_an_error(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remedy = "apt-get install -y --no-install-recommends dovecot-imapd dovecot-lmtpd"
    with monkeypatch.context() as without:
        without.setattr(installed, "FOLDERS", ())
        without.setenv("PATH", "")
        with pytest.raises(SystemLimitError, match=remedy):
            start_lab("mail", {})
    monkeypatch.setattr(dovecot, "PARTS", ("/nowhere",))
    with pytest.raises(SystemLimitError, match=remedy):
        start_lab("mail", {})
    assert not base.exists() or nothing_is_left(base)


def test_complaints_of_dovecot_are_quoted(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = dovecot_files.CONFIGURATION + "\nno_such_setting = 1\n"
    monkeypatch.setattr(dovecot_files, "CONFIGURATION", broken)
    with pytest.raises(SystemLimitError, match=r"Dovecot ended at once; .*no_such_setting"):
        start_lab("mail", {"users": "5", "front": "lmtp"})
    assert nothing_is_left(base)


PROGRAM = """
import json, os
from pathlib import Path
from headcount.lab.mail import MailServer
from headcount.errors import SystemLimitError
import mail_client
from mail_client import inbox, send

try:
    MailServer({"users": "5", "front": "postfix"})
except SystemLimitError as error:
    refused = str(error)
server = MailServer({"users": "5", "tls": "on", "front": "lmtp"})
try:
    sent = send(server, [1, 2], "without root")
    (home,) = server.stats.parent.parent.parent.iterdir()
    print(json.dumps({
        "refused": refused, "sent": sent, "inbox": inbox(server, 2),
        "front": server.settings["front"], "owner": home.stat().st_uid,
        "inside": str(home).startswith(os.environ["XDG_CACHE_HOME"]),
    }))
finally:
    server.stop()
os.environ["XDG_CACHE_HOME"] += "/" + "x" * 90
try:
    MailServer({"users": "5"})
except SystemLimitError as error:
    assert "the path is too long, or not of plain letters" in str(error), error
else:
    raise AssertionError("started")
"""


def test_a_user_without_rights_has_dovecot_and_no_postfix() -> None:
    with usable_folder() as folder:
        for module in (mail_client, preloaded, processes):
            copied = shutil.copy(str(module.__file__), folder)
            Path(copied).chmod(0o644)
        done = run(folder, PROGRAM)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert "only root can start Postfix" in found["refused"]
        assert (found["sent"], found["front"], found["inside"]) == ({}, "lmtp", True)
        assert "Subject: without root\r\n" in found["inbox"][0]
        assert found["owner"] == (USER if ROOT else os.geteuid())
        assert not processes_with(str(folder))


def test_homes_that_others_use_are_in_an_open_folder(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = home.OPEN if ROOT else None
    assert home.open_base() == base
    for name in ("x" * 90, "100 %U; größer"):
        strange = base.parent.parent / name
        strange.mkdir()
        monkeypatch.setenv("XDG_CACHE_HOME", str(strange))
        assert home.open_base() == (elsewhere or home.base())
    closed = base.parent.parent / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_CACHE_HOME", str(closed))
    assert home.open_base() == (elsewhere or home.base())


def test_a_full_disk_is_an_error_and_nothing_is_left(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(dovecot_files, "write_users", write)
    with pytest.raises(SystemLimitError, match=r"No space left on device; choose another folder"):
        start_lab("mail", {"users": "5"})
    assert nothing_is_left(base)
