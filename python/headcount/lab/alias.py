"""A short, plain path to a folder, for programs that cannot handle its own."""

import os
import re
from pathlib import Path

LONGEST = 80
"""Unix socket paths have at most 107 characters (unix(7)); servers put theirs in subfolders."""
PLAIN = re.compile(r"[A-Za-z0-9/._-]+")
"""Paths that configuration files take literally, without quotes."""


class Alias:
    """The folder's own path if that is short and plain, else one below `/proc`.

    That one is an open handle of this process. All processes of the same user reach the folder by
    it as long as this object is open, and it leaves nothing behind.
    """

    def __init__(self, folder: Path) -> None:
        """Open the folder if need be."""
        self.path = folder.absolute()
        self._handle: int | None = None
        text = str(self.path)
        if len(text) > LONGEST or not PLAIN.fullmatch(text):
            self._handle = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            self.path = Path(f"/proc/{os.getpid()}/fd/{self._handle}")

    def close(self) -> None:
        """Close the handle; safe to call twice."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
