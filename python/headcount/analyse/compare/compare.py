"""Compare subjects: each with the first."""

from collections.abc import Sequence

from headcount.analyse.compare import answers, levels, points
from headcount.analyse.compare.comparison import (
    Comparison,
    Difference,
    Reference,
    Subject,
)
from headcount.analyse.compare.doubts import doubts
from headcount.analyse.compare.interleaved import interleaved_sides
from headcount.analyse.compare.machine import program
from headcount.analyse.compare.measured import Measured
from headcount.analyse.compare.subject import Side
from headcount.analyse.compare.unlike import unlike
from headcount.analyse.compare.verdict import overall, sentence
from headcount.bundle.reader import ensure_run
from headcount.errors import InputError


def compare(sides: Sequence[Side], references: Sequence[Reference] = ()) -> Comparison:
    """Compare each of the sides with the first.

    Args:
        sides: Two or more, with different names; the first is what the others are compared with.
        references: Published results to draw alongside; they are in no difference.

    Raises:
        InputError: There are fewer than two sides, two of one name, or nothing to compare.

    """
    _check(sides)
    runs = [side.bundles[0] for side in sides]
    turns = interleaved_sides(sides)
    different = unlike([side.name for side in sides], runs)
    if turns is not None:
        different = turns.asked(different)
    left_out = answers.OF_ANSWERS if any(one.what == "criteria" for one in different) else ()
    common = {users for other in sides[1:] for users in levels.common_users(sides[0], other)}
    known = [side.levels(lambda level: level.users in common) for side in sides]
    found: list[Difference] = []
    for other, here in zip(sides[1:], known[1:], strict=True):
        found += answers.differences(sides[0], other, left_out)
        found += levels.differences((sides[0], other), (known[0], here))
    interleaved = turns is not None or _interleaved(known)
    spoiled = any(one.spoils for one in different)
    return Comparison(
        sentence=sentence(sides, found, [one.what for one in different if one.spoils]),
        finding=overall(sides, found, spoiled=spoiled),
        subjects=_subjects(sides, found),
        differences=found,
        unlike=different,
        interleaved=interleaved,
        doubts=[
            *(turns.doubts() if turns is not None else []),
            *doubts(sides, known, found, interleaved=interleaved),
        ],
        references=list(references),
    )


def _check(sides: Sequence[Side]) -> None:
    if len(sides) < 2:
        raise InputError("a comparison needs two runs or more: headcount compare BUNDLE BUNDLE")
    names = [side.name for side in sides]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f'two of those compared are called "{name}"; name them: NAME=BUNDLE')
    for bundle in (bundle for side in sides for bundle in side.bundles):
        if bundle.failover is not None:
            raise InputError(
                f"{bundle.folder} is a failover: compare it with others of its kind "
                "(headcount compare BUNDLE BUNDLE)"
            )
        ensure_run(bundle)


def _interleaved(known: Sequence[Sequence[Measured]]) -> bool:
    """Whether levels alternated at every compared number of users, in at least three pairs."""
    for other in known[1:]:
        for users in {one.users for one in known[0]} & {one.users for one in other}:
            matched = levels.matched(users, known[0], other)
            if len(matched.pairs) < 2:
                return False
    return any(known[0])


def _subjects(sides: Sequence[Side], found: Sequence[Difference]) -> list[Subject]:
    """The subjects, with the capacities that the pairs show, if any."""
    subjects = [_subject(side) for side in sides]
    parts = [one for one in found if one.metric == "capacity" and one.method == "pairs"]
    if len(subjects) != 2 or not parts:
        return subjects
    figures = (parts[0].a, parts[0].b)
    return [
        subject.model_copy(update={"capacity": figure})
        for subject, figure in zip(subjects, figures, strict=True)
    ]


def _subject(side: Side) -> Subject:
    first = side.bundles[0]
    return Subject(
        name=side.name,
        title=f"{side.plan.workload.name} on {side.plan.target}",
        bundles=[str(bundle.folder) for bundle in side.bundles],
        target=side.plan.target,
        workload=side.plan.workload.name,
        program=program(first),
        started_at=[bundle.levels[0].started_at for bundle in side.bundles],
        users=side.users(),
        capacity=answers.held(side),
        criteria=points.criteria(side),
        points=points.points(side),
    )
