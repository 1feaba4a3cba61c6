"""The home of a lab server: a folder of its own on a disk, which does not outlive its run.

A run deletes the home on its way out. A run that was killed cannot, but its server notices and does
(see `headcount.lab.process`). If both were killed, or the power failed, the next run finds the home
unlocked and deletes it.
"""

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
import time
from pathlib import Path

from headcount.errors import MachineLimitError
from headcount.lab.alias import LONGEST, PLAIN

OPEN = Path("/var/cache/headcount/lab")
"""On a disk, where root keeps caches that other users may read (hier(7))."""
YOUNG_S = 60.0
"""A home younger than this may belong to a run that has not locked it yet."""


def base() -> Path:
    """Where homes are: on a disk, in the user's cache folder.

    Raises MachineLimitError for a user without a home folder, as in some containers.
    """
    try:
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError as error:
        raise MachineLimitError(
            "this user has no home folder for the data of lab servers; name a folder: "
            "XDG_CACHE_HOME=/some/folder headcount run ..."
        ) from error
    return Path(cache) / "headcount" / "lab"


def open_base() -> Path:
    """Where homes are whose servers run as another account than root, which starts them.

    The usual place if everybody may pass through it and its name is short and plain, else OPEN.
    Other users than root always get the usual place.
    """
    usual = base()
    if os.geteuid() != 0:
        return usual
    with contextlib.suppress(OSError):
        usual.mkdir(parents=True, exist_ok=True)
        passable = all(one.stat().st_mode & stat.S_IXOTH for one in (usual, *usual.parents))
        if passable and is_plain(usual / "postgresql-12345678"):
            return usual
    return OPEN


def is_plain(path: Path) -> bool:
    """Whether programs can use the path as it is."""
    return len(str(path)) <= LONGEST and PLAIN.fullmatch(str(path)) is not None


def bases() -> tuple[Path, ...]:
    """All the places where homes may be."""
    return base(), OPEN


class Home:
    """A new, empty folder, locked as long as this process lives."""

    def __init__(self, server: str, around: Path | None = None) -> None:
        """Make one for a server of this name; raises SystemLimitError if that fails.

        `around` is the folder for it, if not the usual place; everything in it that is named after
        the server is taken for a home.
        """
        self._lock: int | None = None
        around = around or base()
        try:
            around.mkdir(parents=True, exist_ok=True)
            self.path = Path(tempfile.mkdtemp(prefix=f"{server}-", dir=around))
        except OSError as error:
            raise MachineLimitError(
                f"cannot make a folder for the server's data in {around}: {error.strerror}; name a "
                "folder that can be written: XDG_CACHE_HOME=/some/folder headcount run ..."
            ) from error
        with contextlib.suppress(OSError):  # file systems without locks
            self._lock = _lock_handle(self.path)
        _sweep(server, around)

    def delete(self) -> None:
        """Delete it with everything in it; safe to call twice."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _lock_handle(folder: Path) -> int:
    """Lock a folder until the returned handle is closed; raises OSError if it is locked."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise
    return handle


def _sweep(server: str, around: Path) -> None:
    """Delete homes that nobody has locked."""
    for folder in around.glob(f"{server}-*"):
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > YOUNG_S:
                handle = _lock_handle(folder)
                shutil.rmtree(folder, ignore_errors=True)
                os.close(handle)
