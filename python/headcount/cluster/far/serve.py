"""Answers requests that come as lines of JSON, one after the other, until there are no more."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, BinaryIO

from headcount.cluster.far import files, machine, node

ANSWER = "headcount-answer: "
"""Precedes each answer: a login may print other lines."""
ACTIONS = {
    "look": machine.look,
    "busy": machine.busy,
    "clock": machine.clock,
    "connect": machine.connect,
    "has_address": machine.has_address,
    "prepare": files.prepare,
    "has_build": files.has_build,
    "unpack": files.unpack,
    "start": node.start,
    "run": node.run,
    "stop": node.stop,
    "alive": node.alive,
    "remove": files.remove,
}


def main() -> None:
    """Serve the login on standard input."""
    os.umask(0o077)  # nobody else on the machine may read a token or a key
    source = sys.stdin.buffer
    for line in iter(source.readline, b""):
        request = json.loads(line)
        print(ANSWER + json.dumps(_answer(request, source)), flush=True)


def _answer(request: dict[str, Any], source: BinaryIO) -> dict[str, Any]:
    do = request.pop("do")
    if do == "unpack":
        request["source"] = source
    try:
        return {"value": ACTIONS[do](**request)}  # type: ignore[operator]
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return {"error": where + (error.strerror or str(error)), "errno": error.errno}
    except (RuntimeError, ValueError) as error:
        return {"error": str(error)}
