"""Recordings made of a few numbers, for tests of rules."""

from collections.abc import Mapping, Sequence

from headcount.analyse.rules.examine import examine
from headcount.analyse.rules.facts import Facts
from headcount.analyse.rules.finding import Examination
from headcount.analyse.rules.library import builtin
from headcount.analyse.rules.model import Profile
from headcount.analyse.rules.series import Frame
from headcount.counters.source import Sample

START_S = 1_700_000_000.0
Given = Mapping[str, float | Sequence[float]]

AVAILABLE = "system.linux.memory.available"
PAGES = "system.windows.paging.pages"
CPU = "system.cpu.utilization"
QUEUE = "system.disk.queue_length"
DISK_TIME = "system.windows.disk.time"


def samples(given: Given, count: int = 20, every_s: float = 60.0) -> tuple[Sample, ...]:
    """Samples with these values: one for all, or one each."""
    longest = max((len(v) for v in given.values() if not isinstance(v, int | float)), default=count)
    return tuple(
        Sample(
            START_S + index * every_s,
            {
                name: float(value if isinstance(value, int | float) else value[index])
                for name, value in given.items()
            },
        )
        for index in range(longest)
    )


def frame(given: Given, count: int = 20, every_s: float = 60.0) -> Frame:
    return Frame(samples(given, count, every_s))


def examination(
    given: Given,
    profile: Profile = "app-server",
    facts: Facts | None = None,
    count: int = 20,
    every_s: float = 60.0,
) -> Examination:
    return examine(frame(given, count, every_s), facts or Facts(), profile, builtin())


def ids(examination: Examination) -> list[str]:
    return [one.rule.id for one in examination.found]
