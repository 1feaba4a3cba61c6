"""Apache's configuration: read and changed as `apache2 -t` and a running server understand it."""

import contextlib
import http.client
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from apache_folder import HOST, MODULES, apache_of, environment, plain

from headcount.errors import InputError
from headcount.lab.apache import ApacheServer
from headcount.lab.web import STATUS
from headcount.protocols.registry import start_lab
from headcount.tune.followers import with_followers
from headcount.tune.host import Ended, ThisHost
from headcount.tune.knobs.knob import Knob
from headcount.tune.knobs.library import of_server
from headcount.tune.servers.apache import MARK, Apache
from headcount.tune.servers.apache_text import appended, directives
from headcount.tune.servers.joint import numbers
from headcount.tune.servers.registry import find
from headcount.tune.servers.server import Setting
from headcount.tune.values import Values, names_of
from processes import wait_for

KNOBS = {knob.name: knob for knob in of_server("apache").knob}
PREFORK = ("MinSpareServers", "MaxSpareServers")
DEBIAN = f"""\
# This is the main Apache server configuration file.
DefaultRuntimeDir ${{APACHE_RUN_DIR}}
PidFile ${{APACHE_PID_FILE}}
Timeout 300
KeepAlive On
MaxKeepAliveRequests 100
KeepAliveTimeout 5
User ${{APACHE_RUN_USER}}
Group ${{APACHE_RUN_GROUP}}
HostnameLookups Off
ErrorLog ${{APACHE_LOG_DIR}}/error.log
LogLevel warn
LoadModule authz_core_module {MODULES}/mod_authz_core.so
IncludeOptional mods-enabled/*.load
IncludeOptional mods-enabled/*.conf
Listen 127.0.0.1:48123
ServerName localhost
<Directory />
\tOptions FollowSymLinks
\tAllowOverride None
\tRequire all denied
</Directory>
<Directory /var/www/>
\tAllowOverride None
</Directory>
LogFormat "%h %l" \\
  combined
IncludeOptional sites-enabled/*.conf
# vim: syntax=apache ts=4
"""
MPM = """\
# event MPM
<IfModule mpm_event_module>
\tStartServers\t\t\t2
\tMaxRequestWorkers\t  150
</IfModule>
<IfModule !mpm_event_module>
\tMaxRequestWorkers 7
</IfModule>
"""
SITE = (
    "<VirtualHost *:48123>\n\tKeepAliveTimeout 9\n\tDocumentRoot ${APACHE_LOG_DIR}\n</VirtualHost>"
)


@pytest.fixture
def debian(tmp_path: Path) -> Path:
    """A folder as Debian has it, its enabled files links."""
    folder = tmp_path.resolve()
    for name in ("mods-available", "mods-enabled", "sites-available", "sites-enabled"):
        (folder / name).mkdir()
    load = f"LoadModule mpm_event_module {MODULES}/mod_mpm_event.so\n"
    for name, text in (
        ("mods-{}/mpm_event.load", load),
        ("mods-{}/mpm_event.conf", MPM),
        ("sites-{}/000-default.conf", SITE),
    ):
        (folder / name.format("available")).write_text(text)
        (folder / name.format("enabled")).symlink_to(folder / name.format("available"))
    (folder / "apache2.conf").write_text(DEBIAN)
    return folder


def texts_of(server: Apache, changes: Mapping[str, str]) -> dict[str, str]:
    files = server.edited({KNOBS[name]: value for name, value in changes.items()})
    return {path: content.decode("utf-8", "surrogateescape") for path, content in files.items()}


def test_directives_are_read_with_their_sections() -> None:
    text = (
        "# a \\\nKeepAlive Off\r\n<VirtualHost *:80>\r\n\tKeepAlive\tOn\r\n<IfModule ssl_module>\n"
        "SSLEngine \\\r\n  on\n</ifmodule>\n</VirtualHost>\nTimeout 5"
    )
    found = [(one.sections, one.name, one.value) for one in directives(text)]
    host, module = "<VirtualHost *:80>", "<IfModule ssl_module>"
    assert found == [
        ((host,), "keepalive", "On"),
        ((host, module), "sslengine", "on"),
        ((), "timeout", "5"),
    ]


