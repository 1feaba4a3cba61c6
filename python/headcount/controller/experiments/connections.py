"""`connections`: connections that stay open in turn with a new one for each request."""

from collections.abc import Iterator, Sequence

from headcount.analyse.experiments import connections
from headcount.bundle.confirmation import Finding, Turn
from headcount.controller.access.open import allowed_target, target_access
from headcount.controller.experiments.experiment import Experiment
from headcount.controller.experiments.player import loaded_values
from headcount.controller.experiments.stage import Arm, Stage, play_rounds, players
from headcount.plan import target as targets
from headcount.protocols.http import http_client


def _obstacle(stage: Stage) -> str | None:
    target = targets.parse(stage.plan.target)
    if target.protocol != "http" or target.lab is not None:
        return "only for web servers outside the lab"
    client = http_client(stage.plan.client)
    return "HTTP/2 and HTTP/3 keep their connections" if client.http2 or client.http3 else None


def _play(stage: Stage, rounds: int) -> Iterator[Turn]:
    values = loaded_values(stage.plan, stage.load.compress)

    site = allowed_target(stage.plan, targets.parse(stage.plan.target))

    def target(keep_alive: str) -> str:
        client = {**stage.plan.client, "keep_alive": keep_alive}
        plan = stage.plan.model_copy(update={"client": client})
        return target_access(plan, site, stage.secrets).engine_target()

    with players(
        lambda: stage.player(values, target=target("on")),
        lambda: stage.player(values, target=target("off")),
    ) as (kept, new):
        arms = [
            Arm(connections.KEPT, kept, stage.load.users),
            Arm(connections.NEW, new, stage.load.users),
        ]
        yield from play_rounds(stage, connections.NAME, arms, rounds)


def _judge(stage: Stage, turns: Sequence[Turn]) -> Finding | None:
    del stage
    return connections.judge(turns)


CONNECTIONS = Experiment(
    name=connections.NAME,
    does="alternates open connections with a new one for each request",
    about=frozenset({"refusal"}),
    arms=2,
    obstacle=_obstacle,
    play=_play,
    judge=_judge,
)
