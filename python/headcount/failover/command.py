"""Commands that somebody gives for a fault, for what follows it, and for what is to be asked."""

import os
import signal
import subprocess
import time
from contextlib import suppress
from tempfile import TemporaryFile

from headcount.errors import TargetError
from headcount.text import clean

LONGEST_S = 600.0
"""A command that takes longer is ended: nothing waits for ever."""
END_S = 2.0
"""How long it has to end by itself."""
AGAIN_S = 0.2
"""Between two tries of one that is to succeed some time."""
MOST_BYTES = 100_000
"""Of its output."""


def run(command: str, option: str, longest_s: float = LONGEST_S) -> None:
    """Run a command by the shell; raises TargetError where it fails or takes too long."""
    code, output = outcome(command, longest_s)
    if code is None:
        raise TargetError(f"{option}: the command took longer than {longest_s:g} s: {command}")
    if code != 0:
        last = output.strip().splitlines()[-1:]
        printed = f": {clean(last[0])}" if last else ""
        raise TargetError(f"{option}: the command ended with exit code {code}{printed} ({command})")


def succeeds(command: str, longest_s: float) -> bool:
    """Whether a command ends with exit code 0 in time."""
    return outcome(command, longest_s)[0] == 0


def comes_true(command: str, longest_s: float) -> bool:
    """Run a command again and again until it succeeds; returns whether it did in time."""
    end_s = time.monotonic() + longest_s
    while not succeeds(command, min(longest_s, LONGEST_S)):
        if time.monotonic() > end_s:
            return False
        time.sleep(AGAIN_S)
    return True


def outcome(command: str, longest_s: float) -> tuple[int | None, str]:
    """The exit code of a command, None where it took too long; and what it printed.

    What it starts in the background goes on, as from a shell: a server, say. So its output is a
    file, whose end nobody has to wait for.
    """
    with TemporaryFile() as output:
        one = subprocess.Popen(
            ["/bin/sh", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = one.wait(longest_s)
        except subprocess.TimeoutExpired:
            _end(one)
            return None, ""
        except BaseException:  # Ctrl-C: the command must not go on
            _end(one)
            raise
        output.seek(0)
        return code, output.read(MOST_BYTES).decode(errors="replace")


def _end(one: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError):
        os.killpg(one.pid, signal.SIGTERM)
    try:
        one.wait(END_S)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(one.pid, signal.SIGKILL)
