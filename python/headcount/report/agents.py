"""The agents that played a run's users, side by side, in the words of every report."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from headcount.analyse.agent_level import AtLevel, at_level, full_from, relative
from headcount.bundle.agents import Agent, Fleet, Moment, fleets
from headcount.bundle.level import LevelResult, counted
from headcount.bundle.reader import Bundle
from headcount.text import DASH, count, duration, plural, share, significant

MOST_ROWS = 12
"""Agents that a table lists singly; with more, it lists the worst, and the others in one row."""
MOST_LETTERS = 40
"""Characters of a machine's name; a longer one is cut."""
NOTE = (
    "Per user: what one of its users did, as a share of the mean over the users of all agents. "
    "Busiest worker: CPU of a core; from 80% on its users wait for the agent. Lateness: one in a "
    "hundred of its timers was at least this late. Clock error: how far off the correction of its "
    "clock may be, at most."
)
FULL_FROM = "Full from"


@dataclass(frozen=True, slots=True)
class Row:
    """An agent in a table, or all that are not listed singly.

    Attributes:
        name: Its number, or the number of agents.
        machine: Where it ran.
        cpus: CPUs that it may use.
        workers: Threads of its engine.
        at: What it did at the level; None if it did not play it.
        relative: Scenarios of one of its users there, relative to the mean over all users.
        full_from: The fewest users at which it was full or late; None if it never was.
        lost: When it was lost; empty if it was not.
        is_rest: Whether it stands for several: the sums of users and scenarios, else the worst.

    """

    name: str
    machine: str
    cpus: int | None
    workers: int | None
    at: AtLevel | None
    relative: float | None = None
    full_from: int | None = None
    lost: str = ""
    is_rest: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, how it is filled, and whether it holds text."""

    heading: str
    cell: Callable[[Row], str]
    text: bool = False


def fleets_of(bundle: Bundle) -> list[Fleet]:
    """The fleets that played the users of a run, in turn; empty if one process did.

    Raises InputError if several played and the events are damaged.
    """
    played = any(at_level(level.counters) for level in bundle.levels)
    return fleets(bundle.events) if played else []


def rows(
    played: Sequence[Fleet],
    levels: Sequence[LevelResult],
    level: LevelResult | None,
    most: int = MOST_ROWS,
) -> list[Row]:
    """A row for each agent, by number; with more than `most`, the worst and one row for the others.

    Args:
        played: The fleets that played, from first to last.
        levels: All levels: an agent may have been full at any of them.
        level: The level whose figures are shown.
        most: Rows of single agents.

    """
    did = {one.number: one for one in at_level(level.counters)} if level else {}
    known = {number: one for fleet in played for number, one in fleet.agents.items()}
    to_mean, was_full, lost = (
        relative(list(did.values())),
        full_from(counted(levels)),
        _lost(played),
    )
    places = machines_of(played)
    made = [
        Row(
            name=str(number),
            machine=places.get(number, DASH),
            cpus=known[number].cpus if number in known else None,
            workers=known[number].workers if number in known else None,
            at=did.get(number),
            relative=to_mean.get(number),
            full_from=was_full.get(number),
            lost=lost.get(number, ""),
        )
        for number in sorted({*known, *did})
    ]
    if len(made) <= most + 1:
        return made
    worst = sorted(made, key=_badness)
    return [*worst[:most], _rest(worst[most:])]


def columns(shown: Sequence[Row]) -> list[Column]:
    """The columns for these rows, without those that would be empty."""
    always = [
        Column("Agent", lambda row: row.name, text=True),
        Column("Machine", lambda row: row.machine, text=True),
        Column("CPUs", lambda row: count(row.cpus)),
        Column("Workers", lambda row: count(row.workers)),
        Column("Users", lambda row: count(row.at.users if row.at else None)),
        Column("Scenarios/s", lambda row: significant(row.at.per_s if row.at else None)),
        Column("Per user", lambda row: _bounded(row, share(row.relative), "from ")),
        Column("Busiest worker", _highest(lambda at: at.busiest, share)),
        Column("Lateness", _highest(lambda at: at.late_ms, duration)),
        Column("Clock error", _highest(lambda at: at.clock_error_ms, duration)),
    ]
    seldom = [
        Column(FULL_FROM, lambda row: plural("user", row.full_from) if row.full_from else DASH),
        Column("Lost", lambda row: row.lost or DASH, text=True),
    ]
    return [*always, *(one for one in seldom if any(one.cell(row) != DASH for row in shown))]


def note(shown: Sequence[Column]) -> str:
    """What the columns of a table mean."""
    if all(one.heading != FULL_FROM for one in shown):
        return NOTE
    return f"{NOTE} {FULL_FROM}: the fewest users, of all agents, at which it was full or late."


def title(level: LevelResult | None) -> str:
    """What the table is called."""
    return f"Agents at {plural('user', level.users)} ({level.outcome})" if level else "Agents"


def machines_of(played: Sequence[Fleet]) -> dict[int, str]:
    """The machines of each agent, by number; in a resumed run an agent may have had several."""
    found: dict[int, list[str]] = {}
    for fleet in played:
        for number, one in fleet.agents.items():
            found.setdefault(number, []).append(machine_text(one))
    return {number: ", then ".join(dict.fromkeys(names)) for number, names in found.items()}


def machine_text(one: Agent) -> str:
    """The controller's name for a machine, with its own name if that differs."""
    names = [name for name in dict.fromkeys((one.machine, one.host)) if name is not None]
    cut = [name if len(name) <= MOST_LETTERS else f"{name[:MOST_LETTERS]}..." for name in names]
    return f"{cut[0]} ({cut[1]})" if len(cut) > 1 else "".join(cut) or DASH


