"""A server that listens, and computes all the time."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

BURN = """
import socket, time
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    pass
"""


class Burner:
    """A process that listens, and computes all the time."""

    def __init__(self) -> None:
        """Start it, and wait until it listens."""
        self.process = subprocess.Popen(
            [sys.executable, "-c", BURN], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout
        self.peer = f"127.0.0.1:{int(self.process.stdout.readline())}"

    def used_s(self) -> float:
        """CPU time that it has used, as the kernel counts it."""
        words = Path(f"/proc/{self.process.pid}/stat").read_text("ascii").split()
        return (int(words[13]) + int(words[14])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def burning() -> Iterator[Burner]:
    """Such a process, until the end of the block."""
    one = Burner()
    try:
        yield one
    finally:
        one.process.kill()
        one.process.communicate()
