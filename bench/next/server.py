"""A server with a first limit that can be taken away: a row of `cases.toml`."""

import tomllib
from pathlib import Path

from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass

from bench.foreign.case import Case, Component

STRICT = ConfigDict(extra="forbid")
ANY_CLASS = "worker pool full"
"""`bench.foreign` judges by class; nothing is judged by it here."""


@dataclass(frozen=True, config=STRICT)
class Server:
    """A row.

    Attributes:
        name: The first limit and the next one, in a few words.
        next: The limits that may bind once the first is gone.
        first, lifted: What fills in the stack with the first limit, and without.
        stack: Its servers, in the order that they are started; the last is the target.
        steps, headers: What users ask for.
        think_ms: Mean time between their requests.

    """

    name: str
    next: tuple[str, ...]
    first: dict[str, float]
    lifted: dict[str, float]
    stack: tuple[Component, ...]
    steps: tuple[str, ...] = ("/",)
    headers: str = ""
    think_ms: float = 20.0

    def case(self, *, is_lifted: bool) -> Case:
        """The case to play, with the first limit or without."""
        values = self.lifted if is_lifted else self.first
        return Case(
            name=f"{self.name}, {'lifted' if is_lifted else 'first'}",
            kind=ANY_CLASS,
            part="develop",
            truth=self.name,
            stack=self.stack,
            strength={name: _fixed(value) for name, value in values.items()},
            steps=self.steps,
            headers=self.headers,
            think_ms=self.think_ms,
        )


def _fixed(value: float) -> tuple[int, int]:
    """A range that only one figure is in."""
    return int(value), int(value)


def servers() -> list[Server]:
    """All of them, in the order of the table."""
    text = (Path(__file__).parent / "cases.toml").read_text("utf-8")
    return TypeAdapter(list[Server]).validate_python(tomllib.loads(text)["server"])
