"""Where a search stands: everything that follows from the levels taken so far."""

import math
from dataclasses import dataclass, replace
from functools import cached_property

from headcount.analyse.search.bracket import Bracket, bracket_of, judged, results_of
from headcount.analyse.search.counted import FEW
from headcount.analyse.search.estimate import Estimate, estimate_of
from headcount.analyse.search.goals import misses_only_goals, with_goals
from headcount.analyse.search.moments import BadMoments, bad_moments
from headcount.analyse.search.noise import noisy
from headcount.analyse.search.observation import SEARCHING, Observation, Purpose, Taken
from headcount.analyse.search.overruled import overruled
from headcount.analyse.search.recovery import kept_down, suspects, tested
from headcount.analyse.search.recovery_load import Recovery, recovery_of
from headcount.analyse.search.settings import Settings
from headcount.analyse.search.stalled import are_seldom, without_batches, without_stalls

INVALID_MOST = 6
"""Levels limited by the generator after which the search gives up."""

INVALID_RUN = 3
"""This many in a row, none with fewer users than the one before, end it as well."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What the search leaves out of a level: seconds of a stall, or all of it (None).

    ``index`` is its place among the levels taken, from 0. ``overloaded_by`` are the users of the
    level before, if its overload made this one fail.
    """

    index: int
    users: int
    stalled_s: float | None
    overloaded_by: int | None = None