@pytest.mark.parametrize("text", ["</IfModule>", "<IfModule a>\n</Directory>", "<Directory />"])
def test_sections_that_do_not_match(text: str) -> None:
    with pytest.raises(InputError):
        list(directives(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "X 1\n"),
        ("a\r\n", "a\r\nX 1\r\n"),
        ("a", "a\nX 1\n"),
        ("# a \\\n", "# a \\\n\nX 1\n"),
        ("# a \\", "# a \\\n\nX 1\n"),
    ],
)
def test_lines_are_appended_on_their_own(text: str, expected: str) -> None:
    assert appended(text, "X 1\n") == expected


def test_debians_folder_is_read(debian: Path) -> None:
    server = apache_of(debian)
    assert server.test() is None
    main = str(debian / "apache2.conf")
    expected = {
        "KeepAlive": Setting("On", True, main),
        "KeepAliveTimeout": Setting(
            "9", True, f"{debian}/sites-available/000-default.conf, <VirtualHost *:48123>"
        ),
        "MaxRequestWorkers": Setting(
            "150", True, f"{debian}/mods-available/mpm_event.conf, <IfModule mpm_event_module>"
        ),
        "AllowOverride": Setting("None", True, f"{main}, <Directory />"),
        "EnableSendfile": Setting("Off", is_set=False),
        "ServerLimit": Setting("16", is_set=False),
    }
    assert {name: server.setting(KNOBS[name]) for name in expected} == expected


