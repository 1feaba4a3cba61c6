"""What qualifies a comparison, in sentences."""

import re
from collections.abc import Sequence
from datetime import datetime

from headcount.analyse.compare.comparison import Difference
from headcount.analyse.compare.levels import common_users
from headcount.analyse.compare.measured import Measured
from headcount.analyse.compare.subject import Side
from headcount.analyse.compare.unlike import unlike
from headcount.analyse.neighbours import neighbours
from headcount.analyse.statistics.drift import drift
from headcount.text import count, plural, share, span

DRIFT_P = 0.01
"""p-value below which a trend over the runs is reported: one in a hundred comparisons by chance."""
ERRORS = 0.005
"""How much larger the share of failed scenarios must be on one side to be reported."""
EXPECTED = 0.05
"""Share of differences "shown" by chance where there is none: each verdict stands for itself."""

_REPORTED_ABOVE = "levels that do not count"
_FIGURES = re.compile(r"[\d.,]+")


def doubts(
    sides: Sequence[Side],
    levels: Sequence[Sequence[Measured]],
    differences: Sequence[Difference],
    *,
    interleaved: bool,
) -> list[str]:
    """Everything a reader must know besides the differences."""
    return [
        *_users(sides),
        *_order(sides, differences, interleaved=interleaved),
        *_few(sides, differences),
        *_without(differences),
        *_drifting(sides, levels),
        *_failing(sides, levels),
        *_remembering(sides, levels, differences),
        *_unsteady(sides, levels),
        *_within(sides),
        *(f"{side.name}: {flag}" for side in sides for flag in _flags(side)),
    ]


def _users(sides: Sequence[Side]) -> list[str]:
    """A doubt if the numbers of users differ; nothing is interpolated."""
    texts = []
    for other in sides[1:]:
        common = common_users(sides[0], other)
        alone = [sorted(set(side.users()) - set(common)) for side in (sides[0], other)]
        parts = [
            f"{side.name} alone at {_listed(here)}"
            for side, here in zip((sides[0], other), alone, strict=True)
            if here
        ]
        if not common:
            texts.append(
                f"{sides[0].name} and {other.name} have no level with the same number of users, "
                "so only their answers can be compared; repeat one with the other's --levels"
            )
        elif parts:
            texts.append(
                f"levels are compared only at {_users_text(common)}, which both measured "
                f"({'; '.join(parts)}): nothing is interpolated"
            )
    return texts


def _listed(users: Sequence[int]) -> str:
    shown = [count(one) for one in users[:8]]
    return ", ".join(shown) + (f" and {len(users) - 8} more" if len(users) > 8 else "")


def _users_text(users: Sequence[int]) -> str:
    return "1 user" if list(users) == [1] else f"{_listed(users)} users"


def _order(
    sides: Sequence[Side], differences: Sequence[Difference], *, interleaved: bool
) -> list[str]:
    if interleaved or not differences:
        return []
    moments = sorted(bundle.levels[0].started_at for side in sides for bundle in side.bundles)
    apart = _apart_s(moments[0], moments[-1])
    length = f"within {span(apart)}" if apart is not None else "one after the other"
    text = (
        f"runs did not alternate ({length}): any change on the machine in between counts as a "
        "difference; alternate them (ABBA), or use headcount run --versus"
    )
    return [text]


