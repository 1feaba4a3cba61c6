"""Tasks: what protocols time inside their steps, in addition to scenarios and steps."""

from collections.abc import Iterable, Sequence

from headcount import _engine
from headcount.errors import InputError, PlanError
from headcount.fields.mistakes import nearest


def tasks_of(protocol: str) -> tuple[str, ...] | None:
    """The names of a protocol's tasks; None for one that the engine does not have."""
    try:
        return tuple(_engine.task_names(protocol))
    except PlanError:
        return None


def check_apart(names: Iterable[str], protocol: str) -> None:
    """Raises ValueError if a scenario or group has the name of a task of the protocol."""
    tasks = tasks_of(protocol) or ()
    for name in names:
        if name in tasks:
            raise ValueError(
                f'"{name}" is the name of a task of the protocol "{protocol}"; rename the scenario '
                "or group"
            )


def check_named(what: str, name: str, others: Sequence[str], tasks: Sequence[str] | None) -> None:
    """Raises InputError for a name that is neither one of the others nor, surely, a task.

    `tasks` is None if those of the protocol are unknown; `what` begins the sentence.
    """
    if name in others or tasks is None or name in tasks:
        return
    kind = "task"
    if others:
        kind = "scenario, group or task" if tasks else "scenario"
    has = [f"it has: {', '.join(others)}"] if others else []
    if tasks or not others:
        has.append(f"the tasks of its protocol are: {', '.join(tasks) or 'none'}")
    raise InputError(
        f"{what} names a {kind} that the workload does not have; {'; '.join(has)}"
        f"{nearest(name, [*others, *tasks])}"
    )


def check_played(names: Iterable[str], tasks: Sequence[str]) -> None:
    """Raises InputError if a name is not a task that the started protocol reports."""
    for name in names:
        if name not in tasks:
            listed = ", ".join(tasks) if tasks else "none"
            raise InputError(
                f'"{name}" is neither a scenario or group of the workload nor a task of its '
                f"protocol{nearest(name, list(tasks))}; the protocol's tasks are: {listed}"
            )
