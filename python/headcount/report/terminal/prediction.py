"""What a server would hold, in a terminal."""

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
"""What a scenario takes, by the unit of the capacity."""
_MARKS = {True: "passed", False: "FAILED", None: DASH}


def prediction(told: Prediction, console: Console) -> None:
    """Print the answer, what it rests on, and what it cannot know."""
    _line(console, told.sentence, "bold" if told.outcome == "predicted" else "bold yellow")
    if told.for_users is not None and told.outcome == "predicted":
        users = told.for_users
        _line(console, users.sentence)
        if users.response_low_ms is not None and users.response_high_ms is not None:
            bounds = interval(users.response_low_ms, users.response_high_ms, duration)
            _line(console, f"Their mean response time, 95% interval: {bounds}.")
    _expected(told, console)
    _demands(told, console)
    _checks(told.checks, console)
    for said in told.notes:
        _line(console, said)
    console.print(Text("What the model cannot know:", style="dim"))
    for said in told.unknowable:
        _line(console, f"- {said}")


def _expected(told: Prediction, console: Console) -> None:
    if told.now is not None:
        word = "measured" if told.published is None else "estimate of the run"
        measured = f", {word}: {count(told.measured)}" if told.measured is not None else ""
        _line(
            console,
            f"Now: {plural('user', told.now.users)} by the model{measured}; "
            f"{significant(told.now.per_s)} scenarios/s, {duration(told.now.response_ms)} on "
            f"average; fullest: {resource_name(told.bound_now) if told.bound_now else DASH}.",
        )
    if told.outcome == "predicted" and told.changes and told.capacity is not None:
        then = told.capacity
        _line(
            console,
            f"Then: {significant(then.per_s)} scenarios/s, {duration(then.response_ms)} on "
            "average.",
        )
    if told.model is not None:
        errors = next((one for one in told.candidates if one.chosen), None)
        if errors is not None:
            _line(
                console,
                f"Model: {told.model}, of {len(told.candidates)}; its error on the levels held "
                f"out was {share(errors.throughput_error)} in throughput.",
            )


def _demands(told: Prediction, console: Console) -> None:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("resource", no_wrap=True)
    for column in ("of a scenario", "there is", "full now", "then there is", "full then"):
        table.add_column(column, justify="right", no_wrap=True)
    refused = told.outcome != "predicted"
    for each in told.demands:
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
