"""Samba's configuration: read and changed as testparm and a running smbd understand it."""

import os
import socket
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from headcount.errors import InputError
from headcount.lab.samba import SambaServer
from headcount.protocols.registry import start_lab
from headcount.tune.host import ThisHost
from headcount.tune.knobs.knob import Knob
from headcount.tune.knobs.library import of_server
from headcount.tune.servers.registry import find
from headcount.tune.servers.samba import Samba
from headcount.tune.servers.samba_text import entries, inserted
from headcount.tune.servers.server import COMMAND_LINE, Running, Setting
from headcount.tune.values import Values, names_of
from processes import wait_for

KNOBS = {knob.name: knob for knob in of_server("samba").knob}
HOST = ThisHost()
DEBIAN = """\
#======================= Global Settings =======================

[global]

## Browsing/Identification ###
   workgroup = WORKGROUP
;   interfaces = 127.0.0.0/8 eth0
   log file = /var/log/samba/log.%m
   max log size = 1000
   server role = standalone server
   map to guest = bad user
# usershare max shares = 100
   usershare allow guests = yes

#======================= Share Definitions =======================

[homes]
   comment = Home Directories
   browseable = no
   read only = yes
   valid users = %S
"""


def samba_of(path: Path, *options: str, directory: str = "/") -> Samba:
    """A server that would have been started with a file."""
    command = ("/usr/sbin/smbd", "--foreground", "-s", str(path), *options)
    return Samba(HOST, Running(os.getpid(), 0, command, directory, {}))


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return path


def changed_text(path: Path, changes: Mapping[str, str]) -> str:
    """The text of a single file after changes."""
    files = samba_of(path).edited({KNOBS[name]: value for name, value in changes.items()})
    assert list(files) == [str(path.resolve())]
    return files[str(path.resolve())].decode("utf-8", "surrogateescape")


def values_of(knob: Knob) -> list[str]:
    """Every word, both bounds and the rules of thumb."""
    values = Values(knob, None, names_of(HOST, 100, {}))
    return list(dict.fromkeys([*knob.words, *map(str, values.bounds or ()), *values.rules]))


def test_parameters_are_read() -> None:
    text = (
        "# hz = 3 \\\n[ Global ]\r\nAIO Read\tSize=0\r\n;x\\\nmax smbd\\\n processes = \\\n 9"
        "\n  [Data]\n path = /srv \\\n/deep\nno equals sign\n[two]\nuse sendfile = yes"
    )
    found = [(one.section, one.name, one.value) for one in entries(text)]
    assert found == [
        ("global", "", ""),
        ("global", "aioreadsize", "0"),
        ("global", "maxsmbdprocesses", "9"),
        ("data", "", ""),
        ("data", "path", "/srv /deep"),
        ("two", "", ""),
        ("two", "usesendfile", "yes"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "[global]\nx = 1\n"),
        ("[global]", "[global]\nx = 1"),
        ("# a\r\n[GLOBAL]\r\nlog level=1\r\n", "# a\r\n[GLOBAL]\r\nx = 1\r\nlog level=1\r\n"),
        ("[data]\npath = /\n", "[global]\nx = 1\n[data]\npath = /\n"),
        ("log level = 1\n[global]\n", "[global]\nx = 1\nlog level = 1\n[global]\n"),
    ],
)
def test_a_new_parameter_comes_before_all_shares(text: str, expected: str) -> None:
    assert inserted(text, "x = 1") == expected


def test_debians_file_changes_by_the_lines_of_the_knobs_alone(tmp_path: Path) -> None:
    path = write(tmp_path / "smb.conf", DEBIAN)
    knob = KNOBS["use sendfile"]
    assert samba_of(path).setting(knob) == Setting("no", is_set=False)
    text = changed_text(path, {"use sendfile": "yes", "log level": "0"})
    new = ["\tuse sendfile = yes", "\tlog level = 0"]
    assert [line for line in text.split("\n") if line not in new] == DEBIAN.split("\n")
    write(path, text)
    server = samba_of(path)
    assert server.setting(knob) == Setting("yes", True, str(path.resolve()))
    assert server.setting(KNOBS["log level"]).value == "0"
    assert server.test() is None


def test_a_value_is_replaced_where_it_stands_and_all_else_is_kept(tmp_path: Path) -> None:
    text = (
        "; caf\udce9\r\n[global]\r\n  Log Level =1  \r\n\tworkgroup = x\r\n"
        "[data]\r\n  path = /tmp\r\n[global]\r\nlog\\\r\n level = 2"
    )
    path = write(tmp_path / "smb.conf", text)
    expected = text.replace("=1  ", "= 3  ").replace("level = 2", "level = 3")
    assert changed_text(path, {"log level": "3"}) == expected


