"""The disk that a path is on, as control groups name it: `major:minor` of the whole device."""

import os
from pathlib import Path

from headcount.errors import SystemLimitError

MOST_LAYERS = 8
"""Most loop devices on top of each other."""


def device_of(path: Path, sys: Path = Path("/sys")) -> str:
    """The disk that holds a path; raises SystemLimitError if there is none to limit.

    A partition's limit is that of its disk. A loop device stands for a file, and the limit applies
    to the disk with that file: only then does the loop device show waits, too.
    """
    at = path
    for _ in range(MOST_LAYERS):
        try:
            number = at.stat().st_dev
        except OSError as error:
            raise SystemLimitError(f"cannot see which disk {at} is on: {error.strerror}") from error
        folder = sys / "dev/block" / f"{os.major(number)}:{os.minor(number)}"
        if not folder.exists():
            break
        whole = folder.resolve()
        if (whole / "partition").exists():
            whole = whole.parent
        backing = whole / "loop/backing_file"
        if not backing.exists():
            return (whole / "dev").read_text("ascii").strip()
        at = Path(backing.read_text("utf-8").strip())
    raise SystemLimitError(
        f"{path} is not on a disk of its own that could be limited (a memory file system, a "
        "network mount or several disks joined); name a folder on a disk: "
        "XDG_CACHE_HOME=/some/folder headcount run ..."
    )
