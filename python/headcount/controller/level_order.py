"""The order for a level. Separate from running it: an audit decides on levels and runs none."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headcount.bundle.level import LevelResult

if TYPE_CHECKING:
    from headcount.controller.session import Moment


def no_doubt(_: LevelResult) -> str | None:
    """Nothing speaks against a level."""
    return None


@dataclass(frozen=True, slots=True)
class LevelOrder:
    """A level to run."""

    index: int
    purpose: str
    users: int
    ramp_s: float
    settle_s: float
    measure_s: float
    may_stop_early: bool = False
    least_s: float = 20.0
    doubt: Callable[[LevelResult], str | None] = no_doubt
    """Returns why a level must not count, or None."""
    is_rested: bool = False
    """Whether all users leave before those of the level come."""
    is_at_once: bool = False
    """Whether users come over `ramp_s` even if they cannot log on so fast."""
    watch: "Callable[[Moment], bool] | None" = None
    """Receives each second that is measured; True ends the level."""
