"""A server's own views as one source, sampled each second."""

import time
from collections.abc import Callable, Mapping, Sequence

from headcount.counters.source import Sample, Source
from headcount.counters.views.find import View
from headcount.counters.views.reading import growth

MISSES = 3
"""After this many seconds in a row without an answer, a view is read less often: it costs the
server and this machine the most when both are busiest."""
PAUSE_S = 10.0
"""The pause after that. A full server may be able to answer at the next level."""


class ViewSource:
    """Counters of a server's views.

    Args:
        views: Those that answered.
        beside: Another source of the server's own figures, which come with those of the views.
        name: Whose counters these are.
        clock: Seconds that never run backwards.

    """

    def __init__(
        self,
        views: Sequence[View],
        beside: Source | None = None,
        name: str = "server",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Ask nothing yet."""
        self.name = name
        self._beside = beside
        self._asked = [_Asked(view, clock) for view in views]
        self._clock = clock

    def sample(self) -> Sample:
        """Read all views now; those that do not answer in time are absent."""
        at_s = self._clock()
        values: dict[str, float] = {}
        for one in self._asked:
            values |= one.sample()
        if self._beside is not None:
            values |= self._beside.sample().values
        return Sample(at_s, values)

    def doubts(self) -> list[str]:
        """Views that have stopped answering since the last call, each once, in a sentence."""
        return [text for one in self._asked if (text := one.doubt()) is not None]

    def close(self) -> None:
        """End what views have started, and close the other source."""
        for one in self._asked:
            one.close()
        if self._beside is not None:
            self._beside.close()


class _Asked:
    def __init__(self, view: View, clock: Callable[[], float]) -> None:
        self._view = view
        self._clock = clock
        self._misses = 0
        self._due_s = float("-inf")
        self._previous: tuple[float, Mapping[str, float]] | None = None
        self._limits: dict[str, float] = {}
        self._why: str | None = None
        self._is_doubted = False

    def sample(self) -> dict[str, float]:
        at_s = self._clock()
        if at_s < self._due_s:
            return self._limits
        try:
            reading = self._view.read()
        except (OSError, ValueError) as error:
            self._miss(str(error))
            return self._limits
        if reading is None:
            return self._limits
        if not reading:
            self._miss("it answers something else")
            return self._limits
        self._misses = 0
        values = dict(reading.gauges)
        # Its limits are also known while it is too full to answer.
        self._limits = {name: each for name, each in values.items() if name.endswith(".limit")}
        if self._previous is not None:
            values |= growth(at_s - self._previous[0], self._previous[1], reading.totals)
        self._previous = at_s, reading.totals
        return values

    def _miss(self, why: str) -> None:
        self._misses += 1
        if self._misses >= MISSES:
            self._due_s = self._clock() + PAUSE_S
            if not self._is_doubted:
                self._is_doubted = True
                self._why = why

    def close(self) -> None:
        if self._view.close is not None:
            self._view.close()

    def doubt(self) -> str | None:
        why, self._why = self._why, None
        if why is None:
            return None
        return (
            f"{self._view.text} is asked only every {PAUSE_S:.0f} s from now on: {why}, "
            f"{MISSES} times in a row"
        )
