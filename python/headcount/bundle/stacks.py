"""Stacks of a server's threads at a level, as files of the bundle: folded text, compressed.

Folded text has a line for each different stack: its frames from the outermost to the innermost,
separated by semicolons, a space, and how often it was seen (Brendan Gregg's FlameGraph; speedscope
reads it as well).
"""

import gzip
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from headcount.bundle.files import replace
from headcount.errors import InputError
from headcount.foreign.file import content, unpacked

Stacks = Mapping[tuple[str, ...], int]
"""How often each stack was seen, by its frames from the outermost to the innermost."""
Kind = Literal["on", "off"]
"""Threads on a CPU or ready for one, and threads that wait."""

PROC = "proc"
"""The tool that needs no installation: the kernel's own files about each thread."""
STACKS_MAX = 4000
"""Most different stacks of a file; the rarest others are merged into one per process."""
OTHER = "other"
MOST_PACKED, MOST_UNPACKED = 8 << 20, 32 << 20
"""Longest file, and longest text: a stack has a few kilobytes, and `STACKS_MAX` are kept."""
_MOST_DIGITS = 18
"""Most digits of a stack's count."""
_NAME = re.compile(r"stacks-(\d{3,9})-(on|off)-([a-z][a-z0-9-]*)\.folded\.gz")


@dataclass(frozen=True, slots=True)
class LevelStacks:
    """What one tool saw of a level's threads, of one kind."""

    level: int
    kind: Kind
    tool: str
    stacks: Stacks


def file_name(level: int, kind: Kind, tool: str) -> str:
    """The file's name.

    >>> file_name(3, "off", "proc")
    'stacks-003-off-proc.folded.gz'
    """
    return f"stacks-{level:03d}-{kind}-{tool}.folded.gz"


def folded_text(stacks: Stacks) -> str:
    r"""The lines, in the order of the frames.

    >>> folded_text({("nginx", "read;er"): 2})
    'nginx;read:er 2\n'
    """
    lines = sorted((";".join(_frame(one) for one in stack), n) for stack, n in stacks.items())
    return "".join(f"{frames} {number}\n" for frames, number in lines)


def parse_folded(text: str) -> dict[tuple[str, ...], int]:
    """Read folded text; raises ValueError naming the first invalid line."""
    found: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        frames, _, count = line.rpartition(" ")
        known = count.isascii() and count.isdigit() and len(count) <= _MOST_DIGITS
        if not frames or not known:
            raise ValueError(f"line {number} is not a stack")
        key = tuple(frames.split(";"))
        found[key] = found.get(key, 0) + int(count)
    return found


def bounded(stacks: Stacks, most: int = STACKS_MAX) -> dict[tuple[str, ...], int]:
    """The most frequent stacks; the others of each process are merged. The sum stays the same."""
    ranked = sorted(stacks.items(), key=lambda item: (-item[1], item[0]))
    kept = dict(ranked[:most])
    for stack, number in ranked[most:]:
        rest = (*stack[:1], OTHER)
        kept[rest] = kept.get(rest, 0) + number
    return kept


def write(folder: Path, one: LevelStacks) -> str:
    """Write a file of stacks; returns its name. Equal stacks give identical files."""
    name = file_name(one.level, one.kind, one.tool)
    text = folded_text(bounded(one.stacks))
    replace(folder / name, gzip.compress(text.encode(), mtime=0))
    return name


def read(folder: Path) -> list[LevelStacks]:
    """All stacks of a bundle, by level; empty for an older one.

    Raises InputError if a file is damaged.
    """
    return [read_file(path) for path in files(folder)]


def files(folder: Path) -> list[Path]:
    """The files of a bundle that have stacks, by level."""
    found = sorted(folder.glob("stacks-*.folded.gz"))
    return [path for path in found if _NAME.fullmatch(path.name) is not None]


def read_file(path: Path) -> LevelStacks:
    """One of these files; raises InputError if it is damaged, or unpacks to far more."""
    name = _NAME.fullmatch(path.name)
    if name is None:
        raise InputError(f"{path} is not named like a file of stacks")
    try:
        text = unpacked(content(path, MOST_PACKED, follow=False), MOST_UNPACKED)
        found = parse_folded(text.decode())
    except ValueError as error:
        raise InputError(f"{path} is damaged: {error}") from error
    kind: Kind = "on" if name[2] == "on" else "off"
    return LevelStacks(int(name[1]), kind, name[3], found)


def _frame(text: str) -> str:
    """A frame without the characters that separate frames and lines."""
    return " ".join(text.replace(";", ":").split()) or "?"
