"""The interface of lab servers: real servers that Headcount starts, measures and stops."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol


class Server(Protocol):
    """A lab server, running.

    Attributes:
        address: Where it listens, as `ip:port`; for files, their folder.
        home: The folder of its data.
        logs: Its log files, by program.
        pids: The processes at the root of its tree, for the counters; none if the kernel serves.
        programs: Program and version, for the disclosure.
        settings: How it was configured, for the disclosure.

    """

    address: str
    home: Path
    logs: Mapping[str, Path]
    pids: list[int]
    programs: Mapping[str, str]
    settings: Mapping[str, str]

    def __init__(self, settings: Mapping[str, str]) -> None:
        """Start it on a free loopback port.

        Raises InputError for settings it does not have, SystemLimitError when it cannot run here.
        """
        ...

    @staticmethod
    def check_settings(settings: Mapping[str, str]) -> None:
        """Raise InputError for settings that it does not have; starts nothing."""
        ...

    def stop(self) -> None:
        """End it and delete what it stored; safe to call twice."""
        ...
