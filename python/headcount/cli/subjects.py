"""Subjects of a comparison on the command line: `[NAME=]BUNDLE[,BUNDLE...]`, or a folder."""

import os
from collections.abc import Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING

from headcount.cli.outputs import bundle_folder
from headcount.errors import InputError

if TYPE_CHECKING:
    from headcount.analyse.compare.comparison import Comparison
    from headcount.analyse.compare.subject import Side
    from headcount.bundle.reader import Bundle


def sides(texts: Sequence[str], names: Sequence[str] = ascii_uppercase) -> "list[Side]":
    """Read every subject; raises InputError for one that cannot be compared.

    A subject is a run's folder; several of one configuration with commas between; or a folder of
    runs, all of which are of one configuration. A name may stand before it, `ext4=runs/...`. One
    without a name takes that of a folder of runs, or else the letter of its place.
    """
    # Statistics take half a second to load; the help does not need them.
    from headcount.analyse.compare.subject import side

    found = []
    for place, text in enumerate(texts):
        name, folders = split(text)
        found.append(side(name or names[place % len(names)], folders))
    return found


def against(own: Path, others: Sequence[str]) -> "tuple[Comparison, list[Bundle]]":
    """Compare a run with others, for its report: the comparison, and a run of each subject."""
    from headcount.analyse.compare.compare import compare

    found = sides([str(own), *others], ("this server", *ascii_uppercase[1:]))
    return compare(found), [side.bundles[0] for side in found]


def split(text: str) -> tuple[str | None, list[Path]]:
    """The name of a subject, if any, and its runs' folders; raises InputError without folders."""
    if os.path.exists(text):  # noqa: PTH110 - Path raises where a list of runs is too long
        return _folders(text)
    name, given, rest = text.partition("=")
    if not given:
        name, rest = "", text
    if not rest:
        raise InputError(f'"{text}" names no bundle; write NAME=BUNDLE')
    folders = [folder for part in rest.split(",") if part for folder in _folders(part)[1]]
    alone = _folders(rest)[0] if os.path.exists(rest) else None  # noqa: PTH110 - as above
    return name.strip() or alone, folders


def _folders(text: str) -> tuple[str | None, list[Path]]:
    """The bundle itself, or the finished bundles of a folder, under its name."""
    from headcount.bundle import reader

    path = bundle_folder(Path(text))
    if (path / "plan.toml").is_file():
        return None, [path]
    inside = [folder for folder in reader.find(path) if not reader.under_way(folder)]
    if inside:
        return path.resolve().name, inside
    reader.load(path)  # raises with the reason
    return None, [path]
