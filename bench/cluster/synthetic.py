"""`python -m bench.cluster.synthetic AGENTS`: so many agents in one process, which play nothing.

What they report was recorded from an engine, so that the controller has as much work as with real
ones.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any

from bench.cluster.plans import SCENARIOS, USERS, null_plan
from headcount import __version__
from headcount._engine import Engine, Gathering
from headcount.generator.agent import ClosedError
from headcount.generator.message import Message
from headcount.generator.pipe_channel import PipeChannel
from headcount.generator.playing import own_counters
from headcount.plan.plan import engine_plan

RECORDED_S = 15
USUAL = {f"process.counter-{number}": 1234.5 + number for number in range(20)}
"""Stands for what an agent samples of its process."""


def recorded() -> tuple[Mapping[str, Any], list[tuple[bytes, Mapping[str, float]]]]:
    """The names of an engine, and what it reports in some seconds."""
    plan = json.loads(engine_plan(null_plan(1)))
    engine = Engine(json.dumps(plan), "null", "{}")
    names = {"steps": engine.step_names, "requests": [], "tasks": []}
    sums = Gathering(SCENARIOS, len(engine.step_names))
    engine.set_users(USERS, 0.0)
    seconds: list[tuple[bytes, Mapping[str, float]]] = []
    while len(seconds) < RECORDED_S:
        sent = engine.next_bytes(5.0)
        if sent is not None and (interval := sums.next([([sent], 0.0)])) is not None:
            seconds.append((sent, {**USUAL, **own_counters(interval)}))
    engine.close()
    return names, seconds


class Agents:
    """Many agents behind one pipe; each message says whose it is."""

    def __init__(self, number: int) -> None:
        """Record what they will report."""
        self._number = number
        self._names, self._seconds = recorded()
        self._channel = PipeChannel(0, os.dup(1))
        os.dup2(2, 1)
        self._generation = 0
        self._thread = threading.Thread(target=self._report, daemon=True)

    def run(self) -> None:
        """Answer until the controller ends."""
        begun = 0
        try:
            while True:
                message = self._channel.receive(1.0)
                if message is None:
                    continue
                agent, kind = message.values["agent"], message.kind
                if kind == "ping":
                    self._send(agent, "pong", asked_s=message.values["asked_s"])
                elif kind == "hello":
                    self._send(agent, "hello", version=__version__, build="release", boot=agent)
                elif kind == "start":
                    self._generation = message.values["generation"]
                    self._began_s = message.values["at_s"]
                    self._send(agent, "started", ready_s=self._began_s, names=self._names)
                    begun += 1
                    if begun == self._number:
                        self._thread.start()
                elif kind == "end" and agent == self._number - 1:
                    return
        except (ClosedError, OSError):
            return

    def _report(self) -> None:
        for at, (body, counters) in enumerate(self._seconds, start=1):
            time.sleep(max(self._began_s + at - time.monotonic(), 0.0))
            for agent in range(self._number):
                times = {"from_s": at - 1.0, "to_s": float(at)}
                self._send(agent, "second", body, counters=counters, **times)

    def _send(self, agent: int, kind: str, body: bytes = b"", **values: Any) -> None:
        head = {"agent": agent, "generation": self._generation, "now_s": time.monotonic()}
        self._channel.send(Message(kind, {**head, **values}, body))


if __name__ == "__main__":
    Agents(int(sys.argv[1])).run()
