"""What the sorts of an experiment say together: times, the best setting, what memory saved."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from headcount.sort.experiment import Setting, Trial
from headcount.sort.statistics import Estimate, differs, middle, ratio, saved_share

Standing = Literal["best", "no different", "slower", "unknown"]


@dataclass(frozen=True, slots=True)
class Figures:
    """What the sorts with one setting took.

    Attributes:
        setting: The setting.
        trials: The sorts, one a round.
        exit_s: Time to the last write.
        durable_s: Time until everything was on the disk.
        standing: Compared with the fastest setting: `no different` if the difference is within the
            noise (S-11), `unknown` if sorts were not repeated.

    """

    setting: Setting
    trials: tuple[Trial, ...]
    exit_s: Estimate
    durable_s: Estimate
    standing: Standing

    @property
    def fits(self) -> bool:
        """Whether everything fitted into memory, so that no work file was written."""
        return self.trials[0].sorted.fits

    @property
    def temporary_bytes(self) -> int:
        """Bytes that each sort wrote to work files. The setting determines them, not chance."""
        return self.trials[0].sorted.temporary_bytes

    @property
    def used_bytes(self) -> int | None:
        """The most memory that one of the sorts took, above the program itself."""
        found = [used for one in self.trials if (used := one.sorted.used_bytes) is not None]
        return max(found, default=None)


@dataclass(frozen=True, slots=True)
class Cliff:
    """The time saved once everything fits into memory.

    Attributes:
        memory_bytes: The limit of memory it was measured with; None for the machine's.
        spills: The largest setting that still writes runs.
        best_spill: The fastest of those that write runs: the paper's comparison (S-06).
        fits: The smallest that writes none.
        best_fit: The fastest of those that write none.
        saved: Share of the time of `best_spill` that `best_fit` saves.

    """

    memory_bytes: int | None
    spills: Figures
    best_spill: Figures
    fits: Figures
    best_fit: Figures
    saved: Estimate


def figures(trials: Sequence[Trial]) -> list[Figures]:
    """The figures of each setting, in the order of memory and sort size.

    Unfinished rounds count for the times, not for the comparisons.
    """
    by_setting: dict[Setting, list[Trial]] = {}
    for trial in trials:
        by_setting.setdefault(trial.setting, []).append(trial)
    times = {
        setting: middle([one.sorted.exit_s for one in found])
        for setting, found in by_setting.items()
    }
    if not times:
        return []
    best = min(times, key=lambda setting: times[setting].value)
    found = [
        Figures(
            setting=setting,
            trials=tuple(one),
            exit_s=times[setting],
            durable_s=middle([trial.sorted.durable_s for trial in one]),
            standing=_standing(by_setting, best, setting),
        )
        for setting, one in by_setting.items()
    ]
    return sorted(found, key=_order)


def cliffs(found: Sequence[Figures]) -> list[Cliff]:
    """The time saved by fitting, for each memory limit with settings that fit and that do not."""
    result = []
    for memory_bytes in dict.fromkeys(one.setting.memory_bytes for one in found):
        mine = [one for one in found if one.setting.memory_bytes == memory_bytes]
        spilling, fitting = [one for one in mine if not one.fits], [one for one in mine if one.fits]
        if not spilling or not fitting:
            continue
        best = min(spilling, key=lambda one: one.exit_s.value)
        fits = min(fitting, key=lambda one: one.setting.sortsize_bytes)
        spills = max(spilling, key=lambda one: one.setting.sortsize_bytes)
        best_fit = min(fitting, key=lambda one: one.exit_s.value)
        gain = saved_share(*pairs(best.trials, best_fit.trials))
        result.append(Cliff(memory_bytes, spills, best, fits, best_fit, gain))
    return result


def pairs(before: Sequence[Trial], after: Sequence[Trial]) -> tuple[list[float], list[float]]:
    """Times to exit of the rounds in which both were measured, in s."""
    later = {trial.round: trial.sorted.exit_s for trial in after}
    both = [trial for trial in before if trial.round in later]
    return [trial.sorted.exit_s for trial in both], [later[trial.round] for trial in both]


def _standing(by_setting: dict[Setting, list[Trial]], best: Setting, setting: Setting) -> Standing:
    if setting == best:
        return "best"
    before, after = pairs(by_setting[best], by_setting[setting])
    if len(before) < 2:
        return "unknown"
    found = ratio(before, after, comparisons=max(len(by_setting) - 1, 1))
    return "slower" if differs(found) and found.value > 1 else "no different"


def _order(one: Figures) -> tuple[float, int, tuple[str, ...]]:
    limit = one.setting.memory_bytes
    work = tuple(str(place.folder) for place in one.setting.work)
    return (float("inf") if limit is None else limit, one.setting.sortsize_bytes, work)
