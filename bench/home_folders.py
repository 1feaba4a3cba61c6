"""How near home-folders comes to the published figures of FSCT, on a real smbd."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.figure import Figure
from headcount.errors import ExitCode
from headcount.lab.samba import SambaServer

PREPARED_USERS = 40
PREPARED_MB = 81.0
"""Prepared for each of 800 users, in MB (stealthpuppy.com, Replicate 2015: 65 GB)."""
USERS = 300
SECONDS = 300
LONGEST_S = 900
TRAFFIC_KB_PER_S = 26.5
"""The middle of 25 to 28 KB/s, the network traffic of a user in the FSCT results of 2009."""
LOOPBACK = "system.network.io{network.io.direction=receive,network.interface.name=lo}"
PUBLISHED = {
    "CREATE": 22,
    "CLOSE": 19,
    "READ": 14,
    "QUERY_INFO": 13,
    "QUERY_DIRECTORY": 10,
    "WRITE": 7,
    "IOCTL": 4,
    "SESSION_SETUP": 3,
    "TREE_CONNECT": 2,
}
"""Percent of FSCT's SMB commands (Nutanix, Files Storage Performance, 2025, section 7)."""


def home_folders() -> list[Figure]:
    """Data prepared for a user, traffic of a user, and the mix of commands."""
    return [_prepared(), *_played()]


def _prepared() -> Figure:
    """What the files of a user come to, at scale 1, as the server's disk has them."""
    server = SambaServer({})
    try:
        target = f"smb://{server.address}/{server.share}"
        command = ["prepare", "home-folders", "--target", target, "--users", str(PREPARED_USERS)]
        _headcount([*command, "--user", server.user], server.password)
        homes = (server.data / "headcount").glob("user*")
        files = [path for home in homes for path in home.rglob("*") if path.is_file()]
        total = sum(path.stat().st_size for path in files)
    finally:
        server.stop()
    mb = total / PREPARED_USERS / 1e6
    return Figure("home-folders", "prepared for a user", mb, "MB", PREPARED_MB, "FSCT")


def _played() -> list[Figure]:
    with tempfile.TemporaryDirectory() as runs:
        command = ["run", "home-folders", "--target", "lab:samba", "--users", str(USERS)]
        command += ["--scale", "0.1", "--duration", f"{SECONDS}s", "--seed", "1", "--runs", runs]
        bundle = Path(json.loads(_headcount([*command, "--json"], None, _alone()))["bundle"])
        levels = json.loads((bundle / "levels.json").read_text("utf-8"))
    level: dict[str, Any] = levels["levels"][0]
    kb_per_s = level["counters"]["sut"][LOOPBACK]["mean"] / USERS / 1e3
    total = sum(level["requests"].values())
    name = "network traffic of a user"
    figures = [Figure("home-folders", name, kb_per_s, "KB/s", TRAFFIC_KB_PER_S, "FSCT")]
    for command_name, percent in PUBLISHED.items():
        found = level["requests"].get(command_name, 0) / total * 100
        figures.append(
            Figure("home-folders", f"share of {command_name}", found, "%", percent, "FSCT")
        )
    return figures


def _alone() -> list[str]:
    """The prefix of a command that runs it with a loopback of its own."""
    become_root = [] if os.getuid() == 0 else ["--map-root-user"]
    up = 'ip link set lo up && exec "$@"'
    return ["unshare", "--net", *become_root, "sh", "-c", up, "sh"]


def _headcount(command: list[str], password: str | None, prefix: Sequence[str] = ()) -> str:
    environment = {**os.environ, "HEADCOUNT_PASSWORD": password} if password else None
    ran = subprocess.run(
        [*prefix, sys.executable, "-m", "headcount", *command],
        check=False,
        stdout=subprocess.PIPE,
        text=True,
        timeout=LONGEST_S,
        env=environment,
    )
    # A level that fails because the machine is busy has the same mix all the same.
    if ran.returncode not in (ExitCode.PASSED, ExitCode.FAILED):
        raise subprocess.CalledProcessError(ran.returncode, command)
    return ran.stdout
