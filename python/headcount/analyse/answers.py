"""Response times second by second, as full distributions, from a bundle's histogram log."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from headcount._engine import Histogram
from headcount.bundle import hlog
from headcount.bundle.reader import Bundle
from headcount.bundle.stretches import Cut, lengths_s

LOG = hlog.FILE
NOTHING: Histogram = Histogram.merge([])


@dataclass(frozen=True, slots=True)
class Second:
    """The response times that ended in one second of a run.

    Attributes:
        from_s: Its beginning, in seconds since the run began.
        to_s: Its end.
        level: Index of the level it belongs to.
        steady: Whether it is in the measured part of that level.
        users: Users connected.
        times: Response times of all scenarios, from the due moment.

    """

    from_s: float
    to_s: float
    level: int
    steady: bool
    users: int
    times: Histogram


TOGETHER = 64
"""How many histograms are merged at once."""


def seconds(bundle: Bundle) -> list[Second]:
    """Every second of a run in which a scenario ended; empty if the bundle has no log.

    A long level comes in the stretches that it is analysed in. The seconds of a level that a killed
    run did not finish are left out, because that level was run again.
    """
    found, places = _unanswered(bundle)
    parts: list[list[Histogram]] = [[] for _ in found]
    for start_s, histogram in bundle.each_answer():
        place = places.get(_moment(start_s))
        if place is not None:
            parts[place].append(histogram)
            if len(parts[place]) >= TOGETHER:
                parts[place] = [Histogram.merge(parts[place])]
    merged = (of[0] if len(of) == 1 else Histogram.merge(of) for of in parts)
    answered = zip(found, parts, merged, strict=True)
    return [replace(second, times=times) for second, of, times in answered if of]


def _unanswered(bundle: Bundle) -> tuple[list[Second], dict[str, int]]:
    """The seconds or stretches, still without times, and the place of each moment among them."""
    cut = Cut(lengths_s(bundle.levels))
    found: list[Second] = []
    places: dict[str, int] = {}
    for second in bundle.heads:
        if second.level == 0:
            continue
        steady = second.phase == "steady"
        if cut.begins(second) or not found:
            found.append(Second(second.from_s, 0.0, second.level, steady, 0, NOTHING))
        found[-1] = replace(found[-1], to_s=second.t_s, users=second.users)
        places[_moment(second.from_s)] = len(found) - 1
    return found, places


def _moment(value_s: float) -> str:
    """A moment in the log's format, to the millisecond."""
    return f"{value_s:.3f}"


def of_level(run: Sequence[Second], level: int) -> Histogram | None:
    """All response times of the measured part of a level; None where there are none."""
    parts = [second.times for second in run if second.level == level and second.steady]
    return Histogram.merge(parts) if parts else None
