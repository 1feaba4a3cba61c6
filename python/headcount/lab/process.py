"""A server process of the lab: started, waited for, ended by its pid and never by its name."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from headcount.errors import SystemLimitError

START_S = 20.0
"""Longest wait for a server to say that it is ready."""
STOP_S = 10.0
"""Longest wait for a server to end by itself before it is killed."""


class ServerProcess:
    """A child in a session of its own, so that Ctrl-C in the terminal does not reach it first."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        """Start the command; what it prints goes to `log`, its first line is waited for."""
        self._log = log
        try:
            with log.open("wb") as output:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
        except OSError as error:
            raise SystemLimitError(f"cannot start {command[0]}: {error.strerror}") from error

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def ready_line(self, start: str) -> str:
        """Wait for the line with which it says that it is ready; `start` is how that line begins.

        Raises SystemLimitError with what it printed if it ends instead.
        """
        deadline_s = time.monotonic() + START_S
        while time.monotonic() < deadline_s:
            ended = self._process.poll() is not None
            text = self._log.read_text("utf-8", errors="replace")
            whole = text[: text.rfind("\n") + 1].splitlines()
            found = next((line for line in whole if line.startswith(start)), None)
            if found is not None and not ended:
                return found
            if ended:
                said = text.strip() or "nothing"
                raise SystemLimitError(f"the server of the lab ended at once; it said: {said}")
            time.sleep(0.02)
        self.stop()
        raise SystemLimitError(f"the server of the lab was not ready within {START_S:g} s")

    def stop(self) -> None:
        """Ask it to end, and kill it when it does not; continues it first if it is stopped."""
        if self._process.poll() is not None:
            return
        for name in (signal.SIGCONT, signal.SIGTERM):
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, name)
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