def test_only_variables_that_files_name_are_on_command_lines(
    debian: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    run = ThisHost.run

    def recorded(host: ThisHost, command: Sequence[str], longest_s: float = 60.0) -> Ended:
        seen.extend(command)
        return run(host, command, longest_s)

    monkeypatch.setattr(ThisHost, "run", recorded)
    with (debian / "apache2.conf").open("a") as file:
        file.write('Define Name "${OTHER}"\n')
    server = apache_of(debian, given={**environment(debian), "OTHER": "x"})
    assert server.test() is None
    assert f"APACHE_RUN_DIR={debian}" in seen
    assert "OTHER=x" in seen
    assert not [word for word in seen if "hidden" in word]


def test_changes_come_last_and_replace_those_of_virtual_hosts(debian: Path) -> None:
    changes = {"MaxRequestWorkers": "400", "KeepAliveTimeout": "3"}
    texts = texts_of(apache_of(debian), changes)
    assert texts == {
        f"{debian}/apache2.conf": f"{DEBIAN}{MARK}\nMaxRequestWorkers 400\nKeepAliveTimeout 3\n",
        f"{debian}/sites-available/000-default.conf": SITE.replace("Timeout 9", "Timeout 3"),
    }
    for path, text in texts.items():
        HOST.write(path, text.encode())
    server = apache_of(debian)
    assert server.setting(KNOBS["KeepAliveTimeout"]).value == "3"
    assert server.setting(KNOBS["MaxRequestWorkers"]).value == "400"
    assert server.test() is None
    assert (debian / "sites-enabled/000-default.conf").is_symlink()


def test_settings_of_folders_are_replaced(debian: Path) -> None:
    (changed,) = texts_of(apache_of(debian), {"AllowOverride": "All"}).values()
    assert changed == DEBIAN.replace("AllowOverride None", "AllowOverride All")


def test_odd_bytes_and_line_ends_are_kept(tmp_path: Path) -> None:
    text = plain(tmp_path).replace("\n", "\r\n").rstrip() + "\r\n# caf\udce9"
    (tmp_path / "configuration").write_bytes(text.encode("utf-8", "surrogateescape"))
    server = apache_of(tmp_path, file="configuration")
    (changed,) = texts_of(server, {"EnableMMAP": "Off"}).values()
    assert changed == f"{text}\r\n{MARK}\r\nEnableMMAP Off\r\n"


def test_conditions_of_the_command_line_count(tmp_path: Path) -> None:
    text = plain(tmp_path) + "<IfDefine Quick>\nEnableMMAP Off\n</IfDefine>\n"
    (tmp_path / "configuration").write_text(text)
    knob = KNOBS["EnableMMAP"]
    assert not apache_of(tmp_path, file="configuration").setting(knob).is_set
    for options in (["-DQuick"], ["-D", "Quick", "-DFOREGROUND"]):
        assert apache_of(tmp_path, *options, file="configuration").setting(knob).value == "Off"
    (tmp_path / "configuration").write_text("Define Quick\n" + text)
    assert apache_of(tmp_path, file="configuration").setting(knob).value == "Off"


@pytest.mark.parametrize(
    ("test", "is_held"),
    [("< 2.4", False), ("!< 2.4", True), (">= 2.4.1", True), ("> 2", True), ("2.2.3", False)],
)
def test_conditions_on_the_version_count(tmp_path: Path, test: str, is_held: bool) -> None:
    text = f"<IfVersion {test}>\nEnableMMAP Off\n</IfVersion>\n"
    (tmp_path / "configuration").write_text(plain(tmp_path) + text)
    server = apache_of(tmp_path, file="configuration")
    assert server.setting(KNOBS["EnableMMAP"]).value == ("Off" if is_held else "On")


def test_variables_of_the_configuration_are_filled_in(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "own.conf").write_text("KeepAliveTimeout ${WAIT}\n")
    text = (
        plain(tmp_path) + f'Define OWN "{tmp_path}/more"\nDefine WAIT 15\nInclude ${{OWN}}/*.conf\n'
    )
    (tmp_path / "configuration").write_text(text)
    found = apache_of(tmp_path, file="configuration").setting(KNOBS["KeepAliveTimeout"])
    assert found == Setting("15", True, str(tmp_path / "more" / "own.conf"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Junk on\n", "refuses its own configuration: .*Junk"),
        (None, "there is no file .*configuration"),
    ],
)
def test_a_configuration_that_cannot_be_used(
    text: str | None, message: str, tmp_path: Path
) -> None:
    if text is not None:
        (tmp_path / "configuration").write_text(plain(tmp_path) + text)
    with pytest.raises(InputError, match=f"(?s){message}"):
        apache_of(tmp_path, file="configuration").setting(KNOBS["KeepAlive"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"KeepAlive": "Perhaps"}, "KeepAlive"),
        ({"MaxRequestWorkers": "425"}, "exceed ServerLimit"),
        ({"ThreadsPerChild": "65"}, "ThreadLimit"),
        ({"MinSpareServers": "5"}, "Invalid command"),
    ],
)
def test_what_apache_would_not_take_is_refused(
    changes: dict[str, str], message: str, tmp_path: Path
) -> None:
    (tmp_path / "configuration").write_text(plain(tmp_path))
    server = apache_of(tmp_path, file="configuration")
    for path, text in texts_of(server, changes).items():
        HOST.write(path, text.encode())
    assert message in (server.test() or "")


def values_of(knob: Knob) -> Sequence[str]:
    """Every word and both bounds; of a bound that the memory gives, what a reload can do."""
    names = names_of(HOST, 100, {"ThreadsPerChild": 25, "ServerLimit": 16})
    bounds = Values(knob, None, names).bounds
    if knob.name == "MaxRequestWorkers":
        bounds = (25, 400)
    return [*knob.words, *map(str, bounds or ())]


@pytest.mark.parametrize("name", KNOBS)
def test_apache_knows_every_knob_and_takes_every_value(name: str, tmp_path: Path) -> None:
    mpm = "prefork" if name in PREFORK else "event"
    text = plain(tmp_path, mpm)
    mine = ("ServerLimit", "ThreadsPerChild", name)
    lines = text.splitlines(True)
    text = "".join(line for line in lines if line.partition(" ")[0] not in mine)
    (tmp_path / "configuration").write_text(text)
    knob = KNOBS[name]
    server = apache_of(tmp_path, file="configuration")
    present = server.setting(knob)
    assert present.value == (knob.default or None)
    for value in values_of(knob):
        for path, changed in texts_of(server, {name: value}).items():
            HOST.write(path, changed.encode())
        assert server.test() is None, value
        assert apache_of(tmp_path, file="configuration").setting(knob).value == value


