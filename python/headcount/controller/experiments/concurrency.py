"""`concurrency`: one user, some, and twice as many in turn."""

from collections.abc import Iterator, Sequence

from headcount.analyse.experiments import concurrency
from headcount.bundle.confirmation import Finding, Turn
from headcount.controller.experiments.experiment import Experiment
from headcount.controller.experiments.player import loaded_values
from headcount.controller.experiments.stage import Arm, Stage, play_rounds, players

LEAST_USERS = 4
"""Half of them are two, who can wait for each other."""


def _obstacle(stage: Stage) -> str | None:
    if stage.plan.workload.program is not None:
        return "users follow a program, whose operations depend on each other"
    if stage.load.most < LEAST_USERS:
        return f"the run has no level with {LEAST_USERS} users or more"
    return None


def _play(stage: Stage, rounds: int) -> Iterator[Turn]:
    values = loaded_values(stage.plan, stage.load.compress)
    most = stage.load.most
    with players(lambda: stage.single(values), lambda: stage.player(values)) as (
        one,
        full,
    ):
        arms = [
            Arm(concurrency.ONE, one, 1),
            Arm(concurrency.HALF, full, most // 2),
            Arm(concurrency.ALL, full, most),
        ]
        yield from play_rounds(stage, concurrency.NAME, arms, rounds)


def _judge(stage: Stage, turns: Sequence[Turn]) -> Finding | None:
    del stage
    return concurrency.judge(turns)


CONCURRENCY = Experiment(
    name=concurrency.NAME,
    does="plays one user, some, and twice as many in turn",
    about=frozenset({"pool", "lock", "limiter", "cpu", "thread", "none", "unknown"}),
    arms=3,
    obstacle=_obstacle,
    play=_play,
    judge=_judge,
)
