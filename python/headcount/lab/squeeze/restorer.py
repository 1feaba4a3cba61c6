"""Restores a file of a control group, however Headcount ends.

`python -m headcount.lab.squeeze.restorer FILE TEXT` waits for the end of its standard input, which
comes when Headcount has ended, also by a kill. The group belongs to somebody's server.
"""

import contextlib
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from headcount.lab import keeper
from headcount.lab.squeeze.files import put


def main(arguments: Sequence[str]) -> int:
    """Wait, and write; returns the exit code."""
    path, text = arguments
    for name in keeper.ENDS:  # what ends Headcount's programs ends Headcount first
        signal.signal(name, signal.SIG_IGN)
    sys.stdin.buffer.read()
    with contextlib.suppress(OSError):  # the server and its group may be gone
        put(Path(path), text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