def _apart_s(first: str, last: str) -> float | None:
    try:
        return (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds()
    except ValueError:
        return None


def _few(sides: Sequence[Side], differences: Sequence[Difference]) -> list[str]:
    few = [one for one in differences if one.indicative and one.interval is not None]
    if not few:
        return []
    if any(one.method == "sections" for one in few):
        text = (
            "indicative: too few runs of a side to measure how much runs differ; intervals assume "
            "the usual 2% between runs, and three or more runs of each would measure it"
        )
        if any(neighbours(bundle.levels) for side in sides for bundle in side.bundles):
            text += (
                "; with other programs on the machine, runs differ by more than usual, so no "
                "verdict here is proven"
            )
        return [text]
    return ["indicative: with four or fewer runs of a side, the interval is a hint, not a proof"]


def _without(differences: Sequence[Difference]) -> list[str]:
    """Differences without an interval, and how many of the others chance alone would show."""
    parts = []
    bare = [one for one in differences if one.interval is None]
    if bare:
        have = "has" if len(bare) == 1 else "have"
        parts.append(
            f"{len(bare)} of {plural('difference', len(differences))} {have} no interval, so no "
            "difference can be shown; levels of at least 20 s with at least 100 scenarios have "
            "one, and so do three runs of each side"
        )
    tested = [one for one in differences if one.interval is not None]
    shown = [one for one in tested if one.finding != "no difference shown"]
    if len(tested) >= 10 and shown:
        are = "is" if len(shown) == 1 else "are"
        parts.append(
            f"{len(shown)} of {plural('difference', len(tested))} {are} shown, each at 95%: about "
            f"{max(round(EXPECTED * len(tested)), 1)} would appear by chance between equal servers"
        )
    return parts


def _drifting(sides: Sequence[Side], levels: Sequence[Sequence[Measured]]) -> list[str]:
    """A trend of throughput over the runs of a side in time order."""
    parts = []
    for side, here in zip(sides, levels, strict=True):
        for users in sorted({one.users for one in here}):
            ordered = sorted(
                (one for one in here if one.users == users), key=lambda one: one.level.started_at
            )
            found = drift([one.level.achieved_per_s for one in ordered])
            if found is not None and found.p < DRIFT_P:
                way = "rose" if found.slope > 0 else "fell"
                parts.append(
                    f"{side.name}: throughput at {plural('user', users)} {way} by "
                    f"{share(abs(found.moved))} over its {plural('level', len(ordered))}: "
                    "something drifted"
                )
    return parts


def _remembering(
    sides: Sequence[Side],
    levels: Sequence[Sequence[Measured]],
    differences: Sequence[Difference],
) -> list[str]:
    """Levels whose sections underestimate the error, if they are used."""
    used = {one.users for one in differences if one.method == "sections"}
    parts = []
    for side, here in zip(sides, levels, strict=True):
        users = sorted({one.users for one in here if one.users in used and one.unreliable})
        if users:
            parts.append(
                f"{side.name}: levels at {_users_text(users)} are too short for bursts of slow "
                "responses, so their intervals are too narrow; make levels longer"
            )
    return parts


def _failing(sides: Sequence[Side], levels: Sequence[Sequence[Measured]]) -> list[str]:
    """Scenarios that failed more on one side than on the other: a server that refuses is fast."""
    parts = []
    first = {one.users: _failed(one) for one in levels[0]}
    for side, here in zip(sides[1:], levels[1:], strict=True):
        for one in here:
            there = first.get(one.users)
            if there is not None and abs(_failed(one) - there) > ERRORS:
                parts.append(
                    f"at {plural('user', one.users)} {share(there)} of the scenarios failed on "
                    f"{sides[0].name} and {share(_failed(one))} on {side.name}: times are of "
                    "those that succeeded"
                )
    return list(dict.fromkeys(parts))


def _failed(one: Measured) -> float:
    ended = one.level.total.completed + one.level.total.failed
    return one.level.total.failed / ended if ended else 0.0


def _unsteady(sides: Sequence[Side], levels: Sequence[Sequence[Measured]]) -> list[str]:
    parts = []
    for side, here in zip(sides, levels, strict=True):
        users = sorted({one.users for one in here if not one.level.steadiness.steady})
        if users:
            parts.append(
                f"{side.name}: not in a steady state at {_users_text(users)}; these figures "
                "hold only for that moment"
            )
        left_out = sorted(
            {
                level.users
                for bundle in side.bundles
                for level in bundle.levels
                if level.outcome == "invalid"
            }
        )
        if left_out:
            parts.append(f"{side.name}: invalid levels are left out ({_users_text(left_out)})")
    return parts


def _within(sides: Sequence[Side]) -> list[str]:
    """Runs of one side with different configurations."""
    parts = []
    for side in sides:
        for bundle in side.bundles[1:]:
            names = (side.bundles[0].folder.name, bundle.folder.name)
            different = unlike(names, (side.bundles[0], bundle))
            parts += [f"within {side.name}, {one.sentence}" for one in different]
    return list(dict.fromkeys(parts))


def _flags(side: Side) -> list[str]:
    """The doubts of a side's runs; those that differ only in their figures appear once."""
    found: dict[str, list[str]] = {}
    for bundle in side.bundles:
        for flag in bundle.verdict.flags if bundle.verdict else []:
            if not flag.startswith(_REPORTED_ABOVE):
                found.setdefault(_FIGURES.sub("", flag), []).append(flag)
    return [
        flags[0] + (f" (also in {len(flags) - 1} more of its runs)" if len(flags) > 1 else "")
        for flags in found.values()
    ]
