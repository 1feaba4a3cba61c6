"""A recorded log, replayed from its beginning."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from headcount.counters.recording import Recording
from headcount.live.reading import News, Reading, Remark


class Replay:
    """All of a log, at once.

    Args:
        recordings: One for each machine.

    """

    def __init__(self, recordings: Sequence[Recording]) -> None:
        """Nothing played yet."""
        self.name = "log"
        self._recordings = recordings
        self._is_played = False

    @property
    def done(self) -> bool:
        """Whether it was played."""
        return self._is_played

    @property
    def names(self) -> list[str]:
        """The name of each recording: its machine, and a number if two share a name."""
        given: list[str] = []
        for number, recording in enumerate(self._recordings, start=1):
            name = recording.host or "log"
            given.append(name if name not in given else f"{name}-{number}")
        return given

    @property
    def interval_s(self) -> float:
        """The usual time between two samples: the median, so that a gap does not count."""
        gaps = [
            later.at_s - earlier.at_s
            for recording in self._recordings
            for earlier, later in pairwise(recording.samples)
            if later.at_s > earlier.at_s
        ]
        return median(gaps) if gaps else 1.0

    @property
    def samples(self) -> int:
        """Samples of the recording with most."""
        return max((len(recording.samples) for recording in self._recordings), default=0)

    def poll(self) -> list[News]:
        """All of it, in order of time."""
        if self._is_played:
            return []
        self._is_played = True
        return sorted(self._all(), key=lambda one: one.at_s)

    def close(self) -> None:
        """Nothing is held."""

    def _all(self) -> Iterator[News]:
        marks: set[tuple[float, str]] = set()
        for name, recording in zip(self.names, self._recordings, strict=True):
            for sample in recording.samples:
                yield Reading(name, sample.at_s, sample.values)
            for mark in recording.bookmarks:
                if (mark.at_s, mark.text) not in marks:
                    marks.add((mark.at_s, mark.text))
                    yield Remark(mark.at_s, mark.text)
