"""Programs of this machine that the lab starts: where they are, and which version."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from headcount.errors import MachineLimitError, SystemLimitError
from headcount.lab.account import Account

FOLDERS = ("/usr/sbin", "/usr/local/sbin")
"""Folders with servers, which may not be on a user's PATH."""
RUN_S = 120.0
"""Longest wait for a program that only prints or makes something. initdb took over 20 s on 2 CPUs
beside twenty busy programs."""


class NotInstalledError(MachineLimitError):
    """A program is not on this machine."""


@dataclass(frozen=True, slots=True)
class Packages:
    """The names of the packages with a program, separated by blanks; empty if there is none."""

    debian: str
    fedora: str = ""

    def advice(self, need: str) -> str:
        """The error for a need such as "lab:nginx needs nginx", with how to install it."""
        fedora = f" (on Fedora: dnf install {self.fedora})" if self.fedora else ""
        return (
            f"{need}, which is not installed here; install it first: "
            f"{apt_command(self.debian.split())}{fedora}"
        )


def apt_command(packages: Iterable[str]) -> str:
    """The command that installs packages on Debian, without questions."""
    names = list(packages)
    # Its installation asks what kind of mail server this is to be.
    quietly = "DEBIAN_FRONTEND=noninteractive " if "postfix" in names else ""
    return f"{quietly}apt-get install -y --no-install-recommends {' '.join(names)}"


def find(program: str, advice: str, folders: Sequence[str] | None = None) -> str:
    """The path of a program; raises NotInstalledError with the advice how to install it.

    `folders` are looked in beside the PATH: `FOLDERS`, unless others are given.
    """
    beside = FOLDERS if folders is None else folders
    places = [*os.environ.get("PATH", "").split(os.pathsep), *beside]
    found = shutil.which(program, path=os.pathsep.join(filter(None, places)))
    if found is None:
        raise NotInstalledError(advice)
    return found


def command_output(command: Sequence[str], account: Account | None = None) -> str:
    """What a program prints; raises SystemLimitError if it does not run or fails.

    `account` is the account that it runs as, if not this user's.
    """
    options: dict[str, Any] = {}
    if account is not None and account.uid != os.geteuid():
        options = {"user": account.uid, "group": account.gid, "extra_groups": [], "cwd": "/"}
    try:
        finished = subprocess.run(
            command, capture_output=True, text=True, timeout=RUN_S, check=False, **options
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SystemLimitError(f"{command[0]} cannot run: {error}") from error
    text: str = (finished.stdout + finished.stderr).strip()
    if finished.returncode != 0:
        raise SystemLimitError(f"{' '.join(command[:2])} failed; its output: {text or 'nothing'}")
    return text
