"""Apache as Debian ships it: it serves, and differs from the shipped files only where declared."""

import http.client
import json
import os
import pwd
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from stock_files import check_only_declared

from headcount import _engine
from headcount.counters.web import WebSource
from headcount.lab import home, keeper
from headcount.lab.apache import ApacheServer
from headcount.lab.stock.apache import STOCK
from headcount.protocols.registry import start_lab
from processes import Headcount, owners, processes_with, wait_for


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ApacheServer]:
    """A stock Apache, at a path that every user may pass through."""
    with tempfile.TemporaryDirectory() as cache:
        Path(cache).chmod(0o711)
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
        started = start_lab("apache", {"profile": "stock"})
        assert isinstance(started, ApacheServer)
        try:
            yield started
        finally:
            started.stop()
        assert list(home.base().iterdir()) == []
        assert not processes_with(cache)


def test_only_what_is_declared_differs_from_what_debian_ships(server: ApacheServer) -> None:
    host, number = server.address.split(":")
    fields = {"home": str(server.home), "host": host, "port": number}
    check_only_declared(STOCK, Path("/etc/apache2"), server.home / "etc", fields)
    for link in STOCK.links:
        assert (server.home / "etc" / link).resolve(strict=True).is_file()


def test_it_serves_as_debian_has_it(server: ApacheServer) -> None:
    pages = {
        "seed": 3,
        "directories": [""],
        "classes": [{"name": "k4", "percent": 100, "sizes": [4096], "files": 2}],
    }
    _engine.http_write_tree(str(server.data), json.dumps(pages), lambda _: None)
    found = _engine.http_check(
        json.dumps({"url": server.url, "data_set": pages}), '["static"]', lambda _: None, True
    )
    assert json.loads(found) == {"pages": 2, "bytes": 2 * 4096}
    connection = http.client.HTTPConnection(server.address)
    connection.request("GET", "/k4-0000.html", headers={"Accept-Encoding": "gzip"})
    assert connection.getresponse().headers["Content-Encoding"] == "gzip"  # Debian's own choice
    connection.close()
    log = server.home / "access.log"
    wait_for(lambda: '"GET /k4-0000.html HTTP/1.1" 200' in log.read_text("ascii"))
    assert server.most == {"workers": 150}
    assert server.status_url == f"{server.url}/server-status"  # the shipped files have one
    source = WebSource(server.status_url)
    assert source.sample().values["web.requests.active"] >= 1
    source.close()


def test_what_was_rewritten_is_disclosed(server: ApacheServer) -> None:
    settings = dict(server.settings)
    assert settings.pop("profile") == "stock"
    assert settings == STOCK.disclosed
    assert settings["ports.conf, rewritten: Listen 80"] == (
        "Listen HOST:PORT (a free port of this machine only)"
    )
    assert not any(str(server.home) in text for text in settings.values())


@pytest.mark.e2e
def test_programs_of_the_data_set_are_refused_before_it_starts(headcount: Headcount) -> None:
    target = "lab:apache?profile=stock"
    ended = headcount.run("run", "web-cgi20", "--target", target, "--users", "1")
    assert ended.code == 2
    assert f"{target} runs no CGI programs" in ended.err


@pytest.mark.e2e
def test_a_run_has_the_profile_in_its_bundle(headcount: Headcount) -> None:
    ended = headcount.run(
        *("run", "web-static", "--target", "lab:apache?profile=stock", "--scale", "0.2"),
        *("--users", "3", "--duration", "2s", "--ramp", "0s", "--think", "10ms", "--json"),
    )
    assert ended.code in (0, 4), ended
    bundle = headcount.bundles()[-1]
    (level,) = json.loads((bundle / "levels.json").read_bytes())["levels"]
    assert (level["total"]["completed"] > 0, level["total"]["failed"]) == (True, 0)
    assert "web.workers.busy" in level["counters"]["server"]
    (side,) = json.loads((bundle / "environment.json").read_bytes())["sides"]
    assert side["settings"]["profile"] == "stock"
    assert set(STOCK.disclosed) < set(side["settings"])


if os.geteuid() == 0:

    def test_workers_run_as_debians_user(server: ApacheServer) -> None:
        assert owners(server.pids) == {0}
        expected = {pwd.getpwnam("www-data").pw_uid}
        # It listens before its workers are there, which begin as root.
        wait_for(lambda: owners(keeper.descendants(server.pids[0])) == expected)
