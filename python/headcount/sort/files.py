"""The files of an experiment. They have no name, so the kernel deletes them when it ends."""

import errno
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from headcount.errors import InputError, SystemLimitError
from headcount.sort.place import Place


class WorkingFile:
    """A file in a folder, open for reading and writing.

    It has no name until `keep`, so it vanishes when it is closed. On a file system without
    O_TMPFILE, a file to keep gets its name at once, and loses it again unless `keep` is called.
    """

    def __init__(self, where: Place, keep_as: Path | None = None) -> None:
        """Make the file.

        Raises SystemLimitError if no file can be made there, InputError if `keep_as` exists.
        """
        self._keep_as = keep_as
        self._named: Path | None = None
        if keep_as is not None and keep_as.exists():
            raise InputError(f"{keep_as} already exists; choose another name, or delete it first")
        try:
            self.handle = self._open(where.folder)
        except OSError as error:
            raise SystemLimitError(
                f"cannot make a file in {where.folder}: {error.strerror}; choose another folder"
            ) from error

    def _open(self, folder: Path) -> int:
        try:
            return os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.EISDIR):
                raise
        path = self._keep_as or folder / f".headcount-sort-{os.getpid()}-{id(self)}"
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
        if self._keep_as is None:
            path.unlink()
        else:
            self._named = path
        return handle

    @property
    def path(self) -> str:
        """A path with which this process can open it again."""
        return f"/proc/self/fd/{self.handle}"

    @property
    def size_bytes(self) -> int:
        """Its length in bytes."""
        return os.fstat(self.handle).st_size

    def empty(self) -> None:
        """Truncate it to nothing."""
        os.ftruncate(self.handle, 0)

    def keep(self) -> Path | None:
        """Give it the name `keep_as` and return that; None without one.

        Raises InputError if a file has taken that name meanwhile.
        """
        if self._keep_as is None:
            return None
        if self._named is None:
            # os.link follows the link in /proc only if given a folder's handle, which the kernel
            # ignores as the path is absolute.
            folder = os.open(self._keep_as.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.link(self.path, self._keep_as, src_dir_fd=folder, follow_symlinks=True)
            except FileExistsError:
                raise InputError(
                    f"{self._keep_as} already exists; choose another name, or delete it first"
                ) from None
            finally:
                os.close(folder)
        self._named = None
        return self._keep_as

    def __enter__(self) -> Self:
        """Return the file, which is open already."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it, which deletes it unless it was kept."""
        os.close(self.handle)
        if self._named is not None:
            self._named.unlink(missing_ok=True)
