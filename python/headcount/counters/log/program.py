"""Runs the programs that own a format: sysstat's sadf, PCP's pmrep."""

import os
import resource
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from headcount.errors import InputError, SystemLimitError
from headcount.text import clean

_PATIENCE_S = 600
"""Longest wait: converting a day of sysstat takes seconds, a large PCP archive minutes."""
_MOST_BYTES = 500
_MOST_WRITTEN, _MOST_MEMORY = 4 << 30, 8 << 30
"""Most output and memory, in bytes: a month of sysstat's daily files in one is 1 GB of text."""
_SYSTEM_PYTHON = Path("/usr/bin/python3")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a program made of a log.

    Attributes:
        text: What it wrote.
        complaint: Its error messages.
        ended_well: Whether it exited as after reading the whole log.

    """

    text: bytes
    complaint: str
    ended_well: bool


def output(command: Sequence[str], *, log: Path, package: str) -> bytes:
    """The output of a program that has read a log to its end; raises the errors of :func:`run`."""
    outcome = run(command, log=log, package=package)
    if not outcome.ended_well:
        raise InputError(f"{log}: {command[0]} cannot read it: {outcome.complaint}")
    return outcome.text


def run(command: Sequence[str], *, log: Path, package: str) -> Outcome:
    """Have a program read a log.

    Args:
        command: The program and its arguments.
        log: The log it reads, for errors.
        package: The Debian package that has the program.

    Raises:
        SystemLimitError: The program is not installed.
        InputError: It took too long.

    """
    if shutil.which(command[0]) is None:
        raise SystemLimitError(
            f"{log}: {command[0]} is needed to read it: apt-get install {package}"
        )
    with tempfile.TemporaryFile() as written, tempfile.TemporaryFile() as errors:
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=errors,
            env=_environment(),
        ) as process:
            _bound(process.pid)
            try:
                code = process.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired as error:
                process.kill()
                raise InputError(
                    f"{log}: {command[0]} took over {_PATIENCE_S} s to read it; use a part of the "
                    "log"
                ) from error
            except BaseException:
                process.kill()
                raise
        written.seek(0)
        errors.seek(0)
        complaint = clean(errors.read(_MOST_BYTES).decode("utf-8", "replace")).strip()
        if code == -signal.SIGXFSZ:
            raise InputError(f"{log}: {command[0]} makes more than {_MOST_WRITTEN:,} bytes from it")
        well = code == 0
        return Outcome(written.read(), complaint or ("" if well else "no reason given"), well)


def _bound(pid: int) -> None:
    """Limit output and memory of a program: a damaged log may claim any number of CPUs.

    The program may have ended already.
    """
    try:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (_MOST_WRITTEN, _MOST_WRITTEN))
        resource.prlimit(pid, resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    except (ProcessLookupError, PermissionError, ValueError):
        pass


def _environment() -> dict[str, str]:
    """The environment, in the language that programs read.

    PCP's Python programs run the first python3 on the PATH, but only the system's has PCP's
    modules. Metrics that PCP's local configuration derives from others do not belong to a log.
    """
    mine = os.environ | {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PCP_DERIVED_CONFIG": ""}
    mine.pop("PYTHONPATH", None)
    if _SYSTEM_PYTHON.exists():
        mine.setdefault("PCP_PYTHON_PROG", str(_SYSTEM_PYTHON))
    return mine
