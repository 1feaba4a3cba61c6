"""One level: users in, wait, measure, sum up."""

import time
from collections.abc import Callable
from dataclasses import asdict

from headcount._engine import Interval
from headcount.analyse.judge import Context, judge
from headcount.analyse.level import Measured, summarise
from headcount.analyse.observe import constraint
from headcount.analyse.search import wide_rule
from headcount.analyse.seconds import stretch_s
from headcount.analyse.tasks import Tasks
from headcount.bundle.level import LevelResult
from headcount.bundle.writer import BundleWriter, now
from headcount.controller.access import Prepared
from headcount.controller.access.access import Progress, count_text
from headcount.controller.counters_read import CountersRead
from headcount.controller.gathering import GATHER_S, LOG_ON_S, Admission, Gathering, LogOns
from headcount.controller.level_order import LevelOrder
from headcount.controller.level_seconds import LevelSeconds
from headcount.controller.listener import Listener, Phase
from headcount.controller.session import REPORT_S, Held, Moment, Session
from headcount.controller.settling import settle
from headcount.errors import EngineError, TargetError
from headcount.plan.criteria import AMOUNTS
from headcount.plan.plan import Plan

WAIT = "waiting for a quiet machine"
"""The phase in which other programs are given time to end."""
EARLY_EVERY_S = 5
"""Interval at which a level is checked for an early end."""


