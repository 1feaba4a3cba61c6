"""Drops the files of a server from the page cache, so that reading them takes the disk.

A new data set is in the page cache, charged to the process that wrote it: limits of the server's
memory or disk would have no effect until it is gone from there.
"""

import contextlib
import os
from pathlib import Path


def forget(folder: Path) -> int:
    """Write out and drop the cached pages of all files below a folder; returns how many files.

    Pages that a process has mapped or locked stay (posix_fadvise(2)). Unlike dropping all caches it
    does nothing to other files of the machine, and leaves no marks of having been evicted.
    """
    done = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):  # it was just deleted, or is a socket
                handle = os.open(Path(place) / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
                try:
                    os.fdatasync(handle)
                    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
                    done += 1
                finally:
                    os.close(handle)
    return done
