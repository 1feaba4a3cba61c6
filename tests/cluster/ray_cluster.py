"""A real Ray cluster on this machine: a head, and a node for each machine that it is to have."""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from headcount.lab.port import free
from processes import processes_with, wait_for

RAY = str(Path(sys.executable).with_name("ray"))
START_S = 90.0


class RayCluster:
    """The head has no CPUs for agents; each of the other nodes has two."""

    def __init__(self, nodes: int, *, token: bool = True) -> None:
        # The paths of sockets may have 107 characters, and Ray needs 60 of them.
        self.folder = Path(tempfile.mkdtemp(prefix="hc-"))
        self.port = free()
        self.token = secrets.token_hex(32)
        self._token = token
        self.head = self._start(
            "head", ["--head", f"--port={self.port}", "--num-cpus=0", "--include-dashboard=false"]
        )
        self.nodes = [
            self._start(f"node{number}", [f"--address=127.0.0.1:{self.port}", "--num-cpus=2"])
            for number in range(nodes)
        ]

    @property
    def address(self) -> str:
        """As `--cluster` takes it."""
        return f"ray://127.0.0.1:{self.port}"

    @property
    def environment(self) -> Mapping[str, str]:
        """What a command needs to use it."""
        if not self._token:
            return {"RAY_AUTH_MODE": "disabled"}
        return {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": self.token}

    def raylet(self, number: int) -> int:
        """The process of a node's own."""
        (pid,) = [
            pid for pid in processes_with("raylet/raylet") if parent(pid) == self.nodes[number].pid
        ]
        return pid

    def agents(self) -> list[int]:
        """Processes of agents."""
        return [pid for pid in processes_with("ray::AgentActor") if self._is_mine(pid)]

    def close(self) -> None:
        """End all of it."""
        for one in [*self.nodes, self.head]:
            if one.poll() is None:
                one.send_signal(signal.SIGTERM)
        for one in [*self.nodes, self.head]:
            try:
                one.wait(20)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()
        for pid in processes_with(str(self.folder)):
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _is_mine(self, pid: int) -> bool:
        try:
            return self.token.encode() in Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            return False

    def _start(self, name: str, options: Sequence[str]) -> "subprocess.Popen[bytes]":
        log = self.folder / f"{name}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [
                    *(RAY, "start", "--block", "--disable-usage-stats", *options),
                    *(["--temp-dir", str(self.folder / "ray")] if "--head" in options else ()),
                    "--object-store-memory=80000000",
                    *("--min-worker-port=0", "--max-worker-port=0"),
                    f"--dashboard-agent-listen-port={free()}",
                ],
                env={**os.environ, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        wait_for(lambda: b"Ray runtime started" in log.read_bytes() or process.poll(), START_S)
        assert process.poll() is None, log.read_text("utf-8")
        return process


def parent(pid: int) -> int:
    """The process that started another."""
    return int(Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[1])
