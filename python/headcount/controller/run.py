"""A run from start to end: every level is stored as it ends, whatever happens after it."""

import math
import shlex
import time
from dataclasses import replace
from pathlib import Path

from headcount import _engine
from headcount.analyse.failures import failures_of
from headcount.analyse.verdict import Ending, stopped_by
from headcount.bundle import versus
from headcount.bundle.level import LevelResult
from headcount.bundle.reader import Bundle, check_idle
from headcount.bundle.verdict import Verdict
from headcount.bundle.writer import BundleWriter, new_folder
from headcount.controller.access import Secrets
from headcount.controller.access.access import count_text
from headcount.controller.before import load_before
from headcount.controller.behind import programs_behind
from headcount.controller.diagnosis import with_diagnosis
from headcount.controller.gathering import GATHER_S
from headcount.controller.level import LevelRunner, note
from headcount.controller.level_order import LevelOrder
from headcount.controller.listener import TRIAL, Listener, Phase
from headcount.controller.liveness import check_alive, check_answer
from headcount.controller.orders import Orders, orders_of
from headcount.controller.quiet import SECONDS, Patience, Quiet, was_disturbed
from headcount.controller.server_logs import ServerLogs
from headcount.controller.session import Session
from headcount.controller.sut import Sut, connect
from headcount.controller.trial import try_all
from headcount.controller.versus.side_verdict import side_verdict
from headcount.controller.views import with_views
from headcount.counters.proc.named import NOBODY, Named
from headcount.errors import (
    EngineError,
    HeadcountError,
    InputError,
    MachineLimitError,
    TargetError,
)
from headcount.generator.handles import ensure_handles
from headcount.plan.plan import Plan
from headcount.plan.target import parse
from headcount.protocols.registry import protocol_of

DRAIN_S = 10.0
"""Time for users to finish what is under way at the end of a run."""
RAMP_DOWN_S = 2.0
"""Time for many users to leave at the end of a run: not all of them may log off at once."""
LEAVE_AT_ONCE = 100
"""Most users who leave without a ramp; a server handles this many log-offs at any moment."""
SILENT_S = 0.5
"""Seconds without an answer at the end of a level after which the server is checked."""


def start(
    plan: Plan, runs: Path, secrets: Secrets, listener: Listener, named: Named = NOBODY
) -> tuple[Path, Verdict]:
    """Run a plan; returns its bundle's folder and the verdict.

    `named` is the user's description of the server, if its address does not lead to it.

    Raises HeadcountError if it cannot start or continue; what was measured is then in the bundle
    all the same. KeyboardInterrupt does not leave this function: the verdict says `interrupted`.
    """
    check_engine()
    check_budget(plan)
    if plan.agents is None:
        least = max(plan.levels, default=plan.search.start_users)
        ensure_handles(plan.protocol, least, plan.local_ips)
    with connect(plan, secrets, named=named) as sut:
        return play(plan, runs, sut, listener)


def play(plan: Plan, runs: Path, sut: Sut, listener: Listener) -> tuple[Path, Verdict]:
    """Run a plan on a connected system under test; returns the folder and the verdict."""
    folder = new_folder(runs, plan.workload.name, plan.target)
    bundle = BundleWriter(folder)
    bundle.plan(plan.to_toml())
    bundle.environment(sut.environment(plan.target))
    listener.started(plan, folder)
    for sentence in sut.sentences:
        listener.noted(sentence)
    return folder, Run(plan, sut, bundle, listener, [], 0.0).play()


def check_engine() -> None:
    """Raise EngineError if this engine's figures are meaningless."""
    if _engine.PROFILE != "release":
        raise EngineError(
            "this engine is a debug build, too slow to measure with; rebuild it with: uv sync"
        )


def check_budget(plan: Plan) -> None:
    """Raise InputError if a search has no time for a single level."""
    if plan.mode == "search" and orders_of(plan).next() is None:
        budget = plan.search.budget
        given = f"--budget {budget}" if budget else "the budget of --quick, 3 minutes,"
        raise InputError(
            f"{given} is too short for even one level of the search; give a longer --budget (a "
            "minute or more), or run one level: --users 10 --duration 10s"
        )


def resume(old: Bundle, secrets: Secrets, listener: Listener, named: Named = NOBODY) -> Verdict:
    """Continue an interrupted run; its finished levels are kept as they are.

    The server was named when the run began; `named` is for one that has other processes by now.
    """
    check_idle(old.folder)  # before a server is started for it
    with connect(old.plan, secrets, named=named or named_before(old)) as sut:
        bundle = BundleWriter(old.folder, len(old.levels))  # changed only if the target answers
        spent_s = max((second["t_s"] for second in old.seconds), default=0.0)
        if old.environment is None:
            bundle.environment(sut.environment(old.plan.target))
        bundle.event("resumed", spent_s, levels=len(old.levels))
        bundle.sync()  # or a power failure may leave a gap in time without its reason
        listener.started(old.plan, old.folder)
        for sentence in sut.sentences:
            listener.noted(sentence)
        return Run(old.plan, sut, bundle, listener, old.levels, math.ceil(spent_s)).play()


