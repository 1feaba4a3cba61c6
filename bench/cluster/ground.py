"""Machines in network namespaces: a head, load generators and a server, joined by a switch.

This machine's own network is not touched. `/proc` and the disks are this machine's.
"""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from ipaddress import IPv4Address
from pathlib import Path
from typing import Self

from bench.foreign.servers.start import PASSWORD

IP = "/usr/sbin/ip"
TC = "/usr/sbin/tc"
NO_METRICS = "/proc/sys/net/ipv4/tcp_no_metrics_save"
"""Without it, connections begin with the window of earlier ones to the same machine, so that a run
depends on those before it."""
NETWORK = f"10.232.{os.getpid() % 256}"
"""The network of all machines. It exists only inside the namespaces, but Ray searches all processes
for other heads, by their addresses."""
HEAD, SERVER, FIRST_NODE = f"{NETWORK}.1", f"{NETWORK}.2", 11
PORT = 6379
RAY = str(Path(sys.executable).with_name("ray"))
START_S, END_S = 90.0, 20.0


class Ground:
    """The machines. As a context manager, it removes them with all that runs there.

    Attributes:
        nodes: Names of the load generators.
        environment: What a command on the head needs to use the cluster.

    """

    def __init__(self, nodes: int, cpus: int) -> None:
        """Make the network and start Ray; each load generator has so many CPUs for it.

        Raises RuntimeError if that fails: it needs root and the extra `cluster`.
        """
        self._name = f"hcg{os.getpid()}"
        self._cpus = cpus
        self._folder = Path(tempfile.mkdtemp(prefix="hcg-"))
        self._token = secrets.token_hex(32)
        self._rays: dict[str, subprocess.Popen[bytes]] = {}
        self.nodes = [f"node{number}" for number in range(1, nodes + 1)]
        self._addresses = {"head": HEAD, "server": SERVER}
        self._addresses |= {
            name: f"{NETWORK}.{FIRST_NODE + number}" for number, name in enumerate(self.nodes)
        }
        self.environment: Mapping[str, str] = {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": self._token,
        }
        try:
            self._join()
            self.start_rays()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def cluster(self) -> str:
        """The cluster, as for `--cluster`."""
        return f"ray://{HEAD}:{PORT}"

    def address(self, machine: str) -> str:
        """The address of a machine in the network."""
        return self._addresses[machine]

    def within(self, machine: str) -> tuple[str, ...]:
        """The prefix of a command that runs it on a machine."""
        return ("nsenter", f"--net=/run/netns/{self._space(machine)}", "--")

    def headcount(
        self, folder: Path, *words: str, longest_s: float
    ) -> subprocess.CompletedProcess[str]:
        """Run `headcount` on the head, with the password of `bench.foreign`'s servers."""
        return subprocess.run(
            [*self.within("head"), sys.executable, "-m", "headcount", *words],
            env={
                **os.environ,
                **self.environment,
                "HEADCOUNT_PASSWORD": PASSWORD,
                "XDG_STATE_HOME": str(folder / "state"),
            },
            cwd=folder,
            check=False,
            capture_output=True,
            text=True,
            timeout=longest_s,
        )

    def start_rays(self) -> None:
        """Start Ray wherever it does not run. Raises RuntimeError."""
        head = self._rays.get("head")
        if head is None or head.poll() is not None:
            for name in list(self._rays):
                self.end_ray(name)
            options = ["--head", f"--port={PORT}", "--num-cpus=0", "--include-dashboard=false"]
            self._start("head", [*options, "--temp-dir", str(self._folder / "ray")])
        for name in self.nodes:
            ray = self._rays.get(name)
            if ray is None or ray.poll() is not None:
                self._start(name, [f"--address={HEAD}:{PORT}", f"--num-cpus={self._cpus}"])

    def end_ray(self, machine: str) -> None:
        """End Ray on a machine, with all processes that it started there."""
        process = self._rays.pop(machine, None)
        if process is None:
            return
        below = [*descendants(process.pid), process.pid]
        for pid in below:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait(END_S)

    def ray_of(self, machine: str) -> int:
        """The process at the root of a machine's Ray."""
        return self._rays[machine].pid

    def agents(self, machine: str) -> list[int]:
        """Processes of agents on a machine."""
        return [pid for pid in descendants(self.ray_of(machine)) if "AgentActor" in command(pid)]

    def limit(self, machine: str, rate: str) -> None:
        """Give a machine's line a rate for what it sends, such as `40mbit`.

        What waits for less than 3 s is not dropped, so that response times near a limit grow with
        the queue, instead of jumping when TCP sends again.
        """
        bucket = ("tbf", "rate", rate, "burst", "128kb", "latency", "3s")
        run(*self.within(machine), TC, "qdisc", "replace", "dev", "eth0", "root", *bucket)

    def cut(self, machine: str, *, is_cut: bool) -> None:
        """Unplug a machine's cable, or plug it in again."""
        link = ["-n", self._space("hub"), "link", "set", f"to-{machine}"]
        run(IP, *link, "down" if is_cut else "up")

    def users(self, port: int) -> int:
        """How many connections load generators have to the server's port, as its machine counts."""
        text = subprocess.run(
            [*self.within("server"), "cat", "/proc/self/net/tcp"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        rows = [line.split() for line in text.splitlines()[1:]]
        head = IPv4Address(HEAD).packed[::-1].hex().upper()
        return sum(
            row[1].endswith(f":{port:04X}") and row[3] == "01" and not row[2].startswith(head)
            for row in rows
        )

    def close(self) -> None:
        """Remove all machines, with all that runs there."""
        for name in list(self._rays):
            self.end_ray(name)
        for machine in (*self._addresses, "hub"):
            space = self._space(machine)
            listed = subprocess.run(
                [IP, "netns", "pids", space], check=False, capture_output=True, text=True
            )
            for pid in listed.stdout.split():
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            subprocess.run([IP, "netns", "del", space], check=False, capture_output=True)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _space(self, machine: str) -> str:
        return f"{self._name}-{machine}"

    def _join(self) -> None:
        hub = self._space("hub")
        run(IP, "netns", "add", hub)
        run(IP, "-n", hub, "link", "add", "switch", "type", "bridge")
        run(IP, "-n", hub, "link", "set", "switch", "up")
        for machine, address in self._addresses.items():
            space, port = self._space(machine), f"to-{machine}"
            run(IP, "netns", "add", space)
            far_end = ("peer", "name", "eth0", "netns", space)
            run(IP, "-n", hub, "link", "add", port, "type", "veth", *far_end)
            run(IP, "-n", hub, "link", "set", port, "master", "switch", "up")
            run(IP, "-n", space, "link", "set", "lo", "up")
            run(IP, "-n", space, "addr", "add", f"{address}/24", "dev", "eth0")
            run(IP, "-n", space, "link", "set", "eth0", "up")
            run(*self.within(machine), "sh", "-c", f"echo 1 > {NO_METRICS}")

    def _start(self, machine: str, options: Sequence[str]) -> None:
        log = self._folder / f"{machine}.log"
        with log.open("wb") as output:
            self._rays[machine] = subprocess.Popen(
                [
                    *self.within(machine),
                    *(RAY, "start", "--block", "--disable-usage-stats", *options),
                    f"--node-ip-address={self.address(machine)}",
                    "--object-store-memory=80000000",
                ],
                env={**os.environ, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        ray = self._rays[machine]
        wait_for(lambda: b"Ray runtime started" in log.read_bytes() or ray.poll(), START_S)
        if ray.poll() is not None:
            raise RuntimeError(f"Ray does not start: {log.read_text('utf-8', 'replace')}")


def run(*words: str) -> None:
    """Run a command. Raises RuntimeError with what it printed."""
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")


def wait_for(is_so: Callable[[], object], patience_s: float) -> float:
    """Wait until a condition holds; returns the seconds. Raises RuntimeError if it never does."""
    began_s = time.monotonic()
    while not is_so():
        if time.monotonic() - began_s > patience_s:
            raise RuntimeError(f"waited {patience_s:g} s for {is_so}")
        time.sleep(0.05)
    return time.monotonic() - began_s


def descendants(pid: int) -> list[int]:
    """All processes that a process, or one of them, has started."""
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in path.read_text("ascii").split():
                found += [int(child), *descendants(int(child))]
    return found


def command(pid: int) -> str:
    """The command line of a process; empty where it has gone."""
    try:
        return (
            Path(f"/proc/{pid}/cmdline")
            .read_bytes()
            .replace(b"\0", b" ")
            .decode("utf-8", "replace")
        )
    except OSError:
        return ""
