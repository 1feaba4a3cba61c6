"""A login to a machine, over which requests go to `headcount.cluster.far`, and their answers."""

import contextlib
import errno
import json
import os
import select
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any, BinaryIO, cast

from headcount.cluster.far.serve import ANSWER
from headcount.cluster.hosts import Host
from headcount.cluster.shipping import Build, Sender
from headcount.counters.ssh import complaint
from headcount.counters.ssh.child import LOGIN_S, OPTIONS, login, whom
from headcount.errors import InputError, SystemLimitError, TargetError

ASK_S = 30.0
"""Longest wait for an answer that needs no work."""
SEND_S = 600.0
"""Longest wait for a host to write a build."""
MODULES = ("files", "machine", "node", "serve")
"""Modules of `headcount.cluster.far`, each after those that it needs."""
FAR = "headcount.cluster.far"
LOAD = """
import json, sys
print("\\nheadcount-python: %d.%d" % sys.version_info[:2])
sys.stdout.flush()
if sys.version_info < (3, 7): sys.exit(1)
import types
for name in ("headcount", "headcount.cluster", "headcount.cluster.far"):
    sys.modules[name] = types.ModuleType(name); sys.modules[name].__path__ = []
for name, text in json.loads(sys.stdin.buffer.readline().decode()):
    sys.modules[name] = types.ModuleType(name)
    exec(compile(text, name, "exec"), sys.modules[name].__dict__)
    setattr(sys.modules["headcount.cluster.far"], name.rpartition(".")[2], sys.modules[name])
sys.modules["headcount.cluster.far.serve"].main()
"""
"""The program that Python starts with there; all else comes over the login. It begins with a new
line: the user's shell may have printed something, such as a terminal's title."""
VERSION, NO_PYTHON = "headcount-python: ", "headcount-no-python"
HERE = "this machine"


