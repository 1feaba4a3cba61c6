"""The folders that runs write into."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from headcount.lab import home
from headcount.output.error import existing

LAB = "lab servers"
"""The purpose of the folder with their data."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that a run writes into.

    Attributes:
        purpose: What it is for.
        path: Where it is, or will be.
        other: How to choose another folder.
        can_write: Whether this user may write there.

    """

    purpose: str
    path: Path
    other: str
    can_write: bool


def folders(uid: int) -> tuple[Folder, ...]:
    """The folders that runs of a user write into when started from here."""
    runs = Path(os.environ.get("HEADCOUNT_RUNS") or "runs").absolute()
    temporary = Path(os.environ.get("TMPDIR") or _usual_temporary())
    lab = [home.base()]
    if uid == 0 and home.open_base() not in lab:  # for servers under other accounts
        lab.append(home.open_base())
    return (
        _folder("runs", runs, "cd /some/folder, or --runs /some/folder"),
        *(_folder(LAB, one, "export XDG_CACHE_HOME=/some/folder") for one in lab),
        _folder("temporary files", temporary, "export TMPDIR=/some/folder"),
    )


def _folder(purpose: str, path: Path, other: str) -> Folder:
    return Folder(purpose, path, other, can_write(path))


def _usual_temporary() -> str:
    try:
        return tempfile.gettempdir()
    except FileNotFoundError:  # none is writable; the check reports that
        return "/tmp"  # noqa: S108 - the name alone


def can_write(path: Path) -> bool:
    """Whether a folder is writable or can be made; tries it by making and removing a folder."""
    try:
        Path(tempfile.mkdtemp(prefix=".headcount-", dir=existing(path))).rmdir()
    except OSError:
        return False
    return True
