"""What a server would hold, on the terminal."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from headcount.analyse.prediction.change import amount_text
from headcount.analyse.prediction.prediction import Check, Prediction
from headcount.analyse.prediction.resource import resource_name
from headcount.report.terminal.glyphs import writable
from headcount.text import DASH, count, duration, interval, plural, share, significant

_EACH = {
    "cores": (1e3, "ms CPU"),
    "disks": (1e3, "ms disk"),
    "By/s": (1e-3, "kB"),
    "1/s": (1.0, "requests"),
}
"""The demand of a scenario in words, by the unit of the capacity."""
_MARKS = {True: "passed", False: "FAILED", None: DASH}


def prediction(result: Prediction, console: Console) -> None:
    """Print the answer, what it rests on, and what it cannot know."""
    _line(console, result.sentence, "bold" if result.outcome == "predicted" else "bold yellow")
    if result.for_users is not None and result.outcome == "predicted":
        users = result.for_users
        _line(console, users.sentence)
        if users.response_low_ms is not None and users.response_high_ms is not None:
            bounds = interval(users.response_low_ms, users.response_high_ms, duration)
            _line(console, f"Their mean response time, 95% interval: {bounds}.")
    _expected(result, console)
    _demands(result, console)
    _checks(result.checks, console)
    for note in result.notes:
        _line(console, note)
    console.print(Text("What the model cannot know:", style="dim"))
    for sentence in result.unknowable:
        _line(console, f"- {sentence}")


def _expected(result: Prediction, console: Console) -> None:
    if result.now is not None:
        word = "measured" if result.published is None else "estimate of the run"
        measured = f", {word}: {count(result.measured)}" if result.measured is not None else ""
        _line(
            console,
            f"Now: {plural('user', result.now.users)} by the model{measured}; "
            f"{significant(result.now.per_s)} scenarios/s, {duration(result.now.response_ms)} on "
            f"average; fullest: {resource_name(result.bound_now) if result.bound_now else DASH}.",
        )
    if result.outcome == "predicted" and result.changes and result.capacity is not None:
        then = result.capacity
        _line(
            console,
            f"Then: {significant(then.per_s)} scenarios/s, {duration(then.response_ms)} on "
            "average.",
        )
    if result.model is not None:
        errors = next((one for one in result.candidates if one.chosen), None)
        if errors is not None:
            _line(
                console,
                f"Model: {result.model}, of {len(result.candidates)}; its error on the levels held "
                f"out was {share(errors.throughput_error)} in throughput.",
            )


def _demands(result: Prediction, console: Console) -> None:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("resource", no_wrap=True)
    for column in ("of a scenario", "there is", "full now", "then there is", "full then"):
        table.add_column(column, justify="right", no_wrap=True)
    refused = result.outcome != "predicted"
    for each in result.demands:
        factor, unit = _EACH.get(each.unit, (1.0, each.unit))
        table.add_row(
            writable(each.resource, console),
            f"{significant(each.demand * factor)} {unit}",
            amount_text(each.capacity, each.unit),
            share(each.at_capacity),
            amount_text(each.changed_to, each.unit),
            DASH if refused else share(each.then),
        )
    console.print(table)


def _checks(checks: list[Check], console: Console) -> None:
    table = Table(box=None, header_style="bold", pad_edge=False, show_header=False)
    for check in checks:
        style = "yellow" if check.passed is False else ""
        table.add_row(
            Text(_MARKS[check.passed], style=style),
            check.name,
            Text(writable(_with_remedy(check), console), style=style),
        )
    console.print(table)


def _with_remedy(check: Check) -> str:
    return f"{check.sentence}: {check.remedy}" if check.remedy else check.sentence


def _line(console: Console, text: str, style: str = "") -> None:
    console.print(Text(writable(text, console), style=style))
