"""Processes of a real nginx, also new ones, are treated and put back, whatever happens."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random

import pytest
from tuned import knob, wait_until

from headcount.counters import address
from headcount.lab.nginx import NginxServer
from headcount.tune.change import AS_IT_IS, Changes, Configuration
from headcount.tune.far_host import FarHost
from headcount.tune.host import ThisHost
from headcount.tune.knobs.library import of_server
from headcount.tune.processes import attributes
from headcount.tune.processes.attributes import Attributes
from headcount.tune.processes.groups import CPU, IO, Weight, value_of
from headcount.tune.processes.processes import Processes, Treated
from headcount.tune.restart import OfLab
from headcount.tune.servers.registry import find
from headcount.tune.tunable import NotAccepted, Tunable
from service_group import ROOT as GROUPS
from service_group import group, move
from ssh_server import serving

ROOT = os.geteuid() == 0
HOST = ThisHost()
CHANGER = Path(__file__).parent / "tune_process_changer.py"
KILLS, PROOF_KILLS = 4, 100
LONGEST_S = 30.0
LAST_CPU = max(os.sched_getaffinity(0))
TREATED = {"Nice": "-7", "IOSchedulingClass": "realtime", "IOSchedulingPriority": "6"}
WEIGHTS = ("cpu.shares", "cpu.weight", "blkio.bfq.weight")
WORKERS = knob("nginx", "worker_processes")


@pytest.fixture
def nginx() -> Iterator[NginxServer]:
    server = NginxServer({})
    try:
        wait_until(lambda: len(tree(server)) > 1)
        yield server
    finally:
        server.stop()


def tree(server: NginxServer) -> list[int]:
    """The first process and its workers."""
    first = server.pids[0]
    children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
    return [first, *map(int, children)]


def state(server: NginxServer) -> Mapping[int, Attributes | None]:
    return {pid: attributes.read(pid) for pid in tree(server)}


def tunable_of(
    server: NginxServer, folder: Path, *names: str, restarts: bool = False, patience_s: int = 15
) -> Tunable:
    found = find(HOST, server.pids)
    knobs = [knob("process", name) for name in names]
    restart = OfLab(HOST, server.restart, lambda: server.pids) if restarts else None
    return Tunable(
        *(HOST, found, [WORKERS, *knobs], folder, lambda: None),
        treated=Treated(Processes(HOST, [found]), knobs),
        restart=restart,
        patience_s=patience_s,
    )


def changes(**given: str) -> Changes:
    return {knob("process", name): value for name, value in given.items()}


@contextlib.contextmanager
def own_group(server: NginxServer) -> Iterator[list[Path]]:
    """A control group for the server alone, like a service's; yields the files of its weights."""
    name = f"headcount-test-{os.getpid()}"
    disk = GROUPS / "blkio" / name
    with group(f"/{name}") as made:
        folders = [*made, disk] if disk.parent.is_dir() else made
        if disk in folders:
            disk.mkdir()
        try:
            for pid in tree(server):
                move(pid, folders)
            files = [folder / one for folder in folders for one in WEIGHTS]
            yield [file for file in files if file.exists()]
        finally:
            if disk in folders:
                for pid in (disk / "cgroup.procs").read_text().split():
                    (disk.parent / "cgroup.procs").write_text(pid)
                disk.rmdir()


@pytest.mark.parametrize("files", [CPU, IO])
def test_weights_are_as_systemd_computes_them(files: Mapping[str, object]) -> None:
    known = {
        "cpu.weight": ("1", "1000"),
        "cpu.shares": ("10", "10240"),
        "io.weight": ("default 1", "default 1000"),
        "io.bfq.weight": ("default 1", "default 181"),
        "blkio.bfq.weight": ("1", "181"),
    }
    for name, written in files.items():
        assert (written(1), written(1000)) == known[name]  # type: ignore[operator]
        for value in (1, 57, 100, 500, 1000, 10_000):
            text = written(value)  # type: ignore[operator]
            again = value_of(Weight("/x", text, written))  # type: ignore[arg-type]
            assert written(int(again)) == text  # type: ignore[operator]
            assert int(again) == value or name.endswith("bfq.weight")


