"""An agent's running engine, and what it reports each second."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headcount._engine import Engine, Gathering, Interval
from headcount.counters.generator import GeneratorSource
from headcount.counters.proc.serving import Place
from headcount.errors import HeadcountError
from headcount.generator.large_buffers import map_large_buffers
from headcount.generator.local_ips import users_addresses
from headcount.generator.message import Message
from headcount.generator.real_time import real_time
from headcount.plan.sent_files import SentFiles

USERS, RATE, FAILED = "agent.users", "agent.scenarios", "agent.failures"
BUSIEST, LATENESS = "agent.worker.busiest", "agent.timer.lateness"
"""Counters of an agent that are not those of its process."""


class Playing:
    """A run of the engine for a controller.

    Attributes:
        generation: Which of its controller's starts it belongs to.

    """

    def __init__(
        self,
        order: Mapping[str, Any],
        send: Callable[[Message], None],
        files: SentFiles,
    ) -> None:
        """Start the engine of a `start` message; it has no users yet.

        Its clock begins at the moment in the order, even if it is ready only later, so that all
        engines report the same seconds. `files` are those that steps send.
        """
        self.generation: int = order["generation"]
        self._send = send
        local = users_addresses(order["local_ips"] or (), order["on_lines"], order["places"])
        map_large_buffers(order["target"])
        with real_time():
            self._engine = Engine(
                order["plan"], order["protocol"], order["target"], order["at_s"], local, files
            )
        self._ready_s = time.monotonic()
        self._sums = Gathering(order["scenarios"], len(self._engine.step_names))
        places = [Place.of(one) for one in order["places"]]
        self._source = GeneratorSource("agent", places)
        self._source.sample()  # rates cover the time since the last sample
        self._is_closed = False
        self._thread = threading.Thread(target=self._report, name="agent-report", daemon=True)

    def start(self) -> None:
        """Report that the engine runs, then report every second."""
        engine = self._engine
        names: Mapping[str, Sequence[str]] = {
            "steps": engine.step_names,
            "requests": engine.request_names,
            "tasks": engine.task_names,
        }
        self._post("started", ready_s=self._ready_s, names=names)
        self._thread.start()

    def set_users(self, users: int, ramp_s: float) -> None:
        """Bring the population of all agents to `users`; this one plays its part of them."""
        self._engine.set_users(users, ramp_s)

    def stop(self, drain_s: float) -> None:
        """End the run; scenarios under way may finish within `drain_s`."""
        self._engine.stop(drain_s)

    def close(self) -> None:
        """End at once; whatever is under way is dropped."""
        self._is_closed = True
        self._engine.close()
        if self._thread.is_alive():
            self._thread.join()
        self._source.close()

    def _report(self) -> None:
        try:
            while not self._engine.ended:
                sent = self._engine.next_bytes(1.0)
                if sent is not None:
                    self._report_second(sent)
            self._post("ended")
        except HeadcountError as error:
            if not self._is_closed:
                self._post("failed", error=type(error).__name__, text=str(error))
        except OSError:
            return  # the controller is gone, which the reader of its orders notices, too

    def _report_second(self, sent: bytes) -> None:
        interval = self._sums.next([([sent], 0.0)])
        if interval is None:
            return
        counters = {**self._source.sample().values, **own_counters(interval)}
        values = {
            "generation": self.generation,
            "from_s": interval.from_s,
            "to_s": interval.to_s,
            "counters": counters,
        }
        self._send(Message("second", values, sent))

    def _post(self, kind: str, **values: Any) -> None:
        self._send(Message(kind, {"generation": self.generation, **values}))


def own_counters(interval: Interval) -> dict[str, float]:
    """What an agent's engine did in a second, as counters."""
    length_s = max(interval.to_s - interval.from_s, 1e-9)
    late = interval.timer_lateness
    found = {
        USERS: float(interval.users),
        RATE: sum(one.completed for one in interval.scenarios) / length_s,
        FAILED: sum(one.failed for one in interval.scenarios) / length_s,
        BUSIEST: max(interval.worker_cpu_s, default=0.0) / length_s,
    }
    return {**found, LATENESS: late.quantile_us(0.99) / 1000} if late.count else found
