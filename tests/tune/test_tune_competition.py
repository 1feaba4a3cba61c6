"""Knobs of a server's processes are tried only where they can matter, and the reason is given."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Event, Thread

import pytest
from test_tune_far import WORKLOAD
from test_tune_values import NAMES, diagnosis

from headcount.bundle import tuning as record
from headcount.bundle.level import CounterSummary, LevelResult
from headcount.lab.nginx import NginxServer
from headcount.tune.choose import Asked, weightiest
from headcount.tune.host import ThisHost
from headcount.tune.processes.chosen import AUTOGROUP, impossible, process_choices, reasons_text
from headcount.tune.processes.competition import competition
from headcount.tune.processes.processes import Processes
from headcount.tune.servers.registry import find
from php_site import php_site
from processes import Headcount
from service_group import group, move
from versus_levels import level

ROOT = os.geteuid() == 0
HOST = ThisHost()
SPIN = "while True: pass"
WORKERS = "pm = static\npm.max_children = 2\n"
PAGE = "<?php for ($i = 0; $i < 1000000; $i++) { $x = $i % 7; } echo $x;"
USUAL = {"cpu.weight": ("100", "1000"), "cpu.shares": ("1024", "10240")}
"""Of files with a group's share, and what they have in a trial."""
LONGEST_S = 500.0
"""Some 40 turns of 3 s on a quiet machine."""
BUSY = {
    "process.cpu.utilization": 0.5,
    "process.cpu.run_delay": 0.4,
    "system.cpu.foreign": 1.5,
    "upstream.cpu.utilization": 0.3,
}
DISK = {
    "process.cpu.utilization": 0.1,
    "system.disk.io": 50e6,
    "process.disk.io{disk.io.direction=read}": 1e6,
    "process.disk.io{disk.io.direction=write}": 4e6,
    "process.threads.blocked.occupied": 0.3,
}


def level_with(means: Mapping[str, float], users: int = 10) -> LevelResult:
    known = {
        name: CounterSummary(mean=mean, max=mean, p95=mean, samples=9)
        for name, mean in means.items()
    }
    return level(1, users, 0).model_copy(update={"counters": {"generator": {}, "sut": known}})


def test_competition_is_found_in_the_counters() -> None:
    assert competition("nginx", [level_with(BUSY)]).cpu == (
        "other programs used 1.2 CPUs, and nginx waited for one in 40% of the time"
    )
    assert competition("nginx", [level_with(DISK)]).disk == (
        "other programs moved 45.0 MB/s to and from disks, and nginx waited for one in 30% of the "
        "time"
    )
    for quiet in (
        {**BUSY, "system.cpu.foreign": 0.35},  # that is the server behind it
        {**BUSY, "process.cpu.run_delay": 0.05},
        {**DISK, "system.disk.io": 5.5e6},
        {**DISK, "process.threads.blocked.occupied": 0.0},
        {},
    ):
        known = competition("nginx", [level_with(quiet)])
        assert (known.cpu, known.disk) == (None, None), quiet
    # Only the level with the most users counts.
    assert competition("nginx", [level_with(BUSY, 5), level_with({}, 10)]).cpu is None


@pytest.fixture
def nginx() -> Iterator[NginxServer]:
    server = NginxServer({})
    try:
        yield server
    finally:
        server.stop()


@contextlib.contextmanager
def service_of(*pids: int) -> Iterator[list[Path]]:
    """A control group for servers and their workers, which gets little of the machine."""
    name = f"/headcount-test-{os.getpid()}"
    with group(f"{name}/web.service") as folders:
        for folder in folders:
            for file, least in (("cpu.shares", "16"), ("cpu.weight", "1")):
                if (folder.parent / file).exists():
                    (folder.parent / file).write_text(least)
        for pid in pids:
            for one in (pid, *map(int, children_of(pid))):
                move(one, folders)
        yield folders


