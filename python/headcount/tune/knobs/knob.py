"""A knob: one setting of a server that can be changed, and what is known of it."""

import re
from typing import Literal

from pydantic import Field, model_validator

from headcount.bundle.diagnosis import Limit
from headcount.fields.model import Strict
from headcount.tune.knobs.formula import number

Apply = Literal["reload", "restart", "live"]
Risk = Literal["none", "data", "security", "service"]

RISKS: dict[Risk, str] = {
    "none": "none",
    "data": "a crash or a power failure may lose data",
    "security": "it weakens who may read or change what",
    "service": "clients may notice other behaviour",
}


SAMPLE = {"cpus": 2, "memory_mib": 4096, "users": 100}
"""A machine and a load for which formulas have to have a value."""


class Knob(Strict):
    """One setting.

    Values are texts, as in the server's configuration, without the unit.
    """

    name: str = Field(
        pattern=r"^[\w][\w ./{}-]*$", description="As the server's documentation has it"
    )
    about: str = Field(description="What it does, in a sentence or two")
    limits: list[Limit] = Field(min_length=1, description="Limits of a diagnosis it may move")
    default: str = Field(description="The program's own default; empty if it is computed")
    shipped: list[str] = Field(
        default=[], description="Values that distributions set without being asked"
    )
    words: list[str] = Field(default=[], description="Values that are words")
    means: dict[str, str] = Field(
        default={}, description="Numbers that words stand for, as formulas: `auto` for `cpus`"
    )
    least: str | None = Field(default=None, description="Least number, or a formula for it")
    most: str | None = Field(default=None, description="Largest number, or a formula for it")
    unit: str = Field(default="", description="Written after a number, such as `MB`")
    rules: list[str] = Field(
        default=[], description="Values to try first, the best first: rules of thumb"
    )
    where: str = Field(default="", description="Part of the configuration it belongs to")
    apply: Apply = Field(description="What puts it in force")
    risk: Risk = "none"
    together: dict[str, str] = Field(
        default={}, description="Settings that must follow it, with formulas of `value`"
    )
    original: list[str] = Field(
        default=[], description="Rules of the documents of the nineties it is the counterpart of"
    )
    source: str = Field(description="Where default and range come from")
    note: str = Field(default="", description="What to beware of")

    @model_validator(mode="after")
    def _has_values(self) -> "Knob":
        if not self.words and self.most is None:
            raise ValueError(f"{self.name} has neither words nor a largest number")
        if (self.least is None) != (self.most is None):
            raise ValueError(f"{self.name} needs both a least and a largest number, or neither")
        return self

    def __hash__(self) -> int:
        """By its name; two of one name are of different servers."""
        return hash(self.name)

    @property
    def formulas(self) -> list[str]:
        """All of its formulas but those of settings that follow it."""
        values = [text for text in self.rules if self.is_number and text not in self.words]
        limits = [text for text in (self.least, self.most) if text is not None]
        return [*limits, *values, *self.means.values()]

    @property
    def is_number(self) -> bool:
        """Whether it can be a number."""
        return self.most is not None

    @property
    def range_text(self) -> str:
        """The values it can have, for people."""
        numbers = [f"{self.least} to {self.most}{self.unit}"] if self.is_number else []
        return ", ".join([*self.words, *numbers])

    def written(self, value: str) -> str:
        """A value as it stands in the configuration: a number with its unit."""
        return f"{value}{self.unit}" if re.fullmatch(r"-?[0-9]+", value) else value


class KnobFile(Strict):
    """The knobs of one server, as a TOML file has them."""

    server: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    title: str
    knob: list[Knob] = Field(min_length=1)

    @model_validator(mode="after")
    def _has_each_once(self) -> "KnobFile":
        names = [knob.name for knob in self.knob]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise ValueError(f"these are there twice: {', '.join(sorted(twice))}")
        return self

    def check_formulas(self) -> None:
        """Raise InputError for a formula with more than the machine, the load, and own numbers."""
        names = {**{knob.name: 1 for knob in self.knob if knob.is_number}, **SAMPLE}
        for knob in self.knob:
            for formula in knob.formulas:
                number(formula, names)
            for formula in knob.together.values():
                number(formula, {**names, "value": 1})
