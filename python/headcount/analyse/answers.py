"""Response times second by second, with their whole distribution, as a bundle's log keeps them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from headcount._engine import Histogram
from headcount.bundle import hlog
from headcount.bundle.reader import Bundle

LOG = hlog.FILE


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


def seconds(bundle: Bundle) -> list[Second]:
    """Every second of a run in which anything was answered; empty where no log was kept.

    Seconds of a level that a killed run did not finish are left out, since that level was run anew.
    """
    path = bundle.folder / LOG
    at: dict[str, list[Histogram]] = {}
    for intervals in hlog.read(path, lambda tag, *_: tag.startswith("response/")).values():
        for start_s, _, histogram in intervals:
            at.setdefault(_moment(start_s), []).append(histogram)
    return list(_joined(bundle, at))


def _joined(bundle: Bundle, at: dict[str, list[Histogram]]) -> Iterator[Second]:
    for second in bundle.seconds:
        if second["level"] == 0:
            continue
        from_s = second["t_s"] - second["seconds"]
        found = at.get(_moment(from_s))
        if found is not None:
            yield Second(
                from_s=from_s,
                to_s=second["t_s"],
                level=second["level"],
                steady=second["phase"] == "steady",
                users=second["users"],
                times=found[0] if len(found) == 1 else Histogram.merge(found),
            )


def _moment(value_s: float) -> str:
    """A moment as the log writes it, to the millisecond."""
    return f"{value_s:.3f}"


def of_level(run: Sequence[Second], level: int) -> Histogram | None:
    """All response times of the measured part of a level; None where there are none."""
    parts = [second.times for second in run if second.level == level and second.steady]
    return Histogram.merge(parts) if parts else None
