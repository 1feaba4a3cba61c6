"""Signs of a server that is slow for everybody, even for a few users: nothing is full.

Scenarios are already slow at the level with the fewest users, and more users do not make them
slower. So queues do not explain it: the time is spent in each scenario itself, or on its way.
"""

from collections.abc import Sequence

from headcount.analyse.diagnosis.evidence import cpu, path, upstream
from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.saturation import Saturation
from headcount.analyse.diagnosis.sign import Sign, figure
from headcount.analyse.diagnosis.thresholds import between, threshold
from headcount.bundle.diagnosis import Figure
from headcount.counters.naming import PEER, instance_name
from headcount.text import duration, plural, share, significant, storage

HELD = "socket.send_queue.share"
HELD_BYTES = "socket.send_queue"
CONNECTIONS = "socket.connections"
SEGMENT = "socket.segment"
SEGMENT_BYTES = 1448.0
"""Payload of a full TCP segment on Ethernet, if it was not observed: Nagle's algorithm only holds
back smaller ones (RFC 896). Over loopback it is up to 64 KiB."""
SLEEPING = "process.threads.waiting{wait=sleep}"
TOOK = "load.service_time"


def sign(observations: Sequence[Observation], seen: Saturation) -> Sign | None:
    """What makes every scenario slow: the network, another server, or the scenario itself.

    None if users wait for each other, or if scenarios with the fewest users met the criteria and
    their requests hardly wait. Lost packets count in any case: they make few scenarios slow.
    """
    light = seen.light
    if light is None or light.service_s is None or not light.per_s:
        return None
    valid = [one for one in observations if one.valid]
    level = max(valid, key=lambda o: o.users)
    grown = seen.growth or 1.0
    score = 1 - between(grown, threshold("delay.steady"), threshold("delay.grown"))
    far = path.latency_sign(light, score)
    losing = path.loss_sign(valid, score)
    if losing is not None:
        return losing
    if score <= 0 or not (light.is_failed or (level.users > light.users and _waits(light, far))):
        return None
    return _upstream(light, seen, score) or far or _scenario_sign(light, level, score)


def _waits(light: Observation, far: Sign | None) -> bool:
    """Whether a few users' requests take long while the server hardly computes.

    It does not compute while they are on their way; otherwise its CPU time shows it.
    """
    computes = 0.0 if far is not None else _computing(light)
    if computes is None or light.service_s is None:
        return False
    waits_s = (1 - computes) * light.service_s / light.requests
    return computes < threshold("delay.computing") and waits_s >= threshold("delay.noticed")


def _computing(light: Observation) -> float | None:
    """The share of a scenario's time in which the server uses the CPU; None if unknown."""
    used = cpu.cores(light).server
    return min(used / light.under_way, 1.0) if used is not None and light.under_way else None


def _upstream(light: Observation, seen: Saturation, score: float) -> Sign | None:
    """Another server that takes most of the time."""
    peer = upstream.slow_part(light, seen)
    if peer is None:
        return None
    name = instance_name(upstream.WAITING, PEER, peer.name)
    shown = figure(light, name, peer.waiting, upstream.time_text(seen) or "")
    return Sign("upstream", peer.name, score * between(peer.share, 0.3, 0.7), (shown,))


def _scenario_sign(light: Observation, level: Observation, score: float) -> Sign:
    """The scenario itself: it computes, or it waits for a time that no other user causes."""
    figures = [_took(light, level)]
    used, part = cpu.cores(light).server, _computing(light)
    detail = None
    if used is not None and part is not None:
        detail = "computing" if part >= threshold("delay.computing") else "waiting"
        text = f"the server used the CPU for {share(part)} of that time"
        name = cpu.GROUP if light.mean(cpu.GROUP) is not None else cpu.OWN
        figures.append(figure(light, name, used, text))
    held = _held_back(light)
    if held is not None and detail != "computing":
        return Sign("delay", "acknowledgement", score, (figures[0], held, *figures[1:]))
    asleep = level.mean(SLEEPING)
    if asleep is not None and level.under_way and asleep >= 0.5 * level.under_way:
        text = f"{significant(asleep)} of its threads slept (nanosleep)"
        figures.append(figure(level, SLEEPING, asleep, text))
    return Sign("delay", detail, score, tuple(figures))


def _held_back(light: Observation) -> Figure | None:
    """Connections that hold back the last small segment until the one before is acknowledged."""
    held, bytes_held = light.mean(HELD), light.mean(HELD_BYTES)
    connections = light.mean(CONNECTIONS)
    if not held or bytes_held is None or not connections:
        return None
    each = bytes_held / (held * connections)
    if held < threshold("delay.held") or each >= (light.mean(SEGMENT) or SEGMENT_BYTES):
        return None
    if (light.service_s or 0.0) / light.requests > threshold("delay.acknowledged"):
        return None
    text = (
        f"{share(held)} of its connections held back {storage(each)} that the client had not yet "
        "acknowledged"
    )
    return figure(light, HELD, held, text, threshold=threshold("delay.held"))


def time_text(seen: Saturation) -> str | None:
    """Time of a scenario with few users and with many; None if unknown."""
    if seen.light is None or not seen.levels or seen.light.service_s is None:
        return None
    return _took(seen.light, seen.levels[-1]).sentence


def _took(light: Observation, level: Observation | None = None) -> Figure:
    took_ms = (light.service_s or 0.0) * 1000
    text = f"a scenario takes {duration(took_ms)} with {plural('user', light.users)}"
    if light.users == 1:
        text = f"a scenario takes {duration(took_ms)} with a single user"
    if level is not None and level.users > light.users and level.service_s is not None:
        text += f", and {duration(level.service_s * 1000)} with {level.users}"
    return figure(light, TOOK, took_ms, text, side="load", unit="ms")