def children_of(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


if ROOT:

    def test_process_knobs_are_tried_only_beside_competitors(nginx: NginxServer) -> None:
        def chosen(means: Mapping[str, float], asked: Asked = Asked()):  # noqa: B008
            processes = Processes(HOST, [find(HOST, nginx.pids)])
            levels, found = [level_with(means)], diagnosis("cpu")
            choices, reasons = process_choices(processes, levels, found, asked, NAMES)
            tried = {one.knob.name for one in weightiest(choices) if one.obstacle is None}
            return choices, tried, reasons_text(choices, reasons)

        with service_of(nginx.pids[0]):
            choices, tried, text = chosen(BUSY)
            assert tried == {"CPUWeight"}
            assert text == (
                "its processes are treated otherwise, too: CPUWeight, as other programs used 1.2 "
                "CPUs, and nginx waited for one in 40% of the time"
            )
            why = {one.knob.name: one.obstacle for one in choices}
            assert "CPUWeight is what counts" in (why["Nice"] or "")
            assert why["CPUAffinity"] == "the machine has one socket, so all of its memory is near"
            choices, tried, text = chosen({})
            assert (tried, text) == (set(), None)
            why = {one.knob.name: one.obstacle for one in choices}
            assert why["CPUWeight"] == "no other program competes for the CPUs"
            asked = Asked(only=frozenset({"CPUWeight"}))
            choices, tried, text = chosen({}, asked)
            assert tried == {"CPUWeight"}
            assert text == (
                "its processes are treated otherwise, too: CPUWeight, as you asked for it"
            )

    def test_nice_values_matter_beside_others_of_the_session() -> None:
        with php_site("pm = static\npm.max_children = 1\n", "<?php echo 1;") as site:
            processes = Processes(HOST, [find(HOST, [site.nginx])])
            assert impossible(processes, "Nice") is None

    def test_knobs_without_effect_are_not_tried(nginx: NginxServer) -> None:
        pid = nginx.pids[0]
        processes = Processes(HOST, [find(HOST, nginx.pids)])
        is_shared_by_session = Path(AUTOGROUP).exists() and Path(AUTOGROUP).read_text() == "1\n"
        why = impossible(processes, "Nice")
        assert ("among sessions here" in (why or "")) == is_shared_by_session
        assert "no control group of its own" in (impossible(processes, "CPUWeight") or "")
        with service_of(pid) as folders:
            processes = Processes(HOST, [find(HOST, nginx.pids)])
            assert impossible(processes, "CPUWeight") is None
            assert "nice values count within one" in (impossible(processes, "Nice") or "")
            with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as one:
                move(one.pid, folders)
                processes = Processes(HOST, [find(HOST, nginx.pids)])
                assert impossible(processes, "Nice") is None
                assert "no control group" in (impossible(processes, "CPUWeight") or "")
                one.kill()

    @pytest.mark.e2e
    @pytest.mark.timeout(600)
    def test_a_server_beside_a_busy_program_is_given_more_in_trials(
        headcount: Headcount, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        workload = tmp_path / "hello.toml"
        workload.write_text(WORKLOAD)
        with contextlib.ExitStack() as stack:
            site = stack.enter_context(php_site(WORKERS, PAGE))
            made = stack.enter_context(service_of(site.nginx, site.fpm))
            other = stack.enter_context(group(f"/{made[0].parent.name}/backup.service"))
            for _ in os.sched_getaffinity(0):
                one = stack.enter_context(subprocess.Popen([sys.executable, "-c", SPIN]))
                stack.callback(one.kill)
                move(one.pid, other)
            files = [one / file for one in made for file in USUAL if (one / file).exists()]
            started = headcount.start(
                *("tune", "--target", f"http://127.0.0.1:{site.web}/", "--workload", str(workload)),
                *("--pid", str(site.nginx), "--pid", str(site.fpm), "--goal", "p95@6"),
                *("--budget", "1m", "--turn", "1s", "--trials", "1", "--seed", "1"),
                *("--knob", "CPUWeight", "--runs", str(tmp_path / "runs")),
            )
            values: set[str] = set()
            ended = Event()
            watch = Thread(target=lambda: watched(files, values, ended))
            watch.start()
            found = started.ended(LONGEST_S)
            ended.set()
            watch.join()
            assert found.code == 0, found.err
            assert values == {text for file in files for text in USUAL[file.name]}
            assert {one.read_text().strip() for one in files} == {USUAL[files[0].name][0]}
        message = " ".join(found.err.split())
        assert "its processes are treated otherwise, too: CPUWeight, as other programs" in message
        (bundle,) = tmp_path.glob("runs/*-tuning-*")
        tuning = record.read(bundle)
        assert tuning is not None
        assert tuning.restored
        (race,) = [one for one in tuning.races if one.origin.startswith("a rule of thumb")]
        assert race.configuration == {"CPUWeight": "1000"}
        assert race.pairs, race.why  # whether it is proved depends on what else runs here

    def watched(files: list[Path], values: set[str], ended: Event) -> None:
        """Collect every value that the files have."""
        while not ended.wait(0.05):
            values.update(one.read_text().strip() for one in files)
