"""Samba's sessions, connections to shares and open files, by smbstatus.

smbstatus is a program that reads smbd's databases: 50 ms of CPU time with nobody logged on, and
more with every open file. One sample starts it and a later one takes its answer, so no sample
waits for it. It is started again only once its cost is down to a set share of a core.
"""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any

from headcount.counters.source import Sample

DUTY = 0.01
"""Share of one core that smbstatus may cost. Our choice: with nobody logged on it runs about every
5 s."""
_COUNTED = {
    "samba.sessions": "sessions",
    "samba.tree_connects": "tcons",
    "samba.open_files": "open_files",
}


class SambaSource:
    """Counters of an smbd, read now and then.

    Args:
        command: smbstatus with its configuration and ``--json``.
        name: Whose counters these are.
        most: Processes that smbd may have; 0 for no limit.
        clock: Seconds that never run backwards.

    """

    def __init__(
        self,
        command: Sequence[str],
        name: str = "server",
        *,
        most: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Ask nothing yet."""
        self.name = name
        self._command = list(command)
        self._limits = {"samba.processes.limit": float(most)} if most else {}
        self._clock = clock
        self._asked: tuple[subprocess.Popen[bytes], IO[bytes]] | None = None
        self._due_s = float("-inf")

    def sample(self) -> Sample:
        """Take an answer that has arrived, and start smbstatus again if due; mostly empty."""
        at_s = self._clock()
        values = self._taken(at_s) if self._asked is not None else {}
        if self._asked is None and at_s >= self._due_s:
            self._ask()
        return Sample(at_s, values | self._limits)

    def close(self) -> None:
        """Kill an smbstatus that has not answered."""
        if self._asked is not None:
            program, answer = self._asked
            program.kill()
            program.wait()
            answer.close()
            self._asked = None

    def _ask(self) -> None:
        answer = tempfile.TemporaryFile()  # noqa: SIM115 - closed when it has been read
        try:
            quiet = subprocess.DEVNULL
            program = subprocess.Popen(self._command, stdin=quiet, stdout=answer, stderr=quiet)
        except OSError:
            answer.close()
            self._due_s = float("inf")  # not installed
            return
        self._asked = program, answer

    def _taken(self, at_s: float) -> dict[str, float]:
        """The answer, once the program has ended."""
        if self._asked is None:
            return {}
        program, answer = self._asked
        pid, status, usage = os.wait4(program.pid, os.WNOHANG)
        if pid == 0:
            return {}
        program.returncode = os.waitstatus_to_exitcode(status)
        self._asked = None
        self._due_s = at_s + (usage.ru_utime + usage.ru_stime) / DUTY
        with answer:
            answer.seek(0)
            text = answer.read()
        return figures(text) if program.returncode == 0 else {}


def figures(text: bytes) -> dict[str, float]:
    """Counts in the JSON of smbstatus; empty for any other text."""
    try:
        answer: Any = json.loads(text)
    except ValueError:
        return {}
    if not isinstance(answer, Mapping):
        return {}
    return {
        name: len(answer[key])
        for name, key in _COUNTED.items()
        if isinstance(answer.get(key), Mapping)
    }
