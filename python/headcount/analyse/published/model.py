"""What a document prints, as data: systems, what was measured on them, figures of its text.

Numbers keep their printed digits (`Decimal("17.40")`), because these show how exact they are.
"""

from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Record(BaseModel):
    """A frozen record; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Benchmark(Record):
    """What was run.

    Attributes:
        label: The benchmark's own name.
        workloads: Headcount's workloads that re-create it.

    """

    label: str
    workloads: tuple[str, ...]


class Figure(Record):
    """A figure of a table.

    Attributes:
        label: What it is.
        unit: As printed.
        called: What Headcount calls it, in Headcount's unit; None where it has no such figure.
        factor: From the printed unit to Headcount's.

    """

    label: str
    unit: str
    called: str | None = Field(default=None, alias="as")
    factor: Decimal = Decimal(1)


class Printed(Record):
    """What is printed of one test on one system.

    Attributes:
        place: The section or table.
        users: The figure that counts the users; or their numbers, where each figure is a list.
        figures: By name.

    """

    place: str
    users: str | tuple[int, ...] | None = None
    figures: dict[str, Any]

    @model_validator(mode="before")
    @classmethod
    def _split(cls, data: dict[str, Any]) -> dict[str, Any]:
        if "figures" in data:
            return data
        own = {key: data[key] for key in ("place", "users") if key in data}
        return own | {"figures": {key: data[key] for key in data if key not in own}}


class System(Record):
    """A system that was measured.

    Attributes:
        id: As formulas call it.
        label: For people.
        hardware: What it was, in a line.
        date: Year and month, or the day, as printed; None where none is.
        repeats: The system whose results this row of another table repeats.
        remark: What a reader must know of the row.
        parts: Figures of the hardware.
        printed: What is printed, by test.

    """

    id: str
    label: str
    hardware: str
    date: str | None = None
    repeats: str | None = None
    remark: str | None = None
    parts: dict[str, Any] = {}
    printed: dict[str, Printed]


class Document(Record):
    """A document with results.

    Attributes:
        id: As options call it.
        title: Its title.
        publisher: Who published it.
        year: When; None where it is not printed.
        year_about: The year for people, where it is not printed.
        tests: What was run, by name.
        figures: What tables print, by name.
        systems: What was measured.
        facts: Figures of the text, by name.
        known: General knowledge that formulas need beside what is printed.
        absent: What formulas would need and is not printed: what it is, by name.

    """

    id: str
    title: str
    publisher: str
    year: int | None = None
    year_about: str | None = None
    tests: dict[str, Benchmark]
    figures: dict[str, Figure]
    systems: tuple[System, ...]
    facts: dict[str, Any] = {}
    known: dict[str, Any] = {}
    absent: dict[str, str] = {}

    @property
    def when(self) -> str:
        """The year, for people."""
        return str(self.year) if self.year is not None else f"about {self.year_about}"
