"""The lines of Headcount's own log of counters: what `headcount watch --log` writes.

A log is lines of JSON, each whole in itself but for the names of columns. Moments are seconds since
1970 (UTC); figures are in the unit that their column names.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

FORMAT: Literal["headcount watch"] = "headcount watch"
"""What the first line says its file is."""
VERSION: Literal[1] = 1
"""Changes with any change that an existing reader would notice."""


class Line(BaseModel):
    """What all lines have in common."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    at_s: float


class Watched(BaseModel):
    """One source of counters.

    Attributes:
        name: What lines call it, unique in its log.
        address: Where it is: `local`, `ssh://...`, `http://.../metrics`.
        host: The machine's name, None where nobody said it.
        system: `linux` or `windows`, None where nobody said it.

    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    address: str
    host: str | None = None
    system: Literal["linux", "windows"] | None = None


class Header(Line):
    """The first line, and the first of each later watching that was appended."""

    kind: Literal["header"] = "header"
    format: Literal["headcount watch"] = FORMAT
    version: Literal[1] = VERSION
    headcount: str
    interval_s: Annotated[float, Field(gt=0)]
    sources: list[Watched]


class Columns(Line):
    """Names and units of a source's counters, before its first sample and whenever some come new.

    Attributes:
        names: Of the figures of this source's samples from here on, in order.
        units: UCUM code of each, None where the catalogue does not know the counter.

    """

    kind: Literal["columns"] = "columns"
    source: str
    names: list[str]
    units: list[str | None]


class Taken(Line):
    """One sample of a source.

    Attributes:
        values: By the columns' order, null where the source could not give it; or by name.

    """

    kind: Literal["sample"] = "sample"
    source: str
    values: list[float | None] | dict[str, float]


class Marked(Line):
    """Something that whoever watched wrote down."""

    kind: Literal["bookmark"] = "bookmark"
    text: str


class Alerted(Line):
    """A counter went over or under its threshold, or came back.

    Attributes:
        alert: The condition as it was given.
        counter: The counter that met it.
        state: `raised` at the first sample that met it, `ended` at the first that no longer did.
        value: What the counter was then.

    """

    kind: Literal["alert"] = "alert"
    source: str
    alert: str
    counter: str
    state: Literal["raised", "ended"]
    value: float


class Interrupted(Line):
    """A source stopped answering, or answers again; between the two it has no samples."""

    kind: Literal["source"] = "source"
    source: str
    state: Literal["lost", "back"]
    reason: str = ""


Record = Annotated[
    Header | Columns | Taken | Marked | Alerted | Interrupted, Field(discriminator="kind")
]
RECORD: TypeAdapter[Any] = TypeAdapter(Record)
"""Any line of a log."""


def line(record: Line) -> str:
    """A record as it stands in a log, without the end of line."""
    return record.model_dump_json()
