"""An SSH server beside the servers of a case, with keys for a run, and the `ssh` that knows it."""

import contextlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.foreign.case import Component
from bench.foreign.network import Network
from bench.foreign.servers.start import Place, Start, running
from bench.foreign.servers.web import program, written

SEPARATION = Path("/run/sshd")
"""sshd run by root needs this folder, which Debian makes when it starts the service."""
SERVER = """
ListenAddress {address}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/user_key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
PrintMotd no
"""
CLIENT = """
Host *
  IdentityFile {folder}/user_key
  IdentitiesOnly yes
  IdentityAgent none
  UserKnownHostsFile {folder}/known_hosts
  GlobalKnownHostsFile /dev/null
"""


@dataclass(frozen=True)
class Login:
    """How to log in where the servers are.

    Attributes:
        source: Its address, for `--source`.
        path: A `PATH` on which the first `ssh` has the keys.

    """

    source: str
    path: str


@contextlib.contextmanager
def login(place: Place, network: Network) -> Iterator[Login]:
    """An sshd, until the end of the block, with nothing of the user's own.

    Raises RuntimeError where it does not start.
    """
    folder = place.folder
    for name in ("host_key", "user_key"):
        how = ["-q", "-t", "ed25519", "-N", "", "-C", "bench"]
        subprocess.run(["ssh-keygen", *how, "-f", folder / name], check=True)
    written(place, "server", SERVER.format(address=place.address, folder=folder))
    written(place, "client", CLIENT.format(folder=folder))
    public = (folder / "host_key.pub").read_text("utf-8")
    written(place, "known_hosts", known(place.host, place.port, public))
    client = folder / "bin" / "ssh"
    client.parent.mkdir()
    client.write_text(wrapper(shutil.which("ssh") or "/usr/bin/ssh", folder / "client"), "utf-8")
    client.chmod(0o755)
    if os.geteuid() == 0:
        SEPARATION.mkdir(mode=0o755, exist_ok=True)
    start = Start([program("sshd"), "-D", "-e", "-f", str(folder / "server")], place.address)
    with running(start, Component(kind="sshd", name="sshd"), place, network.servers):
        yield Login(f"ssh://{place.address}", f"{client.parent}:{os.environ['PATH']}")


def known(host: str, port: int, public: str) -> str:
    """A line of `known_hosts` with the public key of a server (sshd(8))."""
    kind, key = public.split()[:2]
    return f"[{host}]:{port} {kind} {key}\n"


def wrapper(client: str, configuration: Path) -> str:
    """A script that runs `ssh` with its own configuration."""
    return f'#!/bin/sh\nexec {shlex.quote(client)} -F {shlex.quote(str(configuration))} "$@"\n'
