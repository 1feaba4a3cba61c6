"""A server process of the lab: started, waited for, ended by its pid and never by its name."""

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from headcount.errors import SystemLimitError

START_S = 20.0
"""Longest wait for a server to say that it is ready."""
STOP_S = 10.0
"""Longest wait for a server to end by itself before it is killed."""
MOST_LOG_BYTES = 64 * 1024
"""How much of a server's output is read, from its start."""


class ServerProcess:
    """A child in a session of its own, so that Ctrl-C in the terminal does not reach it first.

    Its standard input is a pipe to which nothing is ever written. The system closes it when this
    process ends, however it ends, and the server takes that as the order to end, too.
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> None:
        """Start the command; its output goes to a file without a name.

        `environment` is added to that of this process.
        """
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the server
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=self._log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={**os.environ, **(environment or {})},
            )
        except OSError as error:
            self._log.close()
            raise SystemLimitError(f"cannot start {command[0]}: {error.strerror}") from error

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def log(self) -> Path:
        """Its output, as a file that can be read while it runs."""
        return Path(f"/proc/self/fd/{self._log.fileno()}")

    @property
    def log_bytes(self) -> int:
        """How much it has printed."""
        return os.fstat(self._log.fileno()).st_size

    def log_text(self, offset: int = 0) -> str:
        """The start of its output, after `offset` bytes."""
        return os.pread(self._log.fileno(), MOST_LOG_BYTES, offset).decode(errors="replace")

    def ready_line(self, start: str, offset: int = 0) -> str:
        """Wait for the line that reports that it is ready; `start` is how that line begins.

        Output before `offset` does not count.

        Raises SystemLimitError with its output if it ends instead. It is stopped if the wait is
        given up for any reason.
        """
        try:
            return self._wait_for(start, offset)
        except BaseException:
            self.stop()
            raise

    def _wait_for(self, start: str, offset: int) -> str:
        deadline_s = time.monotonic() + START_S
        while time.monotonic() < deadline_s:
            ended = self._process.poll() is not None
            text = self.log_text(offset)
            whole = text[: text.rfind("\n") + 1].splitlines()
            found = next((line for line in whole if line.startswith(start)), None)
            if found is not None and not ended:
                return found
            if ended:
                log = text.strip() or "nothing"
                raise SystemLimitError(f"the lab server ended at once; its log: {log}")
            time.sleep(0.02)
        raise SystemLimitError(f"the lab server was not ready within {START_S:g} s")

    def stop(self) -> None:
        """Ask it to end, and kill it when it does not; continues it first if it is stopped.

        Safe to call twice.
        """
        if self._process.poll() is None:
            for name in (signal.SIGCONT, signal.SIGTERM):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._process.pid, name)
            try:
                self._process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._log.close()
