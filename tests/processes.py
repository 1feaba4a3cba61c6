"""Headcount as people run it: as processes, in a home of their own, all ended afterwards."""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from preloaded import PROGRAM, Fork, Preloaded, Took

# Commands inherit which signals are ignored; a test that wants one ignored says so.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # tests in the background of a shell
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:  # tests under nohup
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

LONGEST_S = 180.0
"""No command of the tests takes longer. (A search with a budget of 80 s has taken over 90.)"""

FORKS = "HEADCOUNT_TESTS_FORK"
"""0: start each command as a user does, with an interpreter of its own (`make proof`)."""

SEED = "1"
"""Of runs that name none: few users in a short level do nothing at all with some seeds. A plan that
is repeated has one of its own."""


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed for programs; nothing else may be on standard output."""
        assert self.out, self
        return json.loads(self.out)

    @property
    def message(self) -> str:
        """The one error message; anything else on standard error would be a defect."""
        errors = [line for line in self.err.splitlines() if line.startswith("error:")]
        assert len(errors) == 1, self.err
        assert "Traceback" not in self.err, self.err
        return self.err[self.err.index("error:") :].removeprefix("error:").strip()


class Program(subprocess.Popen[bytes]):
    """A command in an interpreter of its own, with what it took once `wait` has returned."""

    took: Took | None = None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; returns its exit code."""
        if self.returncode is None:
            end = os.pidfd_open(self.pid)
            try:
                has_ended = bool(select.select([end], [], [], timeout)[0])
            finally:
                os.close(end)
            if not has_ended:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            _, status, usage = os.wait4(self.pid, 0)
            self.returncode, self.took = os.waitstatus_to_exitcode(status), Took.of(usage)
        return self.returncode


