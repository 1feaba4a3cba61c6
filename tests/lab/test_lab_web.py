"""nginx and Apache in the lab: real servers with pages, and nothing left of them."""

import contextlib
import http.client
import json
import os
import signal
import ssl
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from headcount import _engine
from headcount.counters.web import WebSource
from headcount.errors import InputError, SystemLimitError
from headcount.lab import apache_files, home, installed, keeper, port, web_settings
from headcount.lab.apache import ApacheServer
from headcount.lab.nginx import NginxServer
from headcount.lab.setting import complete
from headcount.lab.web import ACCESS_LOG, WebServer
from headcount.protocols.registry import start_lab
from processes import listening, processes_with, wait_for

PAGES = {
    "seed": 3,
    "directories": ["", "a"],
    "classes": [
        {"name": "k4", "percent": 80, "sizes": [4096], "files": 2},
        {"name": "cgi", "percent": 20, "sizes": [5000], "files": 3, "cgi": True},
    ],
}
BOTH = pytest.mark.parametrize("name", ["nginx", "apache"])
SETTINGS = {"nginx": web_settings.NGINX, "apache": web_settings.APACHE}


@pytest.fixture(autouse=True)
def base(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where homes are, at a path of ordinary length."""
    with tempfile.TemporaryDirectory() as cache:
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
        yield home.base()
        for pid in processes_with(cache):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@contextlib.contextmanager
def started(name: str, **settings: str) -> Iterator[WebServer]:
    """A server with the pages."""
    server = start_lab(name, settings)
    assert isinstance(server, WebServer)
    try:
        _engine.http_write_tree(str(server.data), json.dumps(PAGES), lambda _: None)
        yield server
    finally:
        server.stop()


def target(server: WebServer, **more: object) -> str:
    trusted = {"verify_certificates": str(server.authority)} if server.authority else {}
    return json.dumps({"url": server.url, "data_set": PAGES, **trusted, **more})


def checked(server: WebServer, which: str, **more: object) -> dict[str, int]:
    found = _engine.http_check(target(server, **more), f'["{which}"]', lambda _: None, True)
    answer = json.loads(found)
    assert isinstance(answer, dict)
    return answer


@dataclass(frozen=True)
class Answer:
    """What came."""

    status: int
    headers: http.client.HTTPMessage
    text: str


def get(server: WebServer, path: str, **headers: str) -> Answer:
    """Ask with Python's own client."""
    trust = ssl.create_default_context(cafile=server.authority) if server.authority else None
    connection = (
        http.client.HTTPSConnection(server.address, context=trust)
        if trust
        else http.client.HTTPConnection(server.address)
    )
    with contextlib.closing(connection):
        connection.request("GET", path, headers=headers)
        with connection.getresponse() as answer:
            return Answer(answer.status, answer.headers, answer.read().decode("latin-1"))


def nothing_is_left(base: Path) -> bool:
    return not processes_with(str(base)) and list(base.iterdir()) == []


@BOTH
def test_it_serves_pages_and_leaves_nothing(name: str, base: Path) -> None:
    with started(name) as server:
        assert server.address.startswith("127.0.0.1:")
        assert checked(server, "static") == {"pages": 4, "bytes": 4 * 4096}
        hello = json.loads(_engine.hello("http", target(server)))
        assert hello["server"].lower().startswith(f"{name}/{server.programs[name]}")
        assert (hello["version"], hello["tls"], hello["keeps_alive"]) == ("HTTP/1.1", "", True)
        (pid,) = server.pids
        assert port.is_held_by(pid, int(server.address.split(":")[1]))
        assert get(server, "/.headcount").status == 200  # no secret is in it
    assert nothing_is_left(base)
    server.stop()


@pytest.mark.parametrize("mpm", ["event", "prefork"])
def test_apache_runs_the_program_of_the_data_set(mpm: str) -> None:
    with started("apache", mpm=mpm) as server:
        assert checked(server, "any") == {"pages": 7, "bytes": 4 * 4096 + 3 * 5000}
        refused = get(server, "/cgi-bin/page?seed=x")
        assert refused.status == 400
        (server.data / "cgi-bin" / "page").write_text("#!/bin/sh\nexit 1\n")
        broken = get(server, "/cgi-bin/page?seed=0&page=0&bytes=1")
        assert broken.status == 500


@BOTH
def test_it_ends_when_its_owner_is_killed(name: str, base: Path) -> None:
    server = start_lab(name, {})
    family = keeper.descendants(server.pids[0]) | {server.pids[0]}
    assert len(family) > 1
    (kept,) = (one.parent for one in keeper.processes() if one.pid == server.pids[0])
    os.kill(kept, signal.SIGTERM)
    wait_for(lambda: nothing_is_left(base))
    assert not family & {one.pid for one in keeper.processes()}
    server.stop()


@BOTH
def test_tls_and_http2(name: str) -> None:
    with started(name, tls="on", http2="on") as server:
        assert server.url.startswith("https://")
        assert get(server, "/k4-0000.html").status == 200  # Python trusts the authority too
        hello = json.loads(_engine.hello("http", target(server, http2=True)))
        assert hello["version"] == "HTTP/2"
        assert hello["tls"].startswith("TLSv1_3")
        assert checked(server, "static", http2=True)["pages"] == 4
        stranger = json.dumps({"url": server.url})
        with pytest.raises(Exception, match="certificate"):
            _engine.hello("http", stranger)


@BOTH
def test_settings_do_what_they_say(name: str) -> None:
    with started(name, gzip="on", access_log="on", keepalive="0") as server:
        answer = get(server, "/k4-0000.html", **{"Accept-Encoding": "gzip"})
        assert answer.headers["Content-Encoding"] == "gzip"
        assert answer.headers["Connection"] == "close"
        log = server.home / ACCESS_LOG
        wait_for(lambda: " GET /k4-0000.html 200 " in log.read_text("ascii"))
    with started(name) as server:
        answer = get(server, "/k4-0000.html", **{"Accept-Encoding": "gzip"})
        assert answer.headers["Content-Encoding"] is None
        assert answer.headers["Connection"] != "close"
        assert not (server.home / ACCESS_LOG).exists()


def test_nginx_has_the_workers_asked_for() -> None:
    with started("nginx", workers="3", file_cache="50", sendfile="off") as server:
        wait_for(lambda: len(keeper.descendants(server.pids[0])) == 3)
        assert checked(server, "static")["pages"] == 4


@pytest.mark.parametrize(
    ("settings", "workers"),
    [({"workers": "30"}, 50), ({"workers": "7"}, 7), ({"mpm": "prefork", "workers": "9"}, 9)],
)
def test_apache_has_the_workers_asked_for(settings: dict[str, str], workers: int) -> None:
    with started("apache", **settings) as server:
        text = get(server, "/headcount-status?auto").text
        board = next(line for line in text.splitlines() if line.startswith("Scoreboard: "))
        assert len(board.removeprefix("Scoreboard: ")) == workers


@BOTH
def test_counters_are_read_from_the_status(name: str) -> None:
    with started(name) as server:
        assert server.status_url is not None
        source = WebSource(server.status_url)
        first = source.sample().values
        assert first["web.requests.active"] >= 1
        assert "web.requests" not in first
        for _ in range(20):
            get(server, "/k4-0000.html")
        sample = source.sample()
        again = sample.values
        # Twenty pages and the source's own request, whenever they were asked for.
        assert again["web.requests"] > 0
        source.close()
    assert source.sample().values == {}


def test_the_status_counts_every_request() -> None:
    with started("nginx") as server:
        text = get(server, "/headcount-status").text
        before = int(text.split("\n")[2].split()[2])
        for _ in range(20):
            get(server, "/k4-0000.html")
        text = get(server, "/headcount-status").text
        assert int(text.split("\n")[2].split()[2]) == before + 21


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("nginx", {"worker": "1"}, "lab:nginx has no setting worker; it has: profile, workers"),
        ("nginx", {"workers": "0"}, 'workers is "0"; it can be: auto, 1 to 512'),
        ("nginx", {"workers": "many"}, "it can be: auto, 1 to 512"),
        ("nginx", {"sendfile": "yes"}, 'sendfile is "yes"; it can be: on, off'),
        ("nginx", {"keepalive": "5; x"}, "it can be: 0, 1 to 3,600"),
        ("nginx", {"gzip": "on\n"}, "it can be: on, off"),
        ("apache", {"mpm": "worker"}, "it can be: event, prefork"),
        ("apache", {"workers": "20001"}, "it can be: 1 to 20,000"),
        ("apache", {"mpm": "prefork", "http2": "on"}, "with mpm = event only"),
    ],
)
def test_invalid_settings_are_refused(
    name: str, settings: dict[str, str], message: str, base: Path
) -> None:
    with pytest.raises(InputError) as caught:
        start_lab(name, settings)
    assert message in str(caught.value)
    assert not base.exists()


