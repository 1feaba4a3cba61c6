"""The seam: what every reader of a format of logs looks like."""

from pathlib import Path
from typing import Protocol

from headcount.counters.recording import Recording

HEAD_BYTES = 65_536
"""How much of a file a reader sees to recognise it. A log of many columns has a header of more."""
MOST_BYTES = 1 << 40
"""Of a log: logs are read a part at a time."""
MOST_LINE_BYTES = 64 << 20
"""Of a line of a log: the header of one with a hundred thousand columns has 10 MB."""


class Reader(Protocol):
    """A reader of one format, a module: these two functions and what it is called.

    Attributes:
        FORMAT: What the format is called, for people, with the program that writes it.

    """

    FORMAT: str

    def recognises(self, path: Path, head: bytes) -> bool:
        """Whether the file or folder is of this format. Quick, and never raises.

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
