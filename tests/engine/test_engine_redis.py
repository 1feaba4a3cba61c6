"""The engine's counts of what it sends, and Redis's own of what it was asked."""

import json

from engine_plans import closed, drain, plan, pull_until, scenario

from headcount import _engine
from headcount._engine import Engine
from redis_server import serving

DATA_SET = {"keys": 50, "value_bytes": 100, "seed": 1}


def test_redis_counts_the_commands_that_the_engine_counts() -> None:
    get = {"op": "get", "keys": "uniform"}
    pipelined = {"op": "set", "keys": "zipfian", "pipeline": 7}
    with serving() as store:
        target = json.dumps({"address": store.server.address, "database": 3, "data_set": DATA_SET})
        _engine.prepare("redis", target, 0, 0, lambda _: None, False)
        commands = ("get", "set", "select", "auth")
        before = {command: store.calls(command) for command in commands}
        text = plan(closed(0.01), scenario("look", get), scenario("change", pipelined, get))
        engine = Engine(text, "redis", target)
        engine.set_users(5, 0.0)
        intervals = pull_until(engine, 1.5) + drain(engine)
        sent = [sum(each) for each in zip(*(one.requests for one in intervals), strict=True)]
        counted = dict(zip(engine.request_names, sent, strict=True))
        called = {command: store.calls(command) - before[command] for command in commands}
    assert counted == {command.upper(): count for command, count in called.items()}
    assert counted["SELECT"] == 5
    assert counted["SET"] % 7 == 0
    assert counted["GET"] > 200
    assert all(step.failed == 0 for one in intervals for step in one.steps)
