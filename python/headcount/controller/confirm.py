"""Testing a diagnosis by experiments on the server of its run."""

import math
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from headcount.analyse.elasticity import LEAST_PAIRS
from headcount.analyse.experiments.conclude import conclude, next_step
from headcount.bundle.confirmation import Confirmation, Finding, LeftOut, Turn
from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.level import LevelResult
from headcount.bundle.reader import Bundle
from headcount.bundle.writer import now
from headcount.controller.access import Secrets
from headcount.controller.access.access import NOTHING, Prepared
from headcount.controller.experiments.experiment import Experiment, NotPlayable
from headcount.controller.experiments.registry import EXPERIMENTS
from headcount.controller.experiments.stage import Load, Options, Stage
from headcount.controller.listener import Listener
from headcount.controller.run import named_before
from headcount.controller.sut import Sut, connect
from headcount.errors import InputError, TargetError
from headcount.generator.handles import ensure_handles
from headcount.plan import target as targets

ROUNDS = LEAST_PAIRS + 1
"""One to spare: a turn without an answer invalidates its round."""
SHORTEST_TURN_S = 0.15
LONGEST_TURN_S = 5.0
"""Longest turn: a longer one meets more drift, and the interval comes from rounds."""
OVERHEAD = 1.4
"""Overhead factor of a turn: its users come and settle."""
REPORTS_S = 0.1
"""Additional seconds of each turn: its parts end with the next report."""
LONGEST_PAUSE_S = 0.25
"""Mean pause of users in experiments: turns are too short for longer ones, so pauses are shortened,
and there are fewer users, as many as are in the server at a time."""

NEARLY = 0.9
"""Share of the largest throughput: a level above this is as saturated as any."""
SEVERAL = 4
"""Fewest users: they can still wait for each other when halved."""


@dataclass(frozen=True)
class Chosen:
    """The experiments about to be played.

    Attributes:
        experiments: In order.
        left_out: Experiments that would help, but cannot be made.
        rounds: Rounds of each.
        turn_s: Length of the measured part of a turn.
        seconds: Approximate total time.

    """

    experiments: Sequence[Experiment]
    left_out: Sequence[LeftOut]
    rounds: int
    turn_s: float
    seconds: float

    def sentence(self) -> str:
        """The plan for people, before it begins."""
        parts = [f"`{one.name}` {one.does}" for one in self.experiments]
        return f"experiments, about {self.seconds:.0f} s: {'; '.join(parts)}"


def confirm(
    bundle: Bundle, diagnosis: Diagnosis, secrets: Secrets, listener: Listener, options: Options
) -> Confirmation:
    """Play the experiments that tell the diagnosis's first limit from others, and judge them.

    Ctrl-C ends them and keeps what was measured. Raises InputError if nothing can be tested,
    TargetError if the target does not answer.
    """
    began_s = time.monotonic()
    load = load_of(bundle, diagnosis)
    stage = Stage(bundle, bundle.plan, diagnosis, load, secrets, options, listener)
    chosen = choose(stage)
    stage = replace(stage, turn_s=chosen.turn_s)
    listener.noted(chosen.sentence())
    played = Played([], list(chosen.left_out), interrupted=False)
    with ExitStack() as stack:
        try:
            for one in chosen.experiments:
                if not one.starts_server and stage.connected is None:
                    stage = _connected(stage, stack)
                _play(one, stage, chosen.rounds, played)
        except KeyboardInterrupt:
            played.interrupted = True
    concluded = conclude(diagnosis, played.findings)
    return Confirmation(
        at=now(),
        target=bundle.plan.target,
        limit=diagnosis.limit,
        detail=diagnosis.detail,
        answer=concluded.answer,
        experiments=concluded.experiments,
        supported=concluded.supported,
        seconds=time.monotonic() - began_s,
        ending="interrupted" if played.interrupted else "finished",
        sentence=concluded.sentence,
        next_step=next_step(diagnosis, concluded, played.findings),
        findings=played.findings,
        left_out=played.left_out,
    )


@dataclass
class Played:
    """What was played so far."""

    findings: list[Finding]
    left_out: list[LeftOut]
    interrupted: bool


def _play(one: Experiment, stage: Stage, rounds: int, played: Played) -> None:
    """Play an experiment and judge it, even if Ctrl-C ends it."""
    turns: list[Turn] = []
    try:
        for turn in one.play(stage, rounds):
            turns.append(turn)  # noqa: PERF402 - kept if Ctrl-C ends it
    except NotPlayable as why:
        _leave_out(one, str(why), stage, played)
        return
    except KeyboardInterrupt:
        _judge(one, stage, turns, played)
        raise
    _judge(one, stage, turns, played)


def _judge(one: Experiment, stage: Stage, turns: Sequence[Turn], played: Played) -> None:
    finding = one.judge(stage, turns)
    if finding is not None:
        played.findings.append(finding)
        stage.listener.noted(f"`{one.name}`: {finding.sentence}")
        return
    reason = "too few rounds for an interval, or conditions that differ too little"
    _leave_out(one, reason, stage, played)


