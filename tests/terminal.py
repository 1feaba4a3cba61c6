"""A command at a terminal of its own, where passwords are asked for and typed."""

import os
import pty
import select
import subprocess
import sys

from processes import Headcount, wait_for


class Terminal:
    """The command line at a terminal."""

    def __init__(self, headcount: Headcount, *arguments: str) -> None:
        """Start a command; the terminal is the one that controls it, as a person's is."""
        self._master, slave = pty.openpty()
        self.seen = b""
        """What the command has written so far, and what the terminal has echoed."""
        self.process = subprocess.Popen(
            ["setsid", "--ctty", "--wait", sys.executable, "-m", "headcount", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=headcount.environment,
        )
        os.close(slave)

    def read(self) -> bool:
        """Take what is there; always true, for waiting."""
        while select.select([self._master], [], [], 0)[0]:
            try:
                self.seen += os.read(self._master, 65_536)
            except OSError:  # the last process at the terminal has ended
                break
        return True

    def until(self, text: bytes) -> None:
        wait_for(lambda: self.read() and text in self.seen, 60)

    def type(self, text: bytes) -> None:
        os.write(self._master, text)

    def ended(self) -> int:
        """Wait for its end; returns the exit code."""
        wait_for(lambda: self.read() and self.process.poll() is not None, 60)
        return self.process.returncode

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.hang_up()

    def hang_up(self) -> None:
        """Take the terminal away."""
        if self._master >= 0:
            os.close(self._master)
            self._master = -1
