"""A short, plain name for a folder, for programs that cannot do with its own."""

import os
import re
from pathlib import Path

LONGEST = 80
"""Names of Unix sockets have 107 characters (unix(7)); servers put theirs in folders of folders."""
PLAIN = re.compile(r"[A-Za-z0-9/._-]+")
"""What configuration files take literally, without quotes."""


class Alias:
    """The folder's own path if that is short and plain, else one below `/proc`.

    That one is a handle of this process. It leads to the folder for all processes of the same user
    as long as this object is open, and leaves nothing behind.
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
        """Give it up; safe to call twice."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
