"""The time saved if runs are on another disk than the data (S-09)."""

from collections.abc import Sequence
from dataclasses import dataclass

from headcount.sort.experiment import Trial
from headcount.sort.place import Place, disk_text, same_disk
from headcount.sort.setting_figures import pairs
from headcount.sort.statistics import Estimate, saved_share


@dataclass(frozen=True, slots=True)
class Placement:
    """Runs beside the data against runs elsewhere.

    Attributes:
        beside_s: Times with the runs beside the data, a round each.
        elsewhere_s: Times with the runs elsewhere, in the same rounds.
        gain: Share of the time saved; None if no round was finished.
        folders: The other folders.
        disk: The disks behind them, in words.
        same: Why the places cannot differ; None if they may.

    """

    beside_s: list[float]
    elsewhere_s: list[float]
    gain: Estimate | None
    folders: str
    disk: str
    same: str | None


def judge(where: Place, elsewhere: tuple[Place, ...], trials: Sequence[Trial]) -> Placement:
    """Compare the sorts whose runs went to `elsewhere` with those beside the data."""
    away = [trial for trial in trials if trial.setting.work == elsewhere]
    beside = [trial for trial in trials if trial.setting.work != elsewhere]
    before, after = pairs(beside, away)
    reasons = [same_disk(where, one) for one in elsewhere]
    return Placement(
        beside_s=before,
        elsewhere_s=after,
        gain=saved_share(before, after) if before else None,
        folders=", ".join(str(one.folder) for one in elsewhere),
        disk=", ".join(dict.fromkeys(disk_text(one) for one in elsewhere)),
        same=reasons[0] if all(reasons) else None,
    )
