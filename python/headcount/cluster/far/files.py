"""Folders and files of a cluster on this machine; none of them can be read by other users."""

from __future__ import annotations

import os
import shutil
import stat
import tarfile
import tempfile
import time
from pathlib import Path
from typing import BinaryIO

PYTHON = "bin/python3"
"""The interpreter in a folder that was sent, which finds what is in it."""
RUN, NEW = "run-", ".new-"
"""Prefixes of folders of nodes, and of builds that are not complete yet."""
CUT_S = 3600.0
"""A build that is incomplete after this time was interrupted."""
PACKAGES = "lib/python{}/site-packages"


class Chunks:
    """A stream in chunks, each preceded by its length; one of length 0 ends it."""

    def __init__(self, source: BinaryIO) -> None:
        """Start at its beginning."""
        self._source = source
        self._left = 0
        self.has_ended = False

    def read(self, size: int) -> bytes:
        """At most this many bytes; empty at the end. Raises EOFError if it was cut."""
        if not self._left and not self.has_ended:
            head = self._source.read(4)
            if len(head) < 4:
                raise EOFError("the connection was cut")
            self._left = int.from_bytes(head, "big")
            self.has_ended = not self._left
        data = self._source.read(min(size, self._left)) if self._left else b""
        if self._left and not data:
            raise EOFError("the connection was cut")
        self._left -= len(data)
        return data


def prepare(folder: str) -> None:
    """Make a cluster's folder; raises RuntimeError if others may write there, and OSError."""
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise RuntimeError(f"{path} belongs to another user or is a link; remove it")
    path.chmod(0o700)


def has_build(folder: str, build: str) -> bool:
    """Whether a build was sent already."""
    return Path(folder, build, PYTHON).exists()


def unpack(folder: str, build: str, program: str, version: str, source: BinaryIO) -> str:
    """Unpack a build that follows as chunks of a tar; returns its folder.

    It appears complete or not at all. It also gets an interpreter that finds only its files, as
    `venv` makes one. Raises OSError.
    """
    chunks = Chunks(source)
    new = Path(tempfile.mkdtemp(prefix=NEW, dir=folder))
    target = Path(folder, build)
    try:
        packages = new / PACKAGES.format(version)
        packages.mkdir(parents=True)
        with tarfile.open(fileobj=chunks, mode="r|") as tar:  # type: ignore[call-overload]
            for member in tar:
                tar.extract(member, packages, set_attrs=member.isfile())
        _drain(chunks)
        (new / PYTHON).parent.mkdir()
        (new / PYTHON).symlink_to(program)
        about = f"home = {Path(program).parent}\ninclude-system-site-packages = false\n"
        (new / "pyvenv.cfg").write_text(about, "utf-8")
        if not target.exists():
            new.rename(target)
        return str(target)
    except BaseException:
        _drain(chunks)
        raise
    finally:
        shutil.rmtree(str(new), ignore_errors=True)


def remove(own: list[str], folder: str, build: str | None) -> list[str]:
    """Delete a node's own folders, and the cluster's `folder` if that has nothing else.

    The `build` in it stays if another node of this machine may use it, of this cluster or of one
    that was started elsewhere. Returns what is left.
    """
    wanted = list(own)
    for one in own:
        shutil.rmtree(one, ignore_errors=True)
    if build is not None and not any(Path(folder).glob(f"{RUN}*")):
        wanted.append(build)
        shutil.rmtree(build, ignore_errors=True)
        for cut in Path(folder).glob(f"{NEW}*"):
            if time.time() - cut.stat().st_mtime > CUT_S:
                shutil.rmtree(str(cut), ignore_errors=True)
    for parent in (Path(folder), Path(folder).parent):
        try:
            parent.rmdir()
        except OSError:
            break
    return [one for one in wanted if Path(one).exists()]


def write_private(path: Path, text: str) -> None:
    """Write a file that only this user can read; raises OSError."""
    handle = os.open(str(path), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)


def _drain(chunks: Chunks) -> None:
    """Read the rest of the stream, up to the next request."""
    try:
        while chunks.read(1 << 20):
            pass
    except (EOFError, OSError):
        pass
