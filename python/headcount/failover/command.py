"""Commands that somebody gives for a fault, for what follows it, and for what is to be asked."""

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
"""A command that takes longer is ended: nothing waits for ever."""
END_S = 2.0
"""How long it has to end by itself."""
HEAR_S = 0.05
"""How soon it is noticed that a command is to end."""
NEVER = Event()
"""Is never set."""
MOST_BYTES = 100_000
"""Of its output."""


def run(command: str, option: str, longest_s: float = LONGEST_S, ended: Event = NEVER) -> None:
    """Run a command by the shell; raises TargetError where it fails or takes too long.

    It is ended, too, as soon as `ended` is set.
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
    """The exit code of a command, None where it took too long; and what it printed.

    What it starts in the background goes on, as from a shell: a server, say. So its output is a
    file, whose end nobody has to wait for.
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
