"""What is tried: a load, what is limited, and what that comes to."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bench.diagnosis.injections import Demand
from bench.diagnosis.stages import STAGES, Stage
from headcount.analyse.prediction.resource import Kind

Name = Literal["cpu", "disk", "network", "pair"]

COMPUTE = {"name": "compute", "op": "processor", "rounds": 400}
REPLY = {"name": "reply", "op": "server-client", "reply_bytes": 131072}
PAGES = {"name": "f", "percent": 100, "sizes": ["256KiB"], "files": 20, "content": "text"}
LOADS: Mapping[str, Stage] = {
    **STAGES,
    "app-reply": replace(STAGES["app-reply"], name="app-large", steps=[REPLY]),
    "app-both": replace(STAGES["app-cpu"], name="app-both", steps=[COMPUTE, REPLY]),
    "nginx-zip": replace(
        STAGES["nginx-zip"],
        name="nginx-large-zip",
        data={"pages": {"directories": ["l"], "classes": [PAGES]}},
    ),
    "sql-cpu": replace(STAGES["sql-cpu"], name="sql-many", settings={"max_connections": "500"}),
}
"""Scenarios so large that tens to hundreds a second fill what little there is: users can then think
for a second or two, which is long beside response times, as people do."""
CASES: Sequence[tuple[Name, str]] = (
    ("cpu", "app-cpu"),
    ("network", "nginx-big"),
    ("disk", "nginx-big"),
    ("pair", "app-both"),
    ("cpu", "nginx-zip"),
    ("network", "samba-big"),
    ("disk", "samba-big"),
    ("cpu", "sql-cpu"),
    ("network", "app-reply"),
    ("pair", "nginx-zip"),
)
FACTORS = (0.5, 1.5, 2.0, 3.0)
CORES = (0.15, 0.8)
BITS_S = (50e6, 250e6)
READ_S = (10e6, 40e6)
"""Of the smaller limit at least, and of the larger one at most."""
MOST_USERS = 200
FEWER: Mapping[str, int] = {"samba": 100, "postgresql": 60}
"""Servers with a process for each user hold fewer of them, at three times the limit too."""
LONGEST_THINK_S = 2.0
LEAST_LIMIT_S = 0.4
"""Of the response time: several periods of a CPU quota, which are 0.1 s."""
WAITING = 0.4
"""Mean response over its 95th percentile at the limit, about: only to lay out ladders."""
OTHER = 1.5
"""In a pair, how much of the second resource there is beside the first."""


@dataclass(frozen=True)
class Setting:
    """A trial as it is laid out.

    Attributes:
        kind: What is changed, and by `factor`.
        limits: As `--limit` takes them, before and after.
        think_s: Of the users.
        limit_ms: Of the p95 of response times.
        knee: Users at which the first ladder is centred.
        expected: Users at which the second is: by proportion, not by the prediction.
        cold: Whether files are kept out of the page cache.

    """

    kind: Kind
    factor: float
    before: Mapping[str, str]
    after: Mapping[str, str]
    think_s: float
    limit_ms: float
    knee: float
    expected: float
    cold: bool

    @property
    def criterion(self) -> str:
        """What is asked of the server."""
        return f"p95<={self.limit_ms:.0f}ms"


def setting(name: Name, stage: Stage, demand: Demand, draw: random.Random) -> Setting:
    """Lay out a trial from what the load does unlimited."""
    factor = 2.0 if name == "pair" else draw.choice(FACTORS)
    cores = demand.server_cores / demand.per_s
    moved = demand.moved_bytes_s / demand.per_s
    kind: Kind = "cpu" if name == "pair" else name
    low, high = {"cpu": CORES, "network": BITS_S, "disk": READ_S}[kind]
    span = max(factor, 1 / factor)
    amount = math.exp(draw.uniform(math.log(low), math.log(high / span)))
    if factor < 1:
        amount *= span
    each_s = {"cpu": cores, "network": moved * 8, "disk": moved}[kind]
    per_s = amount / each_s
    before, after = _limits(kind, amount), _limits(kind, amount * factor)
    then = per_s * factor
    if name == "pair":
        other = _limits("network", OTHER * per_s * moved * 8)
        before, after, then = {**before, **other}, {**after, **other}, per_s * OTHER
    users = min(FEWER.get(stage.server, MOST_USERS), LONGEST_THINK_S * per_s)
    think_s = users / per_s
    limit_s = max(LEAST_LIMIT_S, 0.3 * think_s)
    cycle_s = think_s + WAITING * limit_s
    return Setting(
        *(kind, factor, before, after, round(think_s, 3), limit_s * 1000),
        *(per_s * cycle_s, then * cycle_s, kind == "disk"),
    )


def _limits(kind: Kind, amount: float) -> dict[str, str]:
    if kind == "cpu":
        return {"cpu": f"{amount:.4f}"}
    return {"network": f"{amount:.0f}bit"} if kind == "network" else {"disk-read": f"{amount:.0f}"}
