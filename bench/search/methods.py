"""The search, and what is done without it: ladders, bisection, a linear ramp."""

import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from bench.search.capacity import capacity
from bench.search.player import BATCH_S, Injected, Player
from headcount._engine import SimulatedServer
from headcount.analyse.search import Flag, Outcome, Overhead, Request, Search, Settings

FULL_S = 300.0
"""Length of a level of methods that do not search."""

RAMP_S = 1_800.0
WINDOW_S = 30.0
"""A linear ramp reaches half as much again as what the tester expects in so many seconds; the
criterion is looked at in windows."""

DOUBTS = frozenset(
    {
        Flag.NOISY,
        Flag.UNSTABLE,
        Flag.BUDGET_SPENT,
        Flag.CAP_REACHED,
        Flag.LINGERS,
        Flag.DRIFTS,
    }
)
"""Flags that tell the reader not to rely on the interval."""


@dataclass(frozen=True)
class Found:
    """What a method found of a server whose capacity is known.

    ``truth`` is the capacity when the method ended, ``seconds`` and ``levels`` are those up to and
    with the official level.
    """

    outcome: Outcome
    truth: float
    seconds: float
    levels: int

    @property
    def error(self) -> float:
        """Relative error of the estimate."""
        return self.outcome.estimate / self.truth - 1

    @property
    def is_covered(self) -> bool:
        """Whether the interval holds the truth."""
        return self.outcome.low <= self.truth <= self.outcome.high

    @property
    def is_doubted(self) -> bool:
        """Whether the answer itself says that it may be wrong."""
        return not DOUBTS.isdisjoint(self.outcome.flags)


def search(system: str, seed: int, settings: Settings, stall: Injected | None = None) -> Found:
    """Searches a system to the end."""
    settings = settings.for_limit(SimulatedServer(system, seed).limit_s)
    player = Player(system, seed, settings.overhead, stall)
    run = Search(settings)
    seconds, levels, ended_s = 0.0, 0, 0.0
    while (request := run.next()) is not None:
        player.overhead = settings.overhead_of(request.purpose)
        observation = player.level(request)
        run.observe(observation)
        if request.purpose not in ("recovery", "curve"):
            seconds += observation.measure_s + observation.overhead_s
            levels += 1
            ended_s = player.server.now_s
    return Found(run.outcome(), capacity(system, ended_s), seconds, levels)


def ladder(system: str, seed: int, overhead: Overhead, repeats: int = 1) -> Found:
    """Full levels in steps of 5% of a guess until one fails; of several, the majority decides."""
    player = Player(system, seed, overhead)
    step = max(1, round(0.05 * guess(system, seed)))
    users = passed = 0
    while True:
        users += step
        held = sum(_full(player, users) for _ in range(repeats))
        if 2 * held <= repeats:
            return _found(player, passed, users)
        passed = users


def bisection(system: str, seed: int, overhead: Overhead) -> Found:
    """Full levels: doubled until one fails, then halved to 2%."""
    player = Player(system, seed, overhead)
    low, high = 0, 10
    while _full(player, high):
        low, high = high, 2 * high
    while high - low > max(1, 0.02 * low):
        middle = (low + high) // 2
        if _full(player, middle):
            low = middle
        else:
            high = middle
    return _found(player, low, high)


def ramp(system: str, seed: int, overhead: Overhead) -> Found:
    """Users come at a constant rate until a window breaks the criterion."""
    player = Player(system, seed, overhead)
    per_s = 1.5 * guess(system, seed) / RAMP_S
    window: deque[tuple[int, int]] = deque(maxlen=round(WINDOW_S / BATCH_S))
    while True:
        users = max(1, round(per_s * (player.server.now_s + BATCH_S)))
        window.append(player.batch(users, BATCH_S))
        player.levels = 1
        bad, total = sum(b for b, _ in window), sum(t for _, t in window)
        if len(window) == window.maxlen and bad > player.server.allowed * total:
            before = max(1, users - round(per_s * WINDOW_S))
            return _found(player, before, users)


def guess(system: str, seed: int) -> float:
    """A tester's guess of the capacity, off by up to 30% either way; spread evenly over seeds."""
    turn = math.modf(seed * 0.6180339887498949)[0]
    return capacity(system) * (0.7 + 0.6 * turn)


def _full(player: Player, users: int) -> bool:
    return player.level(Request(users, FULL_S, "official", may_stop_early=False)).passed


def _found(player: Player, low: int, high: int) -> Found:
    seconds, levels = player.server.now_s, player.levels
    outcome = Outcome(low, low, high, low, True, "response", (), (), levels, seconds)
    return Found(outcome, capacity(player.system, seconds), seconds, levels)


PLAIN = Overhead(near_warmup_s=30.0)

METHODS: Mapping[str, Callable[[str, int], Found]] = {
    "search": lambda system, seed: search(system, seed, Settings()),
    "quick": lambda system, seed: search(system, seed, Settings.first_look()),
    "ladder": lambda system, seed: ladder(system, seed, Overhead()),
    "ladder of three": lambda system, seed: ladder(system, seed, Overhead(), 3),
    "bisection": lambda system, seed: bisection(system, seed, Overhead()),
    "ramp": lambda system, seed: ramp(system, seed, Overhead()),
    "search, 30 s warm-up": lambda system, seed: search(
        system, seed, replace(Settings(), overhead=PLAIN)
    ),
}
"""What is compared."""