@dataclass(frozen=True)
class Standing:
    """The levels taken, and what they show. A pure function of them, so a resumed search agrees."""

    settings: Settings
    taken: tuple[Taken, ...]

    @cached_property
    def valid(self) -> tuple[Observation, ...]:
        """The levels that count, except those for the chart."""
        return tuple(t.observation for t in self.counted if t.request.purpose != "curve")

    @cached_property
    def counted(self) -> tuple[Taken, ...]:
        """The valid levels without stalls, and without failures that others overrule."""
        return tuple(t for index, t in self._without_stalls if index not in self._overruled)

    @cached_property
    def left_out(self) -> tuple[LeftOut, ...]:
        """What does not count, of valid levels."""
        stalled = [
            LeftOut(index, t.observation.users, sum(s for _, s in t.observation.stalls))
            for index, t in self._valid
            if self._leaves_stalls_out and _kept(t) is not t
        ]
        again = [
            LeftOut(index, t.observation.users, None)
            for index, t in self._without_stalls
            if index in self._overruled
        ]
        down = [
            LeftOut(index, self.taken[index].observation.users, None, users)
            for index, users in self.kept_down.items()
        ]
        return tuple(sorted(stalled + again + down, key=lambda one: one.index))

    @cached_property
    def kept_down(self) -> dict[int, int]:
        """Indices of the levels that failed due to the overload before them, with its users."""
        return kept_down(self.taken)

    @cached_property
    def recovery(self) -> Recovery | None:
        """With how many users a lasting overload ended; None if that was not observed."""
        return recovery_of(self.taken, self.kept_down)

    @property
    def lingers(self) -> bool:
        """Whether a level failed due to the overload before it, and others show that."""
        return any(
            index in self.kept_down or index in self._overruled for index in suspects(self.taken)
        )

    @cached_property
    def _valid(self) -> list[tuple[int, Taken]]:
        again = tested(self.taken)
        valid = [
            (index, t)
            for index, t in enumerate(self.taken)
            if t.observation.valid and index not in again
        ]
        found = with_goals([t.observation for _, t in valid])
        return [
            (index, replace(t, observation=one))
            for (index, t), one in zip(valid, found, strict=True)
        ]

    @property
    def was_too_brief(self) -> bool:
        """Whether the last level was a climb that was not far enough from the limits."""
        return bool(self.taken) and _is_too_brief(self.taken[-1])

    @cached_property
    def short_of_goals(self) -> tuple[int, ...]:
        """Indices of the valid levels that miss a goal and break nothing else."""
        return tuple(index for index, t in self._valid if misses_only_goals(t.observation))

    @cached_property
    def _leaves_stalls_out(self) -> bool:
        return are_seldom([t.observation for _, t in self._valid])

    @cached_property
    def _without_stalls(self) -> list[tuple[int, Taken]]:
        if not self._leaves_stalls_out:
            return self._valid
        kept = ((index, _kept(level)) for index, level in self._valid)
        return [(index, level) for index, level in kept if level is not None]

    @cached_property
    def _overruled(self) -> frozenset[int]:
        """Indices of the levels whose failure is overruled."""
        observations = [t.observation for _, t in self._without_stalls]
        probing = [t.request.purpose in ("probe", "bracket") for _, t in self._without_stalls]
        found = overruled(observations, probing)
        return frozenset(self._without_stalls[place][0] for place in found)

    @cached_property
    def bracket(self) -> Bracket:
        """The bracket by all constraints together."""
        names = {c.name for o in self.valid for c in o.constraints}
        levels = [level for name in names for level in judged(results_of(name, self.valid))]
        failed = {users for users, passed in levels if not passed}
        return bracket_of([(o.users, o.users not in failed) for o in self.valid])

    @cached_property
    def estimate(self) -> Estimate:
        """The capacity as known so far."""
        return estimate_of(self.valid)

    @cached_property
    def officials(self) -> tuple[Observation, ...]:
        """The official levels that were valid."""
        return tuple(t.observation for t in self.counted if t.request.purpose == "official")

    @cached_property
    def noisy(self) -> bool:
        """Whether the runs disagree by more than the method covers."""
        return noisy(self.estimate, self.valid)

    @cached_property
    def moments(self) -> BadMoments:
        """When the server held far less than usual; includes failures that were left out."""
        estimate = self.estimate
        if not 0 < estimate.users < math.inf or estimate.is_counted or estimate.per_s:
            return BadMoments()
        return bad_moments(self._without_stalls, estimate.name, estimate.users)

    @cached_property
    def otherwise(self) -> float:
        """The capacity outside of the bad moments."""
        cut: dict[int, set[int]] = {}
        for moment in self.moments.moments:
            cut.setdefault(moment.index, set()).update(range(moment.first, moment.end))
        kept = [
            without_batches(t.observation, cut[index]) if index in cut else t.observation
            for index, t in self._without_stalls
            if t.request.purpose != "curve" and index not in self._overruled
        ]
        return estimate_of([one for one in kept if one is not None]).users

    @property
    def levels(self) -> int:
        """Number of levels towards the estimate, without the official ones and the chart's."""
        return sum(t.request.purpose in SEARCHING for t in self.taken)

    @property
    def spent_s(self) -> float:
        """Seconds that all levels took, overhead included."""
        return sum(t.observation.measure_s + t.observation.overhead_s for t in self.taken)

    @property
    def previous_users(self) -> int:
        """Users of the last level; 0 before the first."""
        return self.taken[-1].observation.users if self.taken else 0

    @cached_property
    def overcame(self) -> tuple[Taken, ...]:
        """The levels that overcame the generator with more users than any that counts."""
        highest = max((o.users for o in self.valid), default=0)
        return tuple(
            t
            for t in self.taken
            if not (t.observation.valid or _never_counts(t)) and t.observation.users > highest
        )

    @property
    def ceiling(self) -> int:
        """The most users worth asking for: fewer than overcame the generator."""
        least = min((t.observation.users for t in self.overcame), default=None)
        most = self.settings.max_users
        return most if least is None else max(1, min(most, least - 1))

    @property
    def generator_limited(self) -> bool:
        """Whether the load generator, not the server, ended the search.

        Three invalid levels in a row, none with fewer users than the one before, or six in all.
        """
        observations = [t.observation for t in self.taken if not _never_counts(t)]
        if sum(not o.valid for o in observations) >= INVALID_MOST:
            return True
        last = observations[-INVALID_RUN:]
        users = [o.users for o in last if not o.valid]
        return len(users) == INVALID_RUN and users == sorted(users)

    @property
    def confirmed(self) -> bool:
        """Whether the last official level passed."""
        return bool(self.officials) and self.officials[-1].passed

    @property
    def target(self) -> float:
        """The half-width to reach: never finer than half a user, or than one of a few users."""
        users = self.estimate.users
        finest = 1.0 if users <= FEW else 0.5
        return max(self.settings.target, finest / users if users > 0 else math.inf)

    def cost_s(self, users: int, measure_s: float, purpose: Purpose = "probe") -> float:
        """Forecast seconds of a level after the last one."""
        overhead_s = self.settings.overhead_of(purpose).seconds(self.previous_users, users)
        return measure_s + overhead_s + self.prepare_s(users)

    def prepare_s(self, users: int) -> float:
        """Forecast seconds to make the data of additional users, at the rate so far."""
        most = max((t.observation.users for t in self.taken), default=0)
        spent_s = sum(t.observation.prepare_s for t in self.taken)
        return spent_s / most * max(0, users - most) if most else 0.0

    def affordable(self, seconds: float) -> bool:
        """Whether the budget has this many seconds left."""
        budget = self.settings.budget_s
        return budget is None or self.spent_s + seconds <= budget


def _never_counts(level: Taken) -> bool:
    """Whether a level does not count due to its purpose, whatever the load generator did."""
    return level.request.purpose == "recovery" or _is_too_brief(level)


def _is_too_brief(level: Taken) -> bool:
    return level.request.purpose == "climb" and not level.observation.valid


def _kept(level: Taken) -> Taken | None:
    """The level as it counts: without its stalls; a full level unchanged, if it passed."""
    if not level.observation.stalls:
        return level
    if level.request.purpose == "official":
        return level if level.observation.passed else None
    found = without_stalls(level.observation)
    return None if found is None else Taken(level.request, found)
