"""The level that stands for an answer, and what the verdict takes from it."""

from collections.abc import Sequence

from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Marks, Score
from headcount.text import plural


def level_at(users: int | None, levels: Sequence[LevelResult]) -> LevelResult | None:
    """The passed level that stands for this many users.

    The last official level at exactly that number; else the last level of any purpose at it; else
    the next passed level below. If `users` is None, the largest passed level. None if no level
    passed.
    """
    passed = [level for level in levels if level.outcome == "passed"]
    if users is not None:
        exact = [level for level in passed if level.users == users]
        official = [level for level in exact if level.purpose == "official"]
        if exact:
            return (official or exact)[-1]
        passed = [level for level in passed if level.users < users]
    return max(passed, key=lambda level: (level.users, level.index), default=None)


def task_score(level: LevelResult | None) -> Score | None:
    """The score that a level's tasks make; None if there is none."""
    if level is None or level.score is None or level.score.value is None:
        return None
    found = level.score
    weights = ", ".join(f"{name} {weight:g}" for name, weight in found.weights.items())
    missing = f"; did not happen: {', '.join(found.missing)}" if found.missing else ""
    return Score(
        name=found.name,
        value=found.value,  # type: ignore[arg-type]
        unit=found.unit,
        formula=(
            f"sum(w x p{found.percentile:g}) / sum(w) over the tasks ({weights}) at "
            f"{plural('user', level.users)}{missing}"
        ),
        zero_level=None,
        interval=found.interval,
        users=level.users,
    )


def marks(level: LevelResult | None) -> Marks | None:
    """What was counted per minute at a level; None for workloads that count nothing."""
    if level is None or level.marks is None:
        return None
    return Marks(**level.marks.model_dump(), users=level.users)


def unproven(level: LevelResult | None) -> list[str]:
    """A doubt about criteria that the level met only because what they measure never happened."""
    found = [each.sentence for each in level.criteria if each.unproven] if level else []
    return [f"at {plural('user', level.users)} {sentence}" for sentence in found] if level else []
