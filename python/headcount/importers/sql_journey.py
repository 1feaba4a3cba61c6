"""A journey of statements, and the workload file that it becomes."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from headcount.importers.toml_text import comment, key_text, quoted, value_text


@dataclass(slots=True)
class SqlStep:
    """A statement; `captures` has the columns of its row that users keep, by their new names."""

    name: str
    statement: str
    parameters: list[str] = field(default_factory=list)
    captures: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pause:
    """The user thinks."""

    seconds: float


@dataclass(slots=True)
class Transaction:
    """Statements of which all are kept or none."""

    name: str
    isolation: str | None
    steps: list[SqlStep | Pause]


Entry = SqlStep | Pause | Transaction


@dataclass(slots=True)
class SqlJourney:
    """A workload of statements in the making."""

    name: str
    title: str
    entries: list[Entry]
    variables: dict[str, dict[str, list[int]]]
    left_out: list[str]
    """What the journey lacks of its original, a line each."""

    @property
    def statements(self) -> list[SqlStep]:
        """Every statement, in their order."""
        found: list[SqlStep] = []
        for entry in self.entries:
            inner = entry.steps if isinstance(entry, Transaction) else [entry]
            found += [one for one in inner if isinstance(one, SqlStep)]
        return found


def journey_text(journey: SqlJourney) -> str:
    """The whole file; what it says is TOML, or an error of Headcount's own."""
    written = "\n".join(_lines(journey)) + "\n"
    tomllib.loads(written)  # a defect here must not reach a run
    return written


def _lines(journey: SqlJourney) -> Iterator[str]:
    yield comment(f"{journey.title}: imported, so read it before you run it.")
    yield comment(f"headcount run {journey.name}.toml --target postgresql://SERVER/DATABASE")
    if journey.left_out:
        yield comment("Left out:")
        yield from (comment(f"- {line}") for line in journey.left_out)
    yield ""
    yield f"name = {quoted(journey.name)}"
    yield f"title = {quoted(journey.title)}"
    yield 'protocol = "sql"'
    yield f"criteria = {value_text(['p95<=1s', 'errors<1%'])}"
    yield comment("Clients of pgbench do not think.")
    yield 'pace = { kind = "closed", time = { draw = "fixed", mean = "0s" } }'
    yield 'run = { duration = "60s" }'
    if journey.variables:
        yield ""
        yield "[variables]"
        for name, value in journey.variables.items():
            yield f"{key_text(name)} = {value_text(value)}"
    yield ""
    yield "[[scenarios]]"
    yield 'name = "script"'
    yield "weight = 1"
    yield 'limit = "1s"'
    for entry in journey.entries:
        yield ""
        yield "[[scenarios.steps]]"
        yield from _entry(entry)


def _entry(entry: Entry) -> Iterator[str]:
    if not isinstance(entry, Transaction):
        yield from (f"{key} = {value_text(value)}" for key, value in _fields(entry).items())
        return
    yield f"transaction = {quoted(entry.name)}"
    if entry.isolation is not None:
        yield f"isolation = {quoted(entry.isolation)}"
    yield "steps = ["
    yield from (f"  {value_text(_fields(step))}," for step in entry.steps)
    yield "]"


def _fields(entry: SqlStep | Pause) -> dict[str, Any]:
    """The keys of a step, in the order in which people read them."""
    if isinstance(entry, Pause):
        return {"pause": f"{entry.seconds:.6f}".rstrip("0").rstrip(".") + "s"}
    found: dict[str, Any] = {"name": entry.name, "op": "sql", "statement": entry.statement}
    if entry.parameters:
        found["parameters"] = entry.parameters
    if entry.captures:
        found["capture"] = {name: {"column": column} for name, column in entry.captures.items()}
    return found
