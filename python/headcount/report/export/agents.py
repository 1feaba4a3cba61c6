"""The agents of a run as a table: a row for each of them at each level."""

from collections.abc import Callable

from headcount.analyse.agent_level import AtLevel, at_level, full, relative
from headcount.bundle.agents import Agent
from headcount.bundle.level import LevelResult
from headcount.bundle.reader import Bundle
from headcount.report.agents import fleets_of, machines_of
from headcount.report.export.table import Column, Table, Value

_LEVEL = (
    Column("level", "Level", "Number of the level in the run."),
    Column("level_users", "Users of the level", "Of all agents together."),
    Column("outcome", "Outcome", "Of the level."),
    Column("agent", "Agent", "Its number."),
    Column("machine", "Machine", "Where it ran."),
    Column("cpus", "CPUs", "That it may use there."),
    Column("workers", "Workers", "Threads of its engine."),
)
_DID: tuple[tuple[Column, Callable[[AtLevel], Value]], ...] = (
    (Column("users", "Its users"), lambda one: one.users),
    (
        Column("scenarios_per_s", "Throughput (scenarios/s)", "What its users completed."),
        lambda one: one.per_s,
    ),
    (
        Column("busiest_worker_share", "Busiest worker (share)", "CPU of a core; full from 0.8."),
        lambda one: one.busiest,
    ),
    (Column("cpu_cores", "CPU (cores)", "Of the whole agent."), lambda one: one.cores),
    (
        Column("late_p99_ms", "Lateness p99 (ms)", "Of its own timers, the mean over seconds."),
        lambda one: one.late_ms,
    ),
    (
        Column("clock_error_ms", "Clock error (ms)", "Bound of what is corrected."),
        lambda one: one.clock_error_ms,
    ),
)
_JUDGED = (
    Column(
        "per_user_ratio",
        "Per user (ratio)",
        "Scenarios of one of its users, over the mean of the users of all agents.",
    ),
    Column("full", "Full", "Whether its CPU was full, or it was late while most were not."),
)


def agents(bundle: Bundle) -> Table:
    """Each agent at each level; without rows if one process played the users."""
    played = fleets_of(bundle)
    known = {number: one for fleet in played for number, one in fleet.agents.items()}
    places = machines_of(played)
    columns = [*_LEVEL, *(column for column, _ in _DID), *_JUDGED]
    made = [row for level in bundle.levels for row in _rows(level, known, places)]
    return Table("agents", "Agents", columns, made)


def _rows(level: LevelResult, known: dict[int, Agent], places: dict[int, str]) -> list[list[Value]]:
    found = at_level(level.counters)
    to_mean = relative(found)
    were_full = {one.number for one in full(found) if one.is_busy or level.generator.reasons}
    made: list[list[Value]] = []
    for one in found:
        facts = known.get(one.number)
        where: list[Value] = [places.get(one.number)]
        where += [facts.cpus, facts.workers] if facts is not None else [None, None]
        head: list[Value] = [level.index, level.users, level.outcome, one.number]
        did = [get(one) for _, get in _DID]
        judged: list[Value] = [to_mean.get(one.number), one.number in were_full]
        made.append([*head, *where, *did, *judged])
    return made
