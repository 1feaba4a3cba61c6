"""Samba started by a user who is not root and has no home."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from other_user import USER, run, usable_folder

from processes import processes_with

PROGRAM = """
import json, os, subprocess
from pathlib import Path
from headcount.lab.samba import SambaServer

def logon(password, share, command):
    host, port = server.address.split(":")
    share, user = server.share.format(n=share), server.user.format(n=7)
    client = ["smbclient", "-s", "/dev/null", f"//{host}/{share}", "-p", port, "-U", user]
    done = subprocess.run(
        [*client, "-c", command],
        env={**os.environ, "PASSWD": password}, capture_output=True, text=True, timeout=30,
    )
    return [done.returncode, done.stdout + done.stderr]

server = SambaServer({"shares": "3", "signing": "mandatory"})
try:
    base = Path(os.environ["XDG_CACHE_HOME"], "headcount", "lab")
    (home,) = base.glob("samba-*")
    right = logon(server.password, 2, "mkdir a; put /etc/passwd a\\\\b; get a\\\\b got; ls")
    wrong = logon("Passw0rd", 2, "ls")
    stored = home / "data" / "home00002" / "a" / "b"
    print(json.dumps({
        "right": right, "wrong": wrong,
        "same": stored.read_bytes() == Path("got").read_bytes() == Path("/etc/passwd").read_bytes(),
        "owner": stored.stat().st_uid, "mode": home.stat().st_mode & 0o777,
        "server": Path(f"/proc/{server.pids[0]}").stat().st_uid,
        "secret": (home / "private" / "smbpasswd").stat().st_mode & 0o777,
    }))
finally:
    server.stop()
assert list(base.iterdir()) == [], list(base.iterdir())
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    with usable_folder() as path:
        yield path


def test_a_user_without_rights_has_a_server_of_their_own(folder: Path) -> None:
    done = run(folder, PROGRAM)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    user = USER if os.geteuid() == 0 else os.geteuid()
    assert found["right"][0] == 0, found
    assert found["wrong"] == [1, "session setup failed: NT_STATUS_LOGON_FAILURE\n"]
    assert found["same"]
    assert (found["server"], found["owner"]) == (user, user)
    assert (found["mode"], found["secret"]) == (0o700, 0o600)
    assert not processes_with(str(folder))


def test_a_user_without_a_cache_gets_an_error(folder: Path) -> None:
    program = (
        "import os\nos.environ['XDG_CACHE_HOME'] = '/proc'\n"
        "from headcount.lab.samba import SambaServer\n"
    )
    done = run(folder, program + "SambaServer({})")
    assert "MachineLimitError: cannot make a folder for the server's data in /proc/headcount" in (
        done.stderr.replace("headcount.errors.", "")
    )
