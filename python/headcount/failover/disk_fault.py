"""A fault that fills a disk."""

import errno
import os
import secrets
from pathlib import Path
from threading import Event

from headcount.errors import InputError, TargetError
from headcount.failover import command

PREFIX = "fill="
"""Prefix of the option; a folder follows."""
NAME = ".headcount-fill"
MOST_BYTES = 16 << 30
"""Most free space that is filled, so that nobody fills a big disk by mistake."""
STEP_BYTES = 64 << 20
LEAST_STEP_BYTES = 4096


class Fill:
    """Leaves no room on the file system of a folder: a file of ours takes all of it."""

    def __init__(self, folder: str, recover: str | None) -> None:
        """`recover` is a command to run once there is room again.

        Raises InputError if it is not a folder, or if its disk has too much room.
        """
        if not folder:  # such as of a variable without a value; "" would be the present folder
            raise InputError("--fault fill=: name the folder, such as fill=/srv/data")
        self._folder = Path(folder)
        self._command = recover
        self._file: Path | None = None
        self.text = f"fill the disk of {folder}"
        self.recovery: str | None = f"delete the file that fills {folder}"
        if recover is not None:
            self.recovery += f", then {recover}"
        self._check()

    def _check(self) -> None:
        try:
            found = os.statvfs(self._folder)
        except OSError as error:
            raise InputError(f"--fault fill={self._folder}: {error.strerror}") from error
        if not self._folder.is_dir():
            raise InputError(f"--fault fill={self._folder}: this is not a folder")
        free = found.f_bavail * found.f_frsize
        if free > MOST_BYTES:
            raise InputError(
                f"--fault fill={self._folder}: its disk has {free >> 30} GiB free, and Headcount "
                f"fills at most {MOST_BYTES >> 30}; put the server's data on a small file system "
                "of its own"
            )

    def check_beside(self, folder: Path) -> None:
        """Raise InputError if `folder`, where Headcount itself writes, is on the same disk."""
        there = next(one for one in (folder.absolute(), *folder.absolute().parents) if one.exists())
        if there.stat().st_dev == self._folder.stat().st_dev:
            raise InputError(
                f"--fault fill={self._folder}: the run's own files are on the same disk; put them "
                "on another: --runs /another/disk"
            )

    def prepare(self) -> None:
        """Check again how much room there is."""
        self._check()

    def inject(self, ended: Event) -> None:
        """Take all the room; raises TargetError if that fails."""
        file = self._folder / f"{NAME}-{secrets.token_hex(4)}"
        try:
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                return
            raise TargetError(f"--fault fill={self._folder}: {error.strerror}") from error
        self._file = file
        try:
            _grow(handle, ended)
        except OSError as error:
            raise TargetError(f"--fault fill={self._folder}: {error.strerror}") from error
        finally:
            os.close(handle)

    def recover(self) -> None:
        """Delete the file; raises TargetError if that fails."""
        if self._file is not None:
            try:
                self._file.unlink(missing_ok=True)
            except OSError as error:
                raise TargetError(f"{self._file} was not deleted: {error.strerror}") from error
            self._file = None
        if self._command is not None:
            command.run(self._command, "--recover")


def _grow(handle: int, ended: Event) -> None:
    """Grow a file until there is no room left, in ever smaller steps; raises OSError."""
    at, step = 0, STEP_BYTES
    while step >= LEAST_STEP_BYTES and not ended.is_set():
        try:
            os.posix_fallocate(handle, at, step)
        except OSError as error:
            if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
                raise
            step //= 2
        else:
            at += step
