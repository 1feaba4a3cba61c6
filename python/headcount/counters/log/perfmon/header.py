"""The first line of a Windows log: its columns, and the format of the file."""

import csv
import re
from dataclasses import dataclass
from pathlib import Path

from headcount.counters.log.perfmon.names import English, english
from headcount.counters.log.reader import MOST_BYTES, MOST_LINE_BYTES
from headcount.errors import InputError
from headcount.foreign.file import lines, opened, text_lines

MARK = re.compile(
    r"\(PDH-(?P<kind>[CT]SV) [\d.,]+\)(?:\s*\((?P<zone>.*)\)\((?P<bias>-?\d{1,5})\))?"
)
"""The first cell. The first bracket after it names the time zone, the second has the minutes to add
to the log's times for UTC; typeperf writes neither."""

_PATH = re.compile(
    r"(?:\\\\(?P<host>[^\\]+))?\\(?P<object>[^\\(]+)(?:\((?P<instance>.*)\))?\\(?P<counter>.+)"
)
_SNIFF_BYTES = 4096
_BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


@dataclass(frozen=True, slots=True)
class Place:
    """The source of a column's values, as the log names it."""

    host: str | None
    object: str
    instance: str | None
    counter: str


@dataclass(frozen=True, slots=True)
class Header:
    """The format of a log.

    Attributes:
        kind: `CSV` or `TSV`, as its first cell says.
        encoding: Python's name of the encoding.
        delimiter: The separator of cells.
        bias_min: Minutes to add to the log's times for UTC; None if it does not say.
        columns: Each column's path; None for one that is not a counter.
        meanings: Each column's object and counter in English, if known.

    """

    kind: str
    encoding: str
    delimiter: str
    bias_min: int | None
    columns: tuple[Place | None, ...]
    meanings: tuple[English | None, ...]


def sniff(head: bytes) -> bool:
    """Whether a file with this beginning is a Windows log."""
    start = head[:_SNIFF_BYTES]
    return any(_mark(start.decode(encoding, "replace")) for encoding in encodings(start))


def _mark(line: str) -> re.Match[str] | None:
    """The mark in the first cell; elsewhere in a file it means nothing."""
    found = MARK.search(line)
    return (
        found if found is not None and not line[: found.start()].strip('\ufeff" \t\r\n') else None
    )


def encodings(head: bytes) -> tuple[str, ...]:
    """The encodings that a file with this beginning may have, the likeliest first.

    `typeperf > file` writes the console's code page, PowerShell UTF-16, other programs the
    system's code page or UTF-8. Bytes do not reveal the code page.
    """
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if head.startswith(mark):
            return (encoding,)
    if b"\x00" in head[:4]:
        return ("utf-16-le",) if head[:1] != b"\x00" else ("utf-16-be",)
    return ("utf-8", "cp1252", "cp850")


def read_header(path: Path) -> Header:
    """Read the first line, in the encoding in which most of its counters are known.

    Raises:
        InputError: The file has no such line.

    """
    with opened(path) as file:
        head = file.read(_SNIFF_BYTES)
    readings = [_read(path, encoding) for encoding in encodings(head)]
    known = [reading for reading in readings if reading is not None]
    if not known:
        raise InputError(
            f"{path}: its first line is not the header of a Windows log, which begins with "
            f'"(PDH-CSV 4.0)" or "(PDH-TSV 4.0)"'
        )
    return max(known, key=lambda header: sum(name is not None for name in header.meanings))


def _read(path: Path, encoding: str) -> Header | None:
    line = _first_line(path, encoding)
    mark = _mark(line)
    if mark is None:
        return None
    delimiter = _delimiter(line[mark.end() :], mark["kind"])
    try:
        _, *cells = next(csv.reader([line], delimiter=delimiter))
    except csv.Error:  # a cell over 128 KiB, so not a counter
        return None
    columns = tuple(_column(cell) for cell in cells)
    return Header(
        kind=mark["kind"],
        encoding=encoding,
        delimiter=delimiter,
        bias_min=None if mark["bias"] is None else int(mark["bias"]),
        columns=columns,
        meanings=tuple(
            None if path is None else english(path.object, path.counter) for path in columns
        ),
    )


def _first_line(path: Path, encoding: str) -> str:
    """The first non-empty line (redirected output of typeperf begins with an empty one).

    Empty if it cannot be in this encoding.
    """
    if encoding.startswith("utf-16"):
        text = text_lines(path, encoding, MOST_BYTES, MOST_LINE_BYTES)
        return next((line for line in text if line.strip()), "")
    written = lines(path, MOST_BYTES, MOST_LINE_BYTES)
    line = next((line for line in written if line.strip()), b"")
    try:
        return line.decode(encoding, "strict" if encoding == "utf-8" else "replace")
    except UnicodeDecodeError:
        return ""


def _delimiter(rest: str, kind: str) -> str:
    """The separator after the first cell; a spreadsheet may have rewritten the log with another."""
    behind = rest.lstrip('"')[:1]
    return behind if behind in {",", ";", "\t", "|"} else {"CSV": ",", "TSV": "\t"}[kind]


def _column(cell: str) -> Place | None:
    path = _PATH.fullmatch(cell.strip())
    if path is None:
        return None
    host, name, instance, counter = path.group("host", "object", "instance", "counter")
    return Place(host, name, instance, counter)
