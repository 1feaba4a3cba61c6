"""Samba as Debian ships it: it serves, and differs from the shipped file only where declared."""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from other_user import USER, run, usable_folder
from samba_client import logon, negotiate
from stock_files import check_only_declared

from headcount.lab import home, keeper
from headcount.lab.samba import SambaServer
from headcount.lab.stock.samba import STOCK
from headcount.protocols.registry import start_lab
from processes import Headcount, proc_file, processes_with

SMB_2_02 = 0x0202
WRONG = "Passw0rd"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[SambaServer]:
    with tempfile.TemporaryDirectory() as cache:
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
        started = start_lab("samba", {"profile": "stock"})
        assert isinstance(started, SambaServer)
        try:
            yield started
        finally:
            started.stop()
        assert list(home.base().iterdir()) == []
        assert not processes_with(cache)


def test_only_what_is_declared_differs_from_what_debian_ships(server: SambaServer) -> None:
    host, number = server.address.split(":")
    fields = {"home": str(server.home), "host": host, "port": number}
    check_only_declared(STOCK, Path("/usr/share/samba"), server.home / "etc", fields)
    assert set(server.settings) == {"profile", *STOCK.disclosed}


def test_users_log_on_and_nothing_is_left(server: SambaServer) -> None:
    done = logon(server, "put /etc/passwd got; ls", user=7)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (server.data / "got").read_bytes() == Path("/etc/passwd").read_bytes()
    assert logon(server, "ls", password=WRONG).returncode != 0
    assert negotiate(server.address, (SMB_2_02,)).dialect == SMB_2_02


def test_helpers_that_leave_its_group_end_with_it(server: SambaServer) -> None:
    """Debian's Samba starts daemons when clients ask for more than files."""
    (kept,) = (one.parent for one in keeper.processes() if one.pid == server.pids[0])
    host, number = server.address.split(":")
    listed = subprocess.run(
        ["smbclient", "-s", "/dev/null", "-L", host, "-p", number, "-U", "user00001"],
        env={**os.environ, "PASSWD": server.password},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "print$" in listed.stdout
    family = keeper.descendants(kept)
    assert b"samba-dcerpcd\n" in {proc_file(pid, "comm") for pid in family}
    server.stop()
    assert not family & {one.pid for one in keeper.processes()}


PROGRAM = """
import json, os, subprocess
from pathlib import Path
from headcount.lab.samba import SambaServer

server = SambaServer({"profile": "stock"})
try:
    host, port = server.address.split(":")
    client = ["smbclient", "-s", "/dev/null", f"//{host}/data", "-p", port, "-U", "user00007"]
    done = subprocess.run(
        [*client, "-c", "put /etc/passwd got; ls"],
        env={**os.environ, "PASSWD": server.password}, capture_output=True, text=True, timeout=30,
    )
    stored = server.data / "got"
    print(json.dumps({
        "code": done.returncode, "output": done.stdout + done.stderr,
        "owner": stored.stat().st_uid if stored.exists() else None,
    }))
finally:
    server.stop()
"""


def test_a_user_without_rights_can_start_it() -> None:
    with usable_folder() as folder:
        done = run(folder, PROGRAM)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert found["code"] == 0, found
        assert found["owner"] == (USER if os.geteuid() == 0 else os.geteuid())
        assert not processes_with(str(folder))


@pytest.mark.e2e
def test_a_run_has_the_profile_in_its_bundle(headcount: Headcount) -> None:
    ended = headcount.run(
        *("run", "home-folders", "--target", "lab:samba?profile=stock", "--users", "2"),
        *("--scale", "0.05", "--duration", "3s", "--ramp", "0s", "--think", "10ms", "--json"),
    )
    assert ended.code in (0, 1, 4), ended
    bundle = headcount.bundles()[-1]
    (level,) = json.loads((bundle / "levels.json").read_bytes())["levels"]
    assert (level["total"]["completed"] > 0, level["total"]["failed"]) == (True, 0)
    (side,) = json.loads((bundle / "environment.json").read_bytes())["sides"]
    assert side["settings"]["profile"] == "stock"
