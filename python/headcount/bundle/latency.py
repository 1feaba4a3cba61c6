"""What a latency does to the memory that connections at work cost: the file `latency.json`."""

from typing import Literal

from pydantic import Field

from headcount.bundle.level import SCHEMA_VERSION, Record

MemoryOf = Literal["processes", "sockets", "kernel"]


class LatencyMemory(Record):
    """The memory of a server; null where it cannot be read."""

    processes: int = Field(description="Processes of the server")
    process_bytes: float = Field(description="Memory of the server's processes")
    sockets: float = Field(description="TCP sockets of the server, without those that listen")
    socket_bytes: float = Field(description="What the kernel holds for these: the server's end")
    kernel_bytes: float | None = Field(
        description="SUnreclaim, KernelStack and TCP buffers of the whole machine"
    )


class LatencyPoint(Record):
    """One start of the server with a latency, and its memory before and while users worked."""

    repeat: int = Field(description="Which repeat, from 0; each latency is in each once")
    latency_s: float = Field(description="Added to each round trip; 0 is the shortest line")
    bundle: str = Field(description="The run's folder")
    users: int = Field(description="Users, each with a connection of its own")
    outcome: Literal["passed", "failed", "invalid"]
    reasons: list[str] = Field(description="Why it failed or is invalid, in sentences")
    offered_per_s: float
    achieved_per_s: float
    round_trip_s: float | None = Field(
        description="Median over the connections of the shortest round trip that TCP saw"
    )
    before: LatencyMemory = Field(description="Before the first user")
    during: LatencyMemory = Field(description="Means over the measured part")
    samples: int = Field(description="Readings of the processes in the measured part")
    socket_samples: int = Field(description="Readings of the sockets in the measured part")


class LatencyCost(Record):
    """What a connection costs with a latency, with 95% intervals over the repeats."""

    latency_s: float
    of: MemoryOf
    value: float = Field(description="Bytes per connection")
    low: float | None = Field(description="Null with a single repeat")
    high: float | None
    more: float | None = Field(
        description="Bytes per connection more than with the shortest latency; null for that one"
    )
    more_low: float | None
    more_high: float | None
    repeats: int = Field(description="Repeats that this is of")


class LatencyFile(Record):
    """The file `latency.json`."""

    schema_version: Literal[1] = SCHEMA_VERSION
    headcount: str
    started_at: str
    target: str
    programs: dict[str, str]
    workload: str = Field(description="What the users did, in a sentence")
    outcome: Literal["finished", "interrupted"]
    counted: list[str] = Field(description="What the memory figures count, in sentences")
    points: list[LatencyPoint]
    costs: list[LatencyCost]
    sentences: list[str]
    doubts: list[str]