class Command:
    """A command under way."""

    def __init__(
        self,
        arguments: list[str],
        environment: dict[str, str],
        folder: Path,
        preloaded: Preloaded | None,
    ) -> None:
        self._out, self._err = folder / "out", folder / "err"
        self.process: Fork | Program
        with self._out.open("wb") as out, self._err.open("wb") as err:
            if preloaded is not None:
                self.process = preloaded.start(arguments, environment, out.fileno(), err.fileno())
                return
            self.process = Program(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=environment,
                start_new_session=True,
            )

    @property
    def out(self) -> str:
        return self._out.read_text("utf-8")

    @property
    def err(self) -> str:
        return self._err.read_text("utf-8")

    def reach(self, true: Callable[[], Any], timeout_s: float = 60.0) -> None:
        """Wait until something is true while it runs."""

        def reached() -> bool:
            has_ended = self.process.poll() is not None  # before the look: its last act counts
            if true():
                return True
            assert not has_ended, f"ended too early: {self.out} {self.err}"
            return False

        wait_for(reached, timeout_s)

    def send(self, name: signal.Signals) -> None:
        os.kill(self.process.pid, name)

    def ended(self, timeout_s: float = LONGEST_S) -> Ended:
        """Wait for its end."""
        try:
            code = self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise AssertionError(
                f"still running after {timeout_s} s: {self.out} {self.err}"
            ) from None
        return Ended(code, self.out, self.err)

    def kill(self) -> None:
        """End it, whatever it does."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Headcount:
    """The command line, with caches and bundles below one folder."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.runs = home / "runs"
        self.lab = home / "cache" / "headcount" / "lab"
        self._commands: list[Command] = []
        self.environment = {
            **{key: value for key, value in os.environ.items() if "HEADCOUNT" not in key},
            "HOME": str(home),
            "XDG_CACHE_HOME": str(home / "cache"),
            "HEADCOUNT_RUNS": str(self.runs),
            "COLUMNS": "100",
        }

    def start(
        self,
        *arguments: str,
        ulimit: str = "",
        ignored: str = "",
        before: tuple[str, ...] = (),
        program: str = "",
        **environment: str,
    ) -> Command:
        """Start a command, in a shell that first limits something, or ignores a signal.

        `before` is a program, with its arguments, that starts it in turn. Without any of these it
        is a fork of a process that has the libraries (`preloaded.py`). `program` is one of the
        tests' that is started instead of Headcount.
        """
        has_seed = "--seed" in arguments or any(one.endswith("plan.toml") for one in arguments)
        if arguments[:1] == ("run",) and len(arguments) > 1 and not has_seed:
            arguments += ("--seed", SEED)
        environment = {**self.environment, **environment}
        if program:
            environment[PROGRAM] = program
        folder = self.home / f"command-{len(self._commands)}"
        folder.mkdir(parents=True)
        preloaded = None if ulimit or ignored or before else _preloaded()
        if preloaded is not None and preloaded.can_start(environment):
            self._commands.append(Command([*arguments], environment, folder, preloaded))
            return self._commands[-1]
        what = [program] if program else ["-m", "headcount"]
        line = [*before, sys.executable, *what, *arguments]
        first = [f"ulimit {ulimit}"] if ulimit else []
        first += [f"trap '' {ignored}"] if ignored else []
        if first:
            line = ["/bin/sh", "-c", " && ".join([*first, 'exec "$@"']), "sh", *line]
        self._commands.append(Command(line, environment, folder, None))
        return self._commands[-1]

    def run(
        self, *arguments: str, ulimit: str = "", before: tuple[str, ...] = (), **environment: str
    ) -> Ended:
        """Run a command to its end."""
        return self.start(*arguments, ulimit=ulimit, before=before, **environment).ended()

    def serve(self, data: Path, *arguments: str) -> tuple[Command, str]:
        """Start an application server that no run owns; returns it and its target."""
        server = self.start(
            "serve", "app", "--json", "--listen", "127.0.0.1:0", "--data", str(data), *arguments
        )
        server.reach(lambda: server.out.endswith("\n"))
        return server, "app://" + json.loads(server.out)["address"]

    def bundles(self) -> list[Path]:
        """The bundles there are."""
        return sorted(self.runs.iterdir()) if self.runs.is_dir() else []

    @property
    def bundle(self) -> Path:
        """The only bundle."""
        (bundle,) = self.bundles()
        return bundle

    def servers(self) -> list[int]:
        """The processes of the servers that runs have started in this home."""
        return processes_with(str(self.lab))

    def leftovers(self) -> list[str]:
        """What lab servers have left behind."""
        return sorted(path.name for path in self.lab.iterdir()) if self.lab.is_dir() else []

    def close(self) -> None:
        """End everything that was started."""
        for command in self._commands:
            command.kill()
        for pid in processes_with(str(self.home)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@cache
def _preloaded() -> Preloaded | None:
    """What forks the commands of this worker; None where each is to start an interpreter."""
    return Preloaded() if os.environ.get(FORKS, "1") != "0" else None


def processes_with(text: str) -> list[int]:
    """Processes whose command line contains a text that only a test's own processes have."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            with contextlib.suppress(OSError):
                if text.encode() in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
    return found


def proc_file(pid: int, part: str) -> bytes:
    """A file of a process in /proc, such as its "comm"; empty once it has ended."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/{part}").read_bytes()
    return b""


def owners(pids: Iterable[int]) -> set[int]:
    """The owners of those of some processes that have not ended."""
    found = set()
    for pid in pids:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found.add(Path(f"/proc/{pid}").stat().st_uid)
    return found


def wait_for(true: Callable[[], Any], timeout_s: float = 30.0) -> None:
    """Wait until something is true."""
    deadline_s = time.monotonic() + timeout_s
    while not true():
        assert time.monotonic() < deadline_s, f"not within {timeout_s} s"
        time.sleep(0.02)


def lines(path: Path) -> list[Any]:
    """The whole lines of JSON of a growing file."""
    text = path.read_text("utf-8") if path.exists() else ""
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].split("\n") if line]


def phase(bundle: Path) -> str:
    """The phase of the last second that a bundle has; none before the first."""
    seconds = lines(bundle / "series.ndjson")
    return str(seconds[-1]["phase"]) if seconds else ""


@contextlib.contextmanager
def listening() -> Iterator[socket.socket]:
    """A socket that listens on a loopback port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server
