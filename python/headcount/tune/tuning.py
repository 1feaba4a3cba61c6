"""A tuning from the first pair of turns to the claim."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from headcount.bundle.level import LevelResult
from headcount.bundle.tuning import Measure, Pair, Ratio
from headcount.controller.listener import Listener, Outlook
from headcount.errors import MachineLimitError, TargetError
from headcount.text import plural
from headcount.tune.change import AS_IT_IS, Configuration
from headcount.tune.knobs.knob import Knob
from headcount.tune.knock_out import MOST_SHARE, KnockOut, needed_s
from headcount.tune.ladder import PAIRS, Rung, loads
from headcount.tune.notes import nothing_compared_text, race_text, smallest_text
from headcount.tune.pairs import TurnPair, failures, gain_of, mean, ratio_of, slowness
from headcount.tune.piloting import Piloting
from headcount.tune.proposals import Proposals
from headcount.tune.race import (
    SMALLEST,
    Judgement,
    Race,
    Spread,
    judge,
    judge_without,
    smallest_gain,
    spread_of,
    worth,
)
from headcount.tune.stage import Stage
from headcount.tune.tunable import NotAccepted

NOISE_PAIRS = 4
"""Pairs of equal configurations, before anything is changed."""
PROOF_PAIRS = 6
"""Pairs of the claim: fewer leave the interval to the assumption that ratios are normal."""
MOST_PROOF_PAIRS = 20
MOST_PAIRS = 12
"""Pairs of a race, including those that do not count."""
PROOF_SHARE, LADDER_SHARE = 0.4, 0.1
"""Shares of the budget: for all that follows the search, and for the comparison alone."""
RAISE = 1.5
MOST_RAISES = 5


@dataclass
class Results:
    """What is known so far."""

    noise: list[float] = field(default_factory=list)
    spread: Spread | None = None
    smallest: float | None = None
    races: list[Race] = field(default_factory=list)
    winner: Configuration = AS_IT_IS
    knocked_out: dict[Knob, Race] = field(default_factory=dict)
    proof: list[TurnPair] = field(default_factory=list)
    restarts: int = 0
    pilot: Sequence[str] | None = None
    ladder: list[Rung] = field(default_factory=list)


class Tuning:
    """The trials of one server at one load."""

    def __init__(
        self,
        stage: Stage,
        proposals: Proposals,
        measure: Measure,
        users: int,
        budget_s: float,
        listener: Listener,
        table: Sequence[int] = (),
        pilot: Piloting | None = None,
    ) -> None:
        """Nothing is played yet.

        `table` are the loads at which the winner is compared, `pilot` what is compared beside it.
        """
        self._table = table
        self._pilot = pilot
        self._stage = stage
        self._proposals = proposals
        self.measure = measure
        self.users = users
        self._listener = listener
        self._began_s = time.monotonic()
        self._budget_s = budget_s
        self.results = Results()
        self._turn_s: list[float] = []
        self._is_most = False
        """Whether this machine cannot play more users."""

    def play(self, most_trials: int | None = None) -> None:
        """Run all phases; `results` has what is known whenever it stops."""
        self._report_left()
        self._raise_load()
        self._measure_noise()
        self._search(most_trials)
        if self.results.winner.changes:
            self._knock_out()
            self._prove()
        if self.is_proven or self._pilot is not None:
            self._compare()

    def _left_s(self, share: float = 1.0) -> float:
        return self._began_s + share * self._budget_s - time.monotonic()

    def _report_left(self) -> None:
        self._listener.outlook(Outlook(0, max(self._left_s(), 0.0), 0, math.inf, None))

    def _pair(
        self,
        first: Configuration,
        second: Configuration,
        number: int,
        *,
        users: int | None = None,
        is_fresh: bool = False,
    ) -> TurnPair:
        """A turn of each, in an order that alternates from pair to pair (ABBA)."""
        began_s = time.monotonic()
        order = (first, second) if number % 2 == 0 else (second, first)
        played = self.users if users is None else users
        turns = [self._stage.turn(order[0], played, is_fresh=is_fresh)]
        if first.key == second.key:
            self._stage.rest()  # as between two different ones
        turns.append(self._stage.turn(order[1], played, is_fresh=is_fresh))
        self._turn_s.append((time.monotonic() - began_s) / 2)
        self._report_left()
        return (turns[0], turns[1]) if number % 2 == 0 else (turns[1], turns[0])

    def _measure_noise(self) -> None:
        turns = self._equal_turns()
        self.results.noise = self._gains([*zip(turns[::2], turns[1::2], strict=True)])
        self._learn_spread()
        spread = self.results.spread
        if spread is None:
            raise TargetError(nothing_compared_text(self.users, turns))
        pairs = PROOF_SHARE / 2 * self._budget_s / (2 * mean(self._turn_s))
        pairs = min(max(int(pairs), PROOF_PAIRS), MOST_PROOF_PAIRS)
        self.results.smallest = smallest_gain(spread.value, pairs)
        self._listener.noted(smallest_text(self.results.smallest, self._budget_s))

    def _equal_turns(self) -> list[LevelResult]:
        """Pairs without a change; from the start with more users if it holds them in a turn."""
        turns: list[LevelResult] = []
        raises = MOST_RAISES
        while len(turns) < 2 * NOISE_PAIRS:
            turns += self._pair(AS_IT_IS, AS_IT_IS, len(turns) // 2)
            if raises and any(one.outcome == "passed" for one in turns[-2:]):
                users, raises = self.users, raises - 1
                self._raise_load(is_held=True)
                turns, raises = ([], raises) if self.users != users else (turns, 0)
        return turns

    def _learn_spread(self) -> None:
        races = [self.results.noise, *(race.gains for race in self.results.races)]
        self.results.spread = spread_of(races)

    def _search(self, most_trials: int | None) -> None:
        trials = 0
        judged = partial(judge, worth=worth(self.results.smallest))
        while self._may_try and (most_trials is None or trials < most_trials):
            challenger = self._proposals.next(self.results.winner)
            if challenger is None:
                break
            race = self._race(challenger, self.results.winner, judged)
            self._learn(race)
            if not race.pairs:  # the server refused it, which takes next to no time
                self._listener.noted(race_text(race.challenger, race.outcome, race.why, race.gains))
                continue
            trials += 1
            self._listener.noted(
                f"trial {trials}: {race_text(race.challenger, race.outcome, race.why, race.gains)}"
            )
            if race.outcome == "better":
                self.results.winner = challenger
                self._raise_load()

    @property
    def _may_try(self) -> bool:
        return self._left_s(1 - PROOF_SHARE) > self._knock_out_s

    def _learn(self, race: Race) -> None:
        """Let the optimiser have the gain over the server as it is."""
        if race.outcome == "refused":
            self._proposals.learn(race.challenger, None)
        elif race.gains:
            before = sum(
                mean(one.gains)
                for one in self.results.races
                if one.outcome == "better" and one is not race
            )
            self._proposals.learn(race.challenger, before + mean(race.gains))

    def _race(
        self,
        challenger: Configuration,
        incumbent: Configuration,
        judged: Callable[[Sequence[float], Spread], Judgement],
    ) -> Race:
        race = Race(challenger, incumbent)
        self.results.races.append(race)
        played: list[TurnPair] = []
        counted: list[TurnPair] = []
        held = self.users
        while len(played) < MOST_PAIRS:
            try:
                before, after = self._pair(incumbent, challenger, len(played))
            except NotAccepted as why:
                race.outcome, race.why = "refused", str(why)
                return race
            except MachineLimitError as why:
                if self.users == held:
                    raise
                self._stay_at(held, why)
                continue
            played.append((before, after))
            found = gain_of(before, after, self.measure)
            race.pairs.append(
                Pair(
                    incumbent=before.index,
                    challenger=after.index,
                    users=self.users,
                    log_gain=found,
                )
            )
            counted += [] if found is None else [(before, after)]
            why_not = failures(played) or slowness(counted)
            if why_not is not None:
                race.outcome, race.why = "refused", why_not
                return race
            users = self.users
            if users != held and "invalid" in (before.outcome, after.outcome):
                self.users, self._is_most = held, True
            elif after.outcome == "passed" and self._may_raise:
                held, self.users = users, math.ceil(users * RAISE)
                more = plural("user", self.users)
                self._listener.noted(f"the change holds these users: on with {more}")
            if self.users != users:
                race.restart()
                played, counted = [], []
                continue
            self._learn_spread()
            assert self.results.spread is not None
            judgement = judged(race.gains, self.results.spread)
            if judgement != "go on":
                race.outcome = judgement
                return race
        race.why = "too few of its turns count"
        return race

    def _raise_load(self, *, is_held: bool = False) -> None:
        """More users, as long as the best so far holds them; `is_held` if it holds these.

        While users are served in time, think time sets their rate: no change can raise it.
        """
        held = self.users
        for _ in range(MOST_RAISES):
            if not self._may_raise:
                return
            outcome = "passed" if is_held else self._outcome(held)
            is_held = False
            if outcome == "invalid":
                self.users, self._is_most = held, True
            if outcome != "passed":
                return
            held, self.users = self.users, math.ceil(self.users * RAISE)
            users = plural("user", self.users)
            self._listener.noted(f"it holds these users: continuing with {users}")

    def _outcome(self, held: int) -> str:
        """Of a turn of the best so far; "invalid" if this machine cannot play so many users."""
        try:
            return self._stage.turn(self.results.winner, self.users).outcome
        except MachineLimitError as why:
            self._stay_at(held, why)
            return "invalid"

    @property
    def _may_raise(self) -> bool:
        """Whether more users would show more of what a change gains."""
        return self.measure == "rate" and not self._is_most and self._left_s(1 - PROOF_SHARE) > 0

    def _stay_at(self, users: int, why: MachineLimitError) -> None:
        """Go back to so many users, the most that this machine can play."""
        self._listener.noted(f"continuing with {plural('user', users)}: {why}")
        self.users, self._is_most = users, True

    def _knock_out(self) -> None:
        """Take back what does not matter."""
        judged = partial(judge_without, worth=worth(self.results.smallest))
        knock_out = KnockOut(
            self.results.winner,
            lambda less, winner: self._race(less, winner, judged),
            self._listener.noted,
        )
        knock_out.play(lambda: self._left_s() > self._proof_s + self._ladder_s)
        self.results.winner, self.results.knocked_out = knock_out.winner, knock_out.races

    @property
    def _knock_out_s(self) -> float:
        """The time that is kept for it."""
        whole_s = needed_s(len(self.results.winner.changes), mean(self._turn_s))
        return min(whole_s, MOST_SHARE * self._budget_s)

    @property
    def _proof_s(self) -> float:
        """About how long the proof takes."""
        return 2 * PROOF_PAIRS * mean(self._turn_s)

    @property
    def _ladder_s(self) -> float:
        """The time that is kept for the comparison at other loads."""
        columns = 2 if self._pilot is None else 3
        whole_s = columns * PAIRS * len(loads(self.users, self._table)) * mean(self._turn_s)
        return min(whole_s, LADDER_SHARE * self._budget_s)

    def _prove(self) -> None:
        """The winner against the server as it was, on turns of their own.

        If allowed, each begins with a restart: a gain that depends on one start of the server does
        not count.
        """
        number, is_fresh = 0, self._stage.can_restart
        while number < PROOF_PAIRS or (
            number < MOST_PROOF_PAIRS and self._left_s() > self._ladder_s
        ):
            pair = self._pair(AS_IT_IS, self.results.winner, number, is_fresh=is_fresh)
            self.results.proof.append(pair)
            self.results.restarts += is_fresh
            number += 1

    def _compare(self) -> None:
        """Compare both at all loads, the largest first, while there is time.

        Whatever the time, the given loads are played, and the pilot at the largest one.
        """
        sizes = [*reversed(loads(self.users, self._table))]
        if self._pilot is not None:
            winner = self.compared
            found = self._pilot.find(lambda: self._stage.turn(winner, sizes[0]))
            self.results.pilot = found
        for users in sizes:
            is_asked = bool(self._table) or (self._pilot is not None and users == sizes[0])
            if not is_asked and self._left_s() <= 0:
                return
            rung = Rung(users)
            self.results.ladder.insert(0, rung)
            for number in range(PAIRS):
                self._play(rung, number)

    @property
    def compared(self) -> Configuration:
        """The winner; the server as it is if nothing was proved."""
        return self.results.winner if self.is_proven else AS_IT_IS

    def _play(self, rung: Rung, number: int) -> None:
        """A turn of each column; every second time in the opposite order."""
        if number % 2 == 0:
            rung.pairs.append(self._pair(AS_IT_IS, self.compared, 0, users=rung.users))
        if self._pilot is not None and self.results.pilot:
            with self._pilot.on():
                rung.piloted.append(self._stage.turn(self.compared, rung.users))
        if number % 2 == 1:
            rung.pairs.append(self._pair(AS_IT_IS, self.compared, 1, users=rung.users))

    @property
    def winners(self) -> Sequence[LevelResult]:
        """TurnPair of the winner that count."""
        pairs = [*self.results.proof, *(one for rung in self.results.ladder for one in rung.pairs)]
        return [after for _, after in pairs]

    @property
    def is_proven(self) -> bool:
        """Whether the winner is better by a bound, and by enough to be worth a change."""
        ratio = self.proven()
        return ratio is not None and ratio.low > 1 and ratio.value >= math.exp(SMALLEST)

    def proven(self) -> Ratio | None:
        """The ratio that is claimed; None where there is none."""
        found = self._gains(self.results.proof)
        return ratio_of(found) if len(found) >= NOISE_PAIRS else None

    def _gains(self, pairs: Sequence[TurnPair]) -> list[float]:
        """Gains of the pairs that count."""
        found = (gain_of(before, after, self.measure) for before, after in pairs)
        return [one for one in found if one is not None]
