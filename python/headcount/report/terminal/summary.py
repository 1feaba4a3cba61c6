"""The summary: the answer, a small chart and the levels."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from headcount.bundle.agents import Fleet
from headcount.bundle.confirmation import Confirmation
from headcount.bundle.environment import EnvironmentFile
from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Cost, Verdict
from headcount.report.agents import title
from headcount.report.answer_sentences import (
    confidence,
    flattening,
    judged,
    objections,
    price_text,
    priced,
)
from headcount.report.chart.scale import for_times, from_zero
from headcount.report.chart.tick import rate_tick, time_tick
from headcount.report.failures import failure_lines, telling
from headcount.report.groups import stress_point
from headcount.report.lines import title as lines_title
from headcount.report.prices.items import items
from headcount.report.selection import shown
from headcount.report.tasks import marks_text, marks_value, missing_tasks, score_text
from headcount.report.terminal.agents import agents as agents_table
from headcount.report.terminal.course import steps
from headcount.report.terminal.diagnosis import beside_answer
from headcount.report.terminal.glyphs import glyphs, writable
from headcount.report.terminal.groups import groups
from headcount.report.terminal.lines import lines
from headcount.report.terminal.operations import operations, throughput
from headcount.report.terminal.plot import Plot, draw
from headcount.report.terminal.price_table import table as price_table
from headcount.report.terminal.table import table
from headcount.report.terminal.tasks import tasks
from headcount.text import plural, span

_STYLE = {"passed": "bold green", "failed": "bold red"}

BESIDE_FROM = 96
"""Console columns from which the chart of response times is beside that of throughput."""

MOST_PLOT = 72
"""Most columns of one chart; a wider one shows nothing more."""


def summary(
    verdict: Verdict,
    levels: Sequence[LevelResult],
    console: Console,
    environment: EnvironmentFile | None = None,
    program: str | None = None,
    confirmation: Confirmation | None = None,
    agents: Sequence[Fleet] = (),
) -> None:
    """Print the results of a run.

    Args:
        verdict: The answer.
        levels: All levels in the order they were run; may be empty.
        console: Where to print, within its width and encoding; colours on terminals only.
        environment: The disclosure, which says over which interface the load came; without it
            the network figure is left out.
        program: The program that users played, if any; its operations are then listed.
        confirmation: What experiments said of the diagnosis after the run, if there were any.
        agents: The fleets that played the users; empty if one process did.

    """
    _answer(verdict, console, confirmation)
    _charts(verdict, levels, console)
    if levels:
        console.print(table(levels, console, environment))
        _groups(verdict, levels, console)
        _steps(verdict, levels, console)
        _tasks(verdict, levels, console)
        _lines(verdict, levels, console)
        _agents(agents, verdict, levels, console)
    _program(program, verdict, levels, console)
    _priced(verdict, console)
    _objections(levels, console)
    _print(_cost(verdict.cost), console, "dim")


def _program(
    program: str | None, verdict: Verdict, levels: Sequence[LevelResult], console: Console
) -> None:
    level = shown(verdict, levels)
    if program is None or level is None:
        return
    _print(f"\nOperations at {plural('user', level.users)}, of {program}", console)
    console.print(operations(level, console))
    _print(throughput(level), console)


def _answer(verdict: Verdict, console: Console, confirmation: Confirmation | None) -> None:
    _print(verdict.sentence, console, _STYLE.get(verdict.outcome, "bold yellow"))
    message = confidence(verdict.capacity)
    if message:
        _print(message, console)
    if rule := judged(verdict):
        _print(rule, console)
    for price in priced(verdict):
        _print(f"Price: {price}, for {price_text(verdict)}", console)
    if verdict.broke_first:
        _print(f"What broke first: {verdict.broke_first}", console)
    _limit(verdict, console, confirmation)
    if verdict.score is not None:
        _print(score_text(verdict.score), console)
    if verdict.marks is not None:
        _print(f"{marks_value(verdict.marks)} ({marks_text(verdict.marks)})", console)
    for sentence in flattening(verdict):
        _print(sentence, console)
    for flag in verdict.flags:
        _print(f"Doubt: {flag}", console, "yellow")


def _limit(verdict: Verdict, console: Console, confirmation: Confirmation | None) -> None:
    """Print what failed, then what limits the server."""
    for name, message in failure_lines(telling(verdict)):
        _print(f"{name}: {message}", console)
    if verdict.diagnosis is not None:
        beside_answer(verdict.diagnosis, console, confirmation)


def _charts(verdict: Verdict, levels: Sequence[LevelResult], console: Console) -> None:
    """Draw throughput, and response times beside it if there is room; needs two levels."""
    valid = [level for level in levels if level.outcome != "invalid"]
    if len({level.users for level in valid}) < 2:
        return
    signs = glyphs(console)
    most = max(level.users for level in valid)
    capacity = verdict.capacity.users if verdict.capacity else None
    if capacity is not None and capacity > most:
        capacity = None
    rates = [(level.users, level.achieved_per_s) for level in valid]
    times = [(level.users, level.total.response.p95_ms) for level in valid if level.total.response]
    beside = console.width >= BESIDE_FROM and bool(times)
    width = min((console.width - 3) // 2 if beside else console.width, MOST_PLOT)
    left = draw(
        Plot("Scenarios per second", rates, from_zero, rate_tick, most, capacity), width, signs
    )
    right = (
        draw(Plot("p95 response time", times, for_times, time_tick, most, capacity), width, signs)
        if beside
        else [""] * len(left)
    )
    console.print()
    for one, other in zip(left, right, strict=True):
        line = writable(f"{one:<{width}}   {other}".rstrip(), console)
        console.print(Text(line, style="cyan", no_wrap=True), overflow="crop")
    console.print()


def _groups(verdict: Verdict, levels: Sequence[LevelResult], console: Console) -> None:
    found = groups(levels, console)
    if found is not None:
        console.print()
        console.print(found)
        message = stress_point(verdict)
        if message:
            _print(message, console)


def _steps(verdict: Verdict, levels: Sequence[LevelResult], console: Console) -> None:
    found = steps(verdict, levels, console)
    if found is not None:
        _print("\nMean time of each step:", console)
        console.print(found)


def _tasks(verdict: Verdict, levels: Sequence[LevelResult], console: Console) -> None:
    level = shown(verdict, levels)
    if level is None or not level.tasks:
        return
    _print(f"\nTasks at {plural('user', level.users)}:", console)
    console.print(tasks(level, console))
    missing = missing_tasks(level)
    if missing:
        _print(missing, console)


def _lines(verdict: Verdict, levels: Sequence[LevelResult], console: Console) -> None:
    level = shown(verdict, levels)
    if level is None or not level.lines:
        return
    _print(f"\n{lines_title(level)}:", console)
    console.print(lines(level, console))


def _agents(
    played: Sequence[Fleet], verdict: Verdict, levels: Sequence[LevelResult], console: Console
) -> None:
    level = shown(verdict, levels)
    found = agents_table(played, levels, level, console)
    if found is not None:
        _print(f"\n{title(level)}:", console)
        console.print(found)


def _priced(verdict: Verdict, console: Console) -> None:
    """Print the items of the price, if it was stated as items."""
    if verdict.price is None or not verdict.price.items:
        return
    found = items(verdict.price)
    _print("\nThe price, as stated:", console)
    console.print(price_table(found, console))
    _print(found.note, console, "dim")


def _objections(levels: Sequence[LevelResult], console: Console) -> None:
    """Say why levels are invalid, and what speaks against those that passed."""
    for level in levels:
        reasons = objections(level)
        if reasons and level.outcome != "failed":
            text = f"Level {level.index}, {plural('user', level.users)}, {level.outcome}: "
            _print(text + "; ".join(reasons), console, "yellow")


def _cost(cost: Cost) -> str:
    levels, operations = plural("level", cost.levels), plural("operation", cost.operations)
    return f"{levels}, {operations}, {span(cost.seconds)}"


def _print(text: str, console: Console, style: str = "") -> None:
    # Text, never Rich markup: brackets in messages of servers are not styles.
    console.print(Text(writable(text, console), style=style))
