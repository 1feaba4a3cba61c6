"""What `headcount doctor` prints: problems first, each with its fix."""

from textwrap import wrap

from rich.console import Console
from rich.text import Text

from headcount.doctor.examination import CheckResult, Examination
from headcount.report.terminal.glyphs import writable
from headcount.report.terminal.say import NARROWEST, say

PLAIN_RUN = "headcount run app-server --target lab:app --quick"
_STYLE = {"ok": "green", "limited": "yellow", "missing": "red"}
_VERDICT, _NAME = 9, 20
"""Columns of the verdict and of the name."""


def show(examination: Examination, console: Console) -> None:
    """Print an examination."""
    for check in examination.problems:
        _show(check, console)
        for fix in check.fixes:
            _entry(console, " " * _VERDICT, "fix:", fix, "bold")
    for check in examination.checks:
        if check.verdict == "ok":
            _show(check, console)
    console.print()
    if examination.plain_run_works:
        say(console, f"A plain run works here: {PLAIN_RUN}")
        return
    reasons = ", ".join(check.name for check in examination.checks if check.stops_runs)
    say(console, f"A plain run does not work here. Fix first: {reasons}.")


def _show(check: CheckResult, console: Console) -> None:
    verdict = f"{check.verdict:{_VERDICT}}"
    text = check.read if check.verdict == "ok" else f"{check.read}. {check.meaning}"
    _entry(console, verdict, check.name, text, "", check.verdict)


def _entry(
    console: Console, verdict: str, name: str, text: str, style: str, kind: str = "ok"
) -> None:
    """Print a line whose text wraps with a hanging indent."""
    before = " " * (_VERDICT + _NAME)
    room = max(console.width, len(before) + NARROWEST)
    lines = wrap(
        writable(text, console),
        room - len(before),
        break_long_words=False,
        break_on_hyphens=False,
    )
    console.print(
        Text.assemble((verdict, _STYLE[kind]), f"{name:{_NAME}}", ("\n".join(lines[:1]), style))
    )
    for line in lines[1:]:
        console.print(Text.assemble(before, (line, style)))
