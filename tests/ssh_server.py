"""A real sshd on the loopback with keys and a configuration of its own, and a client that knows it.

The client is the system's `ssh`, found on the PATH as ever; before it on the PATH stands one that
names the configuration file, as `~/.ssh/config` would. Nothing of the user's own is touched.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from headcount.lab.port import free

LONGEST_S = 20.0
PRIVSEP = Path("/run/sshd")
"""sshd started by root wants this folder, which its start-up script makes otherwise."""
ALIAS = "counted"
"""What the client's configuration calls the server."""


class SshServer:
    """The server, and the client's side of it; `enter` is a command that it is started by."""

    def __init__(self, folder: Path, host: str = "127.0.0.1", enter: Sequence[str] = ()) -> None:
        self.folder = folder
        self.host = host
        self._enter = enter
        self.port = free()
        self._client = shutil.which("ssh") or "/usr/bin/ssh"
        self.path = f"{folder / 'bin'}:{os.environ['PATH']}"
        for name in ("host_key", "user_key", "other_key"):
            key(folder / name)
        shutil.copy(folder / "user_key.pub", folder / "authorized_keys")
        self.write_known_hosts("host_key")
        self._write_client("user_key")
        self._write_server()
        self.process = self._start()

    @property
    def address(self) -> str:
        return f"ssh://{self.host}:{self.port}"

    def write_known_hosts(self, name: str | None) -> None:
        """What the client knows of the server: this key of it, or nothing."""
        known = ""
        if name is not None:
            public = (self.folder / f"{name}.pub").read_text("utf-8").split()
            known = f"[{self.host}]:{self.port} {public[0]} {public[1]}\n"
        (self.folder / "known_hosts").write_text(known, "utf-8")

    def offer(self, name: str) -> None:
        """Let the client offer this key."""
        self._write_client(name)

    def force(self, command: str | None) -> None:
        """Run this at every login, whatever it asks for; with None, what it asks for."""
        public = (self.folder / "user_key.pub").read_text("utf-8")
        options = f'command="{command}" ' if command is not None else ""
        (self.folder / "authorized_keys").write_text(options + public, "utf-8")

    def hang_up(self) -> None:
        """End every login, and the server with them."""
        for child in children(self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        self.end()

    def start_again(self) -> None:
        self.process = self._start()

    def end(self) -> None:
        self.process.kill()
        self.process.wait(timeout=LONGEST_S)

    def _write_client(self, name: str) -> None:
        config = self.folder / "client_config"
        config.write_text(
            f"Host {ALIAS}\n  HostName {self.host}\n  Port {self.port}\n"
            f"Host *\n  IdentityFile {self.folder / name}\n  IdentitiesOnly yes\n"
            f"  IdentityAgent none\n  UserKnownHostsFile {self.folder / 'known_hosts'}\n"
            "  GlobalKnownHostsFile /dev/null\n",
            "utf-8",
        )
        program = self.folder / "bin" / "ssh"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\nexec {self._client} -F {config} "$@"\n', "utf-8")
        program.chmod(0o755)

    def _write_server(self) -> None:
        (self.folder / "server_config").write_text(
            f"ListenAddress {self.host}:{self.port}\nHostKey {self.folder / 'host_key'}\n"
            f"AuthorizedKeysFile {self.folder / 'authorized_keys'}\nPidFile none\n"
            "StrictModes no\nUsePAM no\nPasswordAuthentication no\nPrintMotd no\n"
            "KbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\n"
            f"SetEnv XDG_STATE_HOME={self.folder / 'state'}\n",
            "utf-8",
        )

    def _start(self) -> "subprocess.Popen[bytes]":
        if os.getuid() == 0:
            PRIVSEP.mkdir(mode=0o755, exist_ok=True)
        config = str(self.folder / "server_config")
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [*self._enter, shutil.which("sshd") or "/usr/sbin/sshd", "-D", "-e", "-f", config],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        end_s = time.monotonic() + LONGEST_S
        while time.monotonic() < end_s:
            with (
                contextlib.suppress(OSError),
                socket.create_connection((self.host, self.port), timeout=1.0) as one,
            ):
                one.recv(64)
                return process
            assert process.poll() is None, (self.folder / "log").read_text("utf-8")
            time.sleep(0.05)
        raise AssertionError("sshd does not answer")


def key(path: Path) -> None:
    """Make a key without a passphrase."""
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", path], check=True
    )


def children(pid: int) -> list[int]:
    """All descendants of a process."""
    found: list[int] = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
        for path in Path(f"/proc/{pid}/task").glob("*/children"):
            found += [int(word) for word in path.read_text("utf-8").split()]
    return [*found, *(each for child in found for each in children(child))]


@contextlib.contextmanager
def serving(
    folder: Path, host: str = "127.0.0.1", enter: Sequence[str] = ()
) -> Iterator[SshServer]:
    """An sshd, ended on the way out with every login; `enter` starts it somewhere else."""
    server = SshServer(folder, host, enter)
    try:
        yield server
    finally:
        server.hang_up()
