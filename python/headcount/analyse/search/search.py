"""The search: a thin record of the levels taken, around pure functions of them."""

from dataclasses import replace

from headcount.analyse.search.light import is_light
from headcount.analyse.search.observation import Observation, Request, Taken
from headcount.analyse.search.outcome import Outcome, outcome_of
from headcount.analyse.search.plan import next_request
from headcount.analyse.search.progress import Progress, progress_of
from headcount.analyse.search.settings import Settings
from headcount.analyse.search.standing import Standing


class Search:
    """Finds the largest number of users at which every constraint holds.

    Deterministic: the same settings and observations lead to the same next request, so a search is
    resumed by replaying its observations.
    """

    def __init__(self, settings: Settings) -> None:
        """Start a search without any levels."""
        self._standing = Standing(settings, ())
        self._request = next_request(self._standing)

    @property
    def settings(self) -> Settings:
        """How the search is made."""
        return self._standing.settings

    @property
    def taken(self) -> tuple[Taken, ...]:
        """The levels so far, each with the request it answered."""
        return self._standing.taken

    def next(self) -> Request | None:
        """The next level to run; None if the search is over."""
        return self._request

    def observe(self, observation: Observation) -> None:
        """Take the answer to the request from :meth:`next`.

        Raises ValueError if nothing was asked, if the users are not those asked for, or if a valid
        observation lacks one of the criteria.
        """
        request = self._request
        if request is None:
            raise ValueError("the search is over; it asked for no level")
        if observation.users != request.users:
            raise ValueError(f"asked for {request.users} users, observed {observation.users}")
        missing = set(self.settings.criteria) - {
            c.name for c in (*observation.constraints, *observation.goals)
        }
        if observation.valid and missing:
            raise ValueError(f"the observation lacks {', '.join(sorted(missing))}")
        if request.purpose == "recovery" or (
            request.purpose == "climb" and not self.is_light(observation)
        ):
            observation = replace(observation, valid=False)
        spent_s = observation.overhead_s + observation.measure_s
        timed = replace(observation, ended_s=self._standing.spent_s + spent_s)
        taken = (*self._standing.taken, Taken(request, timed))
        self._standing = Standing(self.settings, taken)
        self._request = next_request(self._standing)

    def is_light(self, observation: Observation) -> bool:
        """Whether a level is far from every limit; a climb that is not does not count."""
        return is_light(self._standing.valid, observation)

    def progress(self) -> Progress:
        """How far the search is, even before the first level."""
        return progress_of(self._standing)

    def outcome(self) -> Outcome:
        """What is known now; always has an interval, however short the search."""
        return outcome_of(self._standing)
