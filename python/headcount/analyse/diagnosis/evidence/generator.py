"""Signs that the load generator, not the server, was the limit."""

from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.sign import Sign, figure
from headcount.analyse.diagnosis.thresholds import ramp, threshold
from headcount.bundle.diagnosis import Figure
from headcount.counters.naming import agent_number
from headcount.text import share

WORKER = "agent.worker.busiest"
"""The counter that shows which agent has the busiest worker."""
THROTTLED = "cgroup.cpu.throttled"
WINDOW = "socket.rwnd_limited"
BUSIEST = "generator.busiest_worker"
LATE = "generator.lateness"
SURE = 0.8
"""Score of late timers alone: they show that the generator was late, not why."""


def signs(level: Observation) -> Sign:
    """How surely the generator was the limit; it watches itself, so this is always observed."""
    found: list[tuple[float, str, Figure]] = []
    busy = ramp(level.worker, "generator.busiest.low", "generator.busiest.high")
    text = f"{_owned('busiest worker', level, WORKER)} used {share(level.worker)} of a core"
    found.append((busy, "its own CPU", _figure(level, BUSIEST, level.worker, text)))
    throttled = level.of_generator(THROTTLED)
    if throttled is not None:
        whose = _owned("control group", level, THROTTLED)
        text = f"{whose} was throttled in {share(throttled)} of periods"
        found.append((throttled, "quota", _figure(level, THROTTLED, throttled, text)))
    window = level.mean(WINDOW)
    if window is not None:
        text = f"the server's connections waited for it to read {share(window)} of the time"
        part = window if window >= threshold("generator.window") else window / 2
        found.append((part, "reading", _figure(level, WINDOW, window, text)))
    if level.limited and max(score for score, _, _ in found) < SURE:
        late = ramp(level.late, "generator.late.low", "generator.late.high")
        found.append((SURE * late, "late", _figure(level, LATE, level.late, level.limited[0])))
    found.sort(key=lambda one: -one[0])
    score, detail, _ = found[0]
    return Sign("generator", detail if score else None, score, tuple(one[2] for one in found))


def _owned(part: str, level: Observation, counter: str) -> str:
    """The generator's part, or that of the agent with the highest value if several play."""
    known = [
        (counters[counter], number)
        for side, counters in level.means.items()
        if counter in counters and (number := agent_number(side)) is not None
    ]
    return f"the {part} of agent {max(known)[1]}" if known else f"its {part}"


def _figure(level: Observation, counter: str, value: float, text: str) -> Figure:
    thresholds = {
        BUSIEST: "generator.busiest.high",
        WINDOW: "generator.window",
        LATE: "generator.late.high",
    }
    limit = threshold(thresholds.get(counter, "decide.score"))
    return figure(level, counter, value, text, threshold=limit, side="generator", unit="1")
