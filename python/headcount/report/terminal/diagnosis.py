"""The diagnosis in a terminal."""

from rich.console import Console
from rich.text import Text

from headcount.bundle.diagnosis import Diagnosis
from headcount.report import diagnosis as diagnosis_lines
from headcount.report.terminal.glyphs import writable

_STYLE = {"Bottleneck": "bold", "Doubt": "yellow", "Not observed": "yellow"}
_WIDEST = 78
"""Columns from which the lines of a long diagnosis are broken, for they are read as prose."""


def beside_answer(diagnosis: Diagnosis, console: Console) -> None:
    """Print two to four lines."""
    for name, sentence in diagnosis_lines.short(diagnosis):
        text = Text(writable(f"{name}: {sentence.strip()}", console), style=_STYLE.get(name, ""))
        console.print(text)


def whole(diagnosis: Diagnosis, console: Console) -> None:
    """Print all of it, the names in a column of their own."""
    lines = list(diagnosis_lines.whole(diagnosis))
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
