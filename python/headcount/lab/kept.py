"""A lab server with a keeper, because it does not end by itself when this process is gone."""

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from headcount.errors import SystemLimitError
from headcount.lab import keeper, port, process
from headcount.lab.account import Account
from headcount.lab.process import ServerProcess

MOST_LINES = 12
"""How many lines of a server's log an error quotes: its first complaint is among them."""
PID_LINE = '{"pid": '
"""How the keeper's line with the server's pid begins."""
NOISE = re.compile(rf"{re.escape(PID_LINE)}|\[[0-9]{{4}}/|\s*=*\s*$")
"""Lines without meaning: the keeper's, Samba's headings with time and place, rules, empty ones."""


class KeptServer(ServerProcess):
    """The server and its keeper, as one.

    Attributes:
        server_pid: The process of the server itself, which also leads its process group.

    """

    def __init__(
        self,
        command: Sequence[str],
        home: Path,
        name: str | None = None,
        account: Account | None = None,
    ) -> None:
        """Start the command; the keeper deletes the home when this process ends.

        `name` is its name in messages, by default the command's; `account` is the account that it
        runs as, by default this user's.
        """
        module = ["-m", "headcount.lab.keeper", "--home", str(home)]
        if account is not None and account.uid != os.geteuid():
            module += ["--user", f"{account.uid}:{account.gid}"]
        super().__init__([sys.executable, *module, "--", *command])
        self.server_pid = 0
        self._name = name or Path(command[0]).name
        self._since = 0
        self._log_since: dict[Path, int] = {}
        self._took: list[tuple[int | None, Path, Callable[[], bool]]] = []
        self._learn_pid()

    def _learn_pid(self) -> None:
        line = self.ready_line(PID_LINE, self._since)
        self.server_pid = int(json.loads(line)["pid"])
        found = [one.started for one in keeper.processes() if one.pid == self.server_pid]
        self._started = found[0] if found else 0

    def restart(self, by: signal.Signals = signal.SIGTERM) -> None:
        """End the server with a signal, start it again, and wait until it serves as before.

        Its data stays. Raises SystemLimitError with what is in its log if it does not come up; even
        then it can be restarted.
        """
        assert self._process.stdin is not None
        self._since = self.log_bytes
        self._log_since = {log: _size(log) for _, log, _ in self._took}
        try:
            os.write(self._process.stdin.fileno(), f"{keeper.RESTART} {int(by)}\n".encode())
        except OSError as error:
            raise SystemLimitError(f"the keeper of {self._name} has ended") from error
        self._learn_pid()
        for number, log, is_ready in tuple(self._took):
            if not self._serves(number, log, is_ready):
                raise SystemLimitError(f"another program has taken port {number} of {self._name}")

    def got_port(self, number: int, log: Path, is_ready: Callable[[], bool] = lambda: True) -> bool:
        """Wait until it listens on this loopback port; False if another program has the port.

        `is_ready` says whether it also serves: some servers listen first and refuse for a while.

        Raises SystemLimitError with what is in its log if it ends for another reason, or takes
        longer than START_S.
        """
        return self._serves(number, log, is_ready)

    def wait_until(self, is_ready: Callable[[], bool], log: Path) -> None:
        """Wait until it serves, if its ports are its own, as in a namespace.

        Raises SystemLimitError with what is in its log if it ends, or takes longer than START_S.
        """
        self._serves(None, log, is_ready)

    def _serves(self, number: int | None, log: Path, is_ready: Callable[[], bool]) -> bool:
        deadline_s = time.monotonic() + process.START_S
        while not (self._has(number) and is_ready()):
            if not Path(f"/proc/{self.server_pid}").exists():
                if number is not None and not port.is_free(number):
                    return False
                raise SystemLimitError(
                    f"{self._name} ended at once; its log: {self._log_excerpt(log)}"
                )
            if time.monotonic() > deadline_s:
                raise SystemLimitError(
                    f"{self._name} was not ready within {process.START_S:g} s; "
                    f"its log: {self._log_excerpt(log)}"
                )
            time.sleep(keeper.PAUSE_S)
        if (number, log, is_ready) not in self._took:
            self._took.append((number, log, is_ready))
        return True

    def _has(self, number: int | None) -> bool:
        """Whether it listens on a port, if it should."""
        return number is None or (port.answers(number) and port.is_held_by(self.server_pid, number))

    def _log_excerpt(self, log: Path) -> str:
        """What it logged since its last start."""
        text = self.log_text(self._since)
        if log.exists():
            text += log.read_bytes()[self._log_since.get(log, 0) :].decode(errors="replace")
        lines = [line.strip() for line in text.splitlines() if not NOISE.match(line)]
        return "\n".join(lines[:MOST_LINES]) or "nothing"

    def stop(self) -> None:
        """End the server and its keeper; safe to call twice."""
        super().stop()
        if self._process.returncode < 0 and self.server_pid:  # the keeper was killed
            keeper.end(self._group)

    def _group(self) -> set[int]:
        """The remaining processes of the server's group, and its descendants in other groups."""
        members = [one for one in keeper.processes() if one.group == self.server_pid]
        if any(one.pid == self.server_pid and one.started != self._started for one in members):
            return set()  # another process has the number by now
        pids = {one.pid for one in members}
        return pids | keeper.descendants(*pids)


class Kept:
    """A lab server that is one kept process, or begins with one.

    Attributes:
        pids: The processes at the root of its tree, that of `server` among them.

    """

    pids: list[int]
    server: KeptServer
    ends_by = signal.SIGTERM
    """The signal that makes it end soon, with its data intact."""

    @property
    def forgets(self) -> bool:
        """Whether a restart loses its data."""
        return False

    def restart(self) -> None:
        """End it and start it again, with its data; raises SystemLimitError if it does not come up.

        `pids` has the new process then.
        """
        place = self.pids.index(self.server.server_pid)
        try:
            self.server.restart(self.ends_by)
        finally:
            self.pids[place] = self.server.server_pid


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0
