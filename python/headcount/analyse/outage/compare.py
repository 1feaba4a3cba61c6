"""Compare what users felt of a fault in two or more set-ups, each with the first; pure."""

from collections.abc import Sequence
from itertools import pairwise

from headcount.analyse.compare.comparison import Unlike
from headcount.analyse.compare.machine import program
from headcount.analyse.compare.subject import Side
from headcount.analyse.outage.comparison import FailoverComparison, SetUp, Shift
from headcount.analyse.outage.outage_shift import shift, values
from headcount.analyse.outage.shift_text import sentence
from headcount.analyse.outage.spread import FIGURES, counted
from headcount.analyse.outage.unlike import differences
from headcount.analyse.statistics.shift import end_of
from headcount.bundle.failover import Failover, Outage
from headcount.errors import InputError
from headcount.text import count, listed, plural

DECIDES = "served_s"
"""The figure that decides; only one, so that chance has a single try."""
FIGURES_COMPARED = tuple(name for name in FIGURES if name != "log_ons")
"""More or fewer reopened sessions are neither better nor worse."""
OF_SET_UPS = ("target", "server program", "server settings", "server machine")
"""What defines a set-up: it is the same in all of its bundles."""


def are_failovers(sides: Sequence[Side]) -> bool:
    """Whether all are bundles of `headcount failover`; raises InputError if only some are."""
    bundles = [bundle for side in sides for bundle in side.bundles]
    failovers = [one for one in bundles if one.failover is not None]
    if not failovers or len(failovers) == len(bundles):
        return bool(failovers)
    other = next(one for one in bundles if one.failover is None)
    raise InputError(
        f"{failovers[0].folder} is a failover, and {other.folder} is not: compare failovers "
        "with failovers, and runs with runs"
    )


def compare(sides: Sequence[Side]) -> FailoverComparison:
    """Compare each side, all of them failovers, with the first.

    Raises:
        InputError: There are fewer than two sides, two of one name, a side with bundles of
            different set-ups, or a side without a repetition that counts.

    """
    _check(sides)
    felt = [_outages(side) for side in sides]
    names = [side.name for side in sides]
    shifts = [
        one
        for name, outages in zip(names[1:], felt[1:], strict=True)
        for one in _shifts((names[0], name), felt[0], outages)
    ]
    unlike = differences(names, [side.bundles[0] for side in sides])
    spoiled = [one.what for one in unlike if one.spoils]
    deciding = [one for one in shifts if one.figure == DECIDES]
    findings = {one.finding for one in deciding}
    return FailoverComparison(
        sentence=sentence(deciding, spoiled),
        finding=(
            "not comparable" if spoiled else findings.pop() if len(findings) == 1 else "mixed"
        ),
        decides=DECIDES,
        subjects=[_set_up(side) for side in sides],
        shifts=shifts,
        unlike=unlike,
        doubts=_doubts(sides),
    )


def _shifts(
    names: tuple[str, str], first: Sequence[Outage], second: Sequence[Outage]
) -> list[Shift]:
    found = []
    for figure in FIGURES_COMPARED:
        a, b = values(figure, first), values(figure, second)
        if a and b:
            found.append(shift(figure, names, a, b))
    return found


def _failovers(side: Side) -> list[Failover]:
    return [bundle.failover for bundle in side.bundles if bundle.failover is not None]


def _outages(side: Side) -> list[Outage]:
    """The repetitions that count, from all bundles of a side."""
    return counted([one for found in _failovers(side) for one in found.outages])


def _check(sides: Sequence[Side]) -> None:
    if len(sides) < 2:
        raise InputError("a comparison needs two bundles or more: headcount compare BUNDLE BUNDLE")
    names = [side.name for side in sides]
    for side in sides:
        if names.count(side.name) > 1:
            raise InputError(
                f'two of those compared are called "{side.name}"; name them: NAME=BUNDLE'
            )
        if not _outages(side):
            raise InputError(
                f"{side.name} ({side.bundles[0].folder}) has no repetition that counts; headcount "
                "show says why"
            )
        spoiled = [one for one in _within(side) if one.spoils]
        if spoiled:
            raise InputError(
                f"the bundles of {side.name} are not of one set-up: {spoiled[0].sentence}"
            )


def _within(side: Side) -> list[Unlike]:
    """How the bundles of one side differ."""
    return differences([str(bundle.folder) for bundle in side.bundles], side.bundles)


def _set_up(side: Side) -> SetUp:
    failovers = _failovers(side)
    return SetUp(
        name=side.name,
        title=f"{side.plan.workload.name} on {side.plan.target}",
        program=program(side.bundles[0]),
        bundles=[str(bundle.folder) for bundle in side.bundles],
        fault=failovers[0].fault,
        users=failovers[0].users,
        repetitions=sum(len(one.outages) for one in failovers),
        counted=len(_outages(side)),
    )


def _doubts(sides: Sequence[Side]) -> list[str]:
    found = [text for side in sides for text in _doubts_of(side)]
    number = len(_outages(sides[0]))
    if any(end_of(number, len(_outages(other))) is None for other in sides[1:]):
        found.append("too few repetitions to show a difference: four of each can show one")
    if not _alternate(sides):
        found.append(
            "the set-ups were measured one after the other: a change of the machine in between "
            "counts as a difference; measure several failovers of each in turns"
        )
    return found


def _doubts_of(side: Side) -> list[str]:
    outages = [one for failover in _failovers(side) for one in failover.outages]
    valid = counted(outages)
    number = plural("repetition", len(outages))
    found = []
    if len(valid) < len(outages):
        left_out = count(len(outages) - len(valid))
        found.append(f"{side.name}: {left_out} of {number} do not count, and are left out")
    doubtful = sum(bool(one.doubts) for one in valid)
    if doubtful:
        found.append(
            f"{side.name}: in {count(doubtful)} of {number} the load generator was at its "
            "limit, so some scenarios may be late because of it"
        )
    early = [one for one in _failovers(side) if one.ending != "finished"]
    if early:
        done, wanted = sum(len(one.outages) for one in early), sum(one.wanted for one in early)
        found.append(f"{side.name}: it ended early, after {done} of {wanted} repetitions")
    settings = [one.what for one in _within(side) if one.what in OF_SET_UPS]
    if settings:
        found.append(f"{side.name}: its bundles are pooled, but their {listed(settings)} differ")
    return found


def _alternate(sides: Sequence[Side]) -> bool:
    """Whether bundles of the set-ups alternate, at least two of each."""
    begun = sorted(
        (bundle.levels[0].started_at, place)
        for place, side in enumerate(sides)
        for bundle in side.bundles
    )
    changes = sum(one[1] != two[1] for one, two in pairwise(begun))
    return min(len(side.bundles) for side in sides) >= 2 and changes > len(sides) - 1
