"""The machine of the server that is tuned: its files, and commands run on it."""

import contextlib
import os
import stat
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from headcount.errors import InputError, SystemLimitError
from headcount.output.folder import Folder

COMMAND_S = 60.0
"""Longest wait for a configuration test or a restart."""
NEW = ".headcount"
"""Suffix of a new file until it replaces the old one; `restore.sh` uses it, too."""
ACL = "system.posix_acl_access"
"""Extended attribute with a file's access control list (acl(5))."""
MOST_OUTPUT = 8 << 20
"""How many characters are kept from the end of a command's output."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The result of a command: its exit code, and what it printed on both of its outputs."""

    code: int
    output: str


class Host(Protocol):
    """A machine."""

    @property
    def name(self) -> str:
        """The machine in a sentence."""
        ...

    @property
    def login(self) -> str:
        """The option of a command line for it, ` --host ssh://web1`; empty for this machine."""
        ...

    @property
    def cpus(self) -> int:
        """How many CPUs a server on it may use."""
        ...

    @property
    def memory_mib(self) -> int:
        """Its memory."""
        ...

    def read(self, path: str) -> bytes | None:
        """A whole file; None where there is none. Raises InputError where it may not be read."""
        ...

    def write(self, path: str, content: bytes) -> None:
        """Replace a file at once, with its owner and mode; raises InputError."""
        ...

    def note(self, path: str, text: str) -> None:
        """Write a file without waiting for the disk, whole or not; raises InputError."""
        ...

    def run(self, command: Sequence[str], longest_s: float = COMMAND_S) -> Ended:
        """Run a program to its end; one that cannot be run has the code 127."""
        ...


class ThisHost:
    """The machine that Headcount runs on."""

    name = "this machine"
    login = ""

    @property
    def cpus(self) -> int:
        """How many this process may use."""
        return len(os.sched_getaffinity(0))

    @property
    def memory_mib(self) -> int:
        """Of the machine, not of a control group."""
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20

    def read(self, path: str) -> bytes | None:
        """A whole file."""
        try:
            return Path(path).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}; {_as_root()}") from error

    def write(self, path: str, content: bytes) -> None:
        """Replace a file, or write the value of a kernel setting."""
        try:
            replace(Path(path), content)
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror}; {_as_root()}") from error

    def note(self, path: str, text: str) -> None:
        """Write a file, without waiting for the disk."""
        try:
            Path(path).write_text(text, "utf-8")
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror}; {_as_root()}") from error

    def run(self, command: Sequence[str], longest_s: float = COMMAND_S) -> Ended:
        """Run a program in the root folder, without input."""
        try:
            program = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd="/",
            )
        except OSError as error:
            return Ended(127, str(error.strerror))
        with program:
            try:
                output, _ = program.communicate(timeout=longest_s)
            except subprocess.TimeoutExpired as error:
                name = f"`{' '.join(command)}`"
                message = f"{name} did not end within {longest_s:g} s"
                if program.poll() is not None:
                    message = (
                        f"{name} has ended, but left a program running that holds its output: "
                        "start that one with > /dev/null 2>&1"
                    )
                program.kill()
                raise SystemLimitError(message) from error
            except BaseException:
                program.kill()
                raise
        return Ended(program.returncode, output.decode(errors="replace")[-MOST_OUTPUT:])


def replace(path: Path, content: bytes) -> None:
    """Replace a file, or write to one that is not regular; raises OSError.

    If the machine stops, either the old or the new file is there, complete. A symbolic link stays:
    its target is replaced.
    """
    path = path.resolve()
    if (path.exists() and not stat.S_ISREG(path.stat().st_mode)) or _is_virtual(path):
        with path.open("wb", buffering=0) as file:
            file.write(content)
        return
    new = path.with_name(f".{path.name}{NEW}")
    try:
        new.unlink(missing_ok=True)
        with new.open("xb") as file:
            if path.exists():
                old = path.stat()
                os.fchmod(file.fileno(), stat.S_IMODE(old.st_mode))
                os.fchown(file.fileno(), old.st_uid, old.st_gid)
                _copy_acl(path, file.fileno())
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            new.unlink()
        raise
    with Folder(path.parent) as folder:
        folder.sync()


def _copy_acl(path: Path, file: int) -> None:
    """Give an open file the access control list of another, whose mode shows only its mask."""
    try:
        known = os.getxattr(path, ACL)
    except OSError:  # it has none, or its file system
        return
    os.setxattr(file, ACL, known)


def _is_virtual(path: Path) -> bool:
    return path.parts[1:2] in (("proc",), ("sys",))


def _as_root() -> str:
    return "run as root, or as the server's user" if os.geteuid() != 0 else "check the file"
