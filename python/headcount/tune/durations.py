"""How long scenarios take in the turns of a tuning: how long the next turn must settle."""

import math

from headcount.bundle.level import LevelResult
from headcount.tune.change import Configuration

SETTLE_S, RESTARTED_S = 2.0, 5.0
"""After a change by a reload, and by a restart: caches that it has emptied fill again, and servers
that fork as users come have enough processes (Apache's prefork doubles what it forks a second)."""
STAY_S = 1.0
"""Before a second turn of the same configuration."""
SCENARIOS = 2
"""Users who have come back need about two scenarios each, with pauses and waiting, until the server
is as busy as before: its throughput rises until then. The order ABBA takes care of the rest."""
LONGEST_SETTLE_S = 15.0
"""What a turn may take until its users are as busy as they will be."""


def least_settle_s(measure_s: float, *, is_back: bool, restarted: bool) -> float:
    """How long a turn settles, whatever scenarios take.

    Not longer than the part that is measured, or twice that after a restart. `is_back`: users have
    left before it, and come back.
    """
    if restarted:
        return min(RESTARTED_S, 2 * measure_s)
    return min(SETTLE_S if is_back else STAY_S, measure_s)


class Durations:
    """What the turns so far say of the next ones."""

    def __init__(self) -> None:
        """No turn has been played."""
        self._turns: list[tuple[frozenset[tuple[str, str]], LevelResult]] = []

    def add(self, configuration: Configuration, turn: LevelResult) -> None:
        """Take a turn into account."""
        self._turns.append((configuration.key, turn))

    def scenario_s(self, configuration: Configuration, users: int) -> float:
        """How long a scenario takes with this many users, with the time between two.

        By Little's law: the users over the rate at which they finish, in the last turn like this
        one: with this configuration and load, if possible. 0 without a turn; infinite if nobody
        finished.
        """
        turn = self._like(configuration, users)
        if turn is None:
            return 0.0
        return users / turn.achieved_per_s if turn.achieved_per_s else math.inf

    def steady_s(self, configuration: Configuration, users: int) -> float:
        """How long users who have come back need until they are as busy as before."""
        return min(SCENARIOS * self.scenario_s(configuration, users), LONGEST_SETTLE_S)

    def is_too_slow(self, configuration: Configuration, users: int) -> bool:
        """Whether a turn with this many users would end before they are as busy as they will be.

        More users do not raise the rate of a full server, so each waits longer for a scenario.
        """
        turn = self._like(configuration, users)
        if turn is None:
            return False
        waiting_s = self.scenario_s(configuration, users) - (turn.think_mean_s or 0.0)
        return waiting_s > LONGEST_SETTLE_S

    def _like(self, configuration: Configuration, users: int) -> LevelResult | None:
        turns = [turn for key, turn in self._turns if key == configuration.key]
        turns = turns or [turn for _, turn in self._turns]
        turns = [turn for turn in turns if turn.users == users] or turns
        return turns[-1] if turns else None
