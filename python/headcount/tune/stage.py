"""Where configurations are tried: a server, its users, and turns that are measured."""

from collections.abc import Sequence
from pathlib import Path

from headcount.analyse.verdict import Ending
from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.level import LevelResult
from headcount.bundle.writer import BundleWriter
from headcount.controller.diagnosis import diagnosis_of, with_diagnosis
from headcount.controller.level import LevelRunner, note
from headcount.controller.level_order import LevelOrder
from headcount.controller.listener import Phase
from headcount.controller.orders import orders_of
from headcount.controller.session import Session
from headcount.controller.sut import Sut
from headcount.controller.views import with_views
from headcount.errors import TargetError
from headcount.fields.units import seconds
from headcount.plan.plan import Plan
from headcount.tune.change import Configuration
from headcount.tune.durations import STAY_S, Durations, least_settle_s
from headcount.tune.listener import TuningListener
from headcount.tune.tunable import Tunable

MEASURE_S = 5.0
"""Default length of a turn. Shorter turns scatter more; longer ones meet more drift within their
pair."""
LONGEST_RAMP_S = 3.0
LAST_STEPS = 2
"""Steps that a user who leaves may still wait for: the one in progress, and the log-off."""
GOING_S = 5.0
"""How much longer than a step users may take to leave: they finish what they are doing."""


class Stage:
    """One server with its users for as long as a tuning lasts. Its turns are a bundle's levels."""

    def __init__(
        self,
        plan: Plan,
        sut: Sut,
        tunable: Tunable,
        folder: Path,
        listener: TuningListener,
        measure_s: float = MEASURE_S,
        *,
        users_come: bool = False,
    ) -> None:
        """Begin the bundle; nobody plays yet.

        `measure_s` is the measured part of a turn; with `users_come`, each turn begins without
        users, to see them log on, all at once.
        """
        self._measure_s = measure_s
        self._users_come = users_come
        self._plan = plan
        self._sut = sut
        self._tunable = tunable
        self._listener = listener
        self._bundle = BundleWriter(folder)
        self._bundle.plan(plan.to_toml())
        self._bundle.environment(sut.environment(plan.target))
        self._bundle.event("made-by", 0.0, verb="tune")
        self._session: Session | None = None
        self._runner: LevelRunner | None = None
        self.levels: list[LevelResult] = []
        self.durations = Durations()

    @property
    def folder(self) -> Path:
        """The bundle."""
        return self._bundle.folder

    @property
    def bundle(self) -> BundleWriter:
        """The same, to write to."""
        return self._bundle

    def open(self, users: int) -> None:
        """Make the data set for at most this many users, and start the engine."""
        self._listener.phase(Phase("prepare", 1, "ladder", users, 0.0))
        note(self._bundle, 0.0, self._sut.prepare(users, self._listener.prepared))
        self._sut = with_views(self._sut, self._bundle, self._listener, 0.0)
        with self._sut.generating():
            self._session = Session(
                self._plan,
                self._sut.players(self._plan),
                self._sut.sources(),
                self._bundle,
                self._listener,
                0.0,
            )
        self._runner = LevelRunner(
            self._plan, self._sut.prepare, self._session, self._bundle, self._listener
        )

    @property
    def can_restart(self) -> bool:
        """Whether turns can begin with a restart of the server."""
        return self._tunable.can_restart

    def turn(
        self, configuration: Configuration, users: int, *, is_fresh: bool = False
    ) -> LevelResult:
        """Measure a configuration with this many users; a fresh one after a server restart.

        Users leave before a change and come back after it. Raises NotAccepted where the server
        refuses it, TargetError where it does not answer any more.
        """
        session, runner = self._opened
        index = len(self.levels) + 1
        changes = is_fresh or configuration.key != self._tunable.now.key
        restarted = False
        if changes or self._users_come:
            self.rest()
        if changes:
            self._listener.phase(Phase("change", index, "ladder", users, 0.0))
            restarted = self._tunable.apply(configuration, is_fresh=is_fresh)
            self._listener.configured(configuration.text)
            self._bundle.event(
                "configuration", session.now_s(), level=index, changes=configuration.text
            )
        if not self.levels:
            self._listener.configured(configuration.text)
        is_back = session.users != users
        settle_s = least_settle_s(self._measure_s, is_back=is_back, restarted=restarted)
        if is_back:
            settle_s = max(settle_s, self.durations.steady_s(configuration, users))
        if self._users_come:
            settle_s = min(settle_s, STAY_S)  # what counts is over: they have logged on
        ramp_s = min(users / self._plan.workload.run.ramp_per_s, LONGEST_RAMP_S)
        result = runner.run(
            LevelOrder(
                index=index,
                purpose="ladder",
                users=users,
                ramp_s=ramp_s if is_back else 0.0,
                settle_s=settle_s,
                measure_s=self._measure_s,
                is_at_once=self._users_come,
            )
        )
        self.levels.append(result)
        self.durations.add(configuration, result)
        self._bundle.levels(self.levels)
        return result

    def rest(self) -> None:
        """Send all users away: the next turn begins like one after a change.

        Raises TargetError where they do not leave.
        """
        session, runner = self._opened
        if not session.users:
            return
        longest_s = LAST_STEPS * seconds(self._plan.workload.run.step_timeout) + GOING_S
        self._listener.phase(Phase("rest", len(self.levels), "ladder", session.users, 0.0))
        if not runner.rest(len(self.levels), longest_s):
            raise TargetError(
                f"users were still connected {longest_s:g} s after they were told to stop"
            )

    @property
    def _opened(self) -> tuple[Session, LevelRunner]:
        if self._session is None or self._runner is None:
            raise TargetError("the server has not been prepared")
        return self._session, self._runner

    def diagnosis(self, levels: Sequence[LevelResult]) -> Diagnosis | None:
        """The server's limit in some of its turns; None without turns. Close the stage first."""
        return diagnosis_of(levels, self.folder)

    def close(self, ending: Ending) -> None:
        """End the engine, write the verdict of the turns as levels, and close the bundle."""
        try:
            spent_s = self._session.now_s() if self._session is not None else 0.0
            if self._session is not None:
                self._session.close()
            if self.levels:
                orders = orders_of(self._plan)
                for level in self.levels:
                    orders.take(level)
                verdict = orders.verdict(self.levels, spent_s, ending)
                self._bundle.verdict(with_diagnosis(verdict, self.levels, self.folder))
        finally:
            self._bundle.close()