if ROOT:  # nobody else may raise a priority

    def test_threads_are_treated_and_put_back(nginx: NginxServer, tmp_path: Path) -> None:
        worker = tree(nginx)[1]
        os.setpriority(os.PRIO_PROCESS, worker, 3)  # what somebody else set must come back
        before = state(nginx)
        tunable = tunable_of(nginx, tmp_path / "j", *TREATED, "CPUAffinity")
        tunable.apply(Configuration({**changes(**TREATED, CPUAffinity=str(LAST_CPU))}, "test"))
        for one in state(nginx).values():
            assert one is not None
            assert (one.nice, one.io_class, one.io_level, one.cpus) == (-7, 1, 6, {LAST_CPU})
        tunable.apply(Configuration(changes(Nice="-3"), "test"))
        assert {one.nice for one in state(nginx).values() if one} == {-3}
        others = [(one.io_class, one.io_level, one.cpus) for one in before.values() if one]
        assert [(a.io_class, a.io_level, a.cpus) for a in state(nginx).values() if a] == others
        tunable.apply(AS_IT_IS)
        assert state(nginx) == before
        tunable.apply(Configuration(changes(Nice="-3"), "test"))
        assert tunable.close() is None
        assert state(nginx) == before

    def test_an_io_level_alone_uses_the_best_effort_class(
        nginx: NginxServer, tmp_path: Path
    ) -> None:
        tunable = tunable_of(nginx, tmp_path / "j", "IOSchedulingPriority", "IOSchedulingClass")
        for wanted, found in (
            ({"IOSchedulingPriority": "0"}, (2, 0)),
            ({"IOSchedulingClass": "best-effort"}, (2, 4)),
            ({"IOSchedulingClass": "none"}, (0, 0)),
        ):
            tunable.apply(Configuration(changes(**wanted), "test"))
            known = [(one.io_class, one.io_level) for one in state(nginx).values() if one]
            assert {*known} == {found}, wanted
        assert tunable.close() is None

    def test_new_processes_of_a_reload_and_a_restart_are_treated(
        nginx: NginxServer, tmp_path: Path
    ) -> None:
        before = {*filter(None, state(nginx).values())}
        tunable = tunable_of(nginx, tmp_path / "j", "Nice", restarts=True)
        old = tree(nginx)
        tunable.apply(Configuration({WORKERS: "3", **changes(Nice="-7")}, "test"))
        wait_until(lambda: len(tree(nginx)) == 4 and not {*old[1:]} & {*tree(nginx)})
        assert {one.nice for one in state(nginx).values() if one} == {-7}
        restarted = Configuration(changes(Nice="-5"), "test")
        assert tunable.apply(restarted, is_fresh=True)
        assert tree(nginx)[0] != old[0]
        wait_until(lambda: len(tree(nginx)) == len(old))
        assert {one.nice for one in state(nginx).values() if one} == {-5}
        noted = (tmp_path / "j" / "treated").read_text().splitlines()
        assert [line.split()[1] for line in noted if line.startswith("tree")] == [
            str(old[0]),
            str(tree(nginx)[0]),
        ]
        assert tunable.close() is None
        assert {*filter(None, state(nginx).values())} == before

    def test_refused_changes_leave_processes_as_they_were(
        nginx: NginxServer, tmp_path: Path
    ) -> None:
        before = state(nginx)
        tunable = tunable_of(nginx, tmp_path / "j", "Nice", "CPUAffinity")
        for wanted, why in (
            ({"Nice": "-7", "CPUAffinity": "one-socket"}, "one socket only"),
            ({"Nice": "-7", "CPUAffinity": "999"}, "refuses Nice=-7 CPUAffinity=999"),
        ):
            with pytest.raises(NotAccepted, match=why):
                tunable.apply(Configuration(changes(**wanted), "test"))
            assert state(nginx) == before
        assert tunable.close() is None

    def test_weights_of_its_own_group_are_changed_and_put_back(
        nginx: NginxServer, tmp_path: Path
    ) -> None:
        names = {"CPUWeight": "1000", "IOWeight": "1000"}
        with own_group(nginx) as files:
            before = {file: file.read_text() for file in files}
            tunable = tunable_of(nginx, tmp_path / "j", *names)
            tunable.apply(Configuration(changes(**names), "test"))
            after = {file.name: file.read_text().strip() for file in files}
            expected = {"cpu.shares": "10240", "cpu.weight": "1000", "blkio.bfq.weight": "181"}
            assert after == {name: expected[name] for name in after}
            tunable.apply(Configuration(changes(CPUWeight="1000"), "test"))
            kept = {file: file.read_text() for file in files if "io" in file.name}
            assert kept == {file: text for file, text in before.items() if file in kept}
            assert tunable.close() is None
            assert {file: file.read_text() for file in files} == before

    def test_changes_become_a_drop_in_of_the_service(nginx: NginxServer, tmp_path: Path) -> None:
        with own_group(nginx):
            names = [one.name for one in of_server("process").knob]
            tunable = tunable_of(nginx, tmp_path / "j", *names)
            wanted = {**TREATED, "CPUWeight": "1000", "CPUAffinity": "all", "IOWeight": "500"}
            (found,) = tunable.drop_ins(changes(**wanted))
            assert (found.server, found.unit) == ("nginx", "nginx")
            cpus = ",".join(map(str, sorted(os.sched_getaffinity(0))))
            assert found.text.splitlines()[1:] == [
                *("[Service]", "Nice=-7", "CPUWeight=1000", f"CPUAffinity={cpus}"),
                *("IOSchedulingClass=realtime", "IOSchedulingPriority=6", "IOWeight=500"),
            ]
            assert not tunable.drop_ins({WORKERS: "3"})
            assert not tunable.services(changes(Nice="-7"))  # none of its files change
            assert tunable.close() is None

    def test_settings_of_processes_are_read(nginx: NginxServer) -> None:
        found = Processes(HOST, [find(HOST, nginx.pids)])
        known = {one.name: found.setting(one).value for one in of_server("process").knob}
        assert known == {
            "Nice": str(os.getpriority(os.PRIO_PROCESS, nginx.pids[0])),
            "CPUAffinity": "all",
            "IOSchedulingClass": "none",
            "IOSchedulingPriority": "4",
            "CPUWeight": None,  # in no group of its own
            "IOWeight": None,
        }
        os.setpriority(os.PRIO_PROCESS, nginx.pids[0], -2)
        setting = Processes(HOST, [find(HOST, nginx.pids)]).setting(knob("process", "Nice"))
        assert (setting.value, setting.is_set) == ("-2", True)

    @pytest.mark.e2e
    def test_all_processes_are_put_back_after_a_kill(
        nginx: NginxServer, tmp_path: Path, proof: bool
    ) -> None:
        random = Random(9)
        with own_group(nginx) as files:
            weights = [file.read_text() for file in files]
            usual = attributes.read(nginx.pids[0])
            number_of_workers = len(tree(nginx))
            for number in range(PROOF_KILLS if proof else KILLS):
                journal = tmp_path / f"j{number}"
                killed = subprocess.Popen(
                    [sys.executable, CHANGER, str(nginx.pids[0]), journal, str(number)],
                    stdout=subprocess.PIPE,
                    text=True,
                )
                assert killed.stdout is not None
                assert killed.stdout.readline() == "changed\n"
                time.sleep(random.uniform(0, 1.0))
                os.kill(killed.pid, signal.SIGKILL)
                killed.communicate()
                end_s = time.monotonic() + LONGEST_S
                while not (journal / "done").exists():
                    assert time.monotonic() < end_s, list(journal.iterdir())
                    time.sleep(0.1)
                wait_until(lambda: len(tree(nginx)) == number_of_workers)
                assert {*state(nginx).values()} == {usual}, f"kill {number}"
                assert [file.read_text() for file in files] == weights

    def test_processes_are_treated_and_put_back_over_ssh(
        nginx: NginxServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = state(nginx)
        (tmp_path / "ssh").mkdir()
        with serving(tmp_path / "ssh") as sshd:
            monkeypatch.setenv("PATH", sshd.path)
            with FarHost(address.parse(sshd.address)) as far:
                found = find(far, nginx.pids)
                knobs = [knob("process", "Nice")]
                treated = Treated(Processes(far, [found]), knobs)
                folder = tmp_path / "j"
                tunable = Tunable(far, found, knobs, folder, lambda: None, treated=treated)
                tunable.apply(Configuration(changes(Nice="-7"), "test"))
                assert {one.nice for one in state(nginx).values() if one} == {-7}
                assert tunable.close() is None
        assert state(nginx) == before
