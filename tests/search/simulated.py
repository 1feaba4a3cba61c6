"""Plays searches against the simulated servers, on simulated time."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

from headcount._engine import simulate_level
from headcount.analyse.search import (
    Observation,
    Outcome,
    Overhead,
    Request,
    Search,
    Settings,
    Share,
    wide_rule,
)

QUIET = ("cpu", "disk", "thrash", "memcliff")
SYSTEMS = (*QUIET, "noisy")
LIMIT_S = {"cpu": 0.2, "disk": 0.25, "noisy": 0.2, "thrash": 0.2, "memcliff": 0.25}
THINK_S = 5.0
ALLOWED = 0.05
CAPACITIES: dict[str, float] = {
    name: entry["users"]
    for name, entry in json.loads(Path(__file__).with_name("capacities.json").read_text())[
        "systems"
    ].items()
}


@dataclass
class Server:
    """One simulated server, remembering the users of the last level."""

    system: str
    seed: int
    overhead: Overhead
    users: int = 0
    levels: int = 0

    def level(self, request: Request) -> Observation:
        """Runs a level as a controller would, with the wide rule where it may stop early."""
        overhead_s = self.overhead.seconds(self.users, request.users)
        warmup_s = self.overhead.warmup_for(self.users, request.users)
        seed = self.seed * 10_000 + self.levels
        before, batches, _ = simulate_level(
            self.system, request.users, warmup_s, request.measure_s, seed, self.users
        )
        batch_s = request.measure_s / len(batches)
        done = completed = 0
        response_s = 0.0
        shares: list[tuple[int, int]] = []
        overdue = before
        for index, (count, late, response_sum_s, overdue_now) in enumerate(batches):
            completed, response_s, done = completed + count, response_s + response_sum_s, index + 1
            shares.append(
                (max(0, late + overdue_now - overdue), max(0, count + overdue_now - overdue))
            )
            overdue = overdue_now
            running = self._share(shares)
            if request.may_stop_early and wide_rule((running,), done * batch_s):
                break
        self.users, self.levels = request.users, self.levels + 1
        measure_s = done * batch_s
        return Observation(
            users=request.users,
            measure_s=measure_s,
            constraints=(self._share(shares),),
            throughput_per_s=completed / measure_s,
            response_mean_s=response_s / max(completed, 1),
            think_s=THINK_S,
            overhead_s=overhead_s,
        )

    def _share(self, batches: list[tuple[int, int]]) -> Share:
        bad, total = sum(b for b, _ in batches), sum(t for _, t in batches)
        return Share(
            "response", min(bad, total), total, ALLOWED, LIMIT_S[self.system], tuple(batches)
        )


@dataclass(frozen=True)
class Found:
    """A search against a server whose capacity is known."""

    outcome: Outcome
    truth: float
    seconds: float
    levels: int

    @property
    def error(self) -> float:
        """Relative error of the estimate."""
        return self.outcome.estimate / self.truth - 1

    @property
    def covered(self) -> bool:
        """Whether the interval holds the truth."""
        return self.outcome.low <= self.truth <= self.outcome.high


def search(system: str, seed: int, settings: Settings) -> Found:
    """Searches ``system`` to the end; seconds and levels up to and with the official level."""
    server = Server(system, seed, settings.overhead)
    run = Search(settings)
    seconds, levels = 0.0, 0
    while (request := run.next()) is not None:
        observation = server.level(request)
        run.observe(observation)
        if request.purpose != "curve":
            seconds += observation.measure_s + observation.overhead_s
            levels += 1
    return Found(run.outcome(), CAPACITIES[system], seconds, levels)


def ladder(system: str, seed: int, overhead: Overhead, guess: float, step: float = 0.05) -> Found:
    """The usual way: levels of 300 s in equal steps until one fails; the last that passed.

    Steps are a share of ``guess``, what the tester expects before measuring.
    """
    server = Server(system, seed, overhead)
    users = passed = 0
    seconds, levels = 0.0, 0
    while True:
        users += max(1, round(step * guess))
        observation = server.level(Request(users, 300.0, "official", may_stop_early=False))
        seconds += observation.measure_s + observation.overhead_s
        levels += 1
        if not observation.passed:
            break
        passed = users
    outcome = Outcome(passed, passed, users, passed, True, "response", (), (), levels, seconds)
    return Found(outcome, CAPACITIES[system], seconds, levels)


def guessed(truth: float, seed: int) -> float:
    """A tester's guess of the capacity, off by up to 30 % either way; spread evenly over seeds."""
    turn = math.modf(seed * 0.6180339887498949)[0]
    return truth * (0.7 + 0.6 * turn)
