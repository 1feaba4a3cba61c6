"""The disclosure: both sides' hardware, system and settings (`environment.json`)."""

from typing import Any, Literal

from pydantic import Field

from headcount.bundle.level import SCHEMA_VERSION, Record


class Side(Record):
    """One machine, and the programs measured on it."""

    role: Literal["sut", "generator", "both", "controller"] = Field(
        description="`controller`: of a run whose agents are all on other machines"
    )
    host: dict[str, Any] | None = Field(
        description="From `headcount.counters.environment`; null if not known"
    )
    programs: dict[str, str] = Field(description="Program and version, such as smbd: 4.17.12")
    settings: dict[str, str] = Field(description="Settings of the server under test")
    agents: list[int] = Field(
        default=[], description="Numbers of the agents on it, where several play the users"
    )


class CounterOrigin(Record):
    """Where the counters of a side come from, if not from this machine's own."""

    side: str
    address: str
    program: str = Field(description="What gives them there")
    host: str | None = Field(description="The machine's own name")
    system: str = Field(description="linux or windows")
    clock_offset_s: float | None = Field(
        description="How far its clock is ahead of the generator's; all figures are corrected"
    )
    clock_error_s: float | None = Field(description="Error bound of that offset")


class ServerFound(Record):
    """A server that Headcount did not start, as it was found here or over SSH."""

    addresses: list[str] = Field(description="Where it listens, as ip:port")
    found_by: str | None = Field(description="How its processes were found; null if they were not")
    processes: dict[str, str] = Field(description="Its processes by process id, with their names")
    control_group: dict[str, str] = Field(
        description="The service's control group by controller; empty without one"
    )
    limits: dict[str, float] = Field(
        description="Its limits, the lowest of it and the groups above it: cpu in cores, memory in "
        "bytes, processes"
    )
    missing: str | None = Field(description="What could not be read, and how to get it")
    machine: str | None = Field(
        default=None, description="The login it was found through; null on this machine"
    )
    named: dict[str, list[str]] = Field(
        default={}, description="What somebody said that it is: pids, units, cgroups, containers"
    )


class EnvironmentFile(Record):
    """The file `environment.json`."""

    schema_version: Literal[1] = SCHEMA_VERSION
    headcount: str = Field(description="Version of Headcount")
    build: str = Field(description="Build profile of the engine; measure only with release")
    started_at: str
    target: str
    sides: list[Side]
    counters: list[CounterOrigin] = Field(
        default=[], description="Where counters of other machines come from"
    )
    server: ServerFound | None = Field(
        default=None, description="The server's processes, if it was looked for: here, or over SSH"
    )
