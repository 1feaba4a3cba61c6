"""Commands given for a fault, for the recovery from it, and for questions about it."""

import os
import signal
import subprocess
import time
from contextlib import suppress
from tempfile import TemporaryFile
from threading import Event

from headcount.errors import TargetError
from headcount.text import clean

LONGEST_S = 600.0
"""A command that takes longer is ended, so that nothing waits for ever."""
END_S = 2.0
"""How long it has to end by itself before it is killed."""
HEAR_S = 0.05
"""How often it is checked whether a command must end."""
NEVER = Event()
"""An event that is never set."""
MOST_BYTES = 100_000
"""Most bytes of its output that are read."""


def run(command: str, option: str, longest_s: float = LONGEST_S, ended: Event = NEVER) -> None:
    """Run a command in the shell; raises TargetError if it fails or takes too long.

    It is also ended as soon as `ended` is set.
    """
    code, output = outcome(command, longest_s, ended)
    if code is None:
        if ended.is_set():
            raise TargetError(f"{option}: the command was interrupted: {command}")
        raise TargetError(f"{option}: the command took longer than {longest_s:g} s: {command}")
    if code != 0:
        last = output.strip().splitlines()[-1:]
        printed = f": {clean(last[0])}" if last else ""
        raise TargetError(f"{option}: the command ended with exit code {code}{printed} ({command})")


def succeeds(command: str, longest_s: float, ended: Event = NEVER) -> bool:
    """Whether a command ends with exit code 0 in time."""
    return outcome(command, longest_s, ended)[0] == 0


def outcome(command: str, longest_s: float, ended: Event = NEVER) -> tuple[int | None, str]:
    """The exit code of a command, None if it took too long; and what it printed.

    What it starts in the background, such as a server, goes on. So its output goes to a file: a
    pipe would stay open until that ends.
    """
    end_s = time.monotonic() + longest_s
    with TemporaryFile() as output:
        one = subprocess.Popen(
            ["/bin/sh", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            while one.poll() is None:
                if ended.is_set() or time.monotonic() > end_s:
                    _end(one)
                    return None, ""
                with suppress(subprocess.TimeoutExpired):
                    one.wait(HEAR_S)
        except BaseException:  # Ctrl-C: the command must not go on
            _end(one)
            raise
        output.seek(0)
        return one.returncode, output.read(MOST_BYTES).decode(errors="replace")


def _end(one: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(one.pid, signal.SIGTERM)
    try:
        one.wait(END_S)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(one.pid, signal.SIGKILL)
