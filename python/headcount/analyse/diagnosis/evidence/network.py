"""Signs that the network was full."""

from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.sign import Sign, figure
from headcount.analyse.diagnosis.thresholds import between, ramp, threshold
from headcount.bundle.diagnosis import Figure
from headcount.counters.naming import split_instance
from headcount.text import megabytes_per_s, share, storage

OCCUPIED = "system.network.queue.occupied"
BACKLOG = "system.network.queue.backlog"
DROPPED = "system.network.queue.dropped"
OVER = "system.network.queue.overlimits"
SPEED = "system.network.speed"
SENT = "system.network.io{network.io.direction=transmit}"
RECEIVED = "system.network.io{network.io.direction=receive}"
BUSY = "socket.busy"
QUEUED = "socket.send_queue.share"
WINDOW = "socket.rwnd_limited"
SEGMENT = "socket.segment"
LARGEST_SEGMENT = 16_384.0
"""Bytes: only loopback has larger ones (65,483); Ethernet has 1,448, or 8,948 with jumbo frames."""
PACED_BYTES = 16384.0
"""A shorter queue is not a sign by itself: disciplines that pace packets (fq) hold a few back per
connection even on an idle link."""


def signs(level: Observation) -> Sign | None:
    """How surely the network was the limit; None if not observed."""
    made = (_queue(level), _sockets(level), *_links(level))
    found = [sign for sign in made if sign is not None]
    return max(found, key=lambda sign: sign.score, default=None)


def _queue(level: Observation) -> Sign | None:
    """Bytes that wait to be sent nearly all the time."""
    occupied, backlog = level.mean(OCCUPIED), level.mean(BACKLOG)
    if occupied is None:
        return None
    held_back = (level.mean(DROPPED) or 0.0) + (level.mean(OVER) or 0.0)
    long = backlog is not None and backlog >= PACED_BYTES
    score = occupied if held_back > 0 or long else occupied * 0.4
    of = f", {storage(backlog)} on average" if backlog is not None else ""
    text = f"bytes waited to be sent {share(occupied)} of the time{of}"
    shown = figure(level, OCCUPIED, occupied, text, threshold=threshold("decide.score"))
    return Sign("network", "sending", score, (shown, *_moved(level)))


def _sockets(level: Observation) -> Sign | None:
    """Nearly all connections have something to send, to a client that reads.

    Over loopback no link can be full: unread data waits for the CPU.
    """
    busy, queued = level.mean(BUSY), level.mean(QUEUED)
    if busy is None or queued is None or (level.mean(SEGMENT) or 0.0) > LARGEST_SEGMENT:
        return None
    window = level.mean(WINDOW) or 0.0
    score = min(
        between(busy, threshold("network.busy") - 0.2, threshold("network.busy")),
        between(queued, threshold("network.queued") - 0.3, threshold("network.queued")),
    ) * (1 - min(window * 2, 1.0))
    text = f"{share(queued)} of its connections had unsent bytes"
    shown = figure(level, QUEUED, queued, text, threshold=threshold("network.queued"))
    return Sign("network", "sending", score * 0.9, (shown, *_moved(level)))


def _links(level: Observation) -> list[Sign]:
    """Links of known speed, and how full they were."""
    made = []
    for name, speed in level.means.get("sut", {}).items():
        family, interface = split_instance(name)
        if family != SPEED or interface is None or speed <= 0:
            continue
        for way, word in ((SENT, "sending"), (RECEIVED, "receiving")):
            of = f"{way[:-1]},network.interface.name={interface}}}"
            moved = level.means["sut"].get(of)
            if moved is None:
                continue
            used = moved / speed
            text = f"{interface} carried {megabytes_per_s(moved)}, {share(used)} of its speed"
            shown = figure(
                level, of, used, text, threshold=threshold("network.link.high"), unit="1"
            )
            score = ramp(used, "network.link.low", "network.link.high")
            made.append(Sign("network", word, score, (shown,)))
    return made


def _moved(level: Observation) -> list[Figure]:
    sent = level.mean(SENT)
    if sent is None:
        return []
    return [figure(level, SENT, sent, f"the machine sent {megabytes_per_s(sent)}")]
