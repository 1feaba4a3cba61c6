"""Headcount's commands, each a fork of one process that has imported its libraries.

With it `headcount run --plan` takes 0.45 s, with an interpreter of its own 0.71 s. A command is
still a process and a session of its own, with its own environment, folder and files.
`headcount.cli`, which looks at its surroundings when it is imported, is imported by each. Tests of
the start itself start an interpreter.
"""

import atexit
import contextlib
import json
import os
import pkgutil
import random
import resource
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LIBRARIES = (
    "duckdb",
    "headcount.controller.run",
    "headcount.counters.log",
    "headcount.report.html",
    "headcount.report.terminal",
    "headcount.workloads",
    "numpy",
    "pydantic",
    "rich.console",
    "rich.markdown",
    "rich.progress",
    "rich.table",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats",
    "typer",
)
MODELS = (
    "headcount.bundle.environment:EnvironmentFile",
    "headcount.bundle.level:Levels",
    "headcount.bundle.manifest:Manifest",
    "headcount.bundle.verdict:Verdict",
    "headcount.plan.plan:Plan",
    "headcount.plan.workload:Workload",
)
"""Models that nearly all commands use. They are built when they are first used."""
READ_AT_THE_START = ("PYTHON", "LC_", "LANG", "OPENBLAS", "OMP_", "LD_")
"""Variables that the interpreter or a library reads once. If one differs, a command needs an
interpreter of its own."""
MOST = 1 << 20
"""Bytes of a request: an environment and arguments."""
PROGRAM = "HEADCOUNT_TESTS_PROGRAM"
"""What is run instead of Headcount: a program of the tests that uses its libraries."""


@dataclass(frozen=True)
class Took:
    """What a command took until it ended: its largest memory, and CPU time."""

    peak_kib: int
    cpu_s: float

    @classmethod
    def of(cls, usage: resource.struct_rusage) -> "Took":
        """What the system counted of a process that was waited for."""
        return cls(usage.ru_maxrss, usage.ru_utime + usage.ru_stime)


class Fork:
    """A command under way, with what the tests use of `subprocess.Popen`."""

    def __init__(self, pid: int, preloaded: "Preloaded") -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.took: Took | None = None
        self._preloaded = preloaded

    def poll(self) -> int | None:
        """Its exit code; None while it runs."""
        if self.returncode is None:
            self._look(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; returns its exit code."""
        if self.returncode is None:
            self._look(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("headcount", timeout or 0)
        return self.returncode

    def kill(self) -> None:
        """End it at once."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def _look(self, timeout_s: float | None) -> None:
        ending = self._preloaded.ending(self.pid, timeout_s)
        if ending is not None:
            self.returncode, self.took = ending


class Preloaded:
    """The process that forks, as the tests see it."""

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MOST)
        self._endings: dict[int, tuple[int, Took]] = {}
        self._forked: list[int] = []
        self._starting = threading.Lock()
        self._heard = threading.Condition()
        self.environment = dict(os.environ)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={**self.environment, "OPENBLAS_NUM_THREADS": "1"},
                pass_fds=[theirs.fileno()],
            )
        threading.Thread(target=self._listen, daemon=True).start()
        atexit.register(self.close)

    def close(self) -> None:
        """End it; commands under way go on."""
        self._ours.shutdown(socket.SHUT_RDWR)
        self._process.wait()

    def can_start(self, environment: Mapping[str, str]) -> bool:
        """Whether a fork finds what an interpreter of its own would."""
        names = environment.keys() | self.environment.keys()
        return self._process.poll() is None and all(
            environment.get(name) == self.environment.get(name)
            for name in names
            if name.startswith(READ_AT_THE_START)
        )

    def start(
        self, arguments: Sequence[str], environment: Mapping[str, str], out: int, err: int
    ) -> Fork:
        """Start a command that writes to two files."""
        asked = json.dumps([list(arguments), dict(environment), str(Path.cwd())])
        with self._starting, self._heard:
            socket.send_fds(self._ours, [asked.encode()], [out, err])
            self._heard.wait_for(lambda: self._forked or self._process.poll() is not None)
            assert self._forked, "the process that forks has ended"
            return Fork(self._forked.pop(), self)

    def ending(self, pid: int, timeout_s: float | None) -> tuple[int, Took] | None:
        """The exit code of a command and what it took; None if it still runs after that time."""
        with self._heard:
            self._heard.wait_for(lambda: pid in self._endings, timeout_s)
            return self._endings.pop(pid, None)

    def _listen(self) -> None:
        while message := self._ours.recv(MOST):
            pid, code, *took = json.loads(message)
            with self._heard:
                if code is None:
                    self._forked.append(pid)
                else:
                    self._endings[pid] = (code, Took(*took))
                self._heard.notify_all()
        with self._heard:
            self._heard.notify_all()


def forked_arguments(asking: socket.socket) -> list[str] | None:
    """Fork a command for each request.

    Returns in each fork, with the command's arguments, and at the end of the requests, with None.
    """
    running: dict[int, int] = {}  # pids by the file that reports the end
    with selectors.DefaultSelector() as selector:
        selector.register(asking, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fd in running:
                    selector.unregister(key.fd)
                    _report_end(asking, running.pop(key.fd), key.fd)
                    continue
                message, files, _, _ = socket.recv_fds(asking, MOST, 2)
                if not message:
                    return None
                pid = os.fork()
                if pid == 0:
                    return _settled_arguments(message, files, [*running, asking.detach()])
                for file in files:
                    os.close(file)
                end = os.pidfd_open(pid)
                running[end] = pid
                selector.register(end, selectors.EVENT_READ)
                asking.send(json.dumps([pid, None]).encode())


def _report_end(asking: socket.socket, pid: int, end: int) -> None:
    os.close(end)
    _, status, usage = os.wait4(pid, 0)
    took = Took.of(usage)
    answer = [pid, os.waitstatus_to_exitcode(status), took.peak_kib, took.cpu_s]
    with contextlib.suppress(OSError):  # the tests have ended
        asking.send(json.dumps(answer).encode())


def _settled_arguments(request: bytes, files: Sequence[int], others: Sequence[int]) -> list[str]:
    """The arguments of a request, in a process that is now like one that a shell has started."""
    for other in others:
        os.close(other)
    os.setsid()
    for place, file in enumerate(files, start=1):
        os.dup2(file, place)
        os.close(file)
    arguments, environment, folder = json.loads(request)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    random.seed()
    return list(arguments)


def _main() -> None:
    asking = socket.socket(fileno=int(sys.argv[1]))
    for name in LIBRARIES:
        __import__(name)
    for name in MODELS:
        pkgutil.resolve_name(name).model_rebuild()
    assert "headcount.cli" not in sys.modules
    threads = len(list(Path("/proc/self/task").iterdir()))
    assert threads == 1, f"{threads} threads do not survive a fork"
    arguments = forked_arguments(asking)
    if arguments is not None:
        program = os.environ.pop(PROGRAM, None)
        sys.argv = [program or "headcount", *arguments]
        if program is not None:
            runpy.run_path(program, run_name="__main__")
        else:
            runpy.run_module("headcount", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _main()
