"""Signs of the network between users and server: it loses packets, or it is long.

Neither is full, so more users do not make it worse; each user waits. TCP's own counts show both:
those of the load generator's connections for any server, and the server's if they are observed.
"""

from collections.abc import Sequence

from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.sign import Sign, figure
from headcount.analyse.diagnosis.thresholds import ramp, threshold
from headcount.bundle.diagnosis import Side
from headcount.text import duration, share, significant

ROUND_TRIP = "socket.round_trip"
SEGMENTS = "socket.segments"
LOST = "socket.segments.lost"
CONNECTIONS = "socket.connections"
OF_OTHERS = 1.5
"""Connections of the server per user above which others use it too: a user has one."""
LOSS, LATENCY = "loss", "latency"


def loss_sign(levels: Sequence[Observation], score: float) -> Sign | None:
    """The network loses packets, and that is what scenarios wait for; None if it does not.

    Over all levels, because few users lose few packets. `score` is how surely more users do not
    wait longer.
    """
    valid = [level for level in levels if level.valid and level.service_s is not None]
    lost, sent = _total(valid, LOST), _total(valid, SEGMENTS)
    waited_s = sum(level.under_way or 0.0 for level in valid)
    if not lost or not sent or not waited_s:
        return None
    part = lost / sent
    waiting = min(lost * threshold("loss.cost") / waited_s, 1.0)
    score *= ramp(part, "loss.low", "loss.high") * ramp(waiting, "loss.time.low", "loss.time.high")
    if score <= 0:
        return None
    cost = duration(threshold("loss.cost") * 1000)
    text = f"{share(part)} of TCP segments were lost and sent again, each about {cost} later"
    level = max(valid, key=lambda one: _both(one, LOST))
    shown = figure(
        level, LOST, _both(level, LOST), text, threshold=threshold("loss.low"), side=_side(level)
    )
    return Sign("delay", LOSS, score, (shown,))


def latency_sign(light: Observation, score: float) -> Sign | None:
    """Round trips take most of a scenario's time with few users; None if they do not.

    A request takes at least one. `score` is how surely more users do not wait longer.
    """
    own_ms = light.of_generator(ROUND_TRIP)
    trip_ms = own_ms if own_ms is not None else _of_server(light, ROUND_TRIP)
    if trip_ms is None or not light.service_s:
        return None
    part = min(trip_ms / 1000 * light.requests / light.service_s, 1.0)
    score *= ramp(part, "latency.low", "latency.high")
    if score <= 0:
        return None
    requests = ""
    if light.requests >= 1.5:
        requests = f" and makes {significant(light.requests)} requests one after the other"
    text = (
        f"a round trip between users and server takes {duration(trip_ms)}; a scenario takes "
        f"{duration(light.service_s * 1000)} with few users{requests}"
    )
    side: Side = "sut" if own_ms is None else "generator"
    shown = figure(light, ROUND_TRIP, trip_ms, text, side=side)
    return Sign("delay", LATENCY, score, (shown,))


def is_of(sign: Sign) -> bool:
    """Whether a sign is about the network between users and server."""
    return sign.limit == "delay" and sign.detail in (LOSS, LATENCY)


def _total(levels: Sequence[Observation], name: str) -> float:
    return sum(_both(level, name) for level in levels)


def _both(level: Observation, name: str) -> float:
    """The sum over both ends: each counts what it sent itself."""
    return (level.of_generator(name) or 0.0) + (_of_server(level, name) or 0.0)


def _of_server(level: Observation, name: str) -> float | None:
    """The server's figure; None if it clearly has more connections than there are users.

    Other users of the server may be far away, and lose packets of their own.
    """
    if (level.mean(CONNECTIONS) or 0.0) > OF_OTHERS * level.users + 2:
        return None
    return level.mean(name)


def _side(level: Observation) -> Side:
    """The end that lost more."""
    own, server = level.of_generator(LOST) or 0.0, _of_server(level, LOST) or 0.0
    return "generator" if own >= server else "sut"