def _lost(played: Sequence[Fleet]) -> Mapping[int, str]:
    return {number: _when(fleet.since) for fleet in played for number in sorted(fleet.lost)}


def _when(at: Moment) -> str:
    if at.users is None:
        return "before the first level"
    return f"{'at' if at.is_during else 'after'} {plural('user', at.users)}"


def _badness(row: Row) -> tuple[bool, bool, float]:
    """Sort key: agents that were full or lost come first, then slow users, then the busiest."""
    is_slow = row.relative is not None and row.relative < 0.9
    busiest = row.at.busiest if row.at else None
    return row.full_from is None and not row.lost, not is_slow, -(busiest or 0.0)


def _rest(others: Sequence[Row]) -> Row:
    """One row for the others: sums, and the worst of figures that cannot be added."""
    did = [row.at for row in others if row.at is not None]
    workers = [row.workers for row in others if row.workers is not None]
    return Row(
        name=f"{count(len(others))}\N{NO-BREAK SPACE}others",
        machine=DASH,
        cpus=None,
        workers=sum(workers) if workers else None,
        at=AtLevel(
            number=0,
            users=_of(sum, [one.users for one in did]),
            per_s=_of(sum, [one.per_s for one in did]),
            busiest=_of(max, [one.busiest for one in did]),
            cores=_of(sum, [one.cores for one in did]),
            late_ms=_of(max, [one.late_ms for one in did]),
            clock_error_ms=_of(max, [one.clock_error_ms for one in did]),
        ),
        relative=_of(min, [row.relative for row in others]),
        full_from=min((row.full_from for row in others if row.full_from), default=None),
        is_rest=True,
    )


def _of(one: Callable[[Sequence[float]], float], values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return one(known) if known else None


def _highest(
    value: Callable[[AtLevel], float | None], written: Callable[[float | None], str]
) -> Callable[[Row], str]:
    return lambda row: _bounded(row, written(value(row.at) if row.at else None), "up to ")


def _bounded(row: Row, text: str, bound: str) -> str:
    """The text of a figure, marked as a bound in the row of several agents."""
    return f"{bound}{text}" if row.is_rest and text != DASH else text
