"""The file systems a run reads and writes."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from headcount.counters.proc.files import read_text

# The kernel writes blanks, tabs, line ends and backslashes of mount points in octal.
_OCTAL = re.compile(r"\\([0-7]{3})")
# A user name and password in an address, such as https://name:password@host/.
_USER_INFO = re.compile(r"//[^/]*@")
_SECRET = re.compile(r"pass|secret|token|cred|key|user", re.IGNORECASE)


class FileSystem(BaseModel):
    """The file system that holds a path.

    Attributes:
        path: The path asked about.
        mount_point: Where the file system is mounted.
        kind: Its type, such as "ext4" or "nfs4".
        device: What is mounted, without user names and passwords.
        options: Mount options, except those that may hold a name or a secret.
        size_bytes: Its capacity.
        free_bytes: What ordinary users may still write.

    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    mount_point: str | None = None
    kind: str | None = None
    device: str | None = None
    options: tuple[str, ...] | None = None
    size_bytes: int | None = None
    free_bytes: int | None = None


class Mount(BaseModel):
    """One line of ``/proc/self/mountinfo``, made safe to show."""

    model_config = ConfigDict(frozen=True)

    mount_point: str
    kind: str
    device: str
    options: tuple[str, ...]


def parse_mounts(text: str) -> list[Mount]:
    """Parse ``/proc/self/mountinfo`` (proc(5)); a later mount hides an earlier one below it."""
    mounts = []
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        left, right = before.split(), after.split()
        if len(left) < 6 or len(right) < 2:
            continue
        options = [*left[5].split(","), *(right[2].split(",") if len(right) > 2 else [])]
        mounts.append(
            Mount(
                mount_point=_unescape(left[4]),
                kind=right[0],
                device=_USER_INFO.sub("//", _unescape(right[1])),
                options=tuple(dict.fromkeys(o for o in options if not _SECRET.search(o))),
            )
        )
    return mounts


def describe_file_systems(paths: Iterable[Path], root: Path) -> tuple[FileSystem, ...]:
    """Describe the file system of each path; of one that does not exist, its nearest parent's."""
    # Asked first: this mounts what is mounted on first use, such as a share of another machine.
    sized = [(path, *_sized_place(path)) for path in paths]
    mounts = parse_mounts(read_text(os.fspath(root / "proc/self/mountinfo")) or "")
    return tuple(_describe(path, place, figures, mounts) for path, place, figures in sized)


def _sized_place(path: Path) -> tuple[Path, os.statvfs_result | None]:
    """The path, or its nearest parent that exists, and the size of its file system if known."""
    place = path.resolve()
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        return place, os.statvfs(place)
    except OSError:
        return place, None


def _describe(
    path: Path, place: Path, figures: os.statvfs_result | None, mounts: list[Mount]
) -> FileSystem:
    holding = [mount for mount in mounts if place.is_relative_to(mount.mount_point)]
    # The longest mount point; max() keeps the first of equals, and the last one mounted counts.
    mount = max(reversed(holding), key=lambda one: len(one.mount_point), default=None)
    return FileSystem(
        path=os.fspath(path),
        mount_point=mount.mount_point if mount else None,
        kind=mount.kind if mount else None,
        device=mount.device if mount else None,
        options=mount.options if mount else None,
        size_bytes=figures.f_blocks * figures.f_frsize if figures else None,
        free_bytes=figures.f_bavail * figures.f_frsize if figures else None,
    )


def _unescape(text: str) -> str:
    return _OCTAL.sub(lambda found: chr(int(found[1], 8)), text)
