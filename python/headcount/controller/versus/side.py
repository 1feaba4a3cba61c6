"""One of two targets: its server, its engine without users between turns, and its bundle."""

import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from headcount.analyse.verdict import Ending
from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Verdict
from headcount.bundle.versus import SideName, VersusRest, VersusTurn
from headcount.bundle.writer import BundleWriter
from headcount.controller.diagnosis import with_diagnosis
from headcount.controller.level import LevelRunner, note
from headcount.controller.level_order import LevelOrder
from headcount.controller.listener import Listener, Phase
from headcount.controller.liveness import check_answer
from headcount.controller.server_logs import ServerLogs
from headcount.controller.session import Session
from headcount.controller.sut import Sut, connect
from headcount.controller.versus.ask import Ask
from headcount.controller.versus.asked import SideAsked
from headcount.controller.versus.side_verdict import side_verdict
from headcount.controller.views import with_views
from headcount.errors import HeadcountError, InputError, TargetError
from headcount.fields.units import seconds
from headcount.plan.plan import Plan

LAST_STEPS = 2
"""Steps that a user who leaves may still wait for: the one in progress, and the log-off."""
GOING_S = 5.0
"""Extra time to leave: users finish what is under way, which ends when a step's time limit is over
at the latest."""
DRAIN_S = 10.0
SILENT_S = 0.5
"""Seconds without an answer at the end of a level after which the server is checked."""
CPU = "process.cpu.utilization"


