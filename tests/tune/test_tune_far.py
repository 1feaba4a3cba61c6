"""A server on another machine, tuned over SSH: files, commands, the way back, and a cut cable."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tuned import PATIENCE_S, knob, wait_until

from headcount.bundle import tuning as record
from headcount.counters import address
from headcount.errors import InputError, SystemLimitError, TargetError
from headcount.lab import port
from headcount.lab.nginx import program
from headcount.tune import far_host
from headcount.tune.boot import Hook
from headcount.tune.change import Configuration
from headcount.tune.far_host import FarHost
from headcount.tune.host import ThisHost
from headcount.tune.left import check_nothing_left, journals_folder, left, restore
from headcount.tune.servers.registry import find
from headcount.tune.tunable import Tunable
from network import OtherMachine, ip, other_machine
from processes import Headcount, processes_with
from ssh_server import SshServer, serving

WORKLOAD = """
name = "hello"
title = "Get a page"
protocol = "http"
recreates = "nothing"
description = "One page, again and again."
deviations = []
sources = []
criteria = ["errors<50%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "0.05s" } }

[run]
ladder = [1]
ramp = "0s"
settle = "0s"
duration = "2s"

[[scenarios]]
name = "page"
weight = 1
limit = "5s"
steps = [{ name = "get", op = "get", path = "/" }]
"""
NGINX = (
    "daemon off;\nworker_processes 1;\npid {folder}/pid;\nerror_log {folder}/log;\nevents {{}}\n"
    "http {{\naccess_log off;\nkeepalive_timeout 0;\n"
    "server {{ listen {host}:{number}; location / {{ return 200 hello; }} }}\n}}\n"
)
LONGEST_S = 400.0
"""Some 36 turns of 3 s on a quiet machine."""
KEEPALIVE = knob("nginx", "keepalive_timeout")


@pytest.fixture
def sshd(tmp_path: Path) -> Iterator[SshServer]:
    folder = tmp_path / "ssh"
    folder.mkdir()
    with serving(folder) as one:
        yield one


@pytest.fixture
def far(sshd: SshServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[FarHost]:
    monkeypatch.setenv("PATH", sshd.path)
    with FarHost(address.parse(sshd.address)) as one:
        yield one


def test_files_are_read_and_replaced_as_on_this_machine(far: FarHost, tmp_path: Path) -> None:
    file, link = tmp_path / 'it\'s a "file"; $(touch x)', tmp_path / "link"
    content = bytes(range(256)) * 500
    assert far.read(str(file)) is None
    file.write_bytes(b"old")
    file.chmod(0o640)
    os.chown(file, 33, 12)
    link.symlink_to(file)
    far.write(str(link), content)
    assert link.is_symlink()
    assert far.read(str(link)) == content == file.read_bytes()
    known = file.stat()
    assert (known.st_mode & 0o7777, known.st_uid, known.st_gid) == (0o640, 33, 12)
    far.write(str(tmp_path / "new"), b"")
    assert (tmp_path / "new").read_bytes() == b""
    far.note(str(tmp_path / "beat"), "7\n")
    assert (tmp_path / "beat").read_text() == "7\n"
    assert {one.name for one in tmp_path.iterdir()} == {file.name, "link", "new", "beat", "ssh"}
    setting = "/proc/sys/net/ipv4/tcp_fin_timeout"
    present = Path(setting).read_bytes()
    far.write(setting, present)
    assert far.read(setting) == present
    with pytest.raises(InputError, match="cannot write /proc/sys/net/ipv4/tcp_fin_timeout on 127"):
        far.write(setting, b"banana\n")
    with pytest.raises(InputError, match=r"cannot write .*(no such folder|No such file)"):
        far.write(str(tmp_path / "no such folder" / "file"), b"x")


def test_a_hook_for_the_boot_is_left_and_taken_away(far: FarHost, tmp_path: Path) -> None:
    unit, link = tmp_path / "restore.service", tmp_path / "target.wants" / "restore.service"
    hook = Hook({str(unit): "[Service]\n"}, {str(link): str(unit)})
    hook.write(far)
    assert unit.stat().st_mode & 0o7777 == 0o644
    assert link.read_text() == "[Service]\n"
    hook.remove(far)
    assert not unit.exists()
    assert not link.is_symlink()
    nowhere = tmp_path / "no such folder" / "unit"
    with pytest.raises(InputError, match="cannot write"):
        Hook({str(unit): "", str(nowhere): ""}).write(far)
    assert not unit.exists()


def test_a_file_that_arrives_in_part_is_not_put_in_its_place(far: FarHost, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"whole")
    ended = far.run(["sh", "-c", far_host.WRITE, "sh", str(file), "5"])  # without any input
    assert ended.code == 1
    assert "the connection was cut" in ended.output
    assert file.read_bytes() == b"whole"
    assert not list(tmp_path.glob(".*"))


def test_commands_run_as_on_this_machine(far: FarHost) -> None:
    here = ThisHost()
    for command in (
        ["sh", "-c", "echo out; echo err >&2; exit 3"],
        ["pwd"],
        ["printf", "%s|", "it's", 'a "b"', "$HOME", "", "a\nb"],
        ["sh", "-c", "cat"],
        ["no-such-program-at-all"],
    ):
        found, expected = far.run(command), here.run(command)
        assert found.code == expected.code, command
        if found.code != 127:
            assert found.output == expected.output
    assert far.cpus >= 1
    assert far.memory_mib == here.memory_mib
    assert far.name.startswith("127.0.0.1:")


def test_one_login_serves_all_commands_and_ends_with_it(
    sshd: SshServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", sshd.path)
    with FarHost(address.parse(sshd.address)) as far:
        for _ in range(20):
            far.run(["true"])
        folder = far._folder.name
        assert processes_with(folder)
    wait_until(lambda: not processes_with(folder))
    assert not Path(folder).exists()
    logins = (sshd.folder / "log").read_text().count("Accepted publickey")
    assert logins == 1


def test_mistakes_of_a_login_are_explained(
    sshd: SshServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", sshd.path)
    sshd.offer("other_key")
    with pytest.raises(TargetError, match="requires a password from this user"):
        FarHost(address.parse(sshd.address))
    with pytest.raises(TargetError, match="no SSH server listens there"):
        FarHost(address.parse(f"ssh://127.0.0.1:{port.free()}"))
    monkeypatch.setenv("PATH", str(sshd.folder / "nothing"))
    with pytest.raises(SystemLimitError, match="apt install openssh-client"):
        FarHost(address.parse(sshd.address))


def test_journals_are_found_and_undone_there(far: FarHost, sshd: SshServer, tmp_path: Path) -> None:
    assert journals_folder(far) == f"{sshd.folder}/state/headcount/tune"
    assert left(far) == []
    folder = Path(journals_folder(far)) / "20260101T000000 with blanks"
    folder.mkdir(parents=True)
    undone = tmp_path / "undone"
    (folder / "restore.sh").write_text(f"touch {undone}; touch '{folder}/done'\n")
    (one,) = left(far)
    assert (one.folder, one.is_kept, one.is_guarded) == (str(folder), False, False)
    with pytest.raises(InputError, match="headcount tune --restore"):
        check_nothing_left(far)
    assert restore(far, one) is None
    assert undone.exists()
    assert left(far) == []
    with subprocess.Popen(["sh", "-c", "sleep 60; :", str(folder / "guard.sh")]) as guard:
        (folder / "done").unlink()
        with pytest.raises(InputError, match="another tuning is under way on 127"):
            check_nothing_left(far)
        guard.kill()


@dataclass(frozen=True)
class Nginx:
    """An nginx on the other machine."""

    pid: int
    url: str
    file: Path


@pytest.fixture
def machine() -> Iterator[OtherMachine]:
    with other_machine() as one:
        yield one


@pytest.fixture
def nginx(machine: OtherMachine, tmp_path: Path) -> Iterator[Nginx]:
    file, number = tmp_path / "nginx.conf", port.free()
    file.write_text(NGINX.format(folder=tmp_path, host=machine.address, number=number))
    process = subprocess.Popen([*machine.enter, program(), "-c", file, "-e", tmp_path / "log"])
    try:
        wait_until((tmp_path / "pid").exists)
        yield Nginx(process.pid, f"http://{machine.address}:{number}/", file)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


@pytest.mark.e2e
@pytest.mark.timeout(600)
def test_a_server_elsewhere_is_tuned_from_the_command_line(
    machine: OtherMachine, nginx: Nginx, tmp_path: Path
) -> None:
    before = nginx.file.read_bytes()
    workload = tmp_path / "hello.toml"
    workload.write_text(WORKLOAD)
    (tmp_path / "ssh").mkdir()
    headcount = Headcount(tmp_path)
    with serving(tmp_path / "ssh", machine.address, machine.enter) as sshd:
        target = ("--target", nginx.url, "--authorised-by", "the tests")
        goal = ("--goal", "p95@20", "--budget", "1m", "--trials", "1", "--turn", "1s")
        one = ("--knob", "keepalive_timeout", "--allow", "keepalive_timeout")
        own = {"XDG_STATE_HOME": str(tmp_path / "state")}  # another may be at work here
        refused = headcount.run("tune", "-w", str(workload), *target, *goal, *one, **own)
        assert refused.code == 2, refused
        assert "give a login to it, --host ssh://root@HOST" in " ".join(refused.err.split())
        ended = headcount.start(
            *("tune", "-w", str(workload), *target, *goal, *one, "--host", sshd.address),
            PATH=sshd.path,
        ).ended(LONGEST_S)
        assert ended.code == 0, ended
        (bundle,) = (tmp_path / "runs").glob("*-tuning-*")
        found = record.read(bundle)
        assert found is not None
        assert found.ending == "finished"
        assert found.restored
        assert [(one.name, one.value) for one in found.knobs] == [("keepalive_timeout", "0")]
        assert found.races[0].configuration == {"keepalive_timeout": "75"}
        assert nginx.file.read_bytes() == before
        nothing = headcount.run("tune", "--restore", "--host", sshd.address, PATH=sshd.path)
        assert "nothing to undo" in nothing.out


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("http://127.0.0.1:80/", "not that of a tunnel"),
        ("lab:nginx", "this target is on this one"),
    ],
)
def test_host_is_refused_for_a_target_on_this_machine(
    tmp_path: Path, target: str, message: str
) -> None:
    headcount = Headcount(tmp_path)
    ended = headcount.run(
        *("tune", "-w", "web-static", "--target", target, "--host", "ssh://root@web1")
    )
    assert ended.code == 2, ended
    assert message in " ".join(ended.err.split())


@pytest.mark.e2e
def test_everything_is_put_back_after_a_cut_cable(
    machine: OtherMachine, nginx: Nginx, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = nginx.file.read_bytes()
    (tmp_path / "ssh").mkdir()
    with serving(tmp_path / "ssh", machine.address, machine.enter) as sshd:
        monkeypatch.setenv("PATH", sshd.path)
        with FarHost(address.parse(sshd.address)) as far:
            journal = tmp_path / "journal"
            server = find(far, [nginx.pid])
            tunable = Tunable(*(far, server, [KEEPALIVE], str(journal), lambda: None), patience_s=2)
            tunable.apply(Configuration({KEEPALIVE: "75"}, "test"))
            assert nginx.file.read_bytes() != before
            ip("link", "set", f"hc{os.getpid()}a", "down")
            end_s = time.monotonic() + 2 * PATIENCE_S
            while not (journal / "done").exists():
                assert time.monotonic() < end_s, list(journal.iterdir())
                time.sleep(0.1)
            assert nginx.file.read_bytes() == before
            problem = tunable.close()
            assert problem is not None
            assert "cannot reach ssh://" in problem
            assert "the guard on" in problem
