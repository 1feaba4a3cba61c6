"""One fault: the oracle, the tuner, its rivals, and what the answer of each gains."""

from collections.abc import Mapping
from dataclasses import asdict

from bench.tuning import rivals
from bench.tuning.case import Case, Server
from bench.tuning.gains import gains, oracle
from bench.tuning.log import Log, Record
from bench.tuning.stage import MOST_USERS, Baseline, baseline, playing, search
from bench.tuning.tuner import Asked, tune
from headcount.tune.change import AS_IT_IS, Changes

GRID_ROUNDS = 2
"""Of all combinations of the grid. The best of many that scatter looks better than it is: what it
gains is measured again, as of all answers."""
ROUNDS = 8
"""Of all answers."""


def play(case: Case, asked: Asked, log: Log) -> None:
    """Play what is missing of a fault; raises HeadcountError."""
    planted = case.planted(asked.seed)
    log.step(case.name, "drawn", lambda: {"strength": case.drawn(asked.seed)})
    found = searched(planted, asked, log)
    best = log.step(case.name, "oracle", lambda: _oracle(case, planted, found, asked, log))
    tuned = log.step(case.name, "tune", lambda: tune(planted, asked, log, before=found.folder))
    turns = int(tuned["turns"])
    for name in asked.rivals:
        log.step(
            case.name,
            name,
            lambda name=name: _rival(name, planted, found, asked, log, turns),  # type: ignore[misc]
        )
    answers = {
        name: log.step(case.name, name, dict)["changes"]
        for name in ("oracle", "tune", *asked.rivals)
    }
    users = int(best["users"])
    log.step(case.name, "gains", lambda: _gains(planted, answers, users, found, asked, log))


def searched(server: Server, asked: Asked, log: Log) -> Baseline:
    """The search before all, once for a server."""
    done = log.step(
        server.name,
        "search",
        lambda: {"bundle": log.relative(search(server, asked.seed, log.runs))},
    )
    return baseline(log.folder / done["bundle"])


def _by_name(changes: Changes) -> Mapping[str, str]:
    return {knob.name: value for knob, value in changes.items()}


def _oracle(case: Case, planted: Server, found: Baseline, asked: Asked, log: Log) -> Record:
    grid = [planted.configuration(one, "grid") for one in case.all_of_grid()]
    with playing(planted, asked.seed, found, log.runs, asked.turn_s, [*case.grid]) as server:
        best = oracle(
            server.stage,
            grid,
            found.users,
            found.measure,
            GRID_ROUNDS,
            MOST_USERS,
            found.best_per_s,
        )
    return {
        "changes": _by_name(best.configuration.changes),
        "users": best.users,
        "turns": best.turns,
        "limit": found.diagnosis.limit,
        "measure": found.measure,
    }


def _rival(
    name: str, planted: Server, found: Baseline, asked: Asked, log: Log, turns: int
) -> Record:
    if name == "default":
        return {"changes": _by_name(AS_IT_IS.changes)}
    with playing(planted, asked.seed, found, log.runs, asked.turn_s) as server:
        if name == "rules":
            return {"changes": _by_name(rivals.rules(server.values).changes)}
        searching = rivals.random if name == "random" else rivals.plain
        answer = searching(
            server.stage, server.values, found.users, found.measure, turns, asked.seed
        )
    return {"changes": _by_name(answer.changes), "turns": turns}


def _gains(
    planted: Server,
    answers: Mapping[str, Mapping[str, str]],
    users: int,
    found: Baseline,
    asked: Asked,
    log: Log,
) -> Record:
    wanted = {name: planted.configuration(one, name) for name, one in answers.items()}
    knobs = list(dict.fromkeys(name for one in answers.values() for name in one))
    with playing(planted, asked.seed, found, log.runs, asked.turn_s, knobs) as server:
        measured = gains(server.stage, wanted, users, found.measure, ROUNDS)
    return {"users": users, "gains": {name: asdict(one) for name, one in measured.items()}}
