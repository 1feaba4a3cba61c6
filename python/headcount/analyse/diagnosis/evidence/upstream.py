"""Signs that the server waited for another server: a database, a cache, a service behind it.

By Little's law a scenario spends (connections that wait for an answer) / throughput at the other
server. If that time grows with the users, the other server is the limit. If it does not, and the
same number of connections waits whatever the number of users, the connections are.
"""

from dataclasses import dataclass

from headcount.analyse.diagnosis.evidence import locks, software
from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.saturation import Saturation
from headcount.analyse.diagnosis.sign import Sign, figure
from headcount.analyse.diagnosis.thresholds import between, threshold
from headcount.bundle.diagnosis import Figure
from headcount.counters.naming import PEER, instance_name, split_instance
from headcount.text import duration, share, significant

WAITING = "upstream.waiting"
CONNECTIONS = "upstream.connections"
ACCEPT_QUEUE = "upstream.accept_queue"
TOOK = "load.upstream_time"
REDIS = "redis.cpu.utilization"


@dataclass(frozen=True, slots=True)
class Peer:
    """The server that most connections wait for, at a level.

    Attributes:
        name: Its address and port.
        waiting: Mean number of connections that wait for it.
        took_s: Time that a scenario spends there.
        grown: That time relative to the time with few users; None if unknown.
        share: Share of the scenarios in progress that waits there.
        beyond: Scenarios in progress per waiting connection.

    """

    name: str
    waiting: float
    took_s: float
    grown: float | None
    share: float
    beyond: float


def peer_of(level: Observation, seen: Saturation) -> Peer | None:
    """The server that most connections wait for; None if none does, or nothing is known."""
    found: dict[str, float] = {}
    for name, value in level.means.get("sut", {}).items():
        family, peer = split_instance(name)
        if family == WAITING and peer is not None:
            found[peer] = value
    if not found or not level.per_s or not level.under_way:
        return None
    name = max(found, key=lambda peer: found[peer])
    waiting = found[name]
    if waiting <= 0:
        return None
    # On a busy machine, connections are sampled a little after scenarios were counted.
    took_s, light = min(waiting / level.per_s, level.service_s or 0.0), seen.light
    grown = None
    if light is not None and light.users < level.users and light.per_s:
        before = light.mean(instance_name(WAITING, PEER, name))
        grown = took_s * light.per_s / before if before else None
    part = min(waiting / level.under_way, 1.0)
    return Peer(name, waiting, took_s, grown, part, level.under_way / waiting)


def sign(level: Observation, seen: Saturation, taken: float) -> Sign | None:
    """How surely another server was the limit; None if the server waits for none.

    `taken`, the strongest sign of a resource of the machine, leaves less for it.
    """
    peer = peer_of(level, seen)
    if peer is None:
        return None
    grown = 1.0 if peer.grown is None else peer.grown
    slow = between(grown, threshold("upstream.steady"), threshold("upstream.grown"))
    # With a connection per user, everybody waits there; with fewer connections the others wait for
    # one, and only the time spent there shows which server is the cause.
    score = max(slow, between(peer.share, 0.4, 0.8) if peer.grown is None else slow)
    figures = [_took(level, peer), _waits(level, peer)]
    part = between(peer.share, 0.05, 0.25)
    redis, busy = level.mean(REDIS), _redis_score(level)
    if redis is not None and busy > 0:
        # One thread runs all its commands; as many wait as there are users, on any machine.
        score = max(score, busy)
        text = f"Redis's command thread used {share(redis)} of a core"
        shown = figure(level, REDIS, redis, text, threshold=threshold("redis.busy"))
        figures.insert(0, shown)
        # Many scenarios share a connection if the client sends commands without waiting for
        # answers: connections then do not show how many scenarios wait, only that they do.
        if _mostly_waits(level, peer):
            part = 1.0
    score *= part * max(1 - taken, 0.0) * (1 - locks.lock_elsewhere(level))
    name = instance_name(ACCEPT_QUEUE, PEER, peer.name)
    queued = level.mean(name)
    if queued is not None and queued >= threshold("upstream.queued") * peer.waiting:
        text = f"{significant(queued)} of these wait to be accepted: all its workers are busy"
        figures.append(figure(level, name, queued, text))
    return Sign("upstream", peer.name, score, tuple(figures), *_served(level, seen, peer, queued))


def _redis_score(level: Observation) -> float:
    """How surely Redis's command thread is full, from 0 to 1; 0 if it is not monitored."""
    most = threshold("redis.busy")
    return between(level.mean(REDIS) or 0.0, most - 0.1, most)


def _mostly_waits(level: Observation, peer: Peer) -> bool:
    """Whether the connections to the peer wait for an answer most of the time."""
    there = level.mean(instance_name(CONNECTIONS, PEER, peer.name))
    return there is not None and peer.waiting >= 0.5 * there > 0


