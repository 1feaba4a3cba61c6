"""`headcount record`: what Chromium does through the proxy replays without an edit."""

import os
import signal
import socket
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.request import ProxyHandler, Request, build_opener

import bar
import flask
import ours
import pytest

import wsgi_site
from headcount.cli import run_line
from headcount.errors import ExitCode
from headcount.lab import port
from importers.shop import PASSWORD
from processes import Headcount


@pytest.fixture
def recorder(headcount: Headcount) -> Iterator[Headcount]:
    """The command line with mitmproxy on its path."""
    headcount.environment["PATH"] = f"{bar.TOOLS}:{os.environ['PATH']}"
    return headcount


def test_a_visit_through_the_proxy_replays(recorder: Headcount, tmp_path: Path) -> None:
    workload = tmp_path / "visit.toml"
    with ours.serve_shop(tmp_path) as site:
        done = bar.record_by_proxy(ours.FLOWS["shop"], site, workload, recorder)
        assert done.code == 0, done.err
        assert "POST /login  303" in done.err
        assert f"wrote {workload}" in done.err
        assert "access_token" in done.out
        assert PASSWORD not in workload.read_text("utf-8")
        failed = bar.failure_of_try(site, workload, recorder)
        assert not failed, failed


def test_it_listens_on_this_machine_alone(recorder: Headcount, tmp_path: Path) -> None:
    number = port.free()
    with ours.serve_shop(tmp_path) as site:
        options = ("--target", site.url, "-o", str(tmp_path / "a.toml"), "--port", str(number))
        command = recorder.start("record", *options)
        command.reach(lambda: "Ctrl-C ends it" in command.err)
        listening = Path("/proc/net/tcp").read_text("ascii").split("\n")
        own = [line.split()[1] for line in listening if f":{number:04X} 00000000" in line]
        assert own == [f"0100007F:{number:04X}"]
        command.send(signal.SIGINT)
        done = command.ended()
    assert "nothing" in done.message
    assert done.code == 2


def test_bodies_of_all_methods_are_recorded(recorder: Headcount, tmp_path: Path) -> None:
    app = flask.Flask("calendars")

    @app.route("/ada/", methods=["PROPFIND", "REPORT", "PUT"])
    def ada() -> tuple[str, int]:
        return flask.request.get_data(as_text=True), 207

    number, workload = port.free(), tmp_path / "visit.toml"
    opened = build_opener(ProxyHandler({"http": f"http://127.0.0.1:{number}"}))
    with wsgi_site.served(app) as url:
        options = ("--target", url, "-o", str(workload), "--port", str(number))
        command = recorder.start("record", *options)
        command.reach(lambda: "Ctrl-C ends it" in command.err)
        for method in ("PROPFIND", "REPORT", "PUT", "PROPFIND"):
            body = f"<{method}/>"
            kind = {"Content-Type": "text/xml"}
            request = Request(f"{url}ada/", body.encode(), kind)  # noqa: S310 - loopback
            request.method = method
            with opened.open(request, timeout=10) as answer:
                assert answer.read().decode() == body
        command.send(signal.SIGINT)
        done = command.ended()
    assert done.code == 0, done.err
    (scenario,) = tomllib.loads(workload.read_text("utf-8"))["scenarios"]
    sent = [(step["op"], step["body"]) for step in scenario["steps"] if "op" in step]
    names = ("propfind", "report", "put", "propfind")
    assert sent == [(name, f"<{name.upper()}/>") for name in names]


def test_without_mitmproxy_it_names_the_command_that_installs_it(
    headcount: Headcount, tmp_path: Path
) -> None:
    headcount.environment["PATH"] = str(tmp_path)
    done = headcount.run("record", "--target", "http://127.0.0.1:5000")
    assert "uv tool install mitmproxy" in done.message


def test_a_port_that_is_in_use_is_one_sentence(recorder: Headcount) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        options = ("--target", "http://127.0.0.1:5000", "--port", str(number))
        done = recorder.run("record", *options)
    assert f"cannot listen on 127.0.0.1:{number}" in done.message
    assert done.code == 2


def test_a_file_that_is_in_the_way_is_known_before_the_visit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop-example.toml").write_text("mine", "utf-8")
    asked = ["record", "--target", "https://shop.example", "--port", str(port.free())]
    assert run_line(asked) == ExitCode.BAD_INPUT
    assert "shop-example.toml exists; name the file to write with -o" in capsys.readouterr().err
    assert Path("shop-example.toml").read_text("utf-8") == "mine"


def test_a_target_that_no_browser_visits_is_one_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for target in ("wss://shop.example/chat", "ftp://shop.example", "shop.example"):
        assert run_line(["record", "--target", target]) == ExitCode.BAD_INPUT
        assert "https://shop.example" in capsys.readouterr().err
