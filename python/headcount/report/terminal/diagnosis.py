"""The diagnosis on the terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from headcount.bundle.confirmation import Confirmation
from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.failure import Failure
from headcount.report import diagnosis as diagnosis_lines
from headcount.report.failures import failure_lines
from headcount.report.terminal.glyphs import writable

_STYLE = {"Bottleneck": "bold", "Doubt": "yellow", "Not observed": "yellow"}
_WIDEST = 78
"""Widest line of a long diagnosis, in columns: it is read as prose."""


def beside_answer(
    diagnosis: Diagnosis, console: Console, confirmation: Confirmation | None = None
) -> None:
    """Print two to four lines."""
    for name, sentence in diagnosis_lines.short(diagnosis, confirmation):
        text = Text(writable(f"{name}: {sentence.strip()}", console), style=_STYLE.get(name, ""))
        console.print(text)


def whole(diagnosis: Diagnosis, console: Console, confirmation: Confirmation | None = None) -> None:
    """Print the whole diagnosis, with the names in a column of their own."""
    _columns(list(diagnosis_lines.whole(diagnosis, confirmation)), console)


def failures(found: Sequence[Failure], console: Console) -> None:
    """Print what went wrong, if anything did."""
    if found:
        _columns(list(failure_lines(found)), console)


def _columns(lines: Sequence[tuple[str, str]], console: Console) -> None:
    wide = max(len(name) for name, _ in lines)
    room = max(min(console.width, _WIDEST + wide) - wide - 2, 20)
    before = ""
    for name, sentence in lines:
        shown = name if name != before else ""
        before = name
        wrapped = Text(writable(sentence.strip(), console)).wrap(console, room)
        for index, line in enumerate(wrapped):
            left = f"{shown if index == 0 else '':>{wide}}  "
            line.style = _STYLE.get(name, "")
            console.print(Text(left, style="dim") + line)
