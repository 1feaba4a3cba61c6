"""Having the system forget the files of a server, so that reading them takes the disk.

A data set that was just made is in the page cache, at the expense of whoever wrote it: neither a
limit of the server's memory nor one of its disk would be felt until it is gone from there.
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
            with contextlib.suppress(OSError):  # it has just gone, or is a socket
                handle = os.open(Path(place) / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
                try:
                    os.fdatasync(handle)
                    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
                    done += 1
                finally:
                    os.close(handle)
    return done