def named_before(bundle: Bundle) -> Named:
    """The user's description of the server when the run of a bundle began."""
    server = bundle.environment.server if bundle.environment is not None else None
    return Named.of(server.named) if server is not None else NOBODY


def with_verdict(bundle: Bundle) -> Bundle:
    """The bundle with its verdict and diagnosis.

    For a run that was killed or is under way: from what is known now. A bundle older than diagnoses
    gets its own here; nothing is written.
    """
    if (verdict := bundle.verdict) is not None:
        if not verdict.failures:
            verdict = verdict.model_copy(update={"failures": failures_of(bundle.levels)})
        if verdict.diagnosis is None:
            verdict = with_diagnosis(verdict, bundle.levels, bundle.folder)
        return replace(bundle, verdict=verdict)
    spent_s = max((second["t_s"] for second in bundle.each_second()), default=0.0)
    if (pairing := versus.read(bundle.folder)) is not None:
        verdict = side_verdict(pairing.kind, bundle.plan, bundle.levels, spent_s, "unfinished")
    else:
        orders = orders_of(bundle.plan)
        for level in bundle.levels:
            orders.take(level)
        verdict = orders.verdict(bundle.levels, spent_s, "unfinished")
    return replace(bundle, verdict=with_diagnosis(verdict, bundle.levels, bundle.folder))


