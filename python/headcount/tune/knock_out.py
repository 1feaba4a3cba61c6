"""Takes back the changes that do not matter, so that the answer is the smallest."""

import math
from collections.abc import Callable, Sequence

from headcount.tune.change import Configuration
from headcount.tune.knobs.knob import Knob
from headcount.tune.pairs import mean
from headcount.tune.race import LEAST, Race

MOST_CHANGES = 5
"""Changes in an answer: longer lists are not read."""
MOST_SHARE = 0.2
"""Of the budget."""


class KnockOut:
    """Races of the winner against itself without some of its changes, in halves.

    What is lost with one change after the other adds up, so what may still be lost shrinks.

    Attributes:
        winner: What is left.
        races: The race of each change that matters by itself.
        lost: The gain, as a logarithm, that the winner has lost so far.

    """

    def __init__(
        self,
        winner: Configuration,
        race: Callable[[Configuration, Configuration, float], Race],
        note: Callable[[str], None],
    ) -> None:
        """`race` races a challenger without some changes against an incumbent.

        It is also given what has been lost.
        """
        self.winner = winner
        self.lost = 0.0
        self.races: dict[Knob, Race] = {}
        self._race = race
        self._note = note
        self._losses: dict[Knob, float] = {}
        """By change: its share of what was lost without the smallest group that it was in."""

    def play(self, may_go_on: Callable[[], bool]) -> None:
        """Race until all changes are known, or `may_go_on` says no."""
        groups = _halves(list(self.winner.changes))
        while groups and may_go_on():
            group = groups.pop()
            origin = f"without {', '.join(knob.name for knob in group)}"
            less = self.winner.without(group, origin)
            if not less.changes:  # that is what the proof compares
                groups += _halves(group) if len(group) > 1 else []
                continue
            race = self._race(less, self.winner, self.lost)
            if race.outcome == "no worse":
                self.winner = less
                self.lost = max(self.lost - mean(race.gains), 0.0)
                self._note(f"{origin[8:]}: no effect, so it stays as it is")
                continue
            self._losses |= dict.fromkeys(group, -mean(race.gains) / len(group))
            if len(group) == 1:
                self.races[group[0]] = race
            else:
                groups += _halves(group)
        self._keep_few()

    def _keep_few(self) -> None:
        """Take back the changes with the least effect, where there are more than anybody reads."""
        while len(self.winner.changes) > MOST_CHANGES:
            last_first = [*self.winner.changes][::-1]
            least = min(last_first, key=lambda knob: self._losses.get(knob, 0.0))
            self.winner = self.winner.without([least], self.winner.origin)


def needed_s(changes: int, turn_s: float) -> float:
    """About how long a knock-out takes of so many changes, of which two matter."""
    if changes < 2:
        return 0.0
    return 2 * math.ceil(math.log2(changes)) * LEAST * 2 * turn_s


def _halves(knobs: Sequence[Knob]) -> list[Sequence[Knob]]:
    """Both halves, the one with less weight last; a single knob as it is; empty for none."""
    if len(knobs) < 2:
        return [knobs] if knobs else []
    middle = len(knobs) // 2
    return [knobs[:middle], knobs[middle:]]
