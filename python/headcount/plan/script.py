"""A script: scenarios in an order that the workload gives, instead of drawing them by weight."""

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from headcount.fields.mistakes import nearest
from headcount.fields.model import Name, Strict

MOST_TURNS = 1_000_000
"""Most turns: more than a person would write. Every worker keeps the order in memory."""


class Script(Strict):
    """What every user plays, in order, again and again: an order, or loops one after the other."""

    order: list[Name] | None = Field(
        default=None, min_length=1, max_length=MOST_TURNS, description="Names of scenarios"
    )
    loops: list[Annotated[list[Name], Field(min_length=1)]] | None = Field(
        default=None,
        min_length=1,
        max_length=10_000,
        description="Several orders, played one after the other",
    )
    entries: Literal["loops", "start"] = Field(
        default="loops", description="Where users begin: user n at loop n, or all at the start"
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> "Script":
        if (self.order is None) == (self.loops is None):
            raise ValueError("give either order (names of scenarios) or loops (lists of names)")
        if len(self.turns) > MOST_TURNS:
            raise ValueError(f"it has {len(self.turns):,} turns; it may have up to {MOST_TURNS:,}")
        return self

    @property
    def turns(self) -> list[str]:
        """The scenario of each turn."""
        return [name for loop in self._parts for name in loop]

    @property
    def begins(self) -> list[int]:
        """The turns at which users may begin, from 0; user n uses index n modulo their number."""
        if self.entries == "start":
            return [0]
        return [sum(map(len, self._parts[:index])) for index in range(len(self._parts))]

    @property
    def text(self) -> str:
        """How long it is and where users begin, for people."""
        turns, loops = len(self.turns), len(self._parts)
        where = f", each user from one of {loops} loops" if len(self.begins) > 1 else ""
        return f"a script of {turns} {'turn' if turns == 1 else 'turns'}{where}"

    @property
    def _parts(self) -> list[list[str]]:
        return self.loops or [self.order or []]

    def check(self, names: list[str]) -> None:
        """Raises ValueError for a turn that is not a scenario, or a scenario that never comes."""
        for name in dict.fromkeys(self.turns):
            if name not in names:
                raise ValueError(f'script: no scenario is called "{name}"{nearest(name, names)}')
        for name in names:
            if name not in self.turns:
                raise ValueError(f'script: the scenario "{name}" is never played; add or remove it')

    def engine_form(self) -> dict[str, Any]:
        """The script as the engine reads it."""
        names = list(dict.fromkeys(self.turns))
        place = {name: index for index, name in enumerate(names)}
        return {
            "names": names,
            "order": [place[name] for name in self.turns],
            "entries": self.begins,
        }


def weighted(values: Any) -> Any:
    """The values of a workload file with each scenario's weight: how often the script has it.

    Validation of the workload reports malformed values. Raises ValueError for a weight that
    differs.
    """
    if not isinstance(values, Mapping) or not isinstance(values.get("script"), Mapping):
        return values
    script, scenarios = values["script"], values.get("scenarios")
    loops = script.get("loops") or [script.get("order") or []]
    if not isinstance(scenarios, list) or not isinstance(loops, list):
        return values
    counts = Counter(
        name for loop in loops if isinstance(loop, list) for name in loop if isinstance(name, str)
    )
    return {**values, "scenarios": [_with_weight(each, counts) for each in scenarios]}


def _with_weight(scenario: Any, counts: Counter[str]) -> Any:
    if not isinstance(scenario, Mapping) or not isinstance(scenario.get("name"), str):
        return scenario
    # Script.check reports a scenario that is never played: it knows the nearest name.
    comes = counts[scenario["name"]] or 1
    if scenario.get("weight", comes) != comes:
        raise ValueError(
            f'scenario "{scenario["name"]}": with a script a scenario has no weight; remove it'
        )
    return {**scenario, "weight": float(comes)}
