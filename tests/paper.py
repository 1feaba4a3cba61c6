"""Reads a PDF as others do: its text with pdftotext, its structure with pypdf."""

import io
import re
import subprocess
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader
from pypdf.generic import DictionaryObject, IndirectObject

from headcount.bundle.level import LevelResult


def run(program: str, paper: bytes, *arguments: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "paper.pdf"
        path.write_bytes(paper)
        command = [program, *arguments, str(path), "-"]
        return subprocess.run(command, check=True, capture_output=True, timeout=60).stdout


def text_of(paper: bytes) -> str:
    """The text in the order of reading, on one line, with plain spaces and apostrophes."""
    return plain(run("pdftotext", paper, "-raw").decode("utf-8"))


def laid_out(paper: bytes) -> str:
    """The text as it stands on the pages."""
    return run("pdftotext", paper, "-layout").decode("utf-8").replace("\N{NO-BREAK SPACE}", " ")


def plain(text: str) -> str:
    text = text.replace("\N{ZERO WIDTH SPACE}", "").replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return re.sub(r"\s+", " ", text)


def squeezed(text: str) -> str:
    """Text without any space: lines are broken where there is room."""
    return re.sub(r"\s", "", plain(text))


def reader(paper: bytes) -> PdfReader:
    return PdfReader(io.BytesIO(paper))


def tags(paper: bytes) -> list[DictionaryObject]:
    """Every element of the structure tree."""
    root = reader(paper).trailer["/Root"]["/StructTreeRoot"]
    found, waiting = [], [root]
    while waiting:
        element = waiting.pop()
        element = element.get_object() if isinstance(element, IndirectObject) else element
        if isinstance(element, list):
            waiting += element
        elif isinstance(element, DictionaryObject):
            if "/S" in element:
                found.append(element)
            if "/K" in element:
                waiting.append(element["/K"])
    return found


_NUMBER = r"[\d.,]+"
_UNIT = r"(?:\N{MICRO SIGN}s|ms|s)"
_DASH = "\N{EN DASH}"
_FIRST = (
    rf"(?P<rate>{_NUMBER}) +(?P<overload><?[\d.]+%|{_DASH}) +(?P<failed>[\d,]+) +"
    rf"(?P<p50>{_NUMBER} {_UNIT}|{_DASH}) +(?P<p95>{_NUMBER} {_UNIT}|{_DASH}) +"
    rf"(?P<p99>{_NUMBER} {_UNIT}|{_DASH}) +(?P<longest>{_NUMBER} {_UNIT}|{_DASH})$"
)
"""A row of the table of levels, from its rate on."""
_SECOND = (
    rf"(?: +of (?P<due>{_NUMBER}) due)?(?: +(?P<errors><?[\d.]+%))?"
    rf"(?: +from (?P<least50>{_NUMBER} {_UNIT}))?"
    rf"(?: +(?P<low>{_NUMBER}(?: {_UNIT})?) to (?P<high>{_NUMBER} {_UNIT})(?: or wider)?)?"
    rf"(?: +from (?P<least95>{_NUMBER} {_UNIT}))?(?: +from (?P<least99>{_NUMBER} {_UNIT}))?$"
)
"""What stands below it, from the purpose of the level on."""


def row_of(laid: str, level: LevelResult) -> dict[str, str]:
    """What the table of levels says of a level, by column; of text as it is laid out."""
    purpose = {"only": "single level"}.get(level.purpose, level.purpose)
    first = re.compile(rf" *{level.users:,} +[\u25cf\u25cb\u00d7] ?{level.outcome} +{_FIRST}")
    second = re.compile(rf" *{level.index}: {purpose}{_SECOND}")
    for line, below in pairwise(laid.splitlines()):
        found, more = first.match(line), second.match(below)
        if found and more:
            both = found.groupdict() | more.groupdict()
            return {name: value for name, value in both.items() if value is not None}
    raise AssertionError(f"no row of level {level.index} in:\n{laid}")


def ms(text: str) -> float:
    """A duration as it is written, in ms."""
    number, _, unit = text.partition(" ")
    return float(number.replace(",", "")) * {"\N{MICRO SIGN}s": 1e-3, "ms": 1.0, "s": 1e3}[unit]


def check_row(row: dict[str, str], level: LevelResult) -> None:
    """Compare a row with the record of the level: three digits, as the histograms have them."""

    def close(value: float) -> Any:
        return pytest.approx(value, rel=0.0051)

    times = level.total.response
    assert float(row["rate"].replace(",", "")) == close(level.achieved_per_s)
    assert int(row["failed"].replace(",", "")) == level.total.failed
    if level.total.overload is not None and "<" not in row["overload"]:
        overload = float(row["overload"].rstrip("%")) / 100
        assert overload == pytest.approx(level.total.overload, abs=0.0006)
    if times is None:
        assert {row["p50"], row["p95"], row["p99"], row["longest"]} == {_DASH}
        return
    known = (times.p50_ms, times.p95_ms, times.p99_ms, times.max_ms)
    printed = [ms(row[name]) for name in ("p50", "p95", "p99", "longest")]
    assert printed == [close(value) for value in known]
    interval = level.total.p95_interval_ms
    own = times.own_delay
    leasts = [
        value - late
        for value, late, is_shown in (
            (times.p50_ms, own.p50_ms if own else 0.0, True),
            (times.p95_ms, own.p95_ms if own else 0.0, interval is None),
            (times.p99_ms, own.p99_ms if own else 0.0, True),
        )
        if is_shown and late > 0.1 * value
    ]
    assert [ms(row[name]) for name in row if name.startswith("least")] == [
        pytest.approx(least, rel=0.0051, abs=1e-9) for least in leasts
    ]
    assert ("high" in row) == (interval is not None)
    if interval is not None:
        low = row["low"] if " " in row["low"] else f"{row['low']} {row['high'].split(' ')[1]}"
        assert [ms(low), ms(row["high"])] == [close(value) for value in interval]
