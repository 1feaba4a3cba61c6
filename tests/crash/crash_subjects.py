"""What is crashed: anything that writes to the disk and goes on after a crash.

A new one is a class with these methods, and a row of `SUBJECTS`.
"""

from collections.abc import Callable
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, Protocol

from crash_bundle import ScriptedBundle
from crash_controller import SimulatedRun


class Subject(Protocol):
    """One story of writing, from its first call to its last.

    Attributes:
        modules: The modules that write, of which `os` is replaced; `output.folder` first.
        patches: What else is replaced meanwhile: module, name and value.
        shape: Equal for stories that make as many calls.
        is_eventful: Whether something else may happen while it plays, and end it with an error;
            None where nothing else can.

    """

    modules: tuple[ModuleType, ...]
    patches: list[tuple[Any, str, Any]]
    shape: object
    is_eventful: bool | None

    def play(self) -> None:
        """Begin, or go on with what a crash left, to the end.

        Raises HeadcountError where the disk does not allow it; any other exception is a defect.
        """
        ...

    def missing(self) -> list[str]:
        """What should be there once it was played to the end, and is not, in words."""
        ...

    def lose_power(self) -> None:
        """What was not on the disk may be lost."""
        ...

    def broken_promises(self, *, is_audited: bool = True) -> list[str]:
        """What is wrong with what is on the disk now, in words; `is_audited`: the long way."""
        ...


SUBJECTS: dict[str, Callable[[Path, Random], Subject]] = {
    "bundle": ScriptedBundle,
    "controller": SimulatedRun,
}
"""By name: makes one that writes into a folder, its story drawn from the random numbers."""