class Side:
    """One side of a comparison, for as long as it lasts.

    Attributes:
        name: A or B.
        plan: Its plan.
        levels: Its finished levels.
        rests: When it had no users.

    """

    def __init__(self, name: SideName, plan: Plan, sut: Sut, folder: Path, listener: Listener):
        """Start its bundle in `folder`."""
        self.name = name
        self.plan = plan
        self.levels: list[LevelResult] = []
        self.rests: list[VersusRest] = []
        self._sut = sut
        self._listener = listener
        self._logs = ServerLogs(sut.logs)
        self._session: Session | None = None
        self._runner: LevelRunner | None = None
        self._rested_s = 0.0
        self._bundle = BundleWriter(folder)
        self._bundle.plan(plan.to_toml())
        self._bundle.environment(sut.environment(plan.target))
        listener.started(plan, folder)
        for sentence in sut.sentences:
            listener.noted(sentence)

    @property
    def folder(self) -> Path:
        """Its bundle."""
        return self._bundle.folder

    @property
    def is_here(self) -> bool:
        """Whether its server is on this machine."""
        return self._sut.local

    def prepare(self, users: int) -> None:
        """Make the data set; errors such as TargetError name the side in the message."""
        with naming_side(self.name, self.plan):
            self._listener.phase(Phase("prepare", 1, "ladder", users, 0.0))
            note(self._bundle, 0.0, self._sut.prepare(users, self._listener.prepared))

    def open(self, clock: Callable[[], float] | None = None) -> None:
        """Start its engine, without users; `clock` gives the time of the run of both sides."""
        self._sut = with_views(self._sut, self._bundle, self._listener, 0.0)
        with naming_side(self.name, self.plan), self._sut.generating():
            players = self._sut.players(self.plan)
            self._session = Session(
                self.plan, players, self._sut.sources(), self._bundle, self._listener, 0.0
            )
        if clock is not None:
            self._session.set_clock(clock())
        self._session.wake()
        self._runner = LevelRunner(
            self.plan, self._sut.prepare, self._session, self._bundle, self._listener
        )
        self._rested_s = self._session.now_s()

    @property
    def session(self) -> Session:
        """Its engine; only after `open`."""
        if self._session is None:
            raise InputError("this side has not been opened")
        return self._session

    def play(self, ask: Ask) -> tuple[LevelResult, VersusTurn]:
        """Wake it, run a level, and send its users away again."""
        session = self.session
        self._note_rest()
        began_s = session.now_s()
        order = LevelOrder(
            index=len(self.levels) + 1,
            purpose=ask.purpose,
            users=ask.users,
            ramp_s=ask.ramp_s,
            settle_s=ask.settle_s,
            measure_s=ask.measure_s,
            may_stop_early=ask.may_stop_early,
            least_s=ask.least_s,
        )
        with naming_side(self.name, self.plan):
            result = self._level(order)
            self.levels.append(result)
            self._bundle.levels(self.levels)
            self._logs.note(self._bundle, session.now_s(), order.index)
            silent = session.silent_s >= SILENT_S
            self._rest(order)
            if silent:
                check_answer(self._sut.access.check, self.plan)
        self._rested_s = session.now_s()
        turn = VersusTurn(
            side=self.name,
            level=order.index,
            users=order.users,
            began_s=round(began_s, 3),
            ended_s=round(self._rested_s, 3),
        )
        return result, turn

    def _level(self, order: LevelOrder) -> LevelResult:
        if self._runner is None:
            raise InputError("this side has not been opened")
        return self._runner.run(order)

    def _rest(self, order: LevelOrder) -> None:
        """Send everybody away; users who stay would disturb the other side's turn."""
        longest_s = LAST_STEPS * seconds(self.plan.workload.run.step_timeout) + GOING_S
        self._listener.phase(Phase("rest", order.index, order.purpose, 0, 0.0))
        if self._runner is not None and not self._runner.rest(order.index, longest_s):
            raise TargetError(
                f"users of level {order.index} were still connected {longest_s:g} s after they "
                "were told to stop, so the other side cannot be measured alone"
            )

    def _note_rest(self) -> None:
        """Record the rest that is over, with what the server used in it."""
        samples = self.session.wake()
        now_s = self.session.now_s()
        if now_s - self._rested_s < 1.0:
            return  # between two of its own turns: nobody else was measured meanwhile
        sut = samples.get("sut")
        cpu = None if sut is None else sut.values.get(CPU)
        self.rests.append(
            VersusRest(
                side=self.name,
                began_s=round(self._rested_s, 3),
                ended_s=round(now_s, 3),
                cpu_cores=None if cpu is None or not math.isfinite(cpu) else round(cpu, 4),
            )
        )

    def drain(self) -> None:
        """Let the engine end, when nothing more is to be measured."""
        if self._session is not None:
            self._note_rest()
            self._session.drain(len(self.levels), DRAIN_S)

    def event(self, name: str, **details: str) -> None:
        """Record what happened."""
        t_s = self._session.now_s() if self._session is not None else 0.0
        self._bundle.event(name, t_s, **details)

    def close(self, kind: str, ending: Ending) -> Verdict:
        """End its engine, and write the verdict on its levels."""
        took_s = 0.0
        try:
            if self._session is not None:
                took_s = self._session.now_s()
                self._session.close()
            if self.levels:
                self._bundle.levels(self.levels)  # the last may have been cut short by Ctrl-C
            verdict = side_verdict(kind, self.plan, self.levels, took_s, ending)
            self._bundle.verdict(verdict)  # safe before anything is made of it
            verdict = with_diagnosis(verdict, self.levels, self.folder)
            self._bundle.verdict(verdict)
        finally:
            self._bundle.close()
        return verdict


@contextmanager
def connect_side(name: SideName, asked: SideAsked) -> Iterator[Sut]:
    """Connect to a side's target; errors name the side."""
    with ExitStack() as stack:
        with naming_side(name, asked.plan):
            sut = stack.enter_context(connect(asked.plan, asked.secrets, named=asked.named))
        yield sut


@contextmanager
def naming_side(name: SideName, plan: Plan) -> Iterator[None]:
    """Errors raised within the block name the side."""
    try:
        yield
    except HeadcountError as error:
        raise type(error)(f"{name} ({plan.target}): {error}") from error
