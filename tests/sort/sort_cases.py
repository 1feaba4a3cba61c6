"""Made-up measurements of sorts, for tests of what is computed from them."""

from pathlib import Path

from headcount.sort.experiment import Setting, Subject, Trial
from headcount.sort.layout import OBSERVATIONS
from headcount.sort.place import Place
from headcount.sort.sort_result import Budget, Sorted

HERE = Place(Path("/data"), 1, frozenset({"sda"}))
SUBJECT = Subject(OBSERVATIONS, 694_444, 1, HERE, 1, cold=False, verify=True)
NEED = OBSERVATIONS.need_bytes(694_444, 1)


def setting(sortsize_bytes: int, memory_bytes: int | None = None, where: Place = HERE) -> Setting:
    return Setting(sortsize_bytes, memory_bytes, (where,))


def took(one: Setting, exit_s: float) -> Sorted:
    fits = one.sortsize_bytes >= NEED
    runs = 0 if fits else -(-100_000_000 // one.sortsize_bytes)
    return Sorted(
        budget=Budget(
            arena_bytes=min(one.sortsize_bytes, NEED),
            part_bytes=min(one.sortsize_bytes, NEED),
            write_bytes=262_144,
            run_records=1,
            runs=runs,
            fan_in=64,
        ),
        passes=0 if fits else 1,
        temporary_bytes=0 if fits else 99_999_936,
        read_bytes=99_999_936 if fits else 199_999_872,
        written_bytes=99_999_936 if fits else 199_999_872,
        moved=None,
        exit_s=exit_s,
        durable_s=exit_s + 0.5,
        read_s=exit_s * 0.1,
        sort_s=exit_s * 0.3,
        runs_s=0 if fits else exit_s * 0.2,
        merge_s=exit_s * 0.3,
        cpu_s=exit_s * 0.8,
        baseline_bytes=18_000_000,
        peak_bytes=18_000_000 + min(one.sortsize_bytes, NEED) + 300_000,
        code_bytes=300_000,
    )


def trials(one: Setting, *times_s: float) -> list[Trial]:
    return [Trial(number, one, took(one, time_s)) for number, time_s in enumerate(times_s)]
