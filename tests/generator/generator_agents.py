"""Agents whose controller is the test, and lines whose agent it is."""

import json
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from headcount.generator.message import Message
from processes import Command

SCENARIO = {
    "name": "round",
    "weight": 1,
    "limit_ms": 1000,
    "late_ms": 1000,
    "steps": [{"name": "look", "op": "serve", "service": {"draw": "fixed", "s": 0.003}}],
}


def null_plan(lane: int = 0, of: int = 1) -> str:
    """One worker's part of users of a server that takes three milliseconds."""
    return json.dumps(
        {
            "seed": 7,
            "workers": 1,
            "part": {"lanes": [lane], "of": of},
            "pace": {"pace": "closed", "think": {"draw": "fixed", "s": 0.02}},
            "step_timeout_ms": 10_000,
            "report_every_ms": 100,
            "scenarios": [SCENARIO],
        }
    )


def start_order(at_s: float, generation: int = 1, **changes: Any) -> Message:
    """The order to start an engine."""
    values = {
        "at_s": at_s,
        "generation": generation,
        "plan": null_plan(),
        "protocol": "null",
        "target": "{}",
        "scenarios": 1,
        "places": [],
        "local_ips": [],
        "on_lines": [],
    }
    return Message("start", {**values, **changes})


class Script:
    """A channel with a clock of its own, which the test moves: orders, and what is answered."""

    def __init__(self) -> None:
        self.now_s = 1000.0
        self.orders: deque[Message | float | Callable[[], None]] = deque()
        self.sent: list[Message] = []

    def clock(self) -> float:
        return self.now_s

    def receive(self, patience_s: float) -> Message | None:
        """The next order; a number lets this many seconds pass, a function is called."""
        del patience_s
        if not self.orders:
            return Message("end")
        order = self.orders.popleft()
        if isinstance(order, Message):
            return order
        if callable(order):
            order()
        else:
            self.now_s += order
        return None

    def send(self, message: Message) -> None:
        self.sent.append(message)

    def kinds(self) -> list[str]:
        """What was sent, except seconds."""
        return [one.kind for one in self.sent if one.kind != "second"]


def agents_of(command: Command) -> list[int]:
    """The agents that a command has started."""
    found = []
    for task in Path(f"/proc/{command.process.pid}/task").glob("*/children"):
        found += [int(one) for one in task.read_text().split()]
    return [one for one in found if is_agent(one)]


def is_agent(pid: int) -> bool:
    try:
        return b"headcount.generator" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
