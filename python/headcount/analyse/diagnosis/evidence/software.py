"""Signs of limits in the server's program: a pool of workers, a serial section, or a rate limit.

All leave the machine idle while throughput is flat. A pool of K places serves K at a time; the
others wait outside until a worker takes them, or inside. A lock lets everybody in, and serves one
at a time. A rate limit serves a fixed number per second, with hardly one of them in progress.
"""

from dataclasses import dataclass

from headcount.analyse.diagnosis.evidence.locks import SLEEPING, Lock, reported_lock
from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.saturation import Saturation
from headcount.analyse.diagnosis.sign import Sign, figure
from headcount.analyse.diagnosis.thresholds import between, ramp, threshold
from headcount.bundle.diagnosis import Figure
from headcount.text import count, duration, share, significant

ACCEPT = "socket.accept_queue"
OCCUPIED = "socket.accept_queue.occupied"
UNREAD = "socket.receive_queue.share"
CONNECTIONS = "socket.connections"
APP_QUEUE = "app.queue.length"
PLACES = "load.places"
OUTSIDE = "load.outside"
SERIAL = "load.serial"
BUSY = (
    ("app.threads.busy", "app.threads", "service threads"),
    ("web.workers.busy", "web.workers.limit", "workers"),
)
"""Workers at work and workers allowed, as reported by servers."""
ONE = 1.6
"""Up to this many places, a limit counts as a serial section if nothing else distinguishes them:
service time at few users is a little longer than the limiting part."""
ALL_SLEEP = (0.5, 0.8)
"""Share of waiting scenarios that sleep: in a pool, only those that were let in do."""
BEYOND_PLACES = 2.0
"""Sleepers per place by Little's law."""
FEWEST_MORE = 8.0
"""Fewest additional scenarios for which a share means something."""
USED, CPUS = ("cgroup.cpu.utilization", "process.cpu.utilization"), "system.cpu.logical.count"
COMPUTES = (0.5, 0.9)
"""Share of the machine's CPUs used by the server from which its places are only a guess: a server
that computes this much sometimes waits for a CPU or its garbage collector."""
ONE_OR_SEVERAL = (1.3, 2.0)
"""Places below which scenarios inside wait for a lock, and above which for one of several."""


@dataclass(frozen=True, slots=True)
class Places:
    """How many are served at a time, by Little's law, and how many wait outside."""

    effective: float | None
    """At least 1."""
    outside: float | None
    """Of the scenarios in progress beyond the places, the share that waits for a worker."""
    places: float | None = None
    """The same as `effective`, but below 1 if one place would not be busy all the time."""


def signs(level: Observation, seen: Saturation, taken: float) -> list[Sign]:
    """A pool, a lock and a rate limit; `taken`, the strongest other sign, leaves less for them."""
    rest = max(1 - taken, 0.0)
    places = places_of(level, seen)
    pool, lock = _reported_pool(level), reported_lock(level)
    outside = places.outside
    if outside is None:
        few = places.effective is not None and places.effective < ONE
        outside = 0.35 if few else 0.5
    # Scenarios inside wait for one of several places, or for the only one.
    several = 0.0 if places.effective is None else between(places.effective, *ONE_OR_SEVERAL)
    pooled = outside + (1 - outside) * several
    if pool is not None:
        pooled = max(pooled, pool[0])
    slept = sleepers(level, seen, places)
    limited = max(rate_limited(level, seen, places), between(slept or 0.0, *ALL_SLEEP))
    if lock is not None:
        pooled, limited = min(pooled, 1 - lock.score), min(limited, 1 - lock.score)
    # Throughput that still follows the users is just their demand. If, in addition, not even one
    # place would be busy all the time, neither rate nor place nor lock explains it.
    slope = seen.elasticity or 0.0
    flat = 1 - ramp(slope, "elasticity.saturated", "elasticity.unsaturated")
    rest_of_time = rest * (1 - limited)
    if pool is None and lock is None:
        rest_of_time *= 1 - _computing(level)
    inside = places.outside is not None and places.outside < 0.5 and pool is None
    return [
        Sign(
            "pool",
            "inside the program" if inside else None,
            rest_of_time * pooled,
            _pool_figures(level, places, pool),
            *_size(places, pool, _allowed(level)),
        ),
        Sign(
            "lock",
            lock.kind if lock is not None and lock.score > 0 else None,
            rest_of_time * (1 - pooled),
            _lock_figures(level, seen, places, lock),
            1000 / seen.most_per_s if seen.most_per_s else None,
            "ms" if seen.most_per_s else None,
        ),
        _rate_sign(level, seen, places, slept, rest * limited * flat),
    ]


