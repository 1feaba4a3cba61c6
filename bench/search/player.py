"""Plays levels against a simulated server, on its clock."""

from dataclasses import dataclass, field

from headcount._engine import SimulatedServer
from headcount.analyse.search import Observation, Overhead, Request, Share, wide_rule
from headcount.analyse.stalls import Second, stalls

BATCH_S = 5.0
REST_S = 10.0
"""Time without users before a level that needs a rest."""


@dataclass(frozen=True)
class Injected:
    """One stall of the server: in which level (0 is the first), how long after it began."""

    level: int
    after_s: float
    length_s: float


@dataclass
class Player:
    """A simulated server, and the users it has; it keeps its state from level to level."""

    system: str
    seed: int
    overhead: Overhead
    stall: Injected | None = None
    users: int = 0
    levels: int = 0
    server: SimulatedServer = field(init=False)

    def __post_init__(self) -> None:
        """Start the server."""
        self.server = SimulatedServer(self.system, self.seed)

    def level(self, request: Request) -> Observation:
        """Runs a level as a controller would, with the wide rule where it may stop early."""
        before_s = self.server.now_s
        if request.is_rested:
            self._rest()
        overdue = self._arrive(request.users)
        began_s = self.server.now_s
        if self.stall is not None and self.stall.level == self.levels:
            self.server.stall(self.stall.after_s, self.stall.length_s)
        count = max(1, round(request.measure_s / BATCH_S))
        batches: list[tuple[int, int]] = []
        seconds: list[Second] = []
        response_s = 0.0
        for _ in range(count):
            done = late = 0
            before = overdue
            for length_s in _whole_seconds(request.measure_s / count):
                answered, slow, sum_s, overdue = self.server.measure(length_s)
                seconds.append(Second(length_s, answered, overdue))
                done, late, response_s = done + answered, late + slow, response_s + sum_s
            # A request is decided when it crosses the limit, answered or not.
            batches.append((max(0, late + overdue - before), max(0, done + overdue - before)))
            running = (self._share(batches),)
            if request.may_stop_early and wide_rule(running, self.server.now_s - began_s):
                break
        self.users, self.levels = request.users, self.levels + 1
        measure_s = self.server.now_s - began_s
        completed = sum(second.answered for second in seconds)
        found = stalls(seconds, request.users)
        return Observation(
            users=request.users,
            measure_s=measure_s,
            constraints=(self._share(batches),),
            throughput_per_s=completed / measure_s,
            response_mean_s=response_s / max(completed, 1),
            think_s=self.server.think_s,
            overhead_s=began_s - before_s,
            stalls=tuple((stall.after_s, stall.seconds) for stall in found),
        )

    def batch(self, users: int, seconds: float) -> tuple[int, int]:
        """Changes the users at once and measures: (bad, total)."""
        overdue = self.server.run(0.0)
        self.server.users(users)
        self.users = users
        done, late, _, now = self.server.measure(seconds)
        return max(0, late + now - overdue), max(0, done + now - overdue)

    def _rest(self) -> None:
        """All users but one leave, and the server finishes their requests."""
        self.server.users(1)
        self.server.run(REST_S)
        self.users = 1

    def _arrive(self, users: int) -> int:
        """Ramp and warm-up; returns the requests that are overdue at their end."""
        self.server.start_level()
        left_s = self.overhead.ramp_s(self.users, users)
        steps = max(1, round(left_s))
        for step in range(1, steps + 1):
            self.server.users(self.users + round((users - self.users) * step / steps))
            self.server.run(left_s / steps)
        return self.server.run(self.overhead.warmup_for(self.users, users))

    def _share(self, batches: list[tuple[int, int]]) -> Share:
        bad, total = sum(b for b, _ in batches), sum(t for _, t in batches)
        allowed, limit_s = self.server.allowed, self.server.limit_s
        return Share("response", min(bad, total), total, allowed, limit_s, tuple(batches))


def _whole_seconds(length_s: float) -> list[float]:
    """Equal parts of a batch, of about a second each."""
    parts = max(1, round(length_s))
    return [length_s / parts] * parts
