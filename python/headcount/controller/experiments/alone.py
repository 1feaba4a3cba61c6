"""`alone`: one user in turn with all of them."""

from collections.abc import Iterator, Sequence

from headcount.analyse.experiments import alone
from headcount.bundle.confirmation import Finding, Turn
from headcount.controller.experiments.experiment import Experiment
from headcount.controller.experiments.player import loaded_values
from headcount.controller.experiments.stage import Arm, Stage, play_rounds, players


def _obstacle(stage: Stage) -> str | None:
    if stage.plan.workload.program is not None:
        return "users follow a program, whose operations depend on each other"
    return "the run has no level with several users" if stage.load.users < 2 else None


def _play(stage: Stage, rounds: int) -> Iterator[Turn]:
    values = loaded_values(stage.plan, stage.load.compress)
    with players(lambda: stage.single(values), lambda: stage.player(values)) as (
        one,
        full,
    ):
        arms = [Arm(alone.ONE, one, 1), Arm(alone.ALL, full, stage.load.users)]
        yield from play_rounds(stage, alone.NAME, arms, rounds)


def _judge(stage: Stage, turns: Sequence[Turn]) -> Finding | None:
    del stage
    return alone.judge(turns)


ALONE = Experiment(
    name=alone.NAME,
    does="alternates one user with all of them",
    about=frozenset({"delay", "none", "upstream", "pause", "memory", "disk", "network"}),
    arms=2,
    obstacle=_obstacle,
    play=_play,
    judge=_judge,
)
