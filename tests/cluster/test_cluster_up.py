"""A cluster that Headcount starts over SSH: a real sshd for each host, and real Ray."""

import json
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from far_hosts import FarHosts, Watch, far_hosts

LIGHT = Path(__file__).parent.parent / "e2e" / "light.toml"
LEVEL = ("--users", "21", "--duration", "3s", "--ramp", "0s")


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[FarHosts]:
    with far_hosts(tmp_path) as found:
        yield found


def state(hosts: FarHosts) -> Any:
    (path,) = (hosts.folder / "state" / "headcount" / "clusters").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    return json.loads(path.read_text("utf-8"))


@pytest.mark.timeout(600)
def test_a_cluster_is_started_used_and_ended(hosts: FarHosts) -> None:
    with Watch() as watch:
        ended = hosts.up()
        assert ended.code == 0, ended
        assert f"--agents 2 --cluster {hosts.address}" in ended.out
        assert ended.err.count("sending") == 1  # both hosts are this machine
        known = state(hosts)
        check_is_up(hosts)
        check_files_are_private(known)
        check_a_run(hosts)
    check_secrets(hosts, known, watch)
    again = hosts.up()
    assert (again.code, "is up already" in again.message) == (2, True)

    hosts.servers[1].hang_up()
    seen = hosts.run("status", "--json")
    assert seen.code == 5
    assert [one["is_alive"] for one in seen.json["nodes"]] == [True, True, False]
    ended = hosts.run("down")
    assert ended.code == 5
    assert hosts.name(1) in ended.message
    assert hosts.name(0) not in ended.message
    (remedy,) = re.findall(r"there: (pkill .*)", ended.message)
    assert str(hosts.far) in remedy

    hosts.servers[1].start_again()
    ended = hosts.run("down")
    assert ended.code == 0, ended
    assert hosts.left() == []
    assert not any(Path(one["temp"]).exists() for one in known["nodes"])
    assert hosts.run("down").code == 0


def check_is_up(hosts: FarHosts) -> None:
    seen = hosts.run("status")
    assert seen.code == 0, seen
    assert "its certificates expire in 7.0 days" in seen.out
    for server in hosts.servers:
        assert f"{server.host}  " in seen.out
    checked = hosts.run("check", "--json")
    assert checked.code == 0, checked
    assert [one["figures"]["is_up"] for one in checked.json] == [True] * 3


def check_files_are_private(known: Any) -> None:
    for node in known["nodes"]:
        run, temp = Path(node["run"]), Path(node["temp"])
        for folder in (run.parent, run, temp):
            assert folder.stat().st_mode & 0o777 == 0o700
        for name in ("token", "node.key", "node.crt", "ca.crt", "ray.log"):
            assert (run / name).stat().st_mode & 0o777 == 0o600


def check_a_run(hosts: FarHosts) -> None:
    """Nothing but the address is given: token and certificates are found."""
    headcount = hosts.headcount
    headcount.environment |= {"HEADCOUNT_TOKEN": "of the server"}
    _, target = headcount.serve(hosts.folder / "data", "--listen", f"{hosts.ip}:0")
    on = ("--target", target, "--authorised-by", "us", "--agents", "2", "--cluster", hosts.address)
    ended = headcount.run("run", str(LIGHT), *on, *LEVEL)
    assert ended.code == 0, ended
    (level,) = headcount.run("show", str(headcount.bundle), "--json").json["levels"]
    assert level["users_reported"] == 21
    assert level["generator"]["workers"] >= 2  # one is given more where the other was slow


def check_secrets(hosts: FarHosts, known: Any, watch: Watch) -> None:
    """The token and the keys are in their files, and nowhere else."""
    secrets = {Path(one["run"], "token").read_bytes() for one in known["nodes"]}
    assert len(secrets) == 1
    secrets |= {Path(one["run"], "node.key").read_bytes().splitlines()[1] for one in known["nodes"]}
    assert len(secrets) == 4
    texts = list(watch.seen)
    assert any(b"ray.scripts.scripts" in one for one in texts)
    folders = [Path(one["temp"]) for one in known["nodes"]]
    folders += [hosts.folder / "state", hosts.headcount.home]
    texts += [one.read_bytes() for folder in folders for one in folder.rglob("*") if one.is_file()]
    texts += [Path(one["run"], "ray.log").read_bytes() for one in known["nodes"]]
    for secret in secrets:
        assert not any(secret in one for one in texts)


@pytest.mark.timeout(300)
def test_ctrl_c_leaves_nothing(hosts: FarHosts) -> None:
    command = hosts.headcount.start("cluster", "up", str(hosts.file))
    command.reach(lambda: "sending" in command.err)
    command.reach(lambda: any(hosts.far.rglob("numpy")))
    command.send(signal.SIGINT)
    ended = command.ended()
    assert ended.code == 130
    assert "interrupted: ending what was started" in ended.err
    assert hosts.left() == []


@pytest.mark.timeout(300)
def test_a_full_disk_on_a_host_ends_the_cluster(hosts: FarHosts, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    line = ["mount", "-t", "tmpfs", "-o", "size=24m", "headcount", str(small)]
    subprocess.run(line, check=True)
    try:
        hosts.write(f'folder = "{small}/far"\n')
        checked = hosts.run("check", str(hosts.file))
        assert checked.code == 5
        assert "free some space for" in checked.out
        ended = hosts.up()
        assert list(small.iterdir()) == []
    finally:
        subprocess.run(["umount", str(small)], check=True)
    assert ended.code == 5
    assert f"{hosts.name(0)}: No space left on device; free some space" in ended.message
    assert hosts.left() == []


def test_a_host_that_cannot_take_part_is_named(hosts: FarHosts) -> None:
    name = hosts.name(1)
    hosts.write(host='python = "python9"\n')
    ended = hosts.up()
    assert ended.code == 5
    assert f"{name} has no python9" in ended.message

    older = hosts.folder / "python3.9"
    older.write_text("#!/bin/sh\necho 'headcount-python: 3.9'\n", "utf-8")
    older.chmod(0o755)
    hosts.write(host=f'python = "{older}"\n')
    ended = hosts.up()
    assert ended.code == 5
    assert f"{name} has Python 3.9" in ended.message

    hosts.write()
    block = hosts.blocks[1]
    with socket.create_server(("127.0.0.1", block[3])):
        ended = hosts.up()
        checked = hosts.run("check", str(hosts.file))
    assert (ended.code, checked.code) == (5, 5)
    # A server of another test may have one of the others.
    taken = rf"another program uses port [0-9, ]*\b{block[3]}\b"
    assert re.search(f"{re.escape(hosts.name(0))}: {taken}", ended.message)
    assert re.search(taken, checked.out)

    hosts.servers[1].end()
    ended = hosts.up()
    assert ended.code == 3
    assert f"cannot reach {name}: no SSH server listens there" in ended.message
    checked = hosts.run("check", str(hosts.file), "--json")
    assert checked.code == 5
    assert [one["is_reached"] for one in checked.json] == [True, True, False]

    hosts.servers[0].offer("other_key")
    ended = hosts.up()
    assert ended.code == 3
    assert "it requires a password from this user" in ended.message
    assert hosts.left() == []
