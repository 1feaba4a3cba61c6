"""Writes into a folder in which a stranger may have set traps, such as a bundle from elsewhere."""

import contextlib
import os
import secrets
import shlex
import shutil
import stat
import tempfile
from collections.abc import Iterator
from errno import EINVAL, EOPNOTSUPP
from io import FileIO
from pathlib import Path
from typing import BinaryIO, Self

from headcount.errors import InputError
from headcount.foreign.file import other_kind

_SAFE = os.O_CLOEXEC | os.O_NOFOLLOW
_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | _SAFE
_GROWING = os.O_CREAT | os.O_RDWR | os.O_APPEND | os.O_NONBLOCK | _SAFE
_LISTED = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_OWN = ".headcount-"
"""Prefix of the names of unfinished files. Those of a killed process stay."""
_MODE = 0o666
"""Permissions of new files, before the umask."""


class Folder:
    """An open folder; nothing that is written into it can end up elsewhere.

    Links in the path to the folder are the user's own, and are followed. Inside it none is: a link,
    a pipe or a folder in place of a file is an InputError that names it.
    """

    def __init__(self, path: Path) -> None:
        """Open it; raises OSError. Leaving the `with` closes it."""
        self.path = path
        self._handle = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)

    def __enter__(self) -> Self:
        """The folder itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        os.close(self._handle)

    def ensure_free(self, *names: str) -> None:
        """Raise InputError where a link, a pipe or a folder has one of the names."""
        for name in names:
            found = self._status(name)
            kind = None if found is None else other_kind(found.st_mode)
            if kind is not None:
                self._refuse(name, kind)

    def ensure_own(self, *names: str) -> None:
        """Like `ensure_free`, and raise InputError for a file with a second hard link."""
        self.ensure_free(*names)
        for name in names:
            found = self._status(name)
            if found is not None and found.st_nlink > 1:
                self._refuse_shared(name)

    def sync(self) -> None:
        """Sync the folder, so that the names of its files are on the disk; raises OSError.

        Does nothing where the file system cannot do that, or the folder may not be listed.
        """
        try:
            handle = os.open(".", _LISTED, dir_fd=self._handle)
        except PermissionError:
            return
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno not in (EINVAL, EOPNOTSUPP):
                raise
        finally:
            os.close(handle)

    def make(self, name: str) -> None:
        """Make a folder inside and sync its name; raises OSError."""
        os.mkdir(name, dir_fd=self._handle)
        self.sync()

    def replace(self, name: str, contents: bytes) -> None:
        """Write and sync a file whole, or leave the old one; raises OSError."""
        with self.replacing(name) as file:
            file.write(contents)

    @contextlib.contextmanager
    def replacing(self, name: str) -> Iterator[BinaryIO]:
        """Like `replace`, for contents written in parts; the old file stays until the block ends.

        Syncs the contents before the rename, and the folder after it.
        """
        self.ensure_free(name)
        with self._beside() as (beside, file):
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.rename(beside, name, src_dir_fd=self._handle, dst_dir_fd=self._handle)
        self.sync()

    def growing(self, name: str) -> FileIO:
        """Open a file to append to, making it if it does not exist; raises OSError."""
        self.ensure_own(name)
        file = FileIO(os.open(name, _GROWING, _MODE, dir_fd=self._handle), "r+b")
        try:
            found = os.fstat(file.fileno())  # of the open file: the name may have changed hands
            if (kind := other_kind(found.st_mode)) is not None:
                self._refuse(name, kind)
            if found.st_nlink > 1:
                self._refuse_shared(name)
        except InputError:
            file.close()
            raise
        return file

    def remove(self, name: str) -> None:
        """Delete a file if it is there; raises OSError."""
        self.ensure_free(name)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self._handle)

    @contextlib.contextmanager
    def private(self) -> Iterator[Path]:
        """A new folder inside that nobody else can use, for programs that take a path.

        It is deleted with everything in it at the end of the block. Raises OSError.
        """
        made = Path(tempfile.mkdtemp(prefix=_OWN, dir=self.path))
        try:
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)

    def take(self, path: Path, name: str) -> None:
        """Sync a file of the same file system and move it in; raises OSError."""
        self.ensure_free(name)
        handle = os.open(path, os.O_RDONLY | _SAFE)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        os.rename(path, name, dst_dir_fd=self._handle)
        self.sync()

    def remove_leftovers(self) -> None:
        """Delete unfinished files of a killed process; raises OSError.

        Only the single process that writes into the folder may call this: files of others may be
        in progress.
        """
        for name in os.listdir(self.path):  # noqa: PTH208 - names alone
            if not name.startswith(_OWN):
                continue
            found = self._status(name)
            if found is not None and stat.S_ISDIR(found.st_mode):
                shutil.rmtree(self.path / name, ignore_errors=True)
            elif found is not None:
                os.unlink(name, dir_fd=self._handle)

    def ensure_room(self, contents: bytes) -> None:
        """Write the contents to a temporary file; raises OSError if there is no room for them."""
        with self._beside() as (_, file):
            file.write(contents)
            file.flush()

    @contextlib.contextmanager
    def _beside(self) -> Iterator[tuple[str, BinaryIO]]:
        """A new file with an unpredictable name; deleted at the end unless it was renamed."""
        name = f"{_OWN}{secrets.token_hex(8)}.new"
        handle = os.open(name, _NEW, _MODE, dir_fd=self._handle)
        try:
            with os.fdopen(handle, "wb") as file:
                yield name, file
        finally:
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=self._handle)

    def _status(self, name: str) -> os.stat_result | None:
        try:
            return os.stat(name, dir_fd=self._handle, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def _refuse(self, name: str, kind: str) -> None:
        path = self.path / name
        typed = shlex.quote(str(path))  # a stranger may have chosen the folder's name
        remedy = f"mv {typed} {typed}.old" if kind == "a folder" else f"rm {typed}"
        raise InputError(f"cannot write {path}: this is {kind}, not a file; remove it: {remedy}")

    def _refuse_shared(self, name: str) -> None:
        path = self.path / name
        typed = shlex.quote(str(path))
        raise InputError(
            f"cannot write {path}: the file has another name, too (a hard link), and would change "
            f"there as well; make it a file of its own: cp {typed} {typed}.own && mv {typed}.own "
            f"{typed}"
        )
