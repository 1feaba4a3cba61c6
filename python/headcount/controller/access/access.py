"""What the controller needs of a protocol beside playing it: who answers, and the data set."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from headcount.counters.source import Source

Progress = Callable[[int, int], None]
"""Takes how much of the data set is ready: users done, users asked for."""


@dataclass(frozen=True)
class Prepared:
    """What preparing a data set came to."""

    created_users: int
    kept_users: int
    written_bytes: int


Make = Callable[[str, str, int, int, Callable[[str], None], bool], str]
"""Makes the data of users `first` to `last` of a protocol's target (JSON), and says how far it is
meanwhile; reads through what is there, if asked to. Returns what it came to (JSON)."""
NOTHING = Prepared(0, 0, 0)
"""All was there already."""
ALL_OWN = "the workload has only paths of your own, so there is nothing to clean up"
"""What cleaning up comes to where there is no data set of folders and files."""
NO_TLS = "no TLS handshake"
"""What the engine says where TLS does not begin."""


def count_text(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def cleanup_text(cleaned: Mapping[str, int]) -> str:
    """Say what was deleted of a data set of folders and files."""
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
        settings: What the server says of its configuration, for the disclosure.

    """

    pid: int | None
    programs: Mapping[str, str]
    settings: Mapping[str, str]

    def prepare(self, users: int, on_progress: Progress, *, verify: bool = False) -> Prepared:
        """Make the data of the first `users` users, or make sure it is there."""
        ...

    def check(self) -> None:
        """Raises TargetError when the target does not answer any more."""
        ...

    def cleanup(self, on_progress: Progress) -> str:
        """Delete the data set and nothing else; returns a sentence."""
        ...

    def engine_target(self) -> str:
        """The target as the engine reads it (JSON)."""
        ...

    def source(self) -> Source | None:
        """What the server says of itself, if it does."""
        ...


@runtime_checkable
class Divisible(Protocol):
    """An access to data that belong to one user each: several machines can make them.

    Attributes:
        make: What makes them; the engine of this process by default.

    """

    make: Make


@runtime_checkable
class Warns(Protocol):
    """An access that has something to say before a run.

    Attributes:
        warnings: Sentences for the person who starts a run.

    """

    warnings: Sequence[str]


def warnings_of(access: Access) -> Sequence[str]:
    """Sentences for the person who starts a run, about how its target is spoken to."""
    return access.warnings if isinstance(access, Warns) else ()
