"""Where faults are injected: a server under constant load, level after level of one bundle."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from headcount.analyse.outage.felt import FEW, Limits, felt
from headcount.analyse.outage.slot import Slot
from headcount.analyse.verdict import Ending
from headcount.bundle import moments
from headcount.bundle.failover import Outage, Writes
from headcount.bundle.level import LevelResult
from headcount.bundle.writer import BundleWriter
from headcount.controller.level import LevelRunner, note
from headcount.controller.level_order import LevelOrder
from headcount.controller.listener import Listener, Phase
from headcount.controller.liveness import check_answer
from headcount.controller.orders import orders_of
from headcount.controller.session import Session
from headcount.controller.sut import Sut
from headcount.controller.views import with_views
from headcount.errors import HeadcountError, TargetError
from headcount.failover import command
from headcount.failover.fault import Fault
from headcount.failover.ledger import ledger as rows
from headcount.failover.ledger.ledger import Ledger
from headcount.failover.ledger.store import Opening, opening
from headcount.failover.repetition import Questions, Repetition, Timing
from headcount.failover.watch import Watch, phases
from headcount.fields.units import seconds
from headcount.plan.plan import Plan

AGAIN_S = 0.2
"""Pause between two checks whether the fault can be repeated."""
READY_S = 60.0
"""How long the command of such a check may take."""
BEFORE = "users were not served within their limits before the fault"
NOT_INJECTED = "the fault did not happen: the level ended first"


class Stage:
    """One server with its users for as long as faults are repeated."""

    def __init__(
        self,
        plan: Plan,
        sut: Sut,
        fault: Fault,
        timing: Timing,
        questions: Questions,
        ready: str | None,
        allowed: float,
        writers: int,
        folder: Path,
        listener: Listener,
    ) -> None:
        """Begin the bundle; nobody plays yet.

        `ready` is a command that succeeds when the fault can be repeated, `allowed` the share of
        scenarios that may be missed, `writers` how many write numbered rows beside the users.
        """
        self._plan = plan
        self._sut = sut
        self._fault = fault
        self._timing = timing
        self._questions = questions
        self._ready = ready
        self._limits = Limits(plan.levels[0], allowed, timing.calm_s)
        self._listener = listener
        self._bundle = BundleWriter(folder)
        self._bundle.plan(plan.to_toml())
        self._bundle.environment(sut.environment(plan.target))
        self._bundle.event("made-by", 0.0, verb="failover")
        self._session: Session | None = None
        self._runner: LevelRunner | None = None
        self._users = plan.levels[0]
        self._writers = writers
        self._rows: Opening | None = None
        self._not_recovered: HeadcountError | KeyboardInterrupt | None = None
        self.levels: list[LevelResult] = []

    @property
    def folder(self) -> Path:
        """The bundle."""
        return self._bundle.folder

    @property
    def bundle(self) -> BundleWriter:
        """The same, to write to."""
        return self._bundle

    @property
    def timing(self) -> Timing:
        """When things happen."""
        return self._timing

    @property
    def slot_s(self) -> float:
        """How finely it is watched."""
        return seconds(self._plan.moments or "10ms")

    def open(self) -> None:
        """Make the data set, and start the engine."""
        self._listener.phase(Phase("prepare", 1, "ladder", self._users, 0.0))
        note(self._bundle, 0.0, self._sut.prepare(self._users, self._listener.prepared))
        if self._writers:
            self._rows = opening(self._plan.protocol, self._sut.access.engine_target())
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

    def repeat(self) -> Outage:
        """Inject the fault once under load, and recover from it; returns what users felt.

        Whatever happens, it recovers; `check_recovered` raises if that failed. Raises
        HeadcountError if the fault cannot be injected.
        """
        session, _ = self._opened
        index = len(self.levels) + 1
        one = self._repetition()
        run = self._plan.workload.run
        ramp_s = self._users / run.ramp_per_s if run.ramp is None else seconds(run.ramp)
        order = LevelOrder(
            index=index,
            purpose="ladder",
            users=self._users,
            ramp_s=ramp_s if index == 1 else 0.0,
            settle_s=seconds(run.settle),
            measure_s=self._timing.at_s + self._timing.longest_s,
            watch=one.take,
        )
        with self._written() as ledger:
            result = self._played(order, one)
            if one.error is not None:
                raise one.error
            self.levels.append(result)
            self._bundle.levels(self.levels)
            moments.write(self.folder, index, one.rows)
            outage = self._outage(one, result, self._writes(ledger, one))
        self._bundle.event(
            "fault",
            session.now_s(),
            level=index,
            fault=self._fault.text,
            injected_s=one.injected_s,
        )
        return outage

    def _repetition(self) -> Repetition:
        now_s = self._opened[0].now_s
        nodes = self._sut.node_states
        watch = None if nodes is None else Watch(nodes, now_s)
        return Repetition(
            self._fault, self._timing, self._questions, self._limits, self.slot_s, now_s, watch
        )

    def _played(self, order: LevelOrder, one: Repetition) -> LevelResult:
        """Play a level with its fault, and recover from it."""
        _, runner = self._opened
        try:
            result = runner.run(order)
        except BaseException:
            self._recover(one, order.index)
            raise
        try:
            self._recover(one, order.index)
        except HeadcountError as error:
            self._not_recovered = error  # after the outage is kept
        return result

    @contextmanager
    def _written(self) -> Iterator[Ledger | None]:
        """Write numbered rows within the block, if the server can keep any."""
        if self._rows is None:
            yield None
            return
        try:
            ledger = Ledger(self._rows, self._writers, self._opened[0].now_s)
        except HeadcountError as error:
            raise TargetError(
                f"the rows of --writers cannot be written: {error}; --writers 0 leaves them out"
            ) from error
        ledger.start()
        try:
            yield ledger
        finally:
            ledger.end()

    def _writes(self, ledger: Ledger | None, one: Repetition) -> Writes | None:
        """What became of the rows, once all nodes are back; None if that is not known."""
        if ledger is None or one.injected_s is None or self._not_recovered is not None:
            return None
        try:
            self.wait_until_ready()
        except (HeadcountError, KeyboardInterrupt) as error:
            self._not_recovered = error  # after the outage is kept
            return None
        try:
            ledger.end()
            return ledger.check(one.injected_s)
        except HeadcountError as error:
            self._listener.noted(f"the rows that were written could not be read back: {error}")
        except KeyboardInterrupt as error:
            self._not_recovered = error  # after the outage is kept
        return None

    def _outage(self, one: Repetition, result: LevelResult, writes: Writes | None) -> Outage:
        injected_s = one.injected_s if one.injected_s is not None else one.seen[1]
        slots = [Slot(*row) for row in one.rows]
        found = felt(slots, injected_s, one.seen, self.slot_s, self._limits)
        nodes = self._sut.node_states
        states = one.states(injected_s)
        noticed_s, taken_s = (None, None) if nodes is None else phases(states, nodes)
        reasons = _reasons(one, result, slots, injected_s, self._limits.allowed)
        return Outage(
            level=result.index,
            injected_s=injected_s,
            watched_s=one.seen[1] - injected_s,
            fault_took_s=one.took_s,
            noticed_s=one.answers.get("noticed", noticed_s),
            taken_over_s=one.answers.get("taken_over", taken_s),
            states=states,
            rate_per_s=found.rate_per_s,
            silent_s=found.silent_s,
            silence_began_s=found.silence_began_s,
            answered_s=found.answered_s,
            served_s=found.served_s,
            restored_s=found.restored_s,
            lost=found.lost,
            late=found.late,
            log_ons=found.log_ons,
            users_lost=one.users_lost,
            writes=writes,
            outcome="invalid" if reasons else "measured",
            reasons=reasons,
            # A limited generator may have made users late; the times of answers are still right.
            doubts=list(result.generator.reasons),
        )

    def check_recovered(self) -> None:
        """Raise HeadcountError if the server could not be recovered after a repetition.

        Raises KeyboardInterrupt if Ctrl-C interrupted the recovery.
        """
        if self._not_recovered is not None:
            raise self._not_recovered

    def wait_until_ready(self) -> None:
        """Wait until the fault can be repeated, while users play; raises TargetError."""
        session, _ = self._opened
        index = len(self.levels)
        self._listener.phase(Phase("recover", index, "ladder", self._users, 0.0))
        end_s = time.monotonic() + self._timing.longest_s
        while (problem := self._problem()) is not None:
            if time.monotonic() > end_s:
                raise TargetError(f"after the recovery: {problem}")
            time.sleep(AGAIN_S)
            session.catch_up("recover", index)
        session.catch_up("recover", index)

    def _problem(self) -> str | None:
        """Why the fault cannot be repeated yet; None if it can."""
        try:
            check_answer(self._sut.access.check, self._plan)
        except TargetError as error:
            return str(error)
        for node in self._sut.nodes:
            if (problem := node.problem()) is not None:
                return problem
        if self._ready is not None and not command.succeeds(self._ready, READY_S):
            return f"the command of --ready has not succeeded: {self._ready}"
        return None

    def _recover(self, one: Repetition, index: int) -> None:
        """Undo the fault of a repetition, if that has not been done.

        Raises HeadcountError if that fails.
        """
        one.end()
        if one.injected_s is None or one.has_recovered:
            return
        self._listener.phase(Phase("recover", index, "ladder", self._users, 0.0))
        try:
            self._fault.recover()
        except KeyboardInterrupt:
            self._listener.noted(f"the server was not recovered: {self._fault.recovery}")
            raise

    def _remove_rows(self) -> None:
        if self._rows is None:
            return
        try:
            rows.remove(self._rows)
        except HeadcountError as error:
            self._listener.noted(f"the table of written rows was not removed: {error}")

    @property
    def _opened(self) -> tuple[Session, LevelRunner]:
        if self._session is None or self._runner is None:
            raise TargetError("the server has not been prepared")
        return self._session, self._runner

    def close(self, ending: Ending) -> None:
        """End the engine, write the verdict of the levels, and close the bundle."""
        try:
            self._remove_rows()
            spent_s = self._session.now_s() if self._session is not None else 0.0
            if self._session is not None:
                self._session.close()
            if self.levels:
                orders = orders_of(self._plan)
                for level in self.levels:
                    orders.take(level)
                self._bundle.verdict(orders.verdict(self.levels, spent_s, ending))
        finally:
            self._bundle.close()


def _reasons(
    one: Repetition,
    result: LevelResult,
    slots: Sequence[Slot],
    injected_s: float,
    allowed: float,
) -> list[str]:
    """Why a repetition does not count."""
    found = list(result.reasons) if result.agents_lost else []
    if one.injected_s is None:
        return [NOT_INJECTED, *found]
    before = [slot for slot in slots if slot.at_s < injected_s]
    due = sum(slot.kept + slot.missed for slot in before)
    if not due or sum(slot.missed for slot in before) > max(allowed * due, FEW):
        found.append(BEFORE)
    return found