def _computing(level: Observation) -> float:
    """How surely the server computes too much for a machine that has CPUs to spare, from 0 to 1."""
    used, there = level.mean(*USED), level.mean(CPUS)
    return between(used / there, *COMPUTES) if used is not None and there else 0.0


def rate_limited(level: Observation, seen: Saturation, places: Places) -> float:
    """How surely a rate is the limit, not a number of places, from 0 to 1.

    By the service time of few users, less than one scenario in progress would suffice for this
    throughput. A lock or a pool of one worker cannot cause that: it is always busy.
    """
    if places.places is None or not seen.most_per_s:
        return 0.0
    idle = 1 - between(places.places, threshold("limiter.low"), threshold("limiter.high"))
    # A server that gets slower with more users is not limited by a rate.
    steady = between(level.per_s / seen.most_per_s, 0.7, 0.9)
    return idle * steady


def sleepers(level: Observation, seen: Saturation, places: Places) -> float | None:
    """The share of the additional scenarios of more users that sleeps in a thread of the server.

    A waiter for a place or a lock is woken when it becomes free; a waiter for a rate limit sleeps
    until its next slot. None if threads were not sampled, if too few scenarios wait, or if no more
    sleep than places would serve: those may have been let in.
    """
    light = seen.light
    if light is None or level.under_way is None or light.under_way is None:
        return None
    asleep, before = level.mean(SLEEPING), light.mean(SLEEPING)
    more = level.under_way - light.under_way
    if asleep is None or before is None or places.effective is None or more < FEWEST_MORE:
        return None
    if asleep - before < BEYOND_PLACES * places.effective:
        return None
    return min((asleep - before) / more, 1.0)


def _rate_sign(
    level: Observation, seen: Saturation, places: Places, slept: float | None, score: float
) -> Sign:
    figures = []
    if slept is not None and slept >= ALL_SLEEP[0]:
        text = f"{share(slept)} of the waiting scenarios sleep in the server until their turn"
        made = figure(level, SLEEPING, level.mean(SLEEPING) or 0.0, text)
        figures.append(made)
    elif seen.most_per_s and places.places is not None:
        text = (
            f"throughput stayed at {significant(seen.most_per_s)} scenarios/s however many users "
            f"waited; without waiting only {significant(places.places)} would be in progress"
        )
        figures.append(figure(level, PLACES, places.places, text, side="load", unit="{user}"))
    size = seen.most_per_s or None
    return Sign("limiter", None, score, tuple(figures), size, "{scenario}/s" if size else None)


def places_of(level: Observation, seen: Saturation) -> Places:
    """K = largest throughput x service time of an idle server (Little), and how many wait beyond K.

    If connections wait to be accepted, a place is held for a whole connection, including its user's
    pauses; Little's law gives that time from the connections at few users.
    """
    light, under_way = seen.light, level.under_way
    if light is None or light.service_s is None or not seen.most_per_s:
        return Places(None, None)
    held_s, at_door = light.service_s, level.mean(ACCEPT)
    if light.users > 1 and light.per_s > threshold("pool.light") * seen.most_per_s:
        if seen.alone_s is None:
            return Places(None, None)  # its users already waited for each other
        held_s = seen.alone_s
    # Connections that wait to be accepted hold no place.
    connections = max((light.mean(CONNECTIONS) or 0.0) - (light.mean(ACCEPT) or 0.0), 0.0)
    if light.per_s and at_door is not None and connections and _is_at_door(level, at_door):
        # At most one connection per user: others, such as the reader of counters, delay nobody.
        held_s = max(held_s, min(connections, light.users) / light.per_s)
    places = seen.most_per_s * held_s
    effective = max(places, 1.0)
    waiting = _waiting_outside(level)
    if under_way is None or waiting is None or under_way - effective < 1:
        return Places(effective, None, places)
    return Places(effective, min(waiting / (under_way - effective), 1.0), places)


