"""The file system and device of a folder, for the disclosure of a disk benchmark."""

import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Place:
    """The file system of a folder and its device; None is what the system does not report.

    Virtual disks report that they are rotational, whatever the hardware is.
    """

    mount: str | None
    file_system: str | None
    device: str | None
    model: str | None
    rotational: bool | None

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return asdict(self)

    @property
    def words(self) -> str:
        """The place in words: `ext4 on /dev/sda1 (SAMSUNG MZ7)`."""
        kind = self.file_system or "an unknown file system"
        device = f" on {self.device}" if self.device else ""
        model = f" ({self.model})" if self.model else ""
        return f"{kind}{device}{model}"


def place(folder: Path, proc: Path = Path("/proc"), sys: Path = Path("/sys")) -> Place:
    """The file system and device of a folder."""
    number = folder.stat().st_dev
    device = f"{os.major(number)}:{os.minor(number)}"
    found = _mount_of(folder, device, proc)
    mount, kind, source = found or (None, None, None)
    block = sys / "dev" / "block" / device
    disk = block.resolve().parent if (block / "partition").exists() else block
    rotational = _read(disk / "queue" / "rotational")
    return Place(
        mount=mount,
        file_system=kind,
        device=source,
        model=_read(disk / "device" / "model"),
        rotational=None if rotational is None else rotational == "1",
    )


def _mount_of(folder: Path, device: str, proc: Path) -> tuple[str, str, str] | None:
    """The mount point, file system and source of a folder: proc(5), mountinfo."""
    text = _read(proc / "self" / "mountinfo") or ""
    resolved = folder.resolve()
    best: tuple[bool, int, tuple[str, str, str]] | None = None
    for line in text.splitlines():
        fields, _, rest = line.partition(" - ")
        kind, source, *_ = [*rest.split(" "), "", ""]
        parts = fields.split(" ")
        if len(parts) < 5:
            continue
        mount = _unescaped(parts[4])
        if resolved.is_relative_to(mount):
            # The mount of the device itself wins; of stacked mounts the later one hides the others.
            ranked = (parts[2] == device, len(mount), (mount, kind, _unescaped(source)))
            if best is None or ranked[:2] >= best[:2]:
                best = ranked
    return best[2] if best else None


def _unescaped(text: str) -> str:
    r"""Undo the kernel's octal escapes.

    >>> _unescaped(r"/a\040b")
    '/a b'
    """
    return re.sub(r"\\(\d{3})", lambda match: chr(int(match[1], 8)), text)


def _read(path: Path) -> str | None:
    try:
        return path.read_text("utf-8", "replace").strip() or None
    except OSError:
        return None


def memory_bytes() -> int:
    """The memory of this machine, in bytes."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
