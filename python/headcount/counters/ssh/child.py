"""The system's `ssh` as a child process that answers requests, each within a time limit."""

import contextlib
import os
import selectors
import subprocess
import tempfile
import time
from collections import deque

from headcount.counters.address import Address
from headcount.counters.ssh import complaint, script
from headcount.errors import SystemLimitError, TargetError

LOGIN_S = 20.0
"""Longest wait for the login: unresponsive name servers cost ten seconds and more."""
ANSWER_S = 5.0
"""Longest wait for an answer; the run does not wait for it."""
MOST_BYTES = 4 * 2**20
"""No answer about a machine is larger: with 1,000 CPUs it is some 300 KiB."""
MOST_BYTES_OF_ALL = 32 * 2**20
"""No answer about all of its processes is larger: with 10,000 it is some 10 MiB."""
OPTIONS = {
    "BatchMode": "yes",  # no prompts, since nobody could answer
    "ConnectTimeout": "5",
    "ServerAliveInterval": "2",
    "ServerAliveCountMax": "3",
    "ClearAllForwardings": "yes",
    "PermitLocalCommand": "no",
    "RequestTTY": "no",
    "ForwardAgent": "no",
    "ForwardX11": "no",
    "EscapeChar": "none",
}
"""Options that override the user's configuration. All else follows it: names of machines, users,
keys, jump hosts and known hosts."""


class SshChild:
    """One login, for as long as it lasts.

    Args:
        address: The login.

    """

    def __init__(self, address: Address) -> None:
        """Begin to log in; raises SystemLimitError without ``ssh``."""
        self._address = address
        # A file takes all error messages; a pipe that nobody reads would block the child.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        self._lines: deque[str] = deque()
        self._rest = b""
        try:
            self._process = subprocess.Popen(
                _arguments(address),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
                start_new_session=True,  # Ctrl-C reaches Headcount, which then ends it
            )
        except FileNotFoundError as error:
            self._errors.close()
            raise SystemLimitError(
                f"{address.text} needs the program ssh, which is not installed; on Debian: "
                "apt install openssh-client"
            ) from error

    def greet(self) -> list[str]:
        """Wait for the login and for the other end's greeting; raises TargetError."""
        return self.lines_until(script.READY, LOGIN_S)

    def ask(self, number: int, request: str) -> None:
        """Send a request, which is one line of POSIX shell."""
        assert self._process.stdin is not None
        text = f"{number} {request}\n".encode()
        try:
            while text:
                text = text[self._process.stdin.write(text) or 0 :]
        except OSError as error:
            raise self._ended() from error

    def lines_until(
        self, last: str, patience_s: float = ANSWER_S, most_bytes: int = MOST_BYTES
    ) -> list[str]:
        """The lines up to the one that begins with `last`; waits for them."""
        assert self._process.stdout is not None
        end_s = time.monotonic() + patience_s
        taken = 0
        lines: list[str] = []
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while True:
                while self._lines:
                    lines.append(self._lines.popleft())
                    if lines[-1].startswith(last):
                        return lines
                wait_s = end_s - time.monotonic()
                if wait_s <= 0 or not selector.select(wait_s):
                    raise self._failure("it does not answer")
                chunk = os.read(self._process.stdout.fileno(), 65_536)
                taken += len(chunk)
                if not chunk:
                    raise self._ended()
                if taken > most_bytes:
                    raise self._failure("its answer is too large")
                *whole, self._rest = (self._rest + chunk).split(b"\n")
                self._lines.extend(line.decode("utf-8", "replace") for line in whole)

    def end(self) -> None:
        """End the login; a thread that waits for an answer gets none. The remote loop ends, too."""
        self._process.kill()

    def close(self) -> None:
        """End the login and release everything; no thread may be waiting."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self.end()
        self._process.wait()
        self._errors.close()

    def _ended(self) -> TargetError:
        """The error that says why the child has ended or is about to."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1.0)
        self._errors.seek(0)
        written = self._errors.read(65_536).decode("utf-8", "replace")
        return self._failure(complaint.explain(written, login(self._address), self._address.host))

    def _failure(self, reason: str) -> TargetError:
        return TargetError(f"no counters from {self._address.text}: {reason}")


def login(address: Address) -> str:
    """The login as a person would give it to `ssh`."""
    port = f"-p {address.port} " if address.port is not None else ""
    return port + (f"{address.user}@" if address.user else "") + address.host


def whom(address: Address) -> list[str]:
    """The arguments of an `ssh` command that name the login."""
    port = ["-p", str(address.port)] if address.port is not None else []
    user = ["-l", address.user] if address.user is not None else []
    return [*port, *user, "--", address.host]


def _arguments(address: Address) -> list[str]:
    options = [f"-o{key}={value}" for key, value in OPTIONS.items()]
    return ["ssh", *options, *whom(address), script.COMMAND]
