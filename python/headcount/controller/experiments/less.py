"""`less`: cut the resource of a lab server that the diagnosis names, and see what follows.

Throughput with 70% of the resource is compared with that with all of it, in short turns in the
order ABBA, so that drift of the machine affects both alike. The resource as a whole is cut, never
the part that the server happens to use: less than it uses always hurts.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from headcount.analyse.experiments import cut
from headcount.bundle.confirmation import Finding, Turn
from headcount.bundle.diagnosis import Diagnosis, Limit
from headcount.bundle.writer import BundleWriter
from headcount.controller.experiments.experiment import Experiment
from headcount.controller.experiments.player import turn_of
from headcount.controller.experiments.stage import Stage
from headcount.controller.listener import Phase
from headcount.controller.run_limits import run_limits
from headcount.controller.session import Moment, Session
from headcount.controller.sut import connect
from headcount.errors import InputError
from headcount.plan import target as targets
from headcount.plan.plan import Plan

NAME = "less"
CUT = 0.7
"""The part of the resource that is left: a cut large enough to be told from noise, and not so large
that something else becomes the limit."""
TURN_S = 4.0
IGNORED_S = 1.0
"""The start of a turn, in which the backlog from the previous terms is worked off."""
RAMP_S = 2.0

CUTTABLE: Mapping[Limit, tuple[str, ...]] = {
    "cpu": ("cpu",),
    "memory": ("memory",),
    "disk": ("disk-read", "disk-write"),
    "network": ("network",),
    "generator": ("generator-cpu",),
}
"""What may be cut while a server runs, by the limits of a plan. A thread cannot be given part of a
core; pools, locks and refusals are the program's own."""


def _obstacle(stage: Stage) -> str | None:
    if targets.parse(stage.plan.target).lab is None:
        return "only a lab server can be given less of a resource"
    try:
        _resource_limit(stage.plan, stage.diagnosis)
    except InputError as error:
        return str(error)
    return None


def _play(stage: Stage, rounds: int) -> Iterator[Turn]:
    plan, users = stage.plan, stage.load.top
    resource = _resource_limit(plan, stage.diagnosis)
    full = plan.limits.get(resource) or _whole_limit(resource)
    whole = plan.model_copy(update={"limits": {**plan.limits, resource: full}})
    part = _reduced_limit(resource, full)
    reduced = plan.model_copy(update={"limits": {**plan.limits, resource: part}})
    with (
        tempfile.TemporaryDirectory(prefix="headcount-confirm-") as folder,
        connect(whole, stage.secrets) as sut,
    ):
        bundle, listener = BundleWriter(Path(folder)), stage.listener
        sut.prepare(users, listener.prepared)
        with sut.generating():
            players = sut.players(whole)
            session = Session(whole, players, sut.sources(), bundle, listener, 0.0)
        try:
            listener.phase(Phase("ramp", 0, "confirm", users, RAMP_S))
            session.set_users(users, RAMP_S)
            session.hold("ramp", 0, RAMP_S + TURN_S)
            for round_ in range(1, rounds + 1):
                order = ((cut.WHOLE, whole), (cut.PART, reduced))
                for arm, terms in order if round_ % 2 else reversed(order):
                    if sut.squeeze is not None:
                        sut.squeeze.change(run_limits(terms.limits, terms.lines))
                    listener.phase(Phase(f"{NAME}: {arm}", round_, "confirm", users, TURN_S))
                    session.hold("settle", round_, IGNORED_S)
                    moments: list[Moment] = []
                    session.hold("steady", round_, TURN_S, moments.append)
                    yield turn_of([one.interval for one in moments], round_, arm, users)
        finally:
            session.close()
            bundle.close()


def _judge(stage: Stage, turns: Sequence[Turn]) -> Finding | None:
    resource = _resource_limit(stage.plan, stage.diagnosis)
    return cut.judge(turns, NAME, stage.diagnosis.limit, resource, CUT)


LESS = Experiment(
    name=NAME,
    does=f"restarts the lab server, and gives it all and {CUT:.0%} of the resource in turn",
    about=frozenset(CUTTABLE),
    arms=2,
    obstacle=_obstacle,
    play=_play,
    judge=_judge,
    turn_s=IGNORED_S + TURN_S,
    starts_server=True,
)


def _resource_limit(plan: Plan, diagnosis: Diagnosis) -> str:
    """The limit of a plan to cut; raises InputError if there is none."""
    names = CUTTABLE.get(diagnosis.limit, ())
    if not names:
        raise InputError(
            f'"{diagnosis.limit}" cannot be reduced while a server runs; these can: '
            f"{', '.join(CUTTABLE)}"
        )
    if diagnosis.limit in {"cpu", "generator"}:
        return names[0]
    given = [name for name in names if name in plan.limits]
    if not given:
        raise InputError(
            f"no {diagnosis.limit} limit was set, so there is none to reduce; run with one first, "
            f"for example --limit {names[0]}=..."
        )
    return next((name for name in given if name.endswith(diagnosis.detail or "-")), given[0])


def _whole_limit(resource: str) -> str:
    """All that the machine has, as a limit: only known for CPU."""
    return str(len(os.sched_getaffinity(0))) if resource in {"cpu", "generator-cpu"} else ""


def _reduced_limit(resource: str, whole: str) -> str:
    """The part of a limit, as limits are written."""
    limits = run_limits({resource: whole})
    if resource == "network":
        return f"{round((limits.network_bits_s or 0) * CUT)}bit/s"
    if resource == "generator-cpu":
        return f"{(limits.generator.cpu_cores or 0) * CUT:.4g}"
    server = limits.server
    if resource == "cpu":
        return f"{(server.cpu_cores or 0) * CUT:.4g}"
    bytes_ = server.memory_bytes or server.disk_read_bytes or server.disk_write_bytes or 0
    return str(round(bytes_ * CUT))
