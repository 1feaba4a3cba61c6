"""Dovecot's knobs: where they are set, how files change, and what the real server does."""

import contextlib
import imaplib
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from tuned import knob, lab, posing, put, reload, rounds, wait_until

from headcount.errors import InputError
from headcount.lab import keeper
from headcount.lab.mail import MailServer
from headcount.tune.host import COMMAND_S, Ended, ThisHost
from headcount.tune.knobs.knob import Knob
from headcount.tune.knobs.library import of_server
from headcount.tune.servers import dovecot_text
from headcount.tune.servers.common import BEGIN
from headcount.tune.servers.dovecot import Dovecot
from headcount.tune.servers.registry import find

LOGIN = "service/imap-login/service_count"


def k(name: str) -> Knob:
    return knob("dovecot", name)


def server(path: Path) -> Dovecot:
    return Dovecot(ThisHost(), posing("/usr/sbin/dovecot", "-F", "-c", str(path)))


def conf(path: Path, *options: str) -> str:
    return subprocess.check_output(["doveconf", "-c", str(path), *options], text=True).strip()


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """An empty main file."""
    (tmp_path / "dovecot.conf").write_text("")
    return tmp_path / "dovecot.conf"


HOSTILE = """\
# mail_fsync = never
mail_fsync=always # not = never
  protocol imap {
  mail_fsync = never
    }
service   imap-login  {
  inet_listener imap { # the plain one
    port = 143
  }
  service_count = 0
}
login_greeting = "say # nothing {"
mail_plugins = quota \\
  acl \\
  zlib
!include conf.d/*.conf
!include_try   "local.conf"
}
plugin {
  quota = count:User quota
}
mmap_disable = yes"""


def test_lines_of_a_hostile_text_are_read() -> None:
    found = list(dovecot_text.lines(HOSTILE))
    assert [(one.sections, one.name, one.value) for one in found] == [
        ((), "mail_fsync", "always"),
        (("protocol imap",), "mail_fsync", "never"),
        (("service imap-login", "inet_listener imap"), "port", "143"),
        (("service imap-login",), "service_count", "0"),
        ((), "login_greeting", '"say # nothing {"'),
        ((), "mail_plugins", "quota acl zlib"),
        ((), "!include", "conf.d/*.conf"),
        ((), "!include", "local.conf"),
        (("plugin",), "quota", "count:User quota"),
        ((), "mmap_disable", "yes"),
    ]


def test_blocks_of_sections_and_filters_are_read() -> None:
    assert dovecot_text.block("mail_fsync", "always", []) == ["mail_fsync = always"]
    assert dovecot_text.block("service/imap/client_limit", "5", []) == [
        "service imap {",
        "  client_limit = 5",
        "}",
    ]
    assert dovecot_text.block("mmap_disable", "yes", [("remote 10.0.0.0/8", "protocol imap")]) == [
        "mmap_disable = yes",
        "remote 10.0.0.0/8 {",
        "  protocol imap {",
        "    mmap_disable = yes",
        "  }",
        "}",
    ]


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_changes_come_last_and_the_rest_is_kept(main: Path, end: str) -> None:
    line = end or "\n"
    old = f"service imap-login {{{line}service_count = 1{line}}}{line}# gr\xfc\xdfe{end}"
    main.write_bytes(old.encode("latin-1"))
    found = server(main)
    setting = found.setting(k(LOGIN))
    assert (setting.value, setting.is_set, setting.place) == ("1", True, str(main))
    changes = {k(LOGIN): "0", k("mmap_disable"): "yes", k("auth_cache_size"): "10"}
    assert found.edited({}) == {}
    (new,) = found.edited(changes).values()
    lines = ["", BEGIN, "service imap-login {", "  service_count = 0", "}"]
    lines += ["mmap_disable = yes", "auth_cache_size = 10M", ""]
    assert new == old.encode("latin-1") + line.join(lines).encode().removeprefix(end.encode())
    main.write_bytes(new)
    assert found.edited(changes) == {str(main): new}  # of what was read first
    fresh = server(main)
    assert [fresh.setting(one).value for one in changes] == ["0", "yes", "10"]
    assert fresh.test() is None


