"""A planted server with its users: turns through Headcount's own stage, nothing changed after."""

import secrets as random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bench.tuning.case import Server
from bench.tuning.planning import plan_of
from headcount.analyse.diagnosis.log_lines import logged_knobs
from headcount.bundle import reader
from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.level import LevelResult
from headcount.bundle.tuning import Measure
from headcount.bundle.writer import new_folder
from headcount.controller import run as controller
from headcount.controller.access import Secrets
from headcount.controller.listener import Silent
from headcount.controller.liveness import check_answer
from headcount.controller.sut import connect
from headcount.errors import TargetError
from headcount.lab.parameters import parameters
from headcount.plan.plan import Plan
from headcount.tune.baseline import best_per_s, factor, held_users, measure_of, searched
from headcount.tune.change import Configuration
from headcount.tune.choose import Asked, choose, weightiest
from headcount.tune.durations import Durations
from headcount.tune.goal import Goal
from headcount.tune.host import ThisHost
from headcount.tune.knobs.library import of_server
from headcount.tune.left import check_nothing_left, journals_folder
from headcount.tune.listener import Unwatched
from headcount.tune.processes.processes import NAME as PROCESS
from headcount.tune.processes.processes import Processes, Treated
from headcount.tune.restart import OfLab
from headcount.tune.servers.joint import Joint, Part
from headcount.tune.servers.registry import find_all
from headcount.tune.stage import Stage as OwnStage
from headcount.tune.tunable import Tunable
from headcount.tune.values import Values, names_of

MOST_USERS = 15_000
"""Most users: with more, the machine of the proof and its file handles are the limit."""


class Stage(Protocol):
    """What plays turns: Headcount's stage, or a simulated one."""

    durations: Durations

    def turn(
        self, configuration: Configuration, users: int, *, is_fresh: bool = False
    ) -> LevelResult:
        """Measure a configuration; raises NotAccepted."""
        ...


@dataclass(frozen=True)
class Baseline:
    """What the search before a tuning found.

    Attributes:
        folder: Its bundle.
        users: The load of the trials, near the knee.
        measure: The figure that decides.
        diagnosis: What binds.
        best_per_s: The greatest throughput of its levels; None if none counts.
        logged: Knobs that the server's log names.

    """

    folder: Path
    users: int
    measure: Measure
    diagnosis: Diagnosis
    best_per_s: float | None
    logged: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Playing:
    """A server that is up.

    Attributes:
        stage: Where turns are played.
        values: The knobs that the diagnosis picks, with their values, as the tuner has them.

    """

    stage: OwnStage
    values: Sequence[Values]


def search(server: Server, seed: int, runs: Path) -> Path:
    """The bundle of the quick search that `headcount tune` begins with.

    Raises TargetError where it came to nothing, so that an interrupted search is played again.
    """
    folder = searched(plan_of(server, seed), runs, Secrets(), Silent()).folder
    baseline(folder)
    return folder


def baseline(folder: Path) -> Baseline:
    """What a search found; raises TargetError where it came to nothing."""
    bundle = reader.load(folder)
    verdict = controller.with_verdict(bundle).verdict
    if verdict is None or verdict.diagnosis is None:
        raise TargetError(f"{folder} has no diagnosis")
    measure = measure_of(Goal(), verdict.diagnosis.limit, bundle)
    held = held_users(verdict)
    if held is None:  # the tuner refuses this, but an oracle may gain
        held = min(level.users for level in bundle.levels)
    users = max(round(held * factor(measure, verdict.diagnosis.limit)), 1)
    most = best_per_s(bundle.levels)
    logged = logged_knobs(bundle.events)
    return Baseline(folder, min(users, MOST_USERS), measure, verdict.diagnosis, most, logged)


@contextmanager
def playing(
    server: Server,
    seed: int,
    found: Baseline,
    runs: Path,
    turn_s: float,
    more: Sequence[str] = (),
) -> Iterator[Playing]:
    """The server, up with its users; `more` are knobs to change beside those of the diagnosis."""
    plan = _turns(plan_of(server, seed), found.users)
    host = ThisHost()
    check_nothing_left(host)
    with connect(plan, Secrets()) as sut:
        servers = find_all(host, sut.pids or [])
        running = Joint(servers, {one.name: of_server(one.name).knob for one in servers})
        restart = None
        if sut.restart is not None:
            restart = OfLab(host, sut.restart, lambda: sut.pids or [])
        asked = Asked(frozenset(server.allow), frozenset(server.knobs), restarts=True)
        held = parameters(server.server, server.settings)
        names = names_of(host, found.users, running.numbers)
        choices = weightiest(
            choice
            for name, knobs in running.knobs.items()
            for choice in choose(
                Part(name, running), knobs, found.diagnosis, asked, names, held, found.logged
            )
        )
        tried = [one for one in choices if one.obstacle is None]
        values = [Values(one.knob, one.setting.value, names) for one in tried]
        others = [server.knob(name) for name in more]
        of_processes = [one for one in others if one in of_server(PROCESS).knob]
        tunable = Tunable(
            host,
            running,
            list(dict.fromkeys([*(one.knob for one in tried), *others])),
            f"{journals_folder(host)}/proof-{random.token_hex(6)}",
            lambda: check_answer(sut.access.check, plan),
            followers=[knob for knobs in running.knobs.values() for knob in knobs],
            restart=restart,
            treated=Treated(Processes(host, servers), of_processes) if of_processes else None,
        )
        try:
            folder = new_folder(runs, f"{plan.workload.name}-turns", plan.target)
            comes = found.measure == "log_on"
            stage = OwnStage(plan, sut, tunable, folder, Unwatched(), turn_s, users_come=comes)
            try:
                stage.open(found.users)
                yield Playing(stage, values)
            finally:
                tunable.close()
                stage.close("finished")
        finally:
            tunable.close()


def _turns(plan: Plan, users: int) -> Plan:
    """The plan of turns, as a tuning has it: too short to wait for a steady state."""
    run = plan.workload.run.model_copy(update={"steady": "reported"})
    workload = plan.workload.model_copy(update={"run": run})
    turns = {"mode": "ladder", "levels": [users], "stacks": "off", "workload": workload}
    return plan.model_copy(update=turns)
