"""What users do on the server of a case, as the workload file that a user would write."""

import json
from collections.abc import Mapping

from bench.failures.case import Case

HEAD = """
name = "broken"
title = "A broken server"
protocol = "{protocol}"
recreates = "nothing"
description = "Users of a server that is broken."
sources = []
deviations = []
criteria = ["p95<=500ms", "errors<1%"]
pace = {{ kind = "closed", time = {{ draw = "exponential", mean = "1s" }} }}
run = {{ duration = "60s" }}
{more}

[[scenarios]]
name = "visit"
weight = 1
limit = "500ms"
steps = [
{steps}
]
"""
DISCUSSION = "discussion = { documents = 100, categories = 5, body_size = 200, people = 50 }"


def workload(case: Case) -> str:
    """The file's text."""
    if case.server == "postgresql":
        step = {"name": "ask", "op": "sql", "statement": case.statement}
        return HEAD.format(protocol="sql", more=DISCUSSION, steps=_line(step))
    steps = "\n".join(_line(_request(case, path)) for path in case.steps)
    return HEAD.format(protocol="http", more="", steps=steps)


def _request(case: Case, path: str) -> Mapping[str, object]:
    step: dict[str, object] = {"name": path.strip("/") or "home", "op": case.method, "path": path}
    if case.body_bytes:
        step["body_bytes"] = case.body_bytes
    elif case.method == "post":
        step["body"] = "article=7"
    return step


def _line(step: Mapping[str, object]) -> str:
    pairs = (f"{key} = {json.dumps(value)}" for key, value in step.items())
    return f"  {{ {', '.join(pairs)} }},"
