"""Logs of counters in any format, recognised by content.

A format is a module of this package with the two functions of :class:`Reader`; :data:`READERS` is
the table of them.
"""

from pathlib import Path

from headcount.counters.log import own, pcp, perfmon, prometheus, sysstat, vmstat
from headcount.counters.log.moments import possible
from headcount.counters.log.reader import HEAD_BYTES, Reader
from headcount.counters.recording import Recording
from headcount.errors import InputError
from headcount.foreign.damage import DAMAGE, reason
from headcount.foreign.file import opened

READERS: tuple[Reader, ...] = (own, perfmon, prometheus, sysstat, vmstat, pcp)
"""Tried in this order; the first that recognises a file reads it. Those whose format has an
unmistakable mark come before those that have to look closer."""


def read(path: Path) -> list[Recording]:
    """Read a log of counters: one recording for each machine in it.

    The format is recognised by content, never by the file's name.

    Raises:
        InputError: The file does not exist, no reader knows it, it is too damaged, or it has no
            samples.
        SystemLimitError: A program that reading it needs is not installed.

    """
    if not there(path):
        raise InputError(f"{path}: no such file or folder; name a log of counters")
    head = _head(path)
    for reader in READERS:
        if reader.recognises(path, head):
            try:
                found = [possible(one) for one in reader.read(path)]
            except DAMAGE as error:
                raise InputError(f"{path} is damaged ({reason(error)})") from error
            if not found:
                raise InputError(f"{path} has no samples")
            return found
    raise InputError(_unknown(path, head))


def there(path: Path) -> bool:
    """Whether a path exists: as a file, a folder, or the base name of a PCP archive."""
    return path.exists() or bool(pcp.archives(path))


def _head(path: Path) -> bytes:
    if not path.is_file():
        return b""
    try:
        with opened(path) as file:
            return file.read(HEAD_BYTES)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error


def _unknown(path: Path, head: bytes) -> str:
    formats = "; ".join(reader.FORMAT for reader in READERS)
    if path.suffix.lower() == ".blg":
        csv = path.with_suffix(".csv").name
        return (
            f"{path}: a binary log that only Windows can read; convert it there with "
            f"`relog {path.name} -f csv -o {csv}` and use {csv}"
        )
    if path.is_file() and not head:
        return f"{path}: the file is empty; known formats: {formats}"
    return f"{path}: not a known log of counters; known formats: {formats}"
