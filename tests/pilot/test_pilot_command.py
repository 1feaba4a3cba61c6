"""`headcount pilot` as a user runs it, on a real nginx under load beside busy programs."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from headcount.lab import port
from headcount.lab.nginx import program
from headcount.pilot.pilot import AGAIN_S
from headcount.pilot.work import descendants, threads
from headcount.tune.processes.attributes import Attributes, read
from processes import Headcount, wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(400)]
ROOT = os.geteuid() == 0
NGINX = (
    "user root;\ndaemon off;\nworker_processes 2;\npid {folder}/pid;\nerror_log {folder}/log;\n"
    "events {{}}\nhttp {{\naccess_log off;\ngzip on;\ngzip_comp_level 9;\ngzip_types text/plain;\n"
    "default_type text/plain;\nserver {{ listen 127.0.0.1:{port}; root {folder}/www; }}\n}}\n"
)
USER = """
import sys, urllib.request
while True:
    urllib.request.urlopen(urllib.request.Request(sys.argv[1], headers={"Accept-Encoding": "gzip"}))
"""
SPIN = "while True: pass"
LOOK_S = 150.0


@pytest.fixture
def headcount(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Headcount]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))  # another may be at work
    made = Headcount(tmp_path)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[tuple[int, str]]:
    """A server that is busy because a user asks for compressed pages all the time."""
    number = port.free()
    (tmp_path / "www").mkdir()
    (tmp_path / "www" / "page").write_text(os.urandom(60_000).hex())
    (tmp_path / "nginx.conf").write_text(NGINX.format(folder=tmp_path, port=number))
    tmp_path.chmod(0o755)
    url = f"http://127.0.0.1:{number}/page"
    with ExitStack() as stack:
        command = [program(), "-c", tmp_path / "nginx.conf", "-e", tmp_path / "log"]
        server = stack.enter_context(subprocess.Popen(command))
        stack.callback(server.send_signal, signal.SIGTERM)
        wait_for(lambda: port.answers(number), 30.0)
        for line in ([USER, url], [SPIN], [SPIN]):
            one = stack.enter_context(subprocess.Popen([sys.executable, "-c", *line]))
            stack.callback(one.kill)
        yield server.pid, f"http://127.0.0.1:{number}"


def state(pid: int) -> dict[int, Attributes | None]:
    return {tid: read(tid) for one in descendants([pid]) for tid in threads(one)}


if ROOT:

    def test_a_trial_is_reported_with_its_reason_and_put_back(
        headcount: Headcount, nginx: tuple[int, str]
    ) -> None:
        pid, url = nginx
        before = state(pid)
        command = headcount.start("pilot", url, "--json", "--turn", "1s", "--module", "priority")
        command.reach(lambda: '"verdict"' in command.out, LOOK_S)
        command.send(signal.SIGINT)
        ended = command.ended()
        assert ended.code == 0, ended
        events = [json.loads(line) for line in ended.out.splitlines()]
        assert [one["kind"] for one in events][:2] == ["look", "try"]
        assert "nginx uses" in events[0]["text"]
        assert events[1]["module"] == "priority"
        assert "use" in events[1]["text"]
        verdict = events[2]["verdict"]
        assert events[2]["kind"] == ("on" if verdict["helps"] else "off")
        assert events[-1]["kind"] == "end"
        assert events[-1]["text"].endswith("everything was put back")
        assert state(pid) == before

    def test_the_pilot_ends_with_its_server(headcount: Headcount, nginx: tuple[int, str]) -> None:
        pid, _ = nginx
        command = headcount.start("pilot", "--pid", str(pid), "--turn", "1s")
        command.reach(lambda: "nginx uses" in command.out, LOOK_S)
        os.kill(pid, signal.SIGTERM)
        ended = command.ended()
        assert ended.code == 0, ended
        assert "everything was put back" in ended.out

    def test_the_pilot_ends_with_an_idle_server(headcount: Headcount) -> None:
        """Its pause until it looks again is a minute."""
        with subprocess.Popen(["sleep", "600"]) as server:
            command = headcount.start("pilot", "--pid", str(server.pid), "--turn", "1s")
            command.reach(lambda: "sleep is idle" in command.out, LOOK_S)
            server.kill()
            ended = command.ended(AGAIN_S / 2)
        assert ended.code == 0, ended
        assert "everything was put back" in ended.out

    def test_a_pilot_ends_after_its_guard_put_everything_back(
        headcount: Headcount, nginx: tuple[int, str], tmp_path: Path
    ) -> None:
        pid, _ = nginx
        before = state(pid)
        command = headcount.start("pilot", "--pid", str(pid), "--turn", "1s")
        command.reach(lambda: "nginx uses" in command.out, LOOK_S)
        (script,) = (tmp_path / "state").rglob("restore.sh")
        subprocess.run(["sh", script], check=True)  # as the guard does
        ended = command.ended()
        assert ended.code == 5, ended
        assert "the guard did not hear from the pilot" in " ".join(ended.err.split())
        assert state(pid) == before

    def test_a_second_pilot_is_refused(headcount: Headcount, nginx: tuple[int, str]) -> None:
        pid, url = nginx
        first = headcount.start("pilot", url, "--turn", "1s")
        first.reach(lambda: "nginx uses" in first.out, LOOK_S)
        second = headcount.run("pilot", "--pid", str(pid))
        assert second.code == 2
        assert "another pilot runs on" in second.err
        first.send(signal.SIGTERM)
        assert "everything was put back" in first.ended().out
        nothing = headcount.run("pilot", "--restore")
        assert (nothing.code, nothing.out) == (0, "nothing to put back\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name the server"),
        (("--pid", "4194304"), "4194304"),
        (("lab:nginx",), "not the address of a running server"),
        (("http://192.0.2.1:80",), "on another machine"),
        (("http://127.0.0.1:9",), "9"),
        (("--pid", "1", "--turn", "0.1s"), "--turn 0.1s"),
        (("--pid", "1", "--module", "bus"), 'no module "bus"'),
    ],
)
def test_mistakes_are_errors(
    headcount: Headcount, arguments: tuple[str, ...], message: str
) -> None:
    ended = headcount.run("pilot", *arguments)
    assert ended.code == 2, ended
    assert message in " ".join(ended.err.split())
    assert ended.err.startswith("error: ")
    assert not ended.out