def _leave_out(one: Experiment, reason: str, stage: Stage, played: Played) -> None:
    played.left_out.append(LeftOut(experiment=one.name, reason=reason))
    stage.listener.noted(f"`{one.name}`: no result: {reason}")


def _connected(stage: Stage, stack: ExitStack) -> Stage:
    """The stage with a connection, and data for as many users as will come."""
    most = stage.load.most
    ensure_handles(stage.plan.protocol, 2 * most, stage.plan.local_ips)
    sut = stack.enter_context(connect(stage.plan, stage.secrets, named=named_before(stage.bundle)))
    prepared = sut.prepare(most, stage.listener.prepared)
    stack.callback(_tidy, stage, sut, prepared)
    return replace(stage, connected=sut)


def _tidy(stage: Stage, sut: Sut, prepared: Prepared) -> None:
    """Delete the data set if it did not exist before; that of the run stays where it was."""
    is_ours = prepared != NOTHING and prepared.created_users > 0 and not prepared.kept_users
    if is_ours and stage.plan.protocol != "http" and targets.parse(stage.plan.target).lab is None:
        try:
            sut.access.cleanup(stage.listener.prepared)
        except TargetError as error:  # the server has died; the cause of that is the answer
            stage.listener.noted(f"the data of the experiments is still there: {error}")


def choose(stage: Stage) -> Chosen:
    """The experiments that test the first limit, and their time.

    Raises InputError if there is none, or the time is too short.
    """
    limit = stage.diagnosis.limit
    wanted = [one for one in EXPERIMENTS if limit in one.about]
    if not wanted:
        raise InputError(
            f'no experiment can test the diagnosis "{limit}"; change what it suggests, and run '
            "again"
        )
    obstacles = [(one, one.obstacle(stage)) for one in wanted]
    possible = [one for one, obstacle in obstacles if obstacle is None]
    left_out = [
        LeftOut(experiment=one.name, reason=obstacle)
        for one, obstacle in obstacles
        if obstacle is not None
    ]
    if not possible:
        reasons = "; ".join(f"{one.experiment}: {one.reason}" for one in left_out)
        raise InputError(f'the diagnosis "{limit}" cannot be tested here: {reasons}')
    if possible[0].starts_server:
        possible = possible[:1]  # it changes the resource itself; nothing else shows more
    fixed_s = possible[0].turn_s
    if fixed_s is not None:
        return Chosen(possible, left_out, ROUNDS, fixed_s, ROUNDS * possible[0].arms * fixed_s)
    arms, more_s = sum(one.arms for one in possible), stage.load.busy_s + REPORTS_S
    for rounds in (ROUNDS, LEAST_PAIRS):
        turns = rounds * arms
        turn_s = min((stage.options.seconds / turns - more_s) / OVERHEAD, LONGEST_TURN_S)
        if turn_s >= SHORTEST_TURN_S:
            return Chosen(possible, left_out, rounds, turn_s, turns * (turn_s * OVERHEAD + more_s))
    least_s = LEAST_PAIRS * arms * (SHORTEST_TURN_S * OVERHEAD + more_s)
    raise InputError(
        f"--confirm-time is {stage.options.seconds:g} s; these experiments "
        f"({', '.join(one.name for one in possible)}) need at least {math.ceil(least_s)} s"
    )


def load_of(bundle: Bundle, diagnosis: Diagnosis) -> Load:
    """How many users experiments play, from the saturated levels of the run."""
    deciding = {level.index for level in diagnosis.levels if level.saturated}
    levels = [level for level in bundle.levels if level.index in deciding] or bundle.levels
    top = max(levels, key=lambda level: (level.total.rate_per_s, level.users))
    level = _enough(levels, top)
    workload = bundle.plan.workload
    pause_s = workload.pause_mean_s / workload.run.compress
    service = level.total.service
    busy_s = service.mean_ms / 1000 if service is not None else 0.0
    compress = max(pause_s / LONGEST_PAUSE_S, 1.0)
    part = 1 / compress
    if workload.pace.kind == "closed":
        part = (busy_s + pause_s / compress) / max(busy_s + pause_s, 1e-9) if pause_s else 1.0
    users = max(round(level.users * part), 1)
    highest = max(one.users for one in bundle.levels)
    most = max(round(min(2 * level.users, highest) * part), users)
    return Load(users, most, top.users, top.total.rate_per_s, compress, busy_s * most / users)


def _enough(levels: Sequence[LevelResult], top: LevelResult) -> LevelResult:
    """The fewest users with nearly the largest throughput, if they are several; else the most."""
    near = [one for one in levels if one.total.rate_per_s >= NEARLY * top.total.rate_per_s]
    several = [one for one in near if one.users >= SEVERAL]
    if several:
        return min(several, key=lambda one: one.users)
    return max(near, key=lambda one: one.users)
