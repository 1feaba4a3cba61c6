"""A tuning from the first pair of turns to the claim."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from headcount.bundle.level import LevelResult
from headcount.bundle.tuning import Measure, Pair, Ratio
from headcount.controller.listener import Outlook
from headcount.errors import MachineLimitError, TargetError
from headcount.fields.units import MOST_USERS
from headcount.tune.change import AS_IT_IS, Configuration
from headcount.tune.claim import claimed, may_show_by_order
from headcount.tune.knobs.knob import Knob
from headcount.tune.knock_out import MOST_SHARE, KnockOut, needed_s
from headcount.tune.ladder import PAIRS, Rung, loads
from headcount.tune.listener import TuningListener
from headcount.tune.load import MOST_RAISES, Load
from headcount.tune.notes import nothing_compared_text, race_text, smallest_text
from headcount.tune.pairs import (
    TurnPair,
    failures,
    is_spoiled,
    mean,
    paired,
    slowness,
)
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
    worth_keeping,
)
from headcount.tune.stage import Stage
from headcount.tune.stay import corrected, stay_effect
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


@dataclass
class Results:
    """What is known so far."""

    noise: Race = field(default_factory=lambda: Race(AS_IT_IS, AS_IT_IS))
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
        listener: TuningListener,
        table: Sequence[int] = (),
        pilot: Piloting | None = None,
        most_users: int = MOST_USERS,
        best_per_s: float | None = None,
    ) -> None:
        """Nothing is played yet.

        `table` are the loads at which the winner is compared, `pilot` what is compared beside it,
        `most_users` the users that there are, `best_per_s` the greatest throughput that the search
        saw.
        """
        self._table = table
        self._pilot = pilot
        self._stage = stage
        self._proposals = proposals
        self.measure = measure
        self._load = Load(
            stage,
            users,
            listener,
            lambda: self._may_raise,
            most_users,
            best_per_s if measure == "rate" else None,
        )
        self._listener = listener
        self._began_s = time.monotonic()
        self._budget_s = budget_s
        self.results = Results()
        self._turn_s: list[float] = []

    @property
    def users(self) -> int:
        """Users of the turns, as it is now."""
        return self._load.users

    def play(self, most_trials: int | None = None) -> None:
        """Run all phases; `results` has what is known whenever it stops."""
        self._report_left()
        self._load.raise_for(AS_IT_IS)
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
        equal = zip(turns[::2], turns[1::2], strict=True)
        self.results.noise.pairs = [paired(one, self.measure) for one in equal]
        self._learn_spread()
        spread = self.results.spread
        if spread is None:
            raise TargetError(nothing_compared_text(self.users, turns))
        pairs = PROOF_SHARE / 2 * self._budget_s / (2 * mean(self._turn_s))
        pairs = min(max(int(pairs), PROOF_PAIRS), MOST_PROOF_PAIRS)
        self.results.smallest = smallest_gain(spread.value, pairs)
        self._listener.noted(smallest_text(self.results.smallest, self._budget_s))

    def _equal_turns(self) -> list[LevelResult]:
        """Pairs without a change.

        From the start with more users if it holds them in a turn, with fewer if it collapses.
        """
        turns: list[LevelResult] = []
        raises = MOST_RAISES
        while len(turns) < 2 * NOISE_PAIRS:
            turns += self._pair(AS_IT_IS, AS_IT_IS, len(turns) // 2)
            if len(turns) == 2 and self._load.lower_for(turns):
                turns = []
            elif raises and any(one.outcome == "passed" for one in turns[-2:]):
                users, raises = self.users, raises - 1
                self._load.raise_for(AS_IT_IS, is_held=True)
                turns, raises = ([], raises) if self.users != users else (turns, 0)
        return turns

    def _learn_spread(self) -> None:
        races = [self.results.noise, *self.results.races]
        effect = stay_effect([race.pairs for race in races])
        for race in races:
            race.stay = effect or 0.0
        self.results.spread = spread_of([race.gains for race in races], int(effect is not None))

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
                self._load.raise_for(challenger)

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
        self._load.settle()
        while len(played) < MOST_PAIRS:
            try:
                before, after = self._pair(incumbent, challenger, len(played))
            except NotAccepted as why:
                race.outcome, race.why = "refused", str(why)
                return race
            except MachineLimitError as why:
                if not self._load.is_raised:
                    raise
                self._load.give_back(why)
                continue
            played.append((before, after))
            race.pairs.append(paired((before, after), self.measure))
            counted += [] if race.pairs[-1].log_gain is None else [(before, after)]
            why_not = failures(played) or slowness(counted)
            if why_not is not None:
                race.outcome, race.why = "refused", why_not
                return race
            if self._load.after(before, after, race.pairs[-1].log_gain):
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

    @property
    def _may_raise(self) -> bool:
        """Whether more users would show more of what a change gains."""
        return self.measure == "rate" and self._left_s(1 - PROOF_SHARE) > 0

    def _knock_out(self) -> None:
        """Take back what does not matter."""
        gained = sum(mean(one.gains) for one in self.results.races if one.outcome == "better")
        allowed = worth_keeping(self.results.smallest, gained)

        def race(less: Configuration, winner: Configuration, lost: float) -> Race:
            left = max(allowed - lost, SMALLEST)
            return self._race(less, winner, partial(judge_without, worth=left))

        knock_out = KnockOut(self.results.winner, race, self._listener.noted)
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
        while self._wants_proof(number):
            pair = self._pair(AS_IT_IS, self.results.winner, number, is_fresh=is_fresh)
            self.results.proof.append(pair)
            self.results.restarts += is_fresh
            number += 1

    def _wants_proof(self, number: int) -> bool:
        """Whether another pair is needed, or there is time for it."""
        if number < PROOF_PAIRS or number >= MOST_PROOF_PAIRS:
            return number < PROOF_PAIRS
        more = may_show_by_order(self.results.proof, self.proof_pairs, self.measure)
        return self._left_s() > self._ladder_s or (more and not self.is_proven)

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
        """Turns of the winner, of the proof and of the comparison."""
        pairs = [*self.results.proof, *(one for rung in self.results.ladder for one in rung.pairs)]
        return [after for _, after in pairs]

    @property
    def is_proven(self) -> bool:
        """Whether the winner is better by a bound, and by enough to be worth a change."""
        ratio = self.proven()
        return ratio is not None and ratio.low > 1 and ratio.value >= math.exp(SMALLEST)

    def proven(self) -> Ratio | None:
        """The ratio that is claimed; None where there is none."""
        return claimed(self.results.proof, self.proof_pairs, self.measure)

    @property
    def is_at_least(self) -> bool:
        """Whether the load generator was the limit in some turns of the winner that count."""
        played = zip(self.results.proof, self.proof_pairs, strict=True)
        return any(is_spoiled(after) for (_, after), one in played if one.log_gain is not None)

    @property
    def proof_pairs(self) -> list[Pair]:
        """The pairs of the claim."""
        pairs = [paired(one, self.measure) for one in self.results.proof]
        return [corrected(one, self.results.noise.stay) for one in pairs]
