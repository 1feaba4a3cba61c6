"""Running the programs that own a format: sysstat's sadf, PCP's pmrep."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from headcount.errors import InputError, SystemLimitError
from headcount.text import clean

_PATIENCE_S = 600
"""A day of sysstat's takes seconds to convert, a large archive of PCP's minutes."""
_SAID = 500
_SYSTEM_PYTHON = Path("/usr/bin/python3")


def output(command: Sequence[str], *, log: Path, package: str) -> bytes:
    """What a program writes about a log.

    Args:
        command: The program and its arguments.
        log: The log it reads, for errors.
        package: The Debian package that has the program.

    Raises:
        SystemLimitError: The program is not installed.
        InputError: It could not read the log; the text has what it said.

    """
    if shutil.which(command[0]) is None:
        raise SystemLimitError(
            f"{log}: reading it needs {command[0]}; install it: apt-get install {package}"
        )
    with tempfile.TemporaryFile() as written, tempfile.TemporaryFile() as said:
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=said,
                env=_environment(),
                timeout=_PATIENCE_S,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise InputError(
                f"{log}: {command[0]} took over {_PATIENCE_S} s to read it; give a part of it"
            ) from error
        written.seek(0)
        said.seek(0)
        if done.returncode != 0:
            text = clean(said.read(_SAID).decode("utf-8", "replace")).strip()
            raise InputError(f"{log}: {command[0]} cannot read it: {text or done.returncode}")
        return written.read()


def _environment() -> dict[str, str]:
    """The environment, in the language that programs read.

    PCP's programs of Python run the first python3 on the PATH, which may be any; the system's is
    the one that has its modules. Metrics that PCP's configuration here derives from others are none
    of a log's.
    """
    mine = os.environ | {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PCP_DERIVED_CONFIG": ""}
    mine.pop("PYTHONPATH", None)
    if _SYSTEM_PYTHON.exists():
        mine.setdefault("PCP_PYTHON_PROG", str(_SYSTEM_PYTHON))
    return mine