def test_a_filter_that_sets_the_same_is_changed_too(main: Path) -> None:
    main.write_text(
        "mail_fsync = always\nprotocol imap {\n  mail_fsync = never\n}\n"
        "remote 10.0.0.0/8 {\n  mail_fsync = never\n}\n"
    )
    found = server(main)
    assert found.setting(k("mail_fsync")).value == "never"
    with put(found.edited({k("mail_fsync"): "optimized"})):
        assert server(main).setting(k("mail_fsync")).value == "optimized"
        for asked in ("protocol=imap", "protocol=lmtp", "remote=10.1.2.3"):
            assert conf(main, "-f", asked, "-h", "mail_fsync") == "optimized"


def test_includes_are_read_in_place_and_changes_override_them(main: Path) -> None:
    folder = main.parent / "conf.d"
    folder.mkdir()
    main.write_text("!include conf.d/*.conf\n!include_try gone.conf\nmmap_disable = yes\n")
    (folder / "20-b.conf").write_text("mail_prefetch_count = 7\n")
    (folder / "10-a.conf").write_text(
        "mail_prefetch_count = 3\nmmap_disable = no\nservice imap {\n  !include ../inner\n}\n"
    )
    (main.parent / "inner").write_text("client_limit = 4")
    (folder / "c.ext").write_text("mail_prefetch_count = 9\n")
    found = server(main)
    setting = found.setting(k("mail_prefetch_count"))
    assert (setting.value, setting.place) == ("7", str(folder / "20-b.conf"))
    setting = found.setting(k("service/imap/client_limit"))
    assert (setting.value, setting.place) == ("4", str(main.parent / "inner"))
    assert found.setting(k("mmap_disable")).place == str(main)
    with put(found.edited({k("mail_prefetch_count"): "5", k("service/imap/client_limit"): "9"})):
        assert conf(main, "-h", "mail_prefetch_count", "service/imap/client_limit") == "5\n9"


def test_debians_files_are_read(tmp_path: Path) -> None:
    """A copy of what the package has in /etc/dovecot."""
    subprocess.check_call(["cp", "-a", "/etc/dovecot", str(tmp_path)])
    link = tmp_path / "link.conf"
    link.symlink_to("dovecot/dovecot.conf")
    main = tmp_path / "dovecot" / "dovecot.conf"
    found = server(main)
    setting = found.setting(k(LOGIN))
    assert (setting.value, setting.is_set) == ("1", False)
    for one in of_server("dovecot").knob:
        setting = found.setting(one)
        assert not setting.is_set or setting.value in (one.default, *one.shipped), one.name
    with put(found.edited({k(LOGIN): "0", k("default_vsz_limit"): "1024"})):
        assert server(main).test() is None
        assert conf(main, "-h", LOGIN, "default_vsz_limit") == "0\n1 G"
        assert server(main).setting(k("default_vsz_limit")).value == "1024"


def test_links_are_kept(main: Path) -> None:
    link = main.parent / "other" / "link.conf"
    link.parent.mkdir()
    link.symlink_to(main)
    (link.parent / "beside.conf").write_text("mail_prefetch_count = 3\n")
    main.write_text("!include beside.conf\n")
    found = server(link)
    assert found.setting(k("mail_prefetch_count")).place == str(link.parent / "beside.conf")
    files = found.edited({k("mmap_disable"): "yes"})
    assert list(files) == [str(main)]
    with put(files):
        assert link.is_symlink()
        assert conf(link, "-h", "mmap_disable") == "yes"


def test_relative_and_default_files_are_found(main: Path) -> None:
    main.write_text("mail_prefetch_count = 3\n")
    running = posing("dovecot", "-c", "dovecot.conf", directory=str(main.parent))
    assert Dovecot(ThisHost(), running).setting(k("mail_prefetch_count")).value == "3"
    default = Dovecot(ThisHost(), posing("/usr/sbin/dovecot", "-F"))
    assert list(default.edited({k("mmap_disable"): "yes"})) == ["/etc/dovecot/dovecot.conf"]


def test_a_file_that_disappears(main: Path) -> None:
    found = server(main)
    assert found.test() is None
    main.unlink()
    assert "dovecot.conf" in (found.test() or "")
    with pytest.raises(InputError, match=r"dovecot\.conf"):
        found.setting(k("mmap_disable"))


@pytest.mark.parametrize(
    "line", ["mail_fsync = sometimes", "mail_prefetch_count = x", "service imap {", "nonsense = 1"]
)
def test_mistakes_are_found(main: Path, line: str) -> None:
    main.write_text(f"{line}\n")
    objection = server(main).test()
    assert objection is not None
    assert objection.startswith("Dovecot refuses its configuration: Error in configuration file")


