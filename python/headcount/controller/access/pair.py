"""Two servers as one target: the same users speak to both."""

import json
from collections.abc import Mapping, Sequence

from headcount.controller.access.access import Access, Prepared, Progress, warnings_of
from headcount.counters.source import Sample, Source


class PairAccess:
    """Two servers, each reached by an access of its own."""

    pid: int | None = None

    def __init__(self, first: Access, second: Access) -> None:
        """Join two accesses that have both answered already."""
        self._both = (first, second)
        self.programs: Mapping[str, str] = {**first.programs, **second.programs}
        self.settings: Mapping[str, str] = {**first.settings, **second.settings}
        self.warnings: Sequence[str] = (*warnings_of(first), *warnings_of(second))

    def prepare(self, users: int, on_progress: Progress, *, verify: bool = False) -> Prepared:
        """Make the data of both; the result counts users whose data both have."""
        made = [
            access.prepare(users, _half(on_progress, half), verify=verify)
            for half, access in enumerate(self._both)
        ]
        return Prepared(
            max(one.created_users for one in made),
            min(one.kept_users for one in made),
            sum(one.written_bytes for one in made),
        )

    def parts(self) -> Sequence[Access]:
        """The accesses of both servers."""
        return self._both

    def check(self) -> None:
        """Check that both still answer."""
        for access in self._both:
            access.check()

    def cleanup(self, on_progress: Progress) -> str:
        """Delete the data of both."""
        return "; ".join(access.cleanup(on_progress) for access in self._both)

    def engine_target(self) -> str:
        """The targets of both."""
        first, second = (json.loads(access.engine_target()) for access in self._both)
        return json.dumps({"first": first, "second": second})

    def source(self) -> Source | None:
        """The counters of both, which have distinct names."""
        sources = [source for one in self._both if (source := one.source()) is not None]
        return Joined(sources) if len(sources) > 1 else next(iter(sources), None)


class Joined:
    """Sources that are sampled as one."""

    name = "server"

    def __init__(self, sources: list[Source]) -> None:
        """Sample all of these."""
        self._sources = sources

    def sample(self) -> Sample:
        """Sample all, one after the other; the moment is that of the first."""
        samples = [source.sample() for source in self._sources]
        values = {name: value for one in samples for name, value in one.values.items()}
        return Sample(samples[0].at_s, values)

    def close(self) -> None:
        """Close all."""
        for source in self._sources:
            source.close()


def _half(on_progress: Progress, half: int) -> Progress:
    """Progress of one half: that of the first server or of the second."""
    return lambda done, users: on_progress((half * users + done) // 2, users)
