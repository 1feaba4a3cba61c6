"""The lines of Headcount's own log of counters: what `headcount watch --log` writes.

A log is lines of JSON, each complete except for the names of its columns. Times are seconds since
1970 (UTC); figures have the unit of their column.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

FORMAT: Literal["headcount watch"] = "headcount watch"
"""The format named in the first line."""
VERSION: Literal[1] = 1
"""Changes whenever an existing reader would notice."""


class Line(BaseModel):
    """The fields of all lines."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    at_s: float


class Watched(BaseModel):
    """One source of counters.

    Attributes:
        name: Its name in other lines, unique in the log.
        address: Its address: `local`, `ssh://...`, `http://.../metrics`.
        host: The machine's name, None if unknown.
        system: `linux` or `windows`, None if unknown.

    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    address: str
    host: str | None = None
    system: Literal["linux", "windows"] | None = None


class Header(Line):
    """The first line, and the first line of each session appended later."""

    kind: Literal["header"] = "header"
    format: Literal["headcount watch"] = FORMAT
    version: Literal[1] = VERSION
    headcount: str
    interval_s: Annotated[float, Field(gt=0)]
    sources: list[Watched]

    def with_source(self, name: str) -> "Header":
        """The same header, also for the source of this name; itself if it lists that already."""
        if any(one.name == name for one in self.sources):
            return self
        address = self.sources[0].address if self.sources else name
        more = [*self.sources, Watched(name=name, address=address)]
        return self.model_copy(update={"sources": more})


class Columns(Line):
    """Names and units of a source's counters, before its first sample and whenever one is added.

    Attributes:
        names: Names of the figures in this source's later samples, in order.
        units: UCUM code of each, None for counters unknown to the catalogue.

    """

    kind: Literal["columns"] = "columns"
    source: str
    names: list[str]
    units: list[str | None]


class Taken(Line):
    """One sample of a source.

    Attributes:
        values: In the order of the columns, null if the source has none; or by name.

    """

    kind: Literal["sample"] = "sample"
    source: str
    values: list[float | None] | dict[str, float]


class Marked(Line):
    """A bookmark that the user wrote."""

    kind: Literal["bookmark"] = "bookmark"
    text: str


class Alerted(Line):
    """A counter crossed its threshold, or came back.

    Attributes:
        alert: The condition as given.
        counter: The counter that met it.
        state: `raised` at the first sample that meets it, `ended` at the first that does not.
        value: The value of the counter.

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
    """A record as a line of a log, without the line end."""
    return record.model_dump_json()
