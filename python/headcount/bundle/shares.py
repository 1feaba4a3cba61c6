"""What shares, sessions and open files cost a file server: the file `shares.json`."""

from typing import Literal

from pydantic import Field

from headcount.bundle.level import SCHEMA_VERSION, Record


class SharesPoint(Record):
    """One point that was held still, and what the server held meanwhile."""

    start: int = Field(description="Which start of the server, from 0")
    shares: int = Field(description="Shares there were")
    connections: int = Field(description="TCP connections, each logged on as a user")
    net_uses: int = Field(description="Connections to shares of each, the first included")
    open_files: int = Field(description="Open files of each")
    processes: int = Field(description="Processes of the server")
    process_bytes: float = Field(
        description="Memory of the server's processes, mean of the samples"
    )
    spread_bytes: float = Field(description="Largest less smallest sample of it")
    kernel_bytes: float | None = Field(description="Other kernel memory of the whole machine")
    logon_cpu_s: float | None = Field(
        description="CPU time the server used for connecting, if it connected for this point"
    )
    net_use_cpu_s: float | None = Field(
        description="The same for net uses beyond the first, if made for this point"
    )


class LeftOut(Record):
    """A point that could not be held, and why."""

    shares: int
    connections: int
    net_uses: int
    open_files: int
    reason: str


class CostFigure(Record):
    """One cost with its 95 % confidence interval."""

    name: str
    value: float
    low: float
    high: float
    measurable: bool = Field(description="False where the interval includes 0")
    original: str | None = Field(description="The 1998 study's figure; null if it has none")


class CostFit(Record):
    """The costs of one kind, by least squares, and what they leave unexplained."""

    of: Literal["processes", "kernel", "logon-cpu", "net-use-cpu"]
    unit: Literal["bytes", "s"]
    formula: str
    costs: list[CostFigure]
    residuals: list[float] = Field(description="Measured minus fitted, for each point that has it")
    starts: int


class ShareCapacity(Record):
    """The capacity with so many shares, and how it compares with the first."""

    shares: int
    bundle: str = Field(description="The run's folder")
    sentence: str
    estimate: float | None
    low: float | None
    high: float | None
    change: float | None = Field(description="Of the estimate against the first, as a share")
    change_low: float | None
    change_high: float | None
    compared: str = Field(description="The comparison in a sentence")
    flags: list[str] = Field(description="Doubts about this capacity, in sentences")


class SharesFile(Record):
    """The file `shares.json`."""

    schema_version: Literal[1] = SCHEMA_VERSION
    headcount: str
    started_at: str
    target: str
    programs: dict[str, str]
    outcome: Literal["finished", "interrupted"]
    counted: list[str] = Field(description="What the memory figures count, in sentences")
    not_counted: list[str]
    points: list[SharesPoint]
    left_out: list[LeftOut]
    fits: list[CostFit]
    sentences: list[str] = Field(description="The costs beside those of the 1998 study")
    doubts: list[str]
    capacities: list[ShareCapacity]
