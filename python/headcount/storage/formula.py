"""A formula that one description both calculates and shows with its numbers."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from headcount.storage import number_text

Value = float | tuple[float, ...]
"""An input of a formula: a number, or several that are added."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A result, and how it came about.

    Attributes:
        name: Of the result, for programs, its unit last.
        title: Of the result, for people.
        value: In `unit`.
        unit: `ms`, `bytes`, `bytes/s`, `share` (0 to 1), or what is counted.
        formula: With the names of its inputs; empty for what is true by definition.
        worked: The formula with the numbers put in; empty where there is no formula.
        inputs: The numbers, by name.
        source: The rule's id and where it comes from.

    """

    name: str
    title: str
    value: float
    unit: str
    formula: str
    worked: str
    inputs: Mapping[str, Value]
    source: str


@dataclass(frozen=True, slots=True)
class Formula:
    """A rule of docs/storage-formulas.md that calculates something.

    Attributes:
        rule: Its id, such as `D-04`.
        name: Of the result, for programs, its unit last.
        title: Of the result, for people.
        unit: Of the result.
        template: The calculation, with each argument of `function` in braces.
        source: Where it comes from.
        function: Calculates it; says what it means and where it holds.

    """

    rule: str
    name: str
    title: str
    unit: str
    template: str
    source: str
    function: Callable[..., float]

    @property
    def text(self) -> str:
        """The formula with the names of its inputs."""
        return re.sub(r"[{}]", "", self.template)

    def solve(self, **inputs: Value) -> Answer:
        """Calculate it.

        Raises InputError when an input makes no sense.
        """
        value = self.function(**inputs)
        numbers = {name: number_text.put_in(number) for name, number in inputs.items()}
        return Answer(
            name=self.name,
            title=self.title,
            value=value,
            unit=self.unit,
            formula=self.text,
            worked=self.template.format(**numbers),
            inputs=inputs,
            source=f"{self.rule}: {self.source}",
        )
