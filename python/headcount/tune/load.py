"""How many users play the turns: more than the server holds, so that a better one shows it."""

import math
from collections.abc import Callable, Sequence

from headcount.bundle.level import LevelResult
from headcount.errors import MachineLimitError
from headcount.fields.units import MOST_USERS
from headcount.text import plural
from headcount.tune.change import AS_IT_IS, Configuration
from headcount.tune.durations import LONGEST_SETTLE_S
from headcount.tune.listener import TuningListener
from headcount.tune.stage import Stage

RAISE = 1.5
MOST_RAISES = 5
MOST_INVALID = 2
"""Invalid turns or pairs after a raise until it is taken back: one may be a hiccup."""
COLLAPSED, MOST_LOWERS = 0.5, 2
"""Throughput as a share of the server's greatest with fewer users, below which there is nothing to
compare with; and how often the number is lowered for that."""
LITTLE_TEXT = "with so many users, the server does less than half of its best: continuing"
LESS = 0.5
"""A gain after a raise, as a share of the gain before it in logarithms, below which the raise is
taken back: more users show at least as much on a server that serves them in turn."""


def has_collapsed(turns: Sequence[LevelResult], best_per_s: float | None) -> bool:
    """Whether the server did far less in all these turns than it can do with fewer users.

    An invalid turn shows nothing: other programs may have had the CPUs.
    """
    return best_per_s is not None and all(
        one.outcome != "invalid" and one.achieved_per_s < COLLAPSED * best_per_s for one in turns
    )


def lowered(users: int) -> int:
    """The next smaller number to try."""
    return math.ceil(users / RAISE)


class Load:
    """The number of users, raised while it hides what a change gains.

    While users are served in time, think time sets their rate: no change can raise it. With far
    more users than either serves, a change may show less again: where the server loses users as
    they come, those that are left have it to themselves.
    """

    def __init__(
        self,
        stage: Stage,
        users: int,
        listener: TuningListener,
        may_raise: Callable[[], bool],
        most: int = MOST_USERS,
        best_per_s: float | None = None,
    ) -> None:
        """`may_raise` says whether more users could show more, and there is time for them.

        `most` are the users that there are, `best_per_s` is the server's greatest throughput with
        any number of users, if it is known.
        """
        self.users = users
        self._most = most
        self._stage = stage
        self._listener = listener
        self._may_raise = may_raise
        self._best_per_s = best_per_s
        self._lowers = 0
        self._held = users
        self._shown: float | None = None
        """The gain that these showed."""
        self._invalid = 0
        self._is_most = False
        """Whether more users cannot be played here, or not measured."""

    def raise_for(self, best: Configuration, *, is_held: bool = False) -> None:
        """Raise it until `best` does not hold the users; `is_held` if it holds these."""
        self.settle()
        for _ in range(MOST_RAISES):
            if not self.can_raise or not (is_held or self._is_held(best)):
                return
            is_held = False
            self._raise()
            self._note("it holds these users: continuing")

    def lower_for(self, turns: Sequence[LevelResult]) -> bool:
        """Lower it if the server as it is collapsed in these turns; whether it was lowered."""
        if self._lowers == MOST_LOWERS or not has_collapsed(turns, self._best_per_s):
            return False
        self._lowers += 1
        self.users = lowered(self.users)
        self.settle()
        self._note(LITTLE_TEXT)
        return True

    def after(self, before: LevelResult, after: LevelResult, gain: float | None = None) -> bool:
        """Adapt it to a pair; whether it changed, so that the pair shows little.

        Args:
            before: The turn without the change.
            after: The turn with it.
            gain: What the change gained, as a logarithm; None if the pair does not count.

        """
        users = self.users
        self._invalid += "invalid" in (before.outcome, after.outcome)
        is_held = after.outcome == "passed"
        if self.is_raised and self._invalid == MOST_INVALID:
            self._go_back()
        elif self.is_raised and has_collapsed([before], self._best_per_s):
            self._go_back()
            self._note(LITTLE_TEXT)
        elif is_held and self.can_raise:
            self._raise()
            self._shown = gain
            self._note("the change holds these users: continuing")
        elif self._shows_less(gain):
            self._go_back()
            self._note("more users show less of what the change gains: continuing")
        elif is_held and self._wants_more:
            self._is_most = True
            self._listener.noted(
                "the change holds these users, so it may gain more: more users would wait for "
                f"over {LONGEST_SETTLE_S:g} s with the server as it is, too long for a turn"
            )
        return self.users != users

    def settle(self) -> None:
        """Do not go back behind these users."""
        self._held, self._invalid, self._shown = self.users, 0, None

    def _shows_less(self, gain: float | None) -> bool:
        """Whether the first pair since a raise shows much less than the last before it."""
        if self._shown is None or gain is None:
            return False
        shown, self._shown = self._shown, None
        return shown > 0 and gain < LESS * shown

    def give_back(self, why: MachineLimitError) -> None:
        """Go back to the users before the last raise: this machine cannot play these."""
        self._go_back()
        self._listener.noted(f"continuing with {plural('user', self.users)}: {why}")

    @property
    def is_raised(self) -> bool:
        """Whether it has been raised since it was settled."""
        return self.users != self._held

    @property
    def can_raise(self) -> bool:
        """Whether it would help, and more users can be played and measured."""
        return self._wants_more and not self._stage.durations.is_too_slow(AS_IT_IS, self._raised)

    @property
    def _wants_more(self) -> bool:
        return not self._is_most and self.users < self._most and self._may_raise()

    @property
    def _raised(self) -> int:
        return min(math.ceil(self.users * RAISE), self._most)

    def _raise(self) -> None:
        self.settle()
        self.users = self._raised

    def _go_back(self) -> None:
        self.users, self._is_most = self._held, True

    def _note(self, what: str) -> None:
        self._listener.noted(f"{what} with {plural('user', self.users)}")

    def _is_held(self, best: Configuration) -> bool:
        """Whether a turn is served in time; goes back if this machine cannot play it."""
        try:
            for _ in range(MOST_INVALID):
                outcome = self._stage.turn(best, self.users).outcome
                if outcome != "invalid":
                    return outcome == "passed"
        except MachineLimitError as why:
            self.give_back(why)
        else:
            self._go_back()
        return False
