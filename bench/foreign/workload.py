"""What users do on the servers of a case, as the workload file that a user of Headcount writes."""

import json

from bench.foreign.case import Case

HEAD = """
name = "foreign"
title = "Users of a server"
protocol = "{protocol}"
recreates = "nothing"
description = "Users of a server of somebody else's."
sources = []
deviations = []
criteria = ["p95<=500ms", "errors<1%"]
pace = {{ kind = "closed", time = {{ draw = "exponential", mean = "{think}ms" }} }}
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


def workload(case: Case, statement: str) -> str:
    """The file's text."""
    head = HEAD if case.think_ms else HEAD.replace("exponential", "fixed")
    think = f"{case.think_ms:g}"
    if case.statement:
        step: dict[str, object] = {"name": "ask", "op": "sql", "statement": statement}
        if case.parameters:
            step["parameters"] = list(case.parameters)
        return head.format(protocol="sql", more=DISCUSSION, steps=_line(step), think=think)
    steps = "\n".join(
        _line({"name": path.strip("/").replace("{n}", "") or "home", "op": "get", "path": path})
        for path in case.steps
    )
    client = [f"headers = {json.dumps(case.headers)}"] if case.headers else []
    client += [] if case.keep_alive else ['keep_alive = "off"']
    more = f"client = {{ {', '.join(client)} }}" if client else ""
    return head.format(protocol="http", more=more, steps=steps, think=think)


def _line(step: dict[str, object]) -> str:
    pairs = (f"{key} = {json.dumps(value)}" for key, value in step.items())
    return f"  {{ {', '.join(pairs)} }},"
