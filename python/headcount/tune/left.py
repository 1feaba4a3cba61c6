"""Journals of earlier tunings on this machine: what they left changed, and how that is undone."""

import os
from dataclasses import dataclass
from pathlib import Path

from headcount.errors import InputError
from headcount.tune.host import ThisHost
from headcount.tune.journal import DONE, GUARD, KEPT, SCRIPT

RESTORE_S = 300.0
"""Longest wait for a server that is restarted by a way back."""


@dataclass(frozen=True)
class Left:
    """A journal.

    Attributes:
        folder: Where it is.
        is_kept: Whether its changes were to stay.
        is_guarded: Whether its tuning is under way, or its guard is about to undo it.

    """

    folder: Path
    is_kept: bool
    is_guarded: bool


def journals_folder() -> Path:
    """Where journals are: a folder of this user's that outlives a restart of the machine."""
    given = os.environ.get("XDG_STATE_HOME")
    usual = Path("/var/lib") if os.geteuid() == 0 else Path.home() / ".local/state"
    return (Path(given) if given else usual) / "headcount" / "tune"


def left() -> list[Left]:
    """Journals whose changes are not undone, the newest first."""
    base = journals_folder()
    folders = sorted(base.iterdir(), reverse=True) if base.is_dir() else []
    return [
        Left(one, (one / KEPT).exists(), _is_guarded(one))
        for one in folders
        if (one / SCRIPT).exists() and ((one / KEPT).exists() or not (one / DONE).exists())
    ]


def check_nothing_left() -> None:
    """Raise InputError where an earlier tuning was cut off and has changed something."""
    for one in left():
        if one.is_kept:
            continue
        if one.is_guarded:
            raise InputError(
                "another tuning is under way on this machine, or has just been cut off; wait until "
                f"it has ended: {one.folder}"
            )
        raise InputError(
            "an earlier tuning was cut off and its changes are still there; undo them first: "
            "headcount tune --restore"
        )


def restore(one: Left) -> str | None:
    """Undo what a tuning has changed; returns what could not be, if anything."""
    (one.folder / KEPT).unlink(missing_ok=True)
    ended = ThisHost().run(["sh", str(one.folder / SCRIPT)], RESTORE_S)
    return None if ended.code == 0 else ended.output.strip()


def _is_guarded(folder: Path) -> bool:
    guard = str(folder / GUARD).encode()
    for process in Path("/proc").iterdir():
        if process.name.isdecimal():
            try:
                if guard in (process / "cmdline").read_bytes().split(b"\0"):
                    return True
            except OSError:
                continue
    return False