def test_another_version_of_dovecot_is_refused() -> None:
    class Later(ThisHost):
        def run(self, command: Sequence[str], longest_s: float = COMMAND_S) -> Ended:
            if "-n" in command:
                return Ended(0, "# 2.4.1 (abc): /etc/dovecot/dovecot.conf\n")
            return super().run(command, longest_s)

    with pytest.raises(InputError, match=r"this is Dovecot 2\.4\.1"):
        Dovecot(Later(), posing("dovecot")).edited({k("mmap_disable"): "yes"})


def test_defaults_are_the_programs_own(main: Path) -> None:
    found = server(main)
    for one in of_server("dovecot").knob:
        setting = found.setting(one)
        assert (one.name, setting.value, setting.is_set) == (one.name, one.default, False)


def test_a_knob_that_this_dovecot_lacks_is_refused(main: Path) -> None:
    later = k("mmap_disable").model_copy(update={"name": "no_such_setting"})
    assert server(main).setting(later).value is None


def test_the_program_takes_all_values(main: Path) -> None:
    found = server(main)
    for changes in rounds("dovecot"):
        for path, content in found.edited(changes).items():
            Path(path).write_bytes(content)
        assert found.test() is None
        fresh = server(main)
        for one, value in changes.items():
            assert (one.name, fresh.setting(one).value) == (one.name, value)


def children(server: MailServer, program: str) -> int:
    """How many processes of a service there are."""
    found = 0
    for pid in keeper.descendants(server.pids[0]):
        with contextlib.suppress(OSError):  # it has just ended
            found += Path(f"/proc/{pid}/comm").read_text("utf-8").strip() == program
    return found


def logs_on(server: MailServer) -> bool:
    """Whether a user can log on: connections of the moment of a reload are closed."""
    host, _, number = server.address.rpartition(":")
    try:
        opened = imaplib.IMAP4(host, int(number), timeout=5)
    except (imaplib.IMAP4.error, OSError):
        return False
    try:
        opened.login(server.user.format(n=1), server.password)
        return opened.select("INBOX")[0] == "OK"
    except (imaplib.IMAP4.error, OSError):
        return False
    finally:
        opened.shutdown()  # a logout that fails would leave the connection open


def test_a_running_server_takes_changes_and_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    with lab("mail", monkeypatch, front="lmtp", users="5") as started:
        assert isinstance(started, MailServer)
        found = find(ThisHost(), started.pids)
        setting = found.setting(k("service/lmtp/process_limit"))
        assert (setting.value, setting.is_set) == ("100", True)
        before = children(started, "imap-login")
        changes = {
            k(LOGIN): "0",
            k("service/imap-login/process_min_avail"): "3",
            k("mail_fsync"): "always",
        }
        with put(found.edited(changes)):
            assert found.test() is None
            reload(found)
            wait_until(lambda: children(started, "imap-login") == 3)
            assert logs_on(started)
            assert children(started, "imap-login") == 3
        reload(found)
        wait_until(lambda: children(started, "imap-login") <= before)
        assert logs_on(started)


def test_a_running_server_takes_all_values(monkeypatch: pytest.MonkeyPatch) -> None:
    with lab("mail", monkeypatch, front="lmtp", users="5") as started:
        assert isinstance(started, MailServer)
        found = find(ThisHost(), started.pids)
        log = started.logs["dovecot"]
        for changes in rounds("dovecot"):
            # Many processes that wait would take the memory of this machine.
            few = {
                one: "2" if one.name.endswith("process_min_avail") else value
                for one, value in changes.items()
            }
            with put(found.edited(few)):
                assert found.test() is None
                reloads = log.read_text("utf-8").count("SIGHUP received")
                reload(found)
                wait_until(
                    lambda: log.read_text("utf-8").count("SIGHUP received") > reloads  # noqa: B023
                )
                wait_until(lambda: logs_on(started))
        logged = log.read_text("utf-8")
        # Processes that start while the configuration process is replaced end like that.
        fatal = [line for line in logged.splitlines() if "Fatal: " in line]
        assert [line for line in fatal if "Error reading configuration: " not in line] == []
        assert "Invalid configuration" not in logged
