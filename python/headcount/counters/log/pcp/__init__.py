"""Archives of Performance Co-Pilot (PCP), which pmlogger writes.

An archive is several files of one base name (`.meta`, `.index`, `.0`, ...), any of them compressed.
"""

import re
from pathlib import Path

from headcount.counters.log.derive import derive
from headcount.counters.log.pcp.figures import METRICS, figures
from headcount.counters.log.pcp.metrics import describe, host, names, values
from headcount.counters.log.table import samples
from headcount.counters.recording import Recording
from headcount.errors import InputError
from headcount.foreign.file import opened

FORMAT = "PCP archive (its folder, its base name, or one of its files)"

_MAGIC = b"\x50\x05\x26"
"""PM_LOG_MAGIC, the first bytes of an archive's files after the length of the label."""
_PART = re.compile(r"(?P<base>.+)\.(?:meta|index|\d+)(?:\.(?:xz|gz|bz2|lzma|zst))?")


def recognises(path: Path, head: bytes) -> bool:
    """Whether the path is an archive's file, its base name, or a folder of archives."""
    if path.is_file():
        found = _PART.fullmatch(path.name)
        compressed = found is not None and _has_meta(path.parent / found["base"])
        return head[4:7] == _MAGIC or compressed
    return bool(archives(path))


def read(path: Path) -> list[Recording]:
    """Read the archives: a recording for each machine, of all its archives together.

    Raises:
        InputError: An archive cannot be read; the text quotes PCP's program.
        SystemLimitError: PCP's programs are not installed.

    """
    machines: dict[str | None, list[Path]] = {}
    found = archives(path)
    if not found:
        raise InputError(
            f"{path}: only one file of a PCP archive; put all its files (.meta, .index, .0, ...) "
            "into one folder, under one base name"
        )
    for archive in found:
        _check_parts(archive)
        machines.setdefault(host(archive, path), []).append(archive)
    return [_recording(path, name, bases) for name, bases in machines.items()]


def archives(path: Path) -> list[Path]:
    """The base names of the archives that a path stands for."""
    if path.is_dir():
        parts = (_PART.fullmatch(part.name) for part in sorted(path.iterdir()))
        bases = dict.fromkeys(path / one["base"] for one in parts if one is not None)
        return [base for base in bases if _has_meta(base)]
    part = _PART.fullmatch(path.name)
    base = path.parent / part["base"] if path.is_file() and part is not None else path
    return [base] if _has_meta(base) else []


def _check_parts(base: Path) -> None:
    """Raise InputError if a part of an archive is not a file: PCP's programs would block on it."""
    for part in base.parent.glob(f"{_literal(base.name)}.*"):
        if _PART.fullmatch(part.name) is not None:
            try:
                opened(part).close()
            except OSError as error:
                raise InputError(f"{part} cannot be read: {error.strerror}") from error


def _has_meta(base: Path) -> bool:
    return any(base.parent.glob(f"{_literal(base.name)}.meta*"))


def _literal(name: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", name)


def _recording(path: Path, name: str | None, bases: list[Path]) -> Recording:
    together = ",".join(str(base) for base in bases)
    there = names(together, path)
    wanted = [metric for metric in METRICS if metric in set(there)]
    if not wanted:
        raise InputError(
            f"{path}: the archive has no known metrics; log at least kernel.all.cpu, mem.util, "
            "disk.dev and network.interface"
        )
    described = describe(together, path, wanted)
    found = values(together, path, described)
    columns = figures(found.columns)
    derive(columns)
    return Recording(
        source=str(path),
        format="PCP archive",
        host=name,
        system="linux",
        samples=samples(found.times_s, columns),
        unknown=tuple(metric for metric in there if metric not in set(wanted)),
    )
