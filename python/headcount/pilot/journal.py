"""The way back of a pilot: a script, and a guard that runs it when the pilot has died."""

import shlex
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from threading import Event, Thread

from headcount.errors import HeadcountError, SystemLimitError
from headcount.tune.host import Host
from headcount.tune.journal import BEAT, GUARD, PATIENCE_S, RESTORED, SCRIPT

CHANGED = "changed"
"""The files that were changed, one a line."""


class Journal:
    """A folder with the way back, from before the first change until all is put back."""

    def __init__(
        self, host: Host, folder: str, lines: Sequence[str], patience_s: int = PATIENCE_S
    ) -> None:
        """Write it, and start the guard; raises HeadcountError if that fails."""
        self._host = host
        self.folder = folder
        self._beats = 0
        made = host.run(["mkdir", "-p", "-m", "700", folder])
        if made.code != 0:
            raise SystemLimitError(f"no folder for the way back: {made.output.strip()}")
        pieces = (("headcount.pilot", "restore.sh"), ("headcount.tune", "treat.sh"))
        heads = [_resource(*one) for one in pieces]
        script = "\n".join([*heads, *lines, "finish", ""])
        host.write(f"{folder}/{SCRIPT}", script.encode())
        host.write(f"{folder}/{GUARD}", _resource("headcount.tune", "guard.sh").encode())
        self._beat()
        guard = f"setsid sh {shlex.quote(f'{folder}/{GUARD}')} {patience_s}"
        host.run(["sh", "-c", f"{guard} < /dev/null > /dev/null 2>&1 &"])
        self._ended = Event()
        self._heart = Thread(target=self._live, name="headcount-beat", daemon=True)
        self._heart.start()

    def note(self, file: str) -> None:
        """Record that a file is about to be changed: the script restores no others."""
        with Path(self.folder, CHANGED).open("a", encoding="utf-8") as opened:
            opened.write(f"{file}\n")

    @property
    def is_undone(self) -> bool:
        """Whether the script has run: while a pilot works, because the guard saw no beat."""
        return self._host.read(f"{self.folder}/{RESTORED}") is not None

    def _beat(self) -> None:
        self._beats += 1
        self._host.note(f"{self.folder}/{BEAT}", f"{self._beats}\n")

    def _live(self) -> None:
        while not self._ended.wait(1.0):
            with suppress(HeadcountError, OSError):  # the guard acts if this persists
                self._beat()

    def close(self) -> str | None:
        """Run the script; returns what could not be put back, if anything. Safe to call twice."""
        try:
            ended = self._host.run(["sh", f"{self.folder}/{SCRIPT}"])
            return None if ended.code == 0 else ended.output.strip()
        finally:
            self._ended.set()
            self._heart.join()


def new_folder(base: str) -> str:
    """The folder of a journal that begins now."""
    return (
        f"{base}/{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{time.monotonic_ns() % 10**6:06}"
    )


def _resource(package: str, name: str) -> str:
    return files(package).joinpath("scripts").joinpath(name).read_text("ascii")
