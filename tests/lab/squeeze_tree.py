"""A folder that behaves as control groups of version 2 are documented to (cgroup-v2.rst).

A new folder has the files of the controllers that the one above hands on; a group with processes
refuses to hand any on, but for the root. A file's text stays as it was written, for the test to
read with a grammar of its own.
"""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

FILES = {
    "cpu": {"cpu.max": "max 100000\n", "cpu.weight": "100\n"},
    "cpuset": {"cpuset.cpus": "\n"},
    "memory": {"memory.max": "max\n"},
    "io": {"io.max": ""},
}


def populate(folder: Path, offered: str) -> None:
    (folder / "cgroup.controllers").write_text(offered + "\n")
    (folder / "cgroup.subtree_control").write_text("\n")
    (folder / "cgroup.procs").write_text("")
    for controller in offered.split():
        for name, text in FILES.get(controller, {}).items():
            (folder / name).write_text(text)


class Tree:
    """Version 2 below `root`."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.root.mkdir()
        populate(root, "cpuset cpu io memory hugetlb")
        real_mkdir, real_write, real_rmdir = Path.mkdir, os.write, Path.rmdir

        def mkdir(folder: Path, *args: Any, **options: Any) -> None:
            real_mkdir(folder, *args, **options)
            if folder.is_relative_to(root):
                populate(folder, (folder.parent / "cgroup.subtree_control").read_text().strip())

        def write(handle: int, data: bytes) -> int:
            path = Path(f"/proc/self/fd/{handle}").readlink()
            if path.is_relative_to(root) and path.name == "cgroup.subtree_control":
                inside = (path.parent / "cgroup.procs").read_text().strip()
                if inside and path.parent != root:
                    raise OSError(errno.EBUSY, "Device or resource busy")
                self.enabled.append((path.parent, data.decode()))
                word = data.decode()
                now = self._before.get(path, set()) - {word[1:]}
                now |= {word[1:]} if word.startswith("+") else set()
                self._before[path] = now
                return real_write(handle, " ".join(sorted(now)).encode())
            return real_write(handle, data)

        def rmdir(folder: Path) -> None:
            if folder.is_relative_to(root):
                for file in folder.iterdir():
                    if not file.is_dir():  # those of the kernel go with the folder
                        file.unlink()
            real_rmdir(folder)

        self.enabled: list[tuple[Path, str]] = []
        self._before: dict[Path, set[str]] = {}
        monkeypatch.setattr(Path, "mkdir", mkdir)
        monkeypatch.setattr(Path, "rmdir", rmdir)
        monkeypatch.setattr(os, "write", write)
