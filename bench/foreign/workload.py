"""What users do on the servers of a case, as the workload file that a user of Headcount writes."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

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
NOTHING: Mapping[str, str] = MappingProxyType({})
DISCUSSION = "discussion = { documents = 100, categories = 5, body_size = 200, people = 50 }"


def workload(case: Case, statement: str, client: Mapping[str, str] = NOTHING) -> str:
    """The file's text; `client` is how users speak mail or SMB."""
    head = HEAD if case.think_ms else HEAD.replace("exponential", "fixed")
    think = f"{case.think_ms:g}"
    if case.statement:
        step: dict[str, object] = {"name": "ask", "op": "sql", "statement": statement}
        if case.parameters:
            step["parameters"] = list(case.parameters)
        return head.format(protocol="sql", more=DISCUSSION, steps=_line(step), think=think)
    if case.asks:
        more = f"client = {_toml(client)}\n{case.more}" if client else case.more
        steps = "\n".join(_line(one) for one in case.asks)
        return head.format(protocol=case.protocol, more=more, steps=steps, think=think)
    steps = "\n".join(
        _line({"name": _name(path), "op": "get", "path": path}) for path in case.steps
    )
    browser = {"headers": case.headers} if case.headers else {}
    browser |= {} if case.keep_alive else {"keep_alive": "off"}
    more = f"client = {_toml(browser)}" if browser else ""
    return head.format(protocol="http", more=more, steps=steps, think=think)


def _name(path: str) -> str:
    """What a step that asks for a path is called."""
    return path.partition("?")[0].strip("/").replace("{n}", "").replace("/", "-") or "home"


def _line(step: Mapping[str, Any]) -> str:
    return f"  {_toml(step)},"


def _toml(value: Any) -> str:
    """A value as TOML writes it in a line."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_toml(one)}' for key, one in value.items())} }}"
    return json.dumps(value)
