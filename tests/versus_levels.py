"""Two servers whose overload follows a logistic curve of ln(users): levels of them, and bundles."""

import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from headcount import workloads
from headcount.bundle import versus
from headcount.bundle.files import replace
from headcount.bundle.level import (
    CriterionResult,
    GeneratorResult,
    LevelResult,
    Levels,
    ScenarioResult,
    Steadiness,
    Times,
)
from headcount.bundle.versus import (
    SIDES,
    SideName,
    Versus,
    VersusPair,
    VersusRest,
    VersusSide,
    VersusTurn,
)
from headcount.plan.plan import Plan
from headcount.plan.resolve import Overrides, resolve

ALLOWED = 0.05
BEGAN = datetime(2026, 11, 22, tzinfo=UTC)


def plan(**changed: object) -> Plan:
    overrides = Overrides(seed=5, criteria=["overload<5%"], **changed)  # type: ignore[arg-type]
    return resolve(workloads.load("app-server"), "lab:app", overrides)


class Server:
    """A server that holds `capacity` users, each run of it a little more or less."""

    def __init__(self, capacity: float, seed: int, *, slope: float = 25.0, noise: float = 0.01):
        self.capacity, self.slope, self.noise = capacity, slope, noise
        self._random = np.random.default_rng(seed)

    def level(self, index: int, users: int, purpose: str = "ladder", **changed: object):
        held = self.capacity * math.exp(self._random.normal(0, self.noise))
        logit = math.log(ALLOWED / (1 - ALLOWED)) + self.slope * math.log(users / held)
        total = users * 20
        bad = int(self._random.binomial(total, 1 / (1 + math.exp(-logit))))
        return level(index, users, bad, total, purpose=purpose, **changed)


def level(
    index: int,
    users: int,
    bad: int = 0,
    total: int = 1000,
    *,
    purpose: str = "ladder",
    outcome: str | None = None,
    rate_per_s: float | None = None,
    at_s: float = 0.0,
) -> LevelResult:
    rate = total / 20 if rate_per_s is None else rate_per_s
    times = Times(
        count=total, mean_ms=5, p50_ms=4, p90_ms=8, p95_ms=10, p99_ms=20, p999_ms=30, max_ms=40
    )
    everything = ScenarioResult(
        name="all",
        due=total,
        completed=total,
        failed=0,
        slow=bad,
        late=0,
        overloaded=bad,
        overload=bad / total,
        unanswered=0,
        rate_per_s=rate,
        read_bytes_per_s=0,
        written_bytes_per_s=0,
        response=times,
        service=times,
        p95_interval_ms=None,
    )
    passed = bad / total <= ALLOWED
    criterion = CriterionResult(
        criterion="overload<5%",
        passed=passed,
        value=bad / total,
        limit=ALLOWED,
        unit="share",
        bad=bad,
        total=total,
        allowed_share=ALLOWED,
        sentence="",
    )
    generator = GeneratorResult(
        workers=1,
        cpu_cores=0.1,
        busiest_worker_share=0.1,
        timer_lateness_p50_ms=0.1,
        timer_lateness_p99_ms=0.1,
        timer_lateness_max_ms=0.1,
        limited=False,
        reasons=[],
    )
    return LevelResult.model_validate(
        {
            "index": index,
            "purpose": purpose,
            "users": users,
            "outcome": outcome or ("passed" if passed else "failed"),
            "reasons": [],
            "started_at": (BEGAN + timedelta(seconds=at_s)).isoformat(),
            "ramp_s": 1.0,
            "settle_s": 1.0,
            "steady_s": 20.0,
            "offered_per_s": rate,
            "achieved_per_s": rate,
            "think_mean_s": 1.0,
            "little_error": 0.0,
            "steadiness": Steadiness(steady=True, settled_after_s=0, reasons=[]),
            "total": everything,
            "scenarios": [],
            "steps": [],
            "faults": [],
            "criteria": [criterion],
            "generator": generator,
            "counters": {},
        }
    )


def turn(side: SideName, level_: int, users: int, at_s: float = 0.0) -> VersusTurn:
    return VersusTurn(side=side, level=level_, users=users, began_s=at_s, ended_s=at_s + 20)


def pairing(
    pairs: Iterable[tuple[VersusTurn, VersusTurn]],
    kind: str = "levels",
    rests: Iterable[VersusRest] = (),
    **changed: object,
) -> Versus:
    found = [
        VersusPair(number=n, round=n, order="AB" if one.side == "A" else "BA", turns=[one, two])
        for n, (one, two) in enumerate(pairs, 1)
    ]
    values = {
        "id": "a" * 32,
        "here": "A",
        "kind": kind,
        "order": "abba",
        "seed": 5,
        "wanted_pairs": len(found),
        "sides": [VersusSide(name=name, target="lab:app", bundle=name) for name in SIDES],
        "pairs": found,
        "rests": list(rests),
        "ending": "finished",
        **changed,
    }
    return Versus.model_validate(values)


def bundles(
    folder: Path, levels: Mapping[SideName, list[LevelResult]], found: Versus, made: Plan
) -> dict[SideName, Path]:
    """Write both bundles, as far as a comparison reads them."""
    paths: dict[SideName, Path] = {}
    for name in SIDES:
        paths[name] = folder / name
        paths[name].mkdir(parents=True)
        replace(paths[name] / "plan.toml", made.to_toml())
        replace(paths[name] / "levels.json", Levels(levels=levels[name]).model_dump_json())
        versus.write(found.model_copy(update={"here": name}), paths[name])
    return paths
