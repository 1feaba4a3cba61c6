"""Why a file cannot be written and what to do about it: an error for each code of the kernel."""

import os
from collections.abc import Callable
from errno import (
    EACCES,
    EDQUOT,
    EFBIG,
    EIO,
    EISDIR,
    ELOOP,
    EMFILE,
    ENAMETOOLONG,
    ENFILE,
    ENOENT,
    ENOSPC,
    ENOTDIR,
    EPERM,
    EROFS,
)
from pathlib import Path

from headcount.errors import HeadcountError, InputError, SystemLimitError
from headcount.text import memory

MISTAKES = (ENOENT, ENOTDIR, EISDIR, ENAMETOOLONG, ELOOP)
"""Errors that a wrong path causes; the machine causes all others."""


def write_error(path: Path, error: OSError, option: str = "") -> HeadcountError:
    """The error for a path that cannot be written.

    `option` is the option to choose another path with, such as --html; empty for an argument.
    """
    return explained(
        path, error, f"choose another path with {option}" if option else "choose another path"
    )


def explained(path: Path, error: OSError, elsewhere: str) -> HeadcountError:
    """The error for a path; `elsewhere` is the advice on writing to another place."""
    found = EXPLANATIONS.get(error.errno or 0)
    if found is not None and (reason := found(path, elsewhere)) is not None:
        kind = InputError if error.errno in MISTAKES else SystemLimitError
        return kind(f"cannot write {path}: {reason}")
    return SystemLimitError(f"cannot write {path}: {error.strerror or error}; {elsewhere}")


def existing(path: Path) -> Path:
    """The path, or the nearest folder above it that exists."""
    found = Path(os.path.abspath(path)) if _has_cwd() else path  # noqa: PTH100 - keeps links
    while not os.path.lexists(found) and found != found.parent:
        found = found.parent
    return found


def mount_point(path: Path) -> Path:
    """Where the file system of a path is mounted."""
    found = existing(path)
    while not os.path.ismount(found) and found != found.parent:
        found = found.parent
    return found


def _has_cwd() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True


def _full(path: Path, elsewhere: str) -> str:
    place = mount_point(path)
    figures = os.statvfs(existing(path))
    if figures.f_files and not figures.f_favail and figures.f_bavail:
        return f"{place} has no inodes left; delete files there, or {elsewhere}"
    free = memory(figures.f_bavail * figures.f_frsize)
    return f"the disk is full ({free} free on {place}); free some space there, or {elsewhere}"


def _over_quota(path: Path, elsewhere: str) -> str:
    return f"your disk quota on {mount_point(path)} is used up; free some space, or {elsewhere}"


def _read_only(path: Path, elsewhere: str) -> str:
    return f"{existing(path)} is on a read-only file system; {elsewhere}"


def _forbidden(path: Path, elsewhere: str) -> str:
    return f"you have no permission to write to {existing(path)}; {elsewhere}"


def _missing(path: Path, _: str) -> str | None:
    if not path.is_absolute() and not _has_cwd():
        return "the current folder has been deleted; change to one that exists with cd"
    parent = path.parent
    return None if parent.is_dir() else f"there is no folder {parent}; create it: mkdir -p {parent}"


def _below_file(path: Path, elsewhere: str) -> str:
    return f"{existing(path)} is a file, not a folder; {elsewhere}"


def _folder(_: Path, elsewhere: str) -> str:
    return f"this is a folder; {elsewhere}"


def _too_long(path: Path, elsewhere: str) -> str:
    length = max(len(os.fsencode(part)) for part in path.parts)
    limit = os.pathconf(existing(path), "PC_NAME_MAX")
    if length <= limit:
        return f"the path is too long; {elsewhere}"
    return f"a name in it has {length} bytes, and at most {limit} are allowed; {elsewhere}"


def _circle(_: Path, elsewhere: str) -> str:
    return f"its symbolic links go round in a circle; {elsewhere}"


def _no_handles(_: Path, __: str) -> str:
    return "too many files are open; raise the limit: ulimit -n 65536"


def _too_large(_: Path, __: str) -> str:
    return "the file would exceed the size limit; raise it: ulimit -f unlimited"


def _broken(path: Path, elsewhere: str) -> str:
    return f"the disk of {mount_point(path)} reports an I/O error (dmesg shows it); {elsewhere}"


EXPLANATIONS: dict[int, Callable[[Path, str], str | None]] = {
    ENOSPC: _full,
    EDQUOT: _over_quota,
    EROFS: _read_only,
    EACCES: _forbidden,
    EPERM: _forbidden,
    ENOENT: _missing,
    ENOTDIR: _below_file,
    EISDIR: _folder,
    ENAMETOOLONG: _too_long,
    ELOOP: _circle,
    EMFILE: _no_handles,
    ENFILE: _no_handles,
    EFBIG: _too_large,
    EIO: _broken,
}
"""The reason and what to do, by errno; a function returns None if it does not know."""