class LevelRunner:
    """Runs levels one after the other on one session; users stay from level to level."""

    def __init__(
        self,
        plan: Plan,
        prepare: Callable[[int, Progress], Prepared],
        session: Session,
        bundle: BundleWriter,
        listener: Listener,
    ) -> None:
        """Run levels of `plan`; `prepare` makes the data set for a number of users."""
        self._plan = plan
        self._prepare = prepare
        self._session = session
        self._bundle = bundle
        self._listener = listener
        self._last: Interval | None = None
        self._counters_read = CountersRead(plan)

    def run(self, order: LevelOrder) -> LevelResult:
        """Run one level to its end."""
        prepare_s = self._make_data(order)
        started_at = now()
        self._bundle.event(
            "level-start",
            self._session.now_s(),
            level=order.index,
            purpose=order.purpose,
            users=order.users,
        )
        agents = self._session.machines
        ramp_s, log_on_s = self._ramp(order)
        settle_s, unsettled = self._settle(order)
        self._counters_read.check()
        length_s = stretch_s(order.measure_s)
        level = LevelSeconds(self._plan, self._session.task_names, self._last, length_s)

        def each(moment: Moment) -> bool:
            level.add(moment)
            if order.watch is not None and order.watch(moment):
                return True
            return order.may_stop_early and self._enough(order, level)

        self._phase("steady", order, order.measure_s)
        with self._session.stacks.level(order.index, order.measure_s, self._session.now_s):
            held = self._session.hold("steady", order.index, order.measure_s, each)
        if held is not None:
            self._last = held.last
        lost = self._recover(order, level)
        if not level.seconds.number:
            raise EngineError("the load engine ended before the level was measured")
        result = summarise(
            self._plan,
            Measured(
                index=order.index,
                purpose=order.purpose,
                users=order.users,
                started_at=started_at,
                ramp_s=ramp_s,
                log_on_s=log_on_s,
                settle_s=settle_s,
                unsettled=unsettled,
                window=level.seconds.window(),
                step_names=self._session.step_names,
                request_names=self._session.request_names,
                task_names=self._session.task_names,
                counters=level.counters(),
                prepare_s=prepare_s,
                second_counters=level.asked,
                stretch_s=length_s,
                agents=agents,
            ),
        )
        if (doubt := lost or order.doubt(result)) is not None:
            reasons = [doubt, *result.reasons]
            changes = {"outcome": "invalid", "reasons": reasons, "agents_lost": lost is not None}
            result = result.model_copy(update=changes)
        self._bundle.event(
            "level-end",
            self._session.now_s(),
            level=order.index,
            outcome=result.outcome,
            reasons=result.reasons,
        )
        self._listener.level(result)
        return result

    def _make_data(self, order: LevelOrder) -> float:
        """Make sure that its users can be played and have data; returns how long that took."""
        self._ensure(order.users)  # before data is made for users who cannot be played
        self._phase("prepare", order, 0.0)
        if order.is_rested:
            self.rest(order.index, GATHER_S)
        began_s = time.monotonic()
        prepared = self._prepare_users(order)
        took_s = time.monotonic() - began_s
        # Otherwise those seconds would be part of the ramp, and count twice.
        self._session.catch_up("prepare", order.index)
        note(self._bundle, self._session.now_s(), prepared)
        self._ensure(order.users)
        return took_s

    def _prepare_users(self, order: LevelOrder) -> Prepared:
        """Prepare the data set, if necessary after the last level's users have left.

        They may hold all the connections that a server has.
        """
        try:
            return self._prepare(order.users, self._listener.prepared)
        except TargetError as error:
            if not self._session.users:
                raise
            self._listener.noted(
                f"could not prepare {count_text(order.users, 'user')}: {error}; trying again "
                "without the users of the last level"
            )
            self.rest(order.index, GATHER_S)
            return self._prepare(order.users, self._listener.prepared)

    def _ensure(self, users: int) -> None:
        """Make sure that this many users can be played, by the agents that were not lost."""
        self._session.ensure(users)
        while self._session.loss is not None:
            self._session.recover()
            self._last = None
            self._session.ensure(users)

    def _recover(self, order: LevelOrder, level: LevelSeconds) -> str | None:
        """After agents were lost: continue with the others, without users; returns who was lost.

        The level does not count. It still gets at least one second, because a run keeps a record of
        each level that it started.
        """
        loss = self._session.loss
        while self._session.loss is not None:
            self._session.recover()
            self._last = None  # those users are gone
            if not level.seconds.number:  # and another agent may be lost before that second is over
                self._keep(self._session.hold("steady", order.index, 1.0, level.add))
        return loss

    def wait(self, level: int, longest_s: float, enough: Callable[[], bool]) -> bool:
        """Send all users away and wait until `enough` is true; returns whether it was."""
        self.rest(level, longest_s)
        self._listener.phase(Phase(WAIT, level, "", 0, longest_s))
        ended = [False]

        def is_over(_: Moment) -> bool:
            ended[0] = enough()
            return ended[0]

        self._keep(self._session.hold("wait", level, longest_s, is_over))
        return ended[0]

    def rest(self, level: int, longest_s: float) -> bool:
        """Send all users away after a level; returns whether they are gone."""
        self._keep(self._session.rest(level, longest_s))
        return self._last is not None and self._last.users == 0

    def _hold(self, phase: str, order: LevelOrder, length_s: float) -> float:
        """Hold a phase that enters no figure; returns its actual length."""
        self._phase(phase, order, length_s)
        note = self._counters_read.note
        return self._keep(self._session.hold(phase, order.index, length_s, note))

    def _keep(self, held: Held | None) -> float:
        """Keep the state at the end of a phase; returns its actual length."""
        if held is None:
            return 0.0
        self._last = held.last
        return held.seconds

    def _settle(self, order: LevelOrder) -> tuple[float, list[str]]:
        """Settle; returns how long that took, and reasons against a required steady state."""
        if self._plan.workload.run.steady != "required":
            return self._hold("settle", order, order.settle_s), []

        def hold(length_s: float, held_s: float) -> list[Interval]:
            intervals: list[Interval] = []

            def each(moment: Moment) -> None:
                self._counters_read.note(moment)
                intervals.append(moment.interval)

            self._phase("settle" if not held_s else "settle: not steady yet", order, length_s)
            self._keep(self._session.hold("settle", order.index, length_s, each))
            return intervals

        return settle(order.settle_s, hold)

    def _ramp(self, order: LevelOrder) -> tuple[float, float | None]:
        """Let users come; returns how long that took, and their mean time to log on."""
        log_ons = LogOns(self._last, order.users)

        def each(moment: Moment) -> None:
            self._counters_read.note(moment)
            log_ons.add(moment)

        self._phase("ramp", order, order.ramp_s)
        if self._is_paced(order):
            ramp_s = self._admit(order, each)
        else:
            self._session.set_users(order.users, order.ramp_s)
            ramp_s = self._keep(self._session.hold("ramp", order.index, order.ramp_s, each))
        return ramp_s + self._gather(order, log_ons), log_ons.mean_s

    def _is_paced(self, order: LevelOrder) -> bool:
        """Whether users come no faster than they can log on.

        Not if the workload says how fast they come, or sessions open with the first scenario.
        """
        run = self._plan.workload.run
        before = self._last.users if self._last is not None else 0
        is_free = run.log_on == "join" and run.ramp is None and not order.is_at_once
        return is_free and order.users > before

    def _admit(self, order: LevelOrder, each: Callable[[Moment], None]) -> float:
        """Let users come as others have logged on; returns how long that took."""
        admission, gathering = Admission(self._last, order), Gathering(order.users)

        def admit(moment: Moment) -> bool:
            each(moment)
            if admission.is_over or gathering.has_ended(moment):
                return True
            self._session.set_users(admission.next(moment.interval), REPORT_S)
            return False

        self._session.set_users(admission.next(self._last), REPORT_S)
        ramp_s = self._keep(self._session.hold("ramp", order.index, LOG_ON_S, admit))
        self._session.set_users(order.users, 0.0)  # nobody is held back any longer
        return ramp_s

    def _gather(self, order: LevelOrder, log_ons: LogOns) -> float:
        """Wait until exactly the level's users are present and logged on; returns how long it took.

        Users who leave an overloaded server first finish what is under way.
        """
        last = self._last
        if last is not None and last.users == order.users and not last.logging_on:
            return 0.0
        longest_s = LOG_ON_S if last is not None and last.logging_on else GATHER_S
        gathering = Gathering(order.users)

        def each(moment: Moment) -> bool:
            log_ons.add(moment)
            return gathering.has_ended(moment)

        return self._keep(self._session.hold("ramp", order.index, longest_s, each))

    def _phase(self, name: str, order: LevelOrder, length_s: float) -> None:
        self._listener.phase(Phase(name, order.index, order.purpose, order.users, length_s))

    def _enough(self, order: LevelOrder, level: LevelSeconds) -> bool:
        """Whether the level is so far from every limit that more seconds would not matter."""
        if level.seconds.number % EARLY_EVERY_S:
            return False
        window = level.seconds.window()
        names = [scenario.name for scenario in self._plan.workload.scenarios]
        members = self._plan.workload.members
        tasks = Tasks(self._session.task_names, self._plan.workload.task_score)
        ended = window.pool().completed + window.pool().failed
        known = Context(tasks, level.asked)
        results = [
            constraint(judge(criterion, window, names, members, known), criterion, ended)
            for criterion in self._plan.criteria
            if criterion.metric not in AMOUNTS
        ]
        return wide_rule(results, window.seconds, least_s=order.least_s) is not None


def note(bundle: BundleWriter, t_s: float, prepared: Prepared) -> None:
    """Record what was prepared, if anything was."""
    if prepared.created_users or prepared.kept_users:
        bundle.event("prepared", t_s, **asdict(prepared))
