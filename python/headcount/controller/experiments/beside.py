"""`beside`: load on a second target, which shares an upstream, in turn with none."""

from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from headcount.analyse.experiments import beside
from headcount.bundle.confirmation import Finding, Turn
from headcount.controller.access.access import NOTHING
from headcount.controller.experiments.experiment import Experiment
from headcount.controller.experiments.player import loaded_values
from headcount.controller.experiments.stage import Arm, Stage, play_rounds, players
from headcount.controller.sut import connect
from headcount.errors import InputError
from headcount.plan import target as targets
from headcount.plan.plan import Plan
from headcount.plan.scenario import Scenario
from headcount.plan.step import Step
from headcount.plan.workload import Tables


def other_plan(plan: Plan, address: str) -> Plan:
    """What users of the second target do: ask for its URL, or else the run's own workload.

    Raises InputError where the second target speaks another protocol than the workload.
    """
    target = targets.parse(address)
    if target.lab is not None:
        raise InputError(f"--beside {address} is a lab server; name one that is running")
    if target.protocol == "http":
        url = urlsplit(target.text)
        path = (url.path or "/") + (f"?{url.query}" if url.query else "")
        step = Step.model_validate({"name": "get", "op": "get", "path": path})
        scenario = Scenario(name="beside", weight=1.0, limit="1h", steps=[step])
        workload = plan.workload.model_copy(
            update={
                "tables": Tables(),
                **dict.fromkeys(("script", "score", "task_score", "marks")),
                "protocol": "http",
                "groups": {},
                "scenarios": [scenario],
            }
        )
        client = plan.client if plan.protocol == "http" else {}
        text = f"{url.scheme}://{url.netloc}"
        return plan.model_copy(update={"target": text, "workload": workload, "client": client})
    if target.protocol != plan.protocol:
        raise InputError(
            f"--beside {address} speaks {target.protocol} and the run {plan.protocol}; name a "
            "target of the same protocol, or a URL"
        )
    return plan.model_copy(update={"target": target.text})


def _obstacle(stage: Stage) -> str | None:
    return None if stage.options.beside else "no second target was named (--beside)"


def _play(stage: Stage, rounds: int) -> Iterator[Turn]:
    plan = other_plan(stage.plan, stage.options.beside or "")
    users = stage.load.users
    with connect(plan, stage.secrets) as other:
        prepared = other.prepare(users, stage.listener.prepared)
        try:
            values = loaded_values(plan, stage.load.compress)
            with players(
                lambda: stage.player(loaded_values(stage.plan, stage.load.compress)),
                lambda: stage.player(values, plan, other.access.engine_target()),
            ) as (own, second):
                arms = [
                    Arm(beside.WITHOUT, own, users, {second: 0}),
                    Arm(beside.WITH, own, users, {second: users}),
                ]
                yield from play_rounds(stage, beside.NAME, arms, rounds)
        finally:
            if prepared != NOTHING and prepared.created_users and not prepared.kept_users:
                other.access.cleanup(stage.listener.prepared)


def _judge(stage: Stage, turns: Sequence[Turn]) -> Finding | None:
    return beside.judge(turns, stage.options.beside or "")


BESIDE = Experiment(
    name=beside.NAME,
    does="alternately loads the second target and leaves it alone",
    about=frozenset({"upstream", "unknown", "pool", "lock", "limiter", "delay"}),
    arms=2,
    obstacle=_obstacle,
    play=_play,
    judge=_judge,
)
