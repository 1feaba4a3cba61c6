"""A real Samba that a test owns and Headcount is pointed at, and what stands on its shares."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from headcount.lab import keeper
from headcount.lab.samba import SambaServer
from processes import Headcount, lines, processes_with

BLOCK = 4096


class FileServer:
    """Samba on a loopback port, in a folder of its own."""

    def __init__(self, cache: Path, **settings: str) -> None:
        """Start it with settings of the lab's."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_CACHE_HOME", str(cache))
            self._server = SambaServer(settings)
        (self._home,) = cache.glob("headcount/lab/samba-*")
        self.password = self._server.password

    @property
    def target(self) -> str:
        return f"smb://{self._server.address}/{self._server.share}"

    @property
    def pid(self) -> int:
        """The process at the root of its tree."""
        return self._server.pids[0]

    @property
    def shares(self) -> Path:
        """The folder of the only share, or the one with a folder for each."""
        return self._home / "data"

    def files(self) -> dict[str, bytes]:
        """Everything on the shares, folders without contents too."""
        found = {}
        for path in sorted(self.shares.rglob("*")):
            name = str(path.relative_to(self.shares))
            found[name if path.is_file() else f"{name}/"] = (
                path.read_bytes() if path.is_file() else b""
            )
        return found

    def state(self) -> dict[str, tuple[int, int]]:
        """Which file each name is, and when it was written last."""
        found = {path: path.stat() for path in self.shares.rglob("*") if path.is_file()}
        return {str(path): (stat.st_ino, stat.st_mtime_ns) for path, stat in found.items()}

    def processes(self) -> list[int]:
        """The server's processes; each connection has one of its own."""
        return processes_with(str(self._home))

    def know_only(self, *users: str) -> None:
        """Let only these log on from now on; Samba reads the file with each logon."""
        path = self._home / "usermap"
        account, _, _ = path.read_text("utf-8").partition(" = ")
        path.write_text(f"{account} = {' '.join(users)}\n", "utf-8")

    def have_accounts(self, passwords: Mapping[str, str]) -> None:
        """Give users of this machine accounts with these passwords; all have the rights of root.

        Nobody else can log on from then on. Needs root, as any Samba with several accounts does.
        """
        (self._home / "usermap").write_text("", "utf-8")
        (path,) = self._home.glob("*.conf")
        for name, password in passwords.items():
            subprocess.run(
                ["pdbedit", "-s", str(path), "-a", "-t", "-u", name],
                input=f"{password}\n{password}\n",
                text=True,
                check=True,
                capture_output=True,
            )
        self.configure("force user = root")

    def configure(self, lines: str) -> None:
        """Add settings of `[global]`, which hold for connections from now on."""
        (path,) = self._home.glob("*.conf")
        text = path.read_text("utf-8")
        path.write_text(text.replace("[global]\n", f"[global]\n{lines}\n", 1), "utf-8")
        os.kill(self.pid, signal.SIGHUP)

    def stop(self) -> None:
        self._server.stop()


@contextlib.contextmanager
def serving(cache: Path, **settings: str) -> Iterator[FileServer]:
    """A file server as long as it is needed."""
    server = FileServer(cache, **settings)
    try:
        yield server
    finally:
        server.stop()


def damage(path: Path) -> None:
    """Change a byte of every block; size and names stay."""
    content = bytearray(path.read_bytes())
    for at in range(BLOCK // 2, len(content), BLOCK):
        content[at] ^= 0xFF
    path.write_bytes(content)


def lab_processes(headcount: Headcount) -> list[int]:
    """The processes of the lab's servers that runs have started in this home, keepers aside."""
    return sorted(
        {pid for found in headcount.servers() for pid in keeper.descendants(found) | {found}}
        - {pid for pid in headcount.servers() if is_keeper(pid)}
    )


def is_keeper(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return b"headcount.lab.keeper" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def alive(pids: list[int]) -> list[int]:
    """Those of some processes that are still there."""
    running = {process.pid for process in keeper.processes()}
    return [pid for pid in pids if pid in running]


def signal_all(pids: list[int], name: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, name)


def events(bundle: Path, name: str) -> list[dict[str, Any]]:
    """What is kept of one kind of event."""
    return [event for event in lines(bundle / "events.ndjson") if event["event"] == name]