def test_a_share_that_comes_first_gets_the_value_too(tmp_path: Path) -> None:
    text = "[data]\npath = /tmp\n[global]\naio read size = 1\n[two]\npath = /tmp\n"
    path = write(tmp_path / "smb.conf", text)
    write(path, changed_text(path, {"aio read size": "0"}))
    server = samba_of(path)
    assert server.setting(KNOBS["aio read size"]).value == "0"
    shown = HOST.run(["testparm", "-s", str(path)]).output
    assert shown.count("aio read size") == 1


def test_the_value_of_a_share_is_named_and_changed_there(tmp_path: Path) -> None:
    text = "[global]\nstrict sync = yes\n[Data]\npath = /tmp\nstrict sync = FALSE\n"
    path = write(tmp_path / "smb.conf", text)
    setting = samba_of(path).setting(KNOBS["strict sync"])
    assert setting == Setting("no", True, f"{path.resolve()}, share [data]")
    assert changed_text(path, {"strict sync": "yes"}) == text.replace("FALSE", "yes")


def test_other_names_of_a_parameter_count(tmp_path: Path) -> None:
    text = "[global]\nsmb encrypt = required\ncasesignames = yes\ndebug level = 2\n"
    path = write(tmp_path / "smb.conf", text)
    server = samba_of(path)
    for name, value in (
        ("server smb encrypt", "required"),
        ("case sensitive", "yes"),
        ("log level", "2"),
    ):
        assert server.setting(KNOBS[name]) == Setting(value, True, str(path.resolve())), name
    expected = text.replace("level = 2", "level = 1")
    assert changed_text(path, {"log level": "1"}) == expected


def test_included_files_and_links_are_followed_and_sections_go_on(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    inner = write(real / "inner.conf", "deadtime = 9\n[inc]\npath = /tmp\n")
    main = write(
        real / "main.conf",
        "[global]\ninclude = inner.conf\nuse sendfile = yes\ninclude = %m.conf\ninclude = gone\n",
    )
    link = tmp_path / "smb.conf"
    link.symlink_to(main)
    server = samba_of(link, directory=str(real))
    assert server.setting(KNOBS["deadtime"]).place == str(inner)
    # What follows is of the share that begins in the included file.
    assert server.setting(KNOBS["use sendfile"]).place == f"{main}, share [inc]"
    files = server.edited({KNOBS["deadtime"]: "5"})
    assert files == {str(inner): b"deadtime = 5\n[inc]\npath = /tmp\n"}


def test_the_command_line_overrides_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "smb.conf", "[global]\ndeadtime = 5\n")
    server = samba_of(path, "--option=dead time=7", "-d", "2")
    assert server.setting(KNOBS["deadtime"]) == Setting("7", True, COMMAND_LINE)
    assert server.setting(KNOBS["log level"]).value == "2"
    with pytest.raises(InputError, match="command line sets deadtime"):
        server.edited({KNOBS["deadtime"]: "9"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[global]\nconfig file = /etc/other.conf\n", "elsewhere .*/etc/other.conf"),
        ("[global]\nuse sendfile = perhaps\n", "refuses its own configuration: .*perhaps"),
        (None, "there is no file .*smb.conf"),
    ],
)
def test_a_configuration_that_cannot_be_used(
    text: str | None, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "smb.conf"
    if text is not None:
        write(path, text)
    with pytest.raises(InputError, match=message):
        samba_of(path).setting(KNOBS["deadtime"])


def test_without_a_file_named_it_is_that_which_samba_was_built_with(tmp_path: Path) -> None:
    path = write(tmp_path / "smb.conf", "[global]\ndeadtime = 5\n")
    environment = {"SMB_CONF_PATH": str(path)}
    server = Samba(HOST, Running(os.getpid(), 0, ("smbd",), "/", environment))
    assert server.setting(KNOBS["deadtime"]).value == "5"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"strict locking": "perhaps"}, "perhaps"),
        ({"smb2 max read": "much"}, "much"),
        ({"use sendfile": "perhaps"}, "perhaps"),
    ],
)
def test_testparm_refuses(changes: dict[str, str], message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "smb.conf", DEBIAN)
    server = samba_of(path)
    assert server.test() is None
    write(path, changed_text(path, changes))
    assert message in (server.test() or "")
    unknown = KNOBS["deadtime"].model_copy(update={"name": "dead tme"})
    write(path, server.edited({unknown: "1"})[str(path.resolve())].decode())
    assert 'Unknown parameter encountered: "dead tme"' in (server.test() or "")


