"""What the controller needs of a protocol besides playing it: who answers, and the data set."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from headcount.counters.source import Source

Progress = Callable[[int, int], None]
"""Takes how much of the data set is ready: users done, users asked for."""


@dataclass(frozen=True)
class Prepared:
    """The result of preparing a data set."""

    created_users: int
    kept_users: int
    written_bytes: int


Make = Callable[[str, str, int, int, Callable[[str], None], bool], str]
"""Makes the data of users `first` to `last` of a protocol's target (JSON) and reports progress;
reads through existing data, if asked to. Returns the result (JSON)."""
NOTHING = Prepared(0, 0, 0)
"""Everything existed already."""
ALL_OWN = "the workload has only paths of your own, so there is nothing to clean up"
"""Text of a cleanup if there is no data set of folders and files."""
NO_TLS = "no TLS handshake"
"""The engine's message if TLS does not begin."""


def count_text(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def cleanup_text(cleaned: Mapping[str, int]) -> str:
    """What was deleted of a data set of folders and files, in words."""
    if not cleaned["shares"]:
        return "there is no data set of Headcount's"
    left = cleaned["left"]
    of_others = f"; left the folder with {count_text(left, 'name')} that no data set has"
    done = (
        f"deleted {count_text(cleaned['files'], 'file')} of {count_text(cleaned['users'], 'user')}"
    )
    return done + (of_others if left else "")


class Access(Protocol):
    """One target of one protocol.

    Attributes:
        pid: The server's process, if it is on this machine and known.
        programs: Program and version, for the disclosure.
        settings: The server's own report of its configuration, for the disclosure.

    """

    pid: int | None
    programs: Mapping[str, str]
    settings: Mapping[str, str]

    def prepare(self, users: int, on_progress: Progress, *, verify: bool = False) -> Prepared:
        """Make the data of the first `users` users, or make sure that they exist."""
        ...

    def check(self) -> None:
        """Raises TargetError if the target does not answer any more."""
        ...

    def cleanup(self, on_progress: Progress) -> str:
        """Delete the data set and nothing else; returns a sentence."""
        ...

    def engine_target(self) -> str:
        """The target as the engine reads it (JSON)."""
        ...

    def source(self) -> Source | None:
        """The server's own counters, if it reports any."""
        ...


@runtime_checkable
class Divisible(Protocol):
    """An access to data that belong to one user each: several machines can make them.

    Attributes:
        make: The maker of the data; the engine of this process by default.

    """

    make: Make


@runtime_checkable
class Warns(Protocol):
    """An access with warnings to show before a run.

    Attributes:
        warnings: Sentences for the person who starts a run.

    """

    warnings: Sequence[str]


def warnings_of(access: Access) -> Sequence[str]:
    """Warnings, for the person who starts a run, about the connection to its target."""
    return access.warnings if isinstance(access, Warns) else ()