class Run:
    """One run on one system under test."""

    def __init__(
        self,
        plan: Plan,
        sut: Sut,
        bundle: BundleWriter,
        listener: Listener,
        levels: list[LevelResult],
        spent_s: float,
    ) -> None:
        """Continue after `levels`, `spent_s` seconds into the run."""
        self._sut = sut
        self._bundle = bundle
        self._listener = listener
        self._levels = list(levels)
        self._orders: Orders = orders_of(plan)
        for level in levels:
            self._orders.take(level)
        self._spent_s = spent_s
        self._began_s = time.monotonic()
        self._ended_s: float | None = None
        """When the engine ended, on the clock of the seconds; None before it started."""
        self._plan = plan
        self._logs = ServerLogs(sut.logs)
        self._patience = Patience(plan)
        self._stopped: str | None = None
        """Why it did not play more users, or any."""

    def play(self) -> Verdict:
        """Run the levels and write the verdict, whatever ends the run."""
        ending: Ending = "unfinished"
        try:
            self._play_levels()
            ending = "finished"
            if self._stopped is not None:
                self._bundle.event("stopped", self._at_s(), message=self._stopped)
        except KeyboardInterrupt:
            ending = "interrupted"
            self._bundle.event("interrupted", self._at_s())
        except HeadcountError as error:
            self._bundle.event("error", self._at_s(), message=str(error))
            if not self._levels:
                self._stopped = str(error).partition("\n")[0]
            raise
        finally:
            verdict = self._finish(ending)
        self._listener.finished(verdict)
        return verdict

    def _finish(self, ending: Ending) -> Verdict:
        """Write what is known now and close the bundle."""
        verdict = self._orders.verdict(self._levels, self._took_s(), ending)
        if self._stopped is not None:
            verdict = stopped_by(verdict, self._stopped)
        try:
            if self._levels:
                self._bundle.levels(self._levels)  # the last may have been cut short by Ctrl-C
            self._bundle.verdict(verdict)  # safe before anything is made of it
            verdict = with_diagnosis(verdict, self._levels, self._bundle.folder)
            self._bundle.verdict(verdict)
        finally:
            self._bundle.close()
        return verdict

    def _play_levels(self) -> None:
        self._listener.outlook(self._orders.outlook())
        order = self._orders.next()
        if order is None:
            return
        self._listener.phase(Phase("prepare", order.index, order.purpose, order.users, 0.0))
        prepared = self._sut.prepare(order.users, self._listener.prepared)
        note(self._bundle, self._spent_s, prepared)
        self._note_before()
        self._try_all()
        self._sut = with_views(self._sut, self._bundle, self._listener, self._spent_s)
        with self._sut.generating():
            session = Session(
                self._plan,
                self._sut.players(self._plan),
                self._sut.sources(),
                self._bundle,
                self._listener,
                self._spent_s,
            )
        try:
            runner = LevelRunner(
                self._plan, self._sut.prepare, session, self._bundle, self._listener
            )
            while order is not None:
                result = self._run_level(runner, order)
                if result is None:
                    break
                self._logs.note(self._bundle, session.now_s(), order.index)
                self._keep(result)
                self._wait_for_quiet(runner, session, result)
                if session.silent_s >= SILENT_S:
                    self._check_alive(runner)
                self._listener.outlook(self._orders.outlook())
                order = self._orders.next()
            self._note_behind(session.now_s())
            last = self._levels[-1]
            ramp_s = RAMP_DOWN_S if session.users > LEAVE_AT_ONCE else 0.0
            self._listener.phase(Phase("drain", last.index, last.purpose, 0, ramp_s))
            session.set_users(0, ramp_s)
            session.hold("ramp-down", last.index, ramp_s)
            session.drain(last.index, DRAIN_S)
        finally:
            self._ended_s = session.now_s()
            session.close()

    def _wait_for_quiet(self, runner: LevelRunner, session: Session, result: LevelResult) -> None:
        """After a level that other programs spoiled: wait until they are done, but not for long."""
        if self._patience.left_s < SECONDS or not was_disturbed(result):
            return
        began_s = session.now_s()
        self._listener.noted(
            "other programs keep this machine busy: waiting for a quiet moment, at most "
            f"{self._patience.left_s:.0f} s"
        )
        quiet = runner.wait(result.index, self._patience.left_s, Quiet())
        took_s = session.now_s() - began_s
        self._patience.left_s -= took_s
        self._orders.rested()
        self._bundle.event("waited", session.now_s(), seconds=took_s, quiet=quiet)
        if not quiet:
            self._listener.noted(
                f"the machine is still busy after {took_s:.0f} s: levels near the limit may not "
                "count. Stop other programs, or use another machine"
            )

    def _note_before(self) -> None:
        """Record what the user's own server does for others, before the first user."""
        if self._levels or self._sut.server is None or not self._sut.is_of_somebody:
            return
        counters = load_before(self._sut.server)
        if counters:
            self._bundle.event("before", self._spent_s, counters=counters)

    def _try_all(self) -> None:
        """Before the first level: play a single user, who must succeed before a search.

        Not before other levels on a lab server, whose own counts are compared with the run's, nor
        if the users' actions persist: mail that is delivered, files that are written.
        """
        if self._plan.trial is False:
            return
        is_search = self._plan.mode == "search"
        is_of_somebody = parse(self._plan.target).lab is None
        if self._levels or not (
            is_search or (is_of_somebody and protocol_of(self._plan.protocol).is_clean)
        ):
            return
        self._listener.phase(Phase(TRIAL, 1, "", 1, 0.0))
        with self._sut.generating():
            target = self._sut.access.engine_target()
            trial = try_all(self._plan, target, is_search=is_search)
        if trial is None:
            return
        if trial.failure is not None:
            self._listener.noted(trial.failure)
        self._bundle.event(
            "trial",
            self._spent_s,
            message=trial.failure,
            service_ms=trial.service_ms,
            completed=trial.completed,
            played=trial.played,
        )

    def _note_behind(self, at_s: float) -> None:
        """Record which programs the server is connected to, while users are still present."""
        try:
            programs = programs_behind(self._sut)
        except (HeadcountError, OSError):
            return  # the server is gone; its address stays without a program
        if programs:
            self._bundle.event("behind", at_s, programs=programs)

    def _run_level(self, runner: LevelRunner, order: LevelOrder) -> LevelResult | None:
        """Run a level; None if it could not be prepared and the search ends with what it has.

        A search that has an answer keeps it while the server answers; any other run raises, with
        how to continue.
        """
        try:
            return runner.run(order)
        except (InputError, TargetError, MachineLimitError) as error:
            if not self._levels:
                raise
            users = count_text(order.users, "user")
            what = f"level {order.index} at {users} could not be prepared: {error}"
            if self._is_answered():
                self._stopped = f"the search stopped early: {what}"
                return None
            kept = shlex.quote(str(self._bundle.folder))
            raise type(error)(
                f"{what}. What was measured is kept: headcount show {kept}; once that is fixed: "
                f"headcount resume {kept}"
            ) from error

    def _is_answered(self) -> bool:
        """Whether a search has found a number of users, and the server still answers."""
        if self._plan.mode != "search" or not self._orders.outlook().low:
            return False
        try:
            check_answer(self._sut.access.check, self._plan)
        except TargetError:
            return False
        return True

    def _keep(self, result: LevelResult) -> None:
        self._levels.append(result)
        self._orders.take(result)
        self._bundle.levels(self._levels)

    def _check_alive(self, runner: LevelRunner) -> None:
        """Check that the server still answers, after a level that ended without answers."""
        result = self._levels[-1]

        def rest() -> bool:
            self._orders.rested()
            return runner.rest(result.index, GATHER_S)

        try:
            check_alive(self._sut.access.check, self._plan, rest)
        except TargetError as error:
            kept = shlex.quote(str(self._bundle.folder))
            raise TargetError(
                f"the target stopped answering during level {result.index} at "
                f"{count_text(result.users, 'user')}: {error}. What was measured is kept: "
                f"headcount show {kept}; when the target answers again: headcount resume {kept}"
            ) from error

    def _at_s(self) -> float:
        """The second of the run; preparation before the engine started is not part of it."""
        return self._spent_s if self._ended_s is None else self._ended_s

    def _took_s(self) -> float:
        return self._spent_s + time.monotonic() - self._began_s