def test_oplocks_are_changed_together_but_read_as_they_are(tmp_path: Path) -> None:
    path = write(tmp_path / "smb.conf", "[global]\n")
    expected = "[global]\n\tlevel2 oplocks = no\n\toplocks = no\n"
    assert changed_text(path, {"oplocks": "no"}) == expected
    write(path, "[global]\noplocks = no\n[data]\npath = /srv\n")
    server = samba_of(path)
    assert server.setting(KNOBS["oplocks"]).value == "no"
    assert server.test() is None


def test_socket_options_of_an_old_guide_go_back_to_the_default(tmp_path: Path) -> None:
    path = tmp_path / "smb.conf"
    given = "[global]\nsocket options = {}\n[data]\npath = /tmp\n"
    write(path, given.format("TCP_NODELAY SO_RCVBUF=8192 SO_SNDBUF=8192"))
    knob = KNOBS["socket options"]
    setting = samba_of(path).setting(knob)
    assert setting == Setting("tcp_nodelay so_rcvbuf=8192 so_sndbuf=8192", True, str(path))
    assert Values(knob, setting.value, {}).rules == ["TCP_NODELAY"]
    files = samba_of(path).edited({knob: "TCP_NODELAY"})
    assert files == {str(path): given.format("TCP_NODELAY").encode()}


@pytest.mark.parametrize("name", KNOBS)
def test_samba_knows_the_default_and_takes_every_value(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / "smb.conf", "[global]\n[data]\npath = /tmp\n")
    knob = KNOBS[name]
    server = samba_of(path)
    assert server.setting(knob) == Setting(knob.default, is_set=False)
    for value in values_of(knob):
        for file, content in server.edited({knob: value}).items():
            HOST.write(file, content)
        assert server.test() is None, value
        assert samba_of(path).setting(knob).value == value


def negotiate(address: str) -> tuple[bool, int, int]:
    """Whether a server offers several connections, and the most that it reads and writes at once.

    MS-SMB2 2.2.3 and 2.2.4.
    """
    header = struct.pack("<4sHHIHHIIQIIQ16s", b"\xfeSMB", 64, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, b"")
    dialects = (0x0210, 0x0300, 0x0302)
    multi_channel, large, leasing = 8, 4, 2
    capabilities = multi_channel | large | leasing
    body = struct.pack("<HHHHI16sQ", 36, len(dialects), 1, 0, capabilities, b"headcount-tester", 0)
    message = header + body + struct.pack(f"<{len(dialects)}H", *dialects)
    host, number = address.split(":")
    with socket.create_connection((host, int(number)), timeout=10) as server:
        server.sendall(struct.pack(">I", len(message)) + message)
        with server.makefile("rb") as stream:
            (length,) = struct.unpack(">I", stream.read(4))
            answer = stream.read(length)
    offered, _, reads, writes = struct.unpack_from("<IIII", answer, 64 + 24)
    return bool(offered & multi_channel), reads, writes


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SambaServer]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    server = start_lab("samba", {})
    assert isinstance(server, SambaServer)
    try:
        yield server
    finally:
        server.stop()


def test_a_running_server_takes_new_values_for_new_connections_and_goes_back(
    lab: SambaServer,
) -> None:
    server = find(HOST, lab.pids)
    assert isinstance(server, Samba)
    child = Path(f"/proc/{lab.pids[0]}/task/{lab.pids[0]}/children").read_text().split()[0]
    for pid in (*lab.pids, int(child)):
        assert find(HOST, [pid]).running.pid == lab.pids[0]
    assert server.setting(KNOBS["aio read size"]).is_set
    wanted = {
        KNOBS["smb2 max read"]: "1048576",
        KNOBS["smb2 max write"]: "65536",
        KNOBS["server multi channel support"]: "no",
    }
    with_several, *_ = before = negotiate(lab.address)
    assert before[1:] == (8388608, 8388608)
    files = server.edited(wanted)
    originals = {path: HOST.read(path) or b"" for path in files}
    for path, content in files.items():
        HOST.write(path, content)
    assert server.test() is None
    assert HOST.run(server.reload_command).code == 0
    wait_for(lambda: negotiate(lab.address) == (False, 1048576, 65536))
    for path, content in originals.items():
        HOST.write(path, content)
    assert HOST.run(server.reload_command).code == 0
    wait_for(lambda: negotiate(lab.address) == before)
    assert with_several