@pytest.mark.parametrize("mpm", ["prefork", "event"])
@pytest.mark.parametrize("workers", ["8", "400"])
def test_limits_agree_with_processes_and_with_threads(
    mpm: str, workers: str, tmp_path: Path
) -> None:
    (tmp_path / "configuration").write_text(plain(tmp_path, mpm, workers))
    server = apache_of(tmp_path, file="configuration")
    names = {"cpus": 2, "memory_mib": 24_000, "users": 24, **numbers(server, KNOBS.values())}
    values = [Values(knob, server.setting(knob).value, names) for knob in KNOBS.values()]
    known = [one for one in values if one.present is not None]
    rules = {one.knob: one.rules[0] for one in known if one.rules}
    processes = {KNOBS["ServerLimit"]: "500"}
    for changes in (rules, with_followers(processes, [*KNOBS.values()], server, names)):
        texts = server.edited(changes)
        for path, content in texts.items():
            HOST.write(path, content)
        assert server.test() is None
        (tmp_path / "configuration").write_text(plain(tmp_path, mpm, workers))
    if mpm == "prefork":
        assert names["ThreadsPerChild"] == 1
    if workers == "8":
        least = {"MaxRequestWorkers": "400", "ServerLimit": "400" if mpm == "prefork" else "50"}
        assert {knob.name: value for knob, value in rules.items() if knob.name in least} == least
    for one in known:  # little memory and few users are no reason for fewer
        if one.knob.name in ("MaxRequestWorkers", "ServerLimit"):
            small = Values(one.knob, one.present, {**names, "memory_mib": 1024})
            assert all(int(value) > names[one.knob.name] for value in small.rules)


@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch) -> Iterator[ApacheServer]:
    """A server with a page, at a path of ordinary length."""
    with tempfile.TemporaryDirectory() as cache:
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
        server = start_lab("apache", {})
        try:
            assert isinstance(server, ApacheServer)
            (server.data / "page.html").write_text("page")
            yield server
        finally:
            server.stop()


def answer(address: str, path: str) -> tuple[str, str]:
    """How long a connection is kept, and the page."""
    with contextlib.closing(http.client.HTTPConnection(address, timeout=10)) as connection:
        connection.request("GET", path, headers={"Connection": "keep-alive"})
        with connection.getresponse() as found:
            return str(found.headers["Keep-Alive"]), found.read().decode()


def threads(address: str) -> int:
    """How many requests could be served at the same time by the processes that there are."""
    _, text = answer(address, f"{STATUS}?auto")
    board = next(line for line in text.splitlines() if line.startswith("Scoreboard: "))
    return len(board.removeprefix("Scoreboard: ").replace(".", ""))


def test_a_running_server_takes_new_values_and_goes_back(lab: ApacheServer) -> None:
    server = find(HOST, lab.pids)
    assert isinstance(server, Apache)
    assert server.setting(KNOBS["MaxKeepAliveRequests"]).value == "100"
    assert server.test() is None
    before, text = answer(lab.address, "/page.html")
    assert (before, text) == ("timeout=5, max=100", "page")
    wanted = {
        KNOBS["MaxKeepAliveRequests"]: "7",
        KNOBS["KeepAliveTimeout"]: "3",
        KNOBS["MaxRequestWorkers"]: "25",
    }
    assert threads(lab.address) > 25
    files = server.edited(wanted)
    originals = {path: HOST.read(path) or b"" for path in files}
    for path, content in files.items():
        HOST.write(path, content)
    assert server.test() is None
    assert HOST.run(server.reload_command).code == 0
    wait_for(lambda: answer(lab.address, "/page.html") == ("timeout=3, max=7", "page"))
    wait_for(lambda: threads(lab.address) == 25)
    for path, content in originals.items():
        HOST.write(path, content)
    assert HOST.run(server.reload_command).code == 0
    wait_for(lambda: answer(lab.address, "/page.html") == (before, text))
    wait_for(lambda: threads(lab.address) > 25)
