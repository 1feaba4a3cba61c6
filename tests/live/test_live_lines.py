"""The lines that the real command prints, its log, and how it ends."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from headcount.counters.log import read
from processes import Headcount, listening, processes_with, wait_for
from terminal import Terminal

SCHEMA = Path(__file__).parents[2] / "docs" / "schemas" / "watch-log.schema.json"


def test_this_machine_is_watched_and_the_log_is_read_back(
    headcount: Headcount, tmp_path: Path
) -> None:
    log = tmp_path / "own.log"
    ended = headcount.run(
        "watch",
        "--interval",
        "100ms",
        "--for",
        "1s",
        "--log",
        str(log),
        "--alert",
        "Logical CPUs>0",
    )
    assert ended.code == 0
    assert "CPU busy" in ended.out
    assert ended.out.count("ALERT  Logical CPUs on local is over 0:") == 1
    assert "of one core" in ended.err
    (recording,) = read(log)
    assert recording.system == "linux"
    last = recording.samples[-1].values
    assert last["system.cpu.logical.count"] == os.cpu_count()
    total = sum(
        last[f"system.cpu.utilization{{cpu.mode={mode}}}"]
        for mode in ("user", "nice", "system", "iowait", "idle", "interrupt", "softirq", "steal")
    )
    assert total == pytest.approx(1.0, abs=0.01)
    assert recording.unknown == ()


def test_lines_of_json_are_a_log_that_meets_the_published_schema(
    headcount: Headcount, tmp_path: Path
) -> None:
    ended = headcount.run(
        "watch", "--json", "--interval", "100ms", "--for", "500ms", "--alert", "Logical CPUs>0"
    )
    schema = json.loads(SCHEMA.read_text("utf-8"))
    validator = Draft202012Validator(schema)
    kinds = set()
    for line in ended.out.splitlines():
        validator.validate(json.loads(line))
        kinds.add(json.loads(line)["kind"])
    assert kinds == {"header", "columns", "sample", "alert"}
    path = tmp_path / "json.log"
    path.write_text(ended.out, "utf-8")
    assert read(path)[0].samples[-1].values["system.cpu.logical.count"] == os.cpu_count()


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_cleanly_and_keeps_the_log(
    headcount: Headcount, tmp_path: Path, name: signal.Signals
) -> None:
    log = tmp_path / "own.log"
    command = headcount.start("watch", "--interval", "100ms", "--log", str(log))
    command.reach(lambda: command.out.count("CPU busy") > 2)
    command.send(name)
    ended = command.ended()
    assert ended.code == 0
    assert "Traceback" not in ended.err
    assert log.read_bytes().endswith(b"}\n")
    assert len(read(log)[0].samples) > 2


def test_a_log_is_replayed_from_its_beginning(headcount: Headcount, tmp_path: Path) -> None:
    log = tmp_path / "own.log"
    headcount.run("watch", "--interval", "100ms", "--for", "500ms", "--log", str(log))
    (recording,) = read(log)
    ended = headcount.run("watch", str(log), "--counters", "Logical CPUs")
    assert ended.out.count("Logical CPUs") == len(recording.samples)


def test_the_list_has_every_counter_with_unit_and_meaning(headcount: Headcount) -> None:
    listed = headcount.run("watch", "--list", "--json", "--interval", "100ms").json
    counters = {one["name"]: one for one in listed}
    assert counters["system.cpu.logical.count"]["value"] == os.cpu_count()
    assert all(one["unit"] and one["meaning"] for one in listed)
    assert "system.cpu.utilization" in counters


def test_a_server_is_watched_by_the_port_it_listens_on(
    headcount: Headcount, tmp_path: Path
) -> None:
    _, target = headcount.serve(tmp_path / "data")
    listed = headcount.run("watch", target, "--list", "--json", "--interval", "100ms").json
    counters = {one["name"]: one["value"] for one in listed}
    assert counters["process.count"] == 1
    assert counters["process.memory.usage"] > 1e6


def test_a_pattern_without_a_match_is_reported_once(headcount: Headcount) -> None:
    ended = headcount.run(
        "watch", "--interval", "100ms", "--for", "1s", "--counters", "nonsense", "--alert", "odd>1"
    )
    assert ended.err.count('no counter is called "nonsense"') == 1
    assert ended.err.count('no counter is called "odd"') == 1


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (("nothing-there",), 2, "nothing-there"),
        (("--interval", "1ms"), 2, "100ms to 1h"),
        (("--alert", "busy"), 2, "the alert"),
        (("lab:nginx",), 3, "no lab:nginx runs"),
        (("http://203.0.113.9:80",), 2, "is not this machine"),
        (("http://[::1:80",), 2, "has no host and port"),
        (("http://[2001:db8::1]:80",), 2, "--source ssh://[2001:db8::1] or"),
        (("--log", "/proc/own.log"), 5, "cannot write"),
    ],
)
def test_a_watch_that_cannot_start_gives_one_message(
    headcount: Headcount, arguments: tuple[str, ...], code: int, text: str
) -> None:
    ended = headcount.run("watch", "--plain", *arguments)
    assert ended.code == code
    assert text in ended.message


def test_a_port_that_nobody_listens_on_is_reported(headcount: Headcount) -> None:
    with listening() as server:
        port = server.getsockname()[1]
    ended = headcount.run("watch", "--plain", f"http://127.0.0.1:{port}")
    assert ended.code == 3
    assert f"port {port}" in ended.message


def test_a_log_that_cannot_grow_gives_one_message_and_watching_goes_on(
    headcount: Headcount, tmp_path: Path
) -> None:
    log = tmp_path / "own.log"
    # 80 blocks of 512 bytes: some 50 samples, and fewer where disks or interfaces come and their
    # names with them. The system's error is like that of a full disk.
    command = headcount.start("watch", "--interval", "100ms", "--log", str(log), ulimit="-f 80")
    command.reach(lambda: "cannot write" in command.err)
    seen = command.out.count("CPU busy")
    command.reach(lambda: command.out.count("CPU busy") > seen + 3)
    command.send(signal.SIGINT)
    ended = command.ended()
    assert ended.code == 0
    assert ended.err.count("cannot write") == 1
    assert "watching continues" in ended.err
    whole = [line for line in log.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
    kept = sum(b'"kind":"sample"' in line for line in whole)
    assert kept > 0
    assert sum(len(recording.samples) for recording in read(log)) == kept


class TestAtATerminal:
    """The screen at a real terminal, as far as its end is concerned."""

    @pytest.fixture
    def terminal(self, headcount: Headcount, tmp_path: Path) -> Iterator[Terminal]:
        headcount.environment |= {"TERM": "xterm-256color", "LINES": "24"}
        shown = Terminal(headcount, "watch", "--log", str(tmp_path / "own.log"))
        yield shown
        shown.close()

    @pytest.mark.parametrize("how", ["q", "\x03", "SIGTERM"])
    def test_the_end_restores_the_terminal_and_keeps_the_log(
        self, terminal: Terminal, tmp_path: Path, how: str
    ) -> None:
        terminal.until(b"CPU busy")
        if how == "SIGTERM":
            (pid,) = processes_with(str(tmp_path / "own.log"))
            os.kill(pid, signal.SIGTERM)
        else:
            terminal.type(how.encode())
        assert terminal.ended() == 0
        assert b"\x1b[?1049l" in terminal.seen
        assert b"of one core" in terminal.seen
        assert b"Traceback" not in terminal.seen
        assert read(tmp_path / "own.log")[0].samples

    def test_a_terminal_that_goes_away_ends_it_and_the_log_is_whole(
        self, terminal: Terminal, tmp_path: Path
    ) -> None:
        terminal.until(b"CPU busy")
        (pid,) = processes_with(str(tmp_path / "own.log"))
        os.kill(pid, signal.SIGSTOP)  # so that the terminal is gone before it can write again
        terminal.hang_up()
        os.kill(pid, signal.SIGCONT)
        wait_for(lambda: terminal.process.poll() is not None)
        assert (tmp_path / "own.log").read_bytes().endswith(b"}\n")
        assert read(tmp_path / "own.log")[0].samples


def test_nothing_of_the_screen_is_loaded_before_it_is_shown() -> None:
    loaded = (
        "import sys, headcount.cli.line; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    )
    modules = subprocess.run(
        [sys.executable, "-c", loaded], check=True, capture_output=True, text=True
    ).stdout.split()
    assert "typer" in modules
    assert not {"textual", "prometheus_client"} & set(modules)