class Login:
    """One login, for as long as it lasts; only one thread at a time may ask.

    Args:
        host: Where to log in; None for this machine.

    """

    def __init__(self, host: Host | None) -> None:
        """Begin to log in; raises SystemLimitError or InputError."""
        self._host = host
        self.name = HERE if host is None else host.login.place
        # A file takes all errors; a pipe that nobody reads would block the child.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        self._rest = b""
        self._lines: list[str] = []
        self._is_killed = threading.Event()
        try:
            self._process = subprocess.Popen(
                _line(host),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
                start_new_session=True,  # Ctrl-C goes to Headcount, which then ends it
            )
        except FileNotFoundError as error:
            self._errors.close()
            raise SystemLimitError(
                f"{self.name} needs the program ssh here, which is not installed; on Debian: "
                "apt install openssh-client"
            ) from error
        self._input = cast("BinaryIO", self._process.stdin)

    def begin(self) -> None:
        """Wait for the login; raises TargetError or SystemLimitError."""
        while not (first := self._next(LOGIN_S)).startswith((VERSION, NO_PYTHON)):
            pass
        version = first.removeprefix(VERSION)
        if first.startswith(NO_PYTHON):
            wanted = self._host.python if self._host is not None else None
            raise SystemLimitError(
                f"{self.name} has no {wanted or 'python' + own_version()}: install Python "
                f"{own_version()} there, or name its program with python = in the hosts file"
            )
        if version != own_version():
            raise SystemLimitError(
                f"{self.name} has Python {version}, and this installation of Headcount needs "
                f"{own_version()} there: install it, or name its program with python = in the "
                "hosts file"
            )
        folder = files(FAR)
        texts = [[f"{FAR}.{name}", (folder / f"{name}.py").read_text("utf-8")] for name in MODULES]
        self._write(json.dumps(texts).encode() + b"\n")

    def ask(self, do: str, patience_s: float = ASK_S, **values: Any) -> Any:
        """The answer to a request; raises TargetError, SystemLimitError."""
        self._write(json.dumps({"do": do, **values}).encode() + b"\n")
        return self._answer(patience_s)

    def send(self, build: Build, folder: str, program: str, note: Callable[[int], None]) -> str:
        """Send a build, and `note` its bytes on the way; returns its folder there."""
        request = {
            "do": "unpack",
            "folder": folder,
            "build": build.hash,
            "program": program,
            "version": own_version(),
        }
        self._write(json.dumps(request).encode() + b"\n")
        sender = Sender(self._input, note)
        try:
            build.send(sender)
        except (BrokenPipeError, ConnectionError) as error:
            raise self._ended() from error
        return str(self._answer(SEND_S))

    def kill(self) -> None:
        """End it at once, from any thread; a thread that waits for an answer gets an error."""
        self._is_killed.set()
        self._process.kill()

    def close(self) -> None:
        """Log out; safe to call twice."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._process.kill()
        self._process.wait()
        self._errors.close()

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[self._input.write(view) :]
        except OSError as error:
            raise self._ended() from error

    def _answer(self, patience_s: float) -> Any:
        while not (line := self._next(patience_s)).startswith(ANSWER):
            pass
        answer = json.loads(line.removeprefix(ANSWER))
        if "error" not in answer:
            return answer["value"]
        text = f"{self.name}: {answer['error']}"
        if answer.get("errno") in (errno.ENOSPC, errno.EDQUOT):
            text += "; free some space there, or name another disk with folder = in the hosts file"
        raise SystemLimitError(text)

    def _next(self, patience_s: float) -> str:
        """The next line; raises TargetError if none comes."""
        output = cast("BinaryIO", self._process.stdout)
        end_s = time.monotonic() + patience_s
        while not self._lines:
            left_s = end_s - time.monotonic()
            if left_s <= 0 or not select.select([output], [], [], left_s)[0]:
                raise TargetError(f"{self.name} does not answer within {patience_s:g} s")
            chunk = os.read(output.fileno(), 1 << 16)
            if not chunk:
                raise self._ended()
            *whole, self._rest = (self._rest + chunk).split(b"\n")
            self._lines = [line.decode("utf-8", "replace") for line in whole]
        return self._lines.pop(0)

    def _ended(self) -> TargetError:
        """The error for a login that has ended, or is about to."""
        if self._is_killed.is_set():
            return TargetError(f"{self.name}: interrupted")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1.0)
        self._errors.seek(0)
        written = self._errors.read(65_536).decode("utf-8", "replace")
        if self._host is None:
            last = written.strip().splitlines()[-1:] or ["no message"]
            return TargetError(f"{self.name}: Python ended: {last[0]}")
        address = self._host.login
        why = complaint.explain(written, login(address), address.host)
        return TargetError(f"cannot reach {self.name}: {why}")


def own_version() -> str:
    """The version of this Python, which hosts must have: `3.11`."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def check_program(host: Host) -> None:
    """Raise InputError if a host's Python is not a program's name."""
    if host.python is not None and host.python.startswith("-"):
        raise InputError(f'{host.address}: python is "{host.python}"; name a program')


def _line(host: Host | None) -> list[str]:
    if host is None:
        return [sys.executable, "-I", "-S", "-c", LOAD]
    check_program(host)
    flags = [f"-o{key}={value}" for key, value in OPTIONS.items()]
    return ["ssh", *flags, *whom(host.login), shlex.join(["sh", "-c", _shell(host)])]


def _shell(host: Host) -> str:
    """The shell script that starts Python there: the named one, this version's, or any."""
    names: Sequence[str] = [host.python] if host.python else [f"python{own_version()}", "python3"]
    starts = [
        f"if command -v {shlex.quote(one)} >/dev/null 2>&1; then "
        f"exec {shlex.quote(one)} -I -S -c {shlex.quote(LOAD)}; fi"
        for one in names
    ]
    return "; ".join([*starts, "echo", f"echo {NO_PYTHON}"])
