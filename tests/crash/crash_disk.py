"""A disk that forgets: what is written is on it only after fsync, a name after that of its folder.

The files are real ones in a folder in memory, so that readers and DuckDB need to know nothing. What
bundles are written with (`os`, `FileIO`) passes through here: each call counts, may fail, and is
remembered until it is on the disk. `power_cut` leaves the folder as the next boot could find it.
"""

# ruff: noqa: PTH102, PTH116, PTH123, PTH208
import contextlib
import os
import shutil
import tempfile
from dataclasses import dataclass, field
from io import BufferedWriter, FileIO
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from crash_faults import Crash, Faults

PAGE_BYTES = 4096


@dataclass(eq=False)
class Node:
    """A file or a folder: what of it is on the disk, and what is not yet.

    Attributes:
        durable: Its contents on the disk; None of a folder.
        changes: What was done since: bytes at an offset, or a new length.

    """

    durable: bytes | None = b""
    changes: list[tuple[int, bytes | None]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Named:
    """A change of a folder: a name is given to a node, or taken away; both where it was moved."""

    name: str
    node: Node | None
    before: str | None = None


class Folded:
    """The names of a folder: those on the disk, and what was done since."""

    def __init__(self) -> None:
        self.durable: dict[str, Node] = {}
        self.changes: list[Named] = []


class Disk:
    """Replaces `os` in the modules that write bundles."""

    def __init__(self, root: Path, faults: Faults) -> None:
        self.root = root
        self.faults = faults
        self._nodes: dict[int, Node] = {}
        self._folders: dict[str, Folded] = {str(root): Folded()}
        self._open_folders: dict[int, str] = {}
        self._open_files: dict[int, Node] = {}
        self._files: list[File] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    # The calls

    def open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        at = self._path(path, dir_fd)
        is_new = bool(flags & os.O_CREAT) and not os.path.lexists(at)
        self.faults.before("open", allocates=is_new)
        handle = os.open(path, flags, mode, dir_fd=dir_fd)
        if flags & os.O_DIRECTORY:
            self._open_folders[handle] = at.removesuffix("/.")
        else:
            number = os.fstat(handle).st_ino
            node = Node() if is_new else self._node(number, at)
            self._open_files[handle] = node
            if is_new:
                self._nodes[number] = node
                folder, name = os.path.split(at)
                self._folder(folder).changes.append(Named(name, node))
        self.faults.after()
        return handle

    def close(self, handle: int) -> None:
        self._open_folders.pop(handle, None)
        self._open_files.pop(handle, None)
        os.close(handle)

    def fdopen(self, handle: int, mode: str) -> BufferedWriter:
        return BufferedWriter(self.file(handle, mode))

    def file(self, handle: int, mode: str) -> "File":
        opened = File(handle, mode, self, self._open_files[handle])
        self._files.append(opened)
        return opened

    def fsync(self, handle: int) -> None:
        self.faults.before("fsync", allocates=True)  # where blocks are given late
        if (path := self._open_folders.get(handle)) is not None:
            folder = self._folder(path)
            _rename(folder.durable, folder.changes)
            folder.changes = []
        else:
            node = self._open_files[handle]
            with open(f"/proc/self/fd/{handle}", "rb", buffering=0) as file:
                node.durable, node.changes = file.read(), []
        self.faults.after()

    def ftruncate(self, handle: int, length: int) -> None:
        self.faults.before("ftruncate")
        os.ftruncate(handle, length)
        self._open_files[handle].changes.append((length, None))
        self.faults.after()

    def rename(
        self, old: Any, new: str, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None
    ) -> None:
        self.faults.before("rename")
        source, target = self._path(old, src_dir_fd), self._path(new, dst_dir_fd)
        node = self._node(os.stat(source).st_ino, source)
        self._drop(target)
        os.rename(old, new, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        (here, before), (folder, name) = os.path.split(source), os.path.split(target)
        moved = Named(name, node, before if here == folder else None)
        self._folder(folder).changes.append(moved)
        self.faults.after()

    def unlink(self, name: str, *, dir_fd: int) -> None:
        self.faults.before("unlink")
        self._drop(self._path(name, dir_fd))
        os.unlink(name, dir_fd=dir_fd)
        self._folder(self._open_folders[dir_fd]).changes.append(Named(name, None))
        self.faults.after()

    def mkdir(self, name: str, *, dir_fd: int) -> None:
        self.faults.before("mkdir", allocates=True)
        os.mkdir(name, dir_fd=dir_fd)
        self._folders[self._path(name, dir_fd)] = Folded()
        self._folder(self._open_folders[dir_fd]).changes.append(Named(name, Node(None)))
        self.faults.after()

    def stat(self, name: str, **how: Any) -> os.stat_result:
        self.faults.before("stat")
        return os.stat(name, **how)

    def fstat(self, handle: int) -> os.stat_result:
        self.faults.before("fstat")
        return os.fstat(handle)

    def pread(self, handle: int, length: int, at: int) -> bytes:
        self.faults.before("pread")
        return os.pread(handle, length, at)

    def listdir(self, path: Path) -> list[str]:
        self.faults.before("listdir")
        return sorted(os.listdir(path))

    def mkdtemp(self, **how: Any) -> str:
        self.faults.before("mkdir", allocates=True)
        return tempfile.mkdtemp(**how)

    def rmtree(self, path: Path, **how: Any) -> None:
        self.faults.before("rmtree")
        shutil.rmtree(path, **how)

    # What happens to it

    def end_process(self) -> None:
        """Close what a process left open, as the kernel does."""
        for file in self._files:
            file.end()
        for handle in [*self._open_folders]:
            self.close(handle)
        self._files, self._open_files = [], {}

    def power_cut(self, random: Random) -> None:
        """Forget what is not on the disk, or any part of it, and start again."""
        left = {}
        for path, folder in self._folders.items():
            changes = [
                one for one in folder.changes if random.random() < random.choice((0, 0.5, 1))
            ]
            names = dict(folder.durable)
            _rename(names, changes)
            left[path] = {name: _survivor(node, random) for name, node in names.items()}
        shutil.rmtree(self.root)
        self.root.mkdir()
        self._nodes, self._folders = {}, {}
        self._lay_out(str(self.root), left)

    def _lay_out(self, path: str, left: dict[str, dict[str, bytes | None]]) -> None:
        folder = self._folders[path] = Folded()
        for name, contents in left.get(path, {}).items():
            node = folder.durable[name] = Node(contents)
            if contents is None:
                os.mkdir(f"{path}/{name}")
                self._lay_out(f"{path}/{name}", left)
            else:
                with open(f"{path}/{name}", "wb", buffering=0) as file:
                    file.write(contents)
                    self._nodes[os.fstat(file.fileno()).st_ino] = node

    def _path(self, path: Any, dir_fd: int | None) -> str:
        return str(path) if dir_fd is None else f"{self._open_folders[dir_fd]}/{path}"

    def _folder(self, path: str) -> Folded:
        return self._folders.setdefault(path, Folded())

    def _drop(self, path: str) -> None:
        """Forget the node of a file that loses its name: its number is given to another one."""
        with contextlib.suppress(FileNotFoundError):
            self._nodes.pop(os.lstat(path).st_ino, None)

    def _node(self, number: int, path: str) -> Node:
        """The node of a file; one that DuckDB wrote has all its contents still to be synced."""
        if number not in self._nodes:
            self._nodes[number] = Node(b"", [(0, Path(path).read_bytes())])
        return self._nodes[number]


class File(FileIO):
    """An open file that is written."""

    def __init__(self, handle: int, mode: str, disk: Disk, node: Node) -> None:
        super().__init__(handle, mode)
        self._disk, self._node = disk, node

    def write(self, data: Any) -> int:
        """Write all, or what a fault leaves of it."""
        data = bytes(data)
        faults = self._disk.faults
        faults.before("write", allocates=True)
        most, error = faults.writing(len(data))
        at = os.fstat(self.fileno()).st_size  # all of them append
        if most:
            super().write(data[:most])
            self._node.changes.append((at, data[:most]))
        if error is not None:
            raise error
        faults.after()
        return most

    def end(self) -> None:
        """Close it, even if others hold it."""
        if not self.closed:
            super().close()


def _rename(names: dict[str, Node], changes: list[Named]) -> None:
    for one in changes:
        if one.before is not None:
            names.pop(one.before, None)
        if one.node is None:
            names.pop(one.name, None)
        else:
            names[one.name] = one.node


def _survivor(node: Node, random: Random) -> bytes | None:
    """What the next boot finds in a file."""
    if node.durable is None:
        return None
    found = bytearray(node.durable)
    likely = random.choice((0.0, 0.5, 0.9, 1.0))
    for at, data in node.changes:
        if data is None:
            if random.random() < likely:
                del found[at:]
                found.extend(bytes(at - len(found)))
            continue
        if random.random() < 0.8 * likely:
            kept = data
        elif random.random() < likely:
            kept = _torn(data, random)
        else:
            kept = b""
            if random.random() < 0.5:
                continue  # not even its length
        found.extend(bytes(max(at + len(data if kept else b"") - len(found), 0)))
        found[at : at + len(kept)] = kept
    return bytes(found)


def _torn(data: bytes, random: Random) -> bytes:
    """A part of what was written: its beginning, or some of its sectors; zeros in between."""
    if random.random() < 0.5:
        return data[: random.randrange(len(data) + 1)]
    sector = random.choice((64, 512, PAGE_BYTES))
    parts = [data[at : at + sector] for at in range(0, len(data), sector)]
    return b"".join(part if random.random() < 0.5 else bytes(len(part)) for part in parts)


def patched(disk: Disk, *modules: ModuleType) -> list[tuple[Any, str, Any]]:
    """What the modules that write must use instead: module, name and value."""
    found: list[tuple[Any, str, Any]] = [(module, "os", disk) for module in modules]
    first = modules[0]
    found += [(first, "FileIO", disk.file), (first, "tempfile", disk), (first, "shutil", disk)]
    return found


__all__ = ["Crash", "Disk", "patched"]
