"""Postfix's knobs: where they are set, how files change, and what the real server does."""

import contextlib
import os
import shutil
import smtplib
import subprocess
from pathlib import Path

import pytest
from tuned import PosingHost, first_time, knob, lab, posing, put, reload, rounds, wait_until

from headcount.errors import InputError, TargetError
from headcount.lab.mail import MailServer
from headcount.tune.host import ThisHost
from headcount.tune.knobs.knob import Knob
from headcount.tune.knobs.library import of_server
from headcount.tune.servers import postfix_text
from headcount.tune.servers.common import BEGIN
from headcount.tune.servers.postfix import Postfix
from headcount.tune.servers.registry import find

ROOT = os.geteuid() == 0
MASTER = "/usr/lib/postfix/sbin/master"
SERVICES = Path("/usr/share/postfix/master.cf.dist")


def k(name: str) -> Knob:
    return knob("postfix", name)


def server(folder: Path, *options: str, **environment: str) -> Postfix:
    options = options or ("-c", str(folder))
    return Postfix(PosingHost(MASTER), posing(MASTER, "-d", *options, **environment))


def conf(folder: Path, *options: str) -> str:
    return subprocess.run(
        ["postconf", "-c", str(folder), *options], check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def etc(tmp_path: Path) -> Path:
    """A main.cf that sets nothing, and the master.cf of the package."""
    (tmp_path / "main.cf").write_text("compatibility_level = 3.6\n")
    shutil.copy("/etc/postfix/master.cf", tmp_path / "master.cf")
    return tmp_path


HOSTILE = (
    "  nothing before\n"
    "# in_flow_delay = 3s\n"
    "in_flow_delay=1s\n"
    "mydestination = a,\n"
    "# between\n"
    "\n"
    "\tb,\n"
    "  c  \n"
    "   # inner\n"
    "in_flow_delay = 2s\r\n"
    "smtpd_banner = $myhostname = x # no comment\n"
    "max_use = 7"
)


def test_parameters_of_a_hostile_text_are_read() -> None:
    found = {name: one.text for name, one in postfix_text.parameters(HOSTILE).items()}
    assert found == {
        "in_flow_delay": "in_flow_delay = 2s",
        "mydestination": "mydestination = a, b, c",
        "smtpd_banner": "smtpd_banner = $myhostname = x # no comment",
        "max_use": "max_use = 7",
    }


def test_parameters_are_replaced_where_they_count() -> None:
    values = {"in_flow_delay": "0s", "mydestination": "d", "max_use": "8", "max_idle": "5s"}
    text, new = postfix_text.with_parameters(HOSTILE, values)
    assert new == ["max_idle = 5s"]
    assert text == HOSTILE.replace("in_flow_delay = 2s", "in_flow_delay = 0s").replace(
        "mydestination = a,\n# between\n\n\tb,\n  c", "mydestination = d"
    ).replace("max_use = 7", "max_use = 8")


SERVICE_LINES = """\
# ====
smtp      inet  n       -       y       -       -       smtpd
#smtps     inet  n       -       y       -       50       smtpd
submission inet n - y - 20 smtpd
  -o syslog_name=postfix/submission
  # a comment
  -o smtpd_tls_security_level=encrypt
relay unix - - y - -
  smtp -o smtp
smtp      unix  -       -       y       -       5\tsmtp\r
short     unix  - smtp
"""


def test_columns_of_a_hostile_master_are_read() -> None:
    found = [one.text for one in postfix_text.services(SERVICE_LINES, "smtpd")]
    assert found == ["-", "20"]
    assert [one.text for one in postfix_text.services(SERVICE_LINES, "smtp")] == ["-", "5"]
    assert postfix_text.with_limits(SERVICE_LINES, {"smtpd": "300", "smtp": "7"}) == (
        SERVICE_LINES.replace(
            "y       -       -       smtpd\n#", "y       -       300       smtpd\n#"
        )
        .replace("y - 20 smtpd", "y - 300 smtpd")
        .replace("relay unix - - y - -\n", "relay unix - - y - 7\n")
        .replace("5\tsmtp", "7\tsmtp")
    )


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_changes_are_in_place_or_last_and_the_rest_is_kept(etc: Path, end: str) -> None:
    main, line = etc / "main.cf", end or "\n"
    old = f"compatibility_level = 3.6{line}max_use = 5{line}# gr\xfc\xdfe{line}max_idle = 9s{end}"
    main.write_bytes(old.encode("latin-1"))
    found = server(etc)
    setting = found.setting(k("max_use"))
    assert (setting.value, setting.is_set, setting.place) == ("5", True, str(main))
    assert found.setting(k("max_idle")).value == "9"
    changes = {k("max_use"): "1000", k("in_flow_delay"): "0"}
    assert found.edited({}) == {}
    (new,) = found.edited(changes).values()
    changed = old.replace("max_use = 5", "max_use = 1000") + ("" if end else line)
    added = f"{BEGIN}{line}in_flow_delay = 0s{line}"
    assert new == changed.encode("latin-1") + added.encode()
    main.write_bytes(new)
    assert found.edited(changes) == {str(main): new}  # of what was read first
    fresh = server(etc)
    assert [fresh.setting(one).value for one in changes] == ["1000", "0"]
    ended = subprocess.run(
        ["postconf", "-c", str(etc), "-n"], check=True, capture_output=True, text=True
    )
    assert ended.stderr == ""  # a second line of the same name would make it complain


def test_the_last_of_two_values_counts_despite_warnings(etc: Path) -> None:
    (etc / "main.cf").write_text("max_use = 5\nmax_use = 6\nsmtpd_banner = x\nnonsense = 1\n")
    found = server(etc)
    assert found.setting(k("max_use")).value == "6"
    with put(found.edited({k("max_use"): "7"})):
        assert (etc / "main.cf").read_text().startswith("max_use = 5\nmax_use = 7\n")
        assert server(etc).setting(k("max_use")).value == "7"


def test_a_value_that_names_another_is_resolved(etc: Path) -> None:
    (etc / "main.cf").write_text(
        "default_destination_concurrency_limit = 33\nsmtp_destination_concurrency_limit =\n"
        " $default_destination_concurrency_limit\n"
    )
    found = server(etc)
    for name in ("lmtp", "smtp"):
        setting = found.setting(k(f"{name}_destination_concurrency_limit"))
        assert (setting.value, setting.is_set) == ("33", name == "smtp")
    assert found.setting(k("smtpd_hard_error_limit")).value == "20"


def test_limits_of_processes_are_read_and_changed(etc: Path) -> None:
    (etc / "main.cf").write_text("default_process_limit = 77\n")
    found = server(etc)
    one = k("smtpd maxproc")
    setting = found.setting(one)
    assert (setting.value, setting.is_set) == ("77", False)
    files = found.edited({one: "300", k("max_use"): "5"})
    assert len(files) == 2
    with put(files):
        setting = server(etc).setting(one)
        assert (setting.value, setting.is_set) == ("300", True)
        assert setting.place == str(etc / "master.cf")
        assert conf(etc, "-Fh", "smtp/inet/process_limit") == "300"
    (etc / "master.cf").write_text("pickup unix n - n 60 1 pickup\n")
    without = server(etc)
    assert without.setting(one).value is None
    with pytest.raises(InputError, match="no service that runs smtpd"):
        without.edited({one: "300"})


def test_the_configuration_folder_is_found(etc: Path) -> None:
    (etc / "main.cf").write_text("max_use = 7\n")
    assert server(etc, "-w", MAIL_CONFIG=str(etc)).setting(k("max_use")).value == "7"
    host = PosingHost(MASTER)
    relative = posing(MASTER, "-c", etc.name, directory=str(etc.parent))
    assert Postfix(host, relative).setting(k("max_use")).value == "7"
    with pytest.raises(TargetError, match="not the first of a Postfix"):
        Postfix(PosingHost("/usr/lib/cyrus/bin/master"), posing("master"))


def test_links_are_kept(etc: Path) -> None:
    main, real = etc / "main.cf", etc / "real.cf"
    main.rename(real)
    main.symlink_to(real)
    files = server(etc).edited({k("max_use"): "7"})
    assert list(files) == [str(real)]
    with put(files):
        assert main.is_symlink()
        assert conf(etc, "-h", "max_use") == "7"


def test_a_file_that_disappears(etc: Path) -> None:
    found = server(etc)
    (etc / "main.cf").unlink()
    assert "main.cf" in (found.test() or "")
    with pytest.raises(InputError, match=r"main\.cf"):
        found.setting(k("max_use"))


def test_defaults_are_the_programs_own(etc: Path) -> None:
    found = server(etc)
    for one in of_server("postfix").knob:
        setting = found.setting(one)
        assert (one.name, setting.value, setting.is_set) == (one.name, one.default, False)


def test_values_are_read_back(etc: Path) -> None:
    found = server(etc)
    for changes, new in first_time(rounds("postfix")):
        with put(found.edited(changes)):
            fresh = server(etc)
            for one in new:
                assert (one.name, fresh.setting(one).value) == (one.name, changes[one])


if ROOT:  # only root can start a Postfix, or check one

    def test_mistakes_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
        with lab("mail", monkeypatch, front="postfix", users="5") as started:
            found = find(ThisHost(), started.pids[1:])
            assert found.name == "postfix"
            assert found.test() is None
            (path,) = found.edited({k("max_use"): "7"})
            for name, line in (
                ("main.cf", "queue_directory = /no/such/folder"),
                ("main.cf", "default_process_limit = banana"),
                ("master.cf", "smtp inet n - n - banana smtpd"),
                ("master.cf", "smtp pigeon n - n - - smtpd"),
            ):
                wrong = Path(path).with_name(name)
                with put({str(wrong): wrong.read_bytes() + f"{line}\n".encode()}):
                    objection = found.test()
                    assert objection is not None, line
                    assert objection.startswith("Postfix refuses its configuration: ")
            assert found.test() is None

    def send(server: MailServer, number: int) -> None:
        host, _, port = server.front.rpartition(":")
        text = f"Subject: {number}\r\n\r\nhello\r\n"
        with smtplib.SMTP(host, int(port), timeout=20) as opened:
            opened.sendmail("a@test.invalid", ["u00001@test.invalid"], text)

    def greeted_connections(server: MailServer) -> int:
        """How many of some connections at a time are greeted."""
        host, _, port = server.front.rpartition(":")
        with contextlib.ExitStack() as opened:
            for number in range(5):
                one = smtplib.SMTP(timeout=2)
                opened.callback(one.close)
                try:
                    one.connect(host, int(port))
                except (smtplib.SMTPException, OSError):
                    return number
        return 5

    def test_a_running_server_takes_changes_and_goes_back(
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        with lab("mail", monkeypatch, front="postfix", users="5") as started:
            assert isinstance(started, MailServer)
            found = find(ThisHost(), started.pids[1:])
            setting = found.setting(k("smtpd maxproc"))
            assert (setting.value, setting.is_set) == ("100", True)
            setting = found.setting(k("default_destination_concurrency_limit"))
            assert (setting.value, setting.is_set) == ("20", True)
            assert greeted_connections(started) == 5
            files = found.edited({k("smtpd maxproc"): "2", k("max_use"): "1000"})
            with put(files):
                assert found.test() is None
                reload(found)
                wait_until(lambda: greeted_connections(started) == 2)
            reload(found)
            wait_until(lambda: greeted_connections(started) == 5)

    def test_a_running_server_takes_all_values(monkeypatch: pytest.MonkeyPatch) -> None:
        with lab("mail", monkeypatch, front="postfix", users="5") as started:
            assert isinstance(started, MailServer)
            found = find(ThisHost(), started.pids[1:])
            log = started.logs["postfix"]
            for number, changes in enumerate(rounds("postfix")):
                # Messages that wait for a minute would make the test wait.
                quick = {
                    one: "0" if one.name.endswith("rate_delay") else value
                    for one, value in changes.items()
                }
                with put(found.edited(quick)):
                    assert found.test() is None
                    reload(found)
                    reloads = number + 1
                    wait_until(
                        lambda: log.read_text("utf-8").count("reload -- version") >= reloads  # noqa: B023
                    )
                    send(started, number)
                    wait_until(lambda: started.queue_length() == 0)
            logged = log.read_text("utf-8")
            assert "fatal: " not in logged
            assert "bad numerical" not in logged