def _served(
    level: Observation, seen: Saturation, peer: Peer, queued: float | None
) -> tuple[float | None, str | None]:
    """How many scenarios the other server serves at a time, or the ms of each if it is one.

    Those that wait for it, without those it has not accepted. If all are accepted: throughput times
    the time of a scenario with few users (Little), nearly all of which is spent there. If that is
    about one, at most one is served there, wherever else a scenario spends its time.
    """
    is_slow = peer.grown is None or peer.grown >= threshold("upstream.steady")
    if not is_slow or (seen.elasticity or 0.0) >= threshold("elasticity.unsaturated"):
        return None, None
    places = software.places_of(level, seen)
    served = places.effective
    if queued is not None and queued >= threshold("upstream.queued") * peer.waiting:
        served = max(peer.waiting - queued, 1.0)
    elif served is None or (served >= software.ONE and not _is_mostly_there(peer, seen)):
        return None, None
    if served < software.ONE and seen.most_per_s:
        if (places.places or 1.0) < threshold("limiter.high"):
            return None, None  # a single place would sometimes be idle
        return 1000 / seen.most_per_s, "ms"
    return served, "{scenario}"


def _is_mostly_there(peer: Peer, seen: Saturation) -> bool:
    """Whether a scenario spends nearly all of its time with few users at the other server."""
    at_few = peer.share if peer.grown is None else _share_of_light(peer, seen)
    return at_few >= threshold("upstream.all")


def connections_sign(level: Observation, seen: Saturation, taken: float) -> Sign | None:
    """How surely the number of connections to another server was the limit: a pool of them."""
    peer = peer_of(level, seen)
    if peer is None or peer.grown is None:
        return None
    steady = 1 - between(peer.grown, threshold("upstream.steady"), threshold("upstream.grown"))
    crowded = between(peer.beyond, 1.2, 1.6)
    # A server that spends little of its time there does not wait for a connection.
    at_few = _share_of_light(peer, seen)
    score = steady * crowded * between(at_few, 0.2, 0.5) * max(1 - taken, 0.0)
    # More connections would not make it serve more.
    score *= (1 - _redis_score(level)) * (1 - locks.lock_elsewhere(level))
    figures = (_waits(level, peer), _took(level, peer))
    size = float(max(round(_in_use(level, seen, peer)), 1))
    return Sign("pool", f"connections to {peer.name}", score, figures, size, "{connection}")


def _in_use(level: Observation, seen: Saturation, peer: Peer) -> float:
    """Connections in use: those that wait, or a few more, because some waits are not recognised.

    The number served at a time by Little's law, up to the number of connections.
    """
    there = level.mean(instance_name(CONNECTIONS, PEER, peer.name)) or peer.waiting
    served = software.places_of(level, seen).effective or peer.waiting
    return min(max(served, peer.waiting), max(there, peer.waiting))


def slow_part(level: Observation, seen: Saturation) -> Peer | None:
    """The peer where scenarios spend most of their time, if that is more than half of it."""
    peer = peer_of(level, seen)
    return peer if peer is not None and peer.share >= threshold("upstream.most") else None


def time_text(seen: Saturation) -> str | None:
    """Where a scenario spends most of its time with few users, if that is another server."""
    light = seen.light
    peer = slow_part(light, seen) if light is not None else None
    if light is None or peer is None or light.service_s is None:
        return None
    return (
        f"of the {duration(light.service_s * 1000)} that a scenario takes with few users, "
        f"it waits {duration(peer.took_s * 1000)} for {peer.name}"
    )


def _share_of_light(peer: Peer, seen: Saturation) -> float:
    """The share of its time that a scenario spends there with few users."""
    light = seen.light
    if light is None or not light.service_s or peer.grown is None:
        return 0.0
    return min(peer.took_s / peer.grown / light.service_s, 1.0)


def _waits(level: Observation, peer: Peer) -> Figure:
    name = instance_name(WAITING, PEER, peer.name)
    text = f"{significant(peer.waiting)} connections to {peer.name} waited for an answer"
    under_way = level.under_way or 0.0
    text += f", of {significant(under_way)} scenarios in progress ({share(peer.share)})"
    return figure(level, name, peer.waiting, text)


def _took(level: Observation, peer: Peer) -> Figure:
    text = f"a scenario waited {duration(peer.took_s * 1000)} for {peer.name}"
    if peer.grown is not None:
        text += f", {significant(peer.grown)} times as long as with few users"
    limit = threshold("upstream.grown")
    return figure(level, TOOK, peer.took_s * 1000, text, threshold=limit, side="load", unit="ms")