def _is_at_door(level: Observation, at_door: float) -> bool:
    """Whether waiting users wait to be accepted: the server has places for a number of connections.

    Most of all users wait, or somebody always does and most of those in progress do. Those inside
    are then served at once, unlike with a lock, and hold their places while their users pause.
    """
    enough = threshold("pool.queue")
    if at_door >= enough * level.users:
        return True
    always = level.mean(OCCUPIED) or 0.0
    under_way = level.under_way
    return (
        always >= threshold("pool.door") and under_way is not None and at_door >= enough * under_way
    )


def _waiting_outside(level: Observation) -> float | None:
    """Requests and connections waiting for a worker; None if not observed."""
    parts = [level.mean(ACCEPT), level.mean(APP_QUEUE)]
    unread, connections = level.mean(UNREAD), level.mean(CONNECTIONS)
    if unread is not None and connections is not None:
        parts.append(unread * connections)
    known = [part for part in parts if part is not None]
    return sum(known) if known else None


def _reported_pool(level: Observation) -> tuple[float, str, float, float, str] | None:
    """A pool that the server reports: score, counter, busy, allowed, noun."""
    for busy, most, noun in BUSY:
        working, allowed = level.mean(busy), level.mean(most)
        if working is not None and allowed:
            score = between(
                working / allowed, threshold("pool.busy") - 0.15, threshold("pool.busy")
            )
            return score, busy, working, allowed, noun
    return None


def _allowed(level: Observation) -> float | None:
    """Workers allowed, for a server too busy to report how many are busy."""
    for busy, most, _ in BUSY:
        if level.mean(busy) is None and level.mean(most):
            return level.mean(most)
    return None


def _size(
    places: Places,
    pool: tuple[float, str, float, float, str] | None,
    allowed: float | None,
) -> tuple[float | None, str | None]:
    if pool is not None and pool[0] >= threshold("decide.score"):
        return pool[3], "{worker}"
    if allowed is not None:
        return allowed, "{worker}"
    return (None, None) if places.effective is None else (round(places.effective), "{worker}")


def _pool_figures(
    level: Observation, places: Places, pool: tuple[float, str, float, float, str] | None
) -> tuple[Figure, ...]:
    figures = []
    if pool is not None:
        _, counter, working, allowed, noun = pool
        text = f"{significant(working)} of {count(allowed)} {noun} were busy"
        figures.append(
            figure(level, counter, working, text, threshold=threshold("pool.busy") * allowed)
        )
    if places.effective is not None:
        text = (
            f"it served about {significant(places.effective)} at a time (throughput times service "
            "time with few users)"
        )
        made = figure(level, PLACES, places.effective, text, side="load", unit="{user}")
        figures.append(made)
    if places.outside is not None:
        text = f"{share(places.outside)} of the others waited for a worker"
        limit = threshold("pool.queue")
        made = figure(level, OUTSIDE, places.outside, text, threshold=limit, side="load", unit="1")
        figures.append(made)
    return tuple(figures)


def _lock_figures(
    level: Observation,
    seen: Saturation,
    places: Places,
    lock: Lock | None,
) -> tuple[Figure, ...]:
    figures = []
    if lock is not None and lock.score > 0:
        figures.append(figure(level, lock.counter, lock.value, lock.text))
    if seen.most_per_s:
        each_ms = 1000 / seen.most_per_s
        text = f"one scenario finished every {duration(each_ms)}, however many users waited"
        figures.append(figure(level, SERIAL, each_ms, text, side="load", unit="ms"))
    if places.outside is not None:
        text = f"only {share(places.outside)} of the others waited for a worker"
        limit = threshold("pool.queue")
        made = figure(level, OUTSIDE, places.outside, text, threshold=limit, side="load", unit="1")
        figures.append(made)
    return tuple(figures)
