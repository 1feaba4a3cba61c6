"""Programs of this machine that the lab starts: where they are, and which version."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

from headcount.errors import SystemLimitError
from headcount.lab.account import Account

FOLDERS = ("/usr/sbin", "/usr/local/sbin")
"""Where servers are on machines whose users do not have them on their PATH."""
RUN_S = 20.0
"""Longest wait for a program that only says or makes something, on a machine that is busy."""


def find(program: str, advice: str) -> str:
    """The path of a program; raises SystemLimitError with the advice how to install it."""
    folders = [*os.environ.get("PATH", "").split(os.pathsep), *FOLDERS]
    found = shutil.which(program, path=os.pathsep.join(filter(None, folders)))
    if found is None:
        raise SystemLimitError(advice)
    return found


def command_output(command: Sequence[str], account: Account | None = None) -> str:
    """What a program prints; raises SystemLimitError if it does not run or fails.

    `account` is who it runs as, if not as who runs this.
    """
    options: dict[str, Any] = {}
    if account is not None and account.uid != os.geteuid():
        options = {"user": account.uid, "group": account.gid, "extra_groups": [], "cwd": "/"}
    try:
        told = subprocess.run(
            command, capture_output=True, text=True, timeout=RUN_S, check=False, **options
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SystemLimitError(f"{command[0]} cannot run: {error}") from error
    text: str = (told.stdout + told.stderr).strip()
    if told.returncode != 0:
        raise SystemLimitError(f"{' '.join(command[:2])} failed; its output: {text or 'nothing'}")
    return text
