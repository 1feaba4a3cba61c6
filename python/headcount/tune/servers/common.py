"""What is common to servers whose settings are lines of text files."""

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from headcount.errors import InputError
from headcount.tune.host import Host

FOLDERS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""Folders of system programs; an ordinary user's search path lacks some of them."""
BEGIN = "# Set by headcount tune; what comes later in the file counts."
_SIZES = {"b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_TIMES = {"secs": 1, "mins": 60, "hours": 3600, "days": 86400, "weeks": 604800}
# No `eval`: without a separator the shell only replaces the pattern by the names that match.
_GLOB = 'IFS=; for one in $1; do [ -e "$one" ] && printf "%s\\n" "$one"; done; :'


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place(Generic[T]):
    """A line of a configuration and the file it is in."""

    path: str
    found: T


def program(host: Host, name: str) -> str:
    """The path of a program; raises InputError where there is none."""
    find = f'PATH="$PATH:{FOLDERS}" command -v "$1"'
    ended = host.run(["sh", "-c", find, "sh", name])
    if ended.code != 0:
        raise InputError(f"{host.name} has no program {name}, which reads the configuration")
    return ended.output.strip()


def real_path(host: Host, path: str) -> str:
    """What a path leads to: a file is replaced where it is, and links to it stay links."""
    ended = host.run(["readlink", "-f", "--", path])
    return ended.output.rstrip("\n") if ended.code == 0 and ended.output.strip() else path


def matching(host: Host, pattern: str) -> Sequence[str]:
    """The files that match a shell pattern, in the order of their bytes."""
    ended = host.run(["sh", "-c", _GLOB, "sh", pattern])
    return sorted(filter(None, ended.output.split("\n")), key=lambda one: one.encode())


def absolute(path: str, folder: str) -> str:
    """A path as seen from a folder."""
    return posixpath.normpath(posixpath.join(folder, path))


def read_text(host: Host, path: str) -> str | None:
    """A file, with bytes that are not UTF-8 preserved; None if there is none."""
    content = host.read(path)
    return None if content is None else content.decode("utf-8", "surrogateescape")


def with_block(text: str, lines: Sequence[str]) -> str:
    """The text with lines at its end, where they win over the lines before."""
    if not lines:
        return text
    end = "\r\n" if "\r\n" in text else "\n"
    start = end if text and not text.endswith("\n") else ""
    return text + start + "".join(f"{line}{end}" for line in (BEGIN, *lines))


def in_unit(value: str, unit: str) -> str:
    """An amount such as `1 G` as a number of a unit such as `M`; unchanged if it is not an amount.

    Times have units of whole words, `secs` to `weeks`.
    """
    number, _, name = value.partition(" ")
    for units in (_SIZES, _TIMES):
        own, wanted = units.get(name.lower()), units.get(unit.strip().lower())
        if number.isdecimal() and own and wanted and int(number) * own % wanted == 0:
            return str(int(number) * own // wanted)
    return value


def last_line(output: str, *noise: str) -> str:
    """The last line that a program printed, except those that start with `noise`; empty if none."""
    lines = [line for line in output.splitlines() if not line.startswith(noise)]
    return lines[-1].strip() if lines else ""


def line_end(text: str, at: int) -> int:
    """The end of the line that contains the position `at`."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def joined(text: str) -> str:
    """A text with its continuation lines joined."""
    return text.replace("\\\r\n", "").replace("\\\n", "").strip()