@BOTH
def test_a_missing_program_is_named_with_its_package(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(installed, "FOLDERS", ())
    with pytest.raises(SystemLimitError) as caught:
        start_lab(name, {})
    package = {"nginx": "nginx", "apache": "apache2-bin"}[name]
    assert f"apt-get install -y --no-install-recommends {package}" in str(caught.value)


def test_missing_modules_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apache_files, "MODULES", ("/nowhere",))
    with pytest.raises(SystemLimitError, match="apache2-bin"):
        start_lab("apache", {})


@BOTH
def test_a_port_that_another_program_takes_is_left_to_it(
    name: str, monkeypatch: pytest.MonkeyPatch, base: Path
) -> None:
    with listening() as taken:
        number = taken.getsockname()[1]
        ports = iter([number, port.free()])
        monkeypatch.setattr(port, "free", lambda: next(ports))
        with started(name) as server:
            assert server.address != f"127.0.0.1:{number}"
            assert checked(server, "static")["pages"] == 4
    assert nothing_is_left(base)


@BOTH
def test_folders_with_strange_names(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(prefix="two words; ") as cache:
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
        if name == "apache" and os.geteuid() == 0:
            with pytest.raises(SystemLimitError, match="choose another folder"):
                start_lab(name, {})
            return
        with started(name) as server:
            assert checked(server, "static")["pages"] == 4


@pytest.mark.parametrize("kind", [NginxServer, ApacheServer])
def test_every_setting_changes_the_configuration(
    kind: type[NginxServer] | type[ApacheServer],
) -> None:
    """Each other value of each setting changes what is written or how it is started."""
    known = SETTINGS[kind.name]
    with started(kind.name) as server:
        plain = server.configuration(server.home, 1)
        for key, setting in known.items():
            if setting.is_stock:
                continue  # it has nothing to do with this configuration
            others = [value for value in setting.values if value != setting.default] or ["7"]
            server.settings = complete(kind.name, known, {key: others[0]})
            assert server.configuration(server.home, 1) != plain, key


def test_openssl_verifies_the_certificate() -> None:
    with started("nginx", tls="on") as server:
        verified = subprocess.run(
            [
                "openssl",
                "verify",
                "-CAfile",
                server.home / "authority.pem",
                server.home / "server.pem",
            ],
            capture_output=True,
            text=True,
            check=True,
        )
        assert verified.stdout.strip().endswith("OK")
