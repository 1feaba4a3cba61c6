"""Servers without a fault, winners that are restarted, and servers as Debian ships them."""

from bench.tuning.case import Case, Server
from bench.tuning.faults import searched
from bench.tuning.gains import gain
from bench.tuning.log import Log, Record, records
from bench.tuning.stage import Baseline, playing
from bench.tuning.tuner import Asked, tune
from headcount.tune.change import AS_IT_IS, Configuration
from headcount.tune.pairs import gain_of

RESTARTS = 10


def equal(server: Server, number: int, asked: Asked, log: Log) -> Record:
    """A tuning of knobs that cannot matter; what it claims is false."""
    found = searched(server, asked, log)
    one = Asked(asked.seed + number, asked.turn, asked.budget)
    return log.step(
        server.name, f"equal {number}", lambda: tune(server, one, log, before=found.folder)
    )


def redeploy(case: Case, asked: Asked, log: Log) -> None:
    """Restart a fault's winner again and again; nothing where nothing was claimed."""
    done = {one["step"]: one for one in records(log.folder) if one["name"] == case.name}
    tuned = done.get("tune")
    if tuned is None or not tuned["changes"] or tuned["ratio"] is None:
        return
    planted = case.planted(asked.seed)
    found = searched(planted, asked, log)
    for number in range(RESTARTS):
        log.step(
            case.name,
            f"redeploy {number}",
            lambda: _restarted(planted, tuned, found, asked, log),
        )


def _restarted(planted: Server, tuned: Record, found: Baseline, asked: Asked, log: Log) -> Record:
    """What the winner gains in one start, at the users of its claim: two pairs, ABBA."""
    winner = planted.configuration(tuned["changes"], "winner")
    users = int(tuned["users"])
    with playing(planted, asked.seed, found, log.runs, asked.turn_s, [*tuned["changes"]]) as server:
        turns = [
            server.stage.turn(one, users, is_fresh=is_fresh) for one, is_fresh in _order(winner)
        ]
    pairs = [(turns[0], turns[1]), (turns[3], turns[2])]
    logs = [gain_of(before, after, found.measure) for before, after in pairs]
    return {
        "claimed": tuned["ratio"]["value"],
        "kept": gain([one for one in logs if one is not None]).ratio,
    }


def _order(winner: Configuration) -> list[tuple[Configuration, bool]]:
    """Each change of sides begins with a restart."""
    return [(AS_IT_IS, True), (winner, True), (winner, False), (AS_IT_IS, True)]


def stock(server: Server, asked: Asked, log: Log) -> Record:
    """A tuning of a server as Debian ships it."""
    return log.step(server.name, "stock", lambda: tune(server, asked, log))
