"""The interface of every reader of a log format."""

from pathlib import Path
from typing import Protocol

from headcount.counters.recording import Recording

HEAD_BYTES = 65_536
"""Bytes of a file that a reader sees to recognise it. The header of a log may be longer."""
MOST_BYTES = 1 << 40
"""Most bytes of a log, which is read in parts."""
MOST_LINE_BYTES = 64 << 20
"""Most bytes of a line: a header with a hundred thousand columns has 10 MB."""


class Reader(Protocol):
    """A reader of one format: a module with these two functions and a name.

    Attributes:
        FORMAT: The name of the format for people, with the program that writes it.

    """

    FORMAT: str

    def recognises(self, path: Path, head: bytes) -> bool:
        """Whether the file or folder is of this format. Fast, and never raises.

        ``head`` is the first :data:`HEAD_BYTES` of a file, empty for a folder.
        """
        ...

    def read(self, path: Path) -> list[Recording]:
        """Read the log: a recording for each machine in it, in the log's order.

        Raises:
            InputError: It is of the format, but cannot be read; the text says where and why.
            SystemLimitError: A program that reading it needs is not installed.

        """
        ...
