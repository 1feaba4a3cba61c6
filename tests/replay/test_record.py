"""`headcount record`: what Chromium does through the proxy replays without an edit."""

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import bar
import ours
import pytest

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
        done = bar.recorded_by_proxy(ours.FLOWS["shop"], site, workload, recorder)
        assert done.code == 0, done.err
        assert "POST /login  303" in done.err
        assert f"wrote {workload}" in done.err
        assert "access_token" in done.out
        assert PASSWORD not in workload.read_text("utf-8")
        assert bar.tried(site, workload, recorder) == ""


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
