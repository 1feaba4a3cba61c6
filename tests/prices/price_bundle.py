"""Bundles of invented runs, with what a price needs of them."""

from decimal import Decimal
from pathlib import Path
from typing import Any

from headcount import workloads
from headcount.analyse.price import price
from headcount.bundle.level import GeneratorResult, LevelResult, Levels, ScenarioResult, Steadiness
from headcount.bundle.verdict import Capacity, Cost, Marks, Verdict
from headcount.plan import cost as costs
from headcount.plan.resolve import Overrides, resolve

USERS, LOW, HIGH = 2200, 2150.0, 2310.0


def level(users: int, outcome: str = "passed", **changes: Any) -> LevelResult:
    """A level at which a user completes 1.326 scenarios a minute."""
    rate = users * 1.326 / 60
    total = ScenarioResult(
        name="all",
        due=0,
        completed=0,
        failed=0,
        slow=0,
        late=0,
        overloaded=0,
        overload=None,
        unanswered=0,
        rate_per_s=rate,
        read_bytes_per_s=0.0,
        written_bytes_per_s=0.0,
        response=None,
        service=None,
        p95_interval_ms=None,
        rate_interval_per_s=(rate * 0.98, rate * 1.02),
    )
    generator = GeneratorResult(
        workers=1,
        cpu_cores=0.1,
        busiest_worker_share=0.1,
        timer_lateness_p50_ms=None,
        timer_lateness_p99_ms=None,
        timer_lateness_max_ms=None,
        limited=False,
        reasons=[],
    )
    values: dict[str, Any] = {
        "index": 1,
        "purpose": "ladder",
        "users": users,
        "outcome": outcome,
        "reasons": [],
        "started_at": "2026-11-01T00:00:00Z",
        "ramp_s": 1.0,
        "settle_s": 1.0,
        "steady_s": 100.0,
        "offered_per_s": rate,
        "achieved_per_s": rate,
        "think_mean_s": None,
        "little_error": None,
        "steadiness": Steadiness(steady=True, settled_after_s=0.0, reasons=[]),
        "total": total,
        "scenarios": [],
        "steps": [],
        "faults": [],
        "criteria": [],
        "generator": generator,
        "counters": {},
    }
    return LevelResult(**values | changes)


def capacity(**changes: Any) -> Capacity:
    values: dict[str, Any] = {
        "users": USERS,
        "estimate": 2230.0,
        "low": LOW,
        "high": HIGH,
        "at_least": False,
        "official_passed": True,
        "binding": "p95<=1s",
    }
    return Capacity(**values | changes)


def marks() -> Marks:
    return Marks(
        name="NotesMark",
        count=["day"],
        per_minute=2917.0,
        interval_per_minute=(2900.0, 2930.0),
        users=USERS,
    )


def written(folder: Path, cost: costs.Cost | None = None, **changes: Any) -> Path:
    """A bundle of a search that found 2,200 users; `capacity=None` makes a ladder of it."""
    folder.mkdir()
    levels = changes.pop("levels", [level(2000), level(USERS, index=2), level(2600, "failed")])
    found = changes.pop("capacity", capacity())
    search = found is not None
    plan = resolve(
        workloads.load("app-server"),
        "lab:app",
        Overrides(
            seed=1,
            workers=1,
            cost=cost,
            levels=None if search else "2000,2200,2600",
            quick=changes.pop("quick", False),
        ),
    )
    passed = [one for one in levels if one.outcome == "passed"]
    values: dict[str, Any] = {
        "kind": "capacity" if search else "ladder",
        "outcome": "passed",
        "sentence": "2,200 users.",
        "broke_first": None,
        "capacity": found,
        "score": None,
        "marks": marks() if passed else None,
        "price": price(cost, USERS, found, marks(), passed[-1] if passed else None),
        "flags": [],
        "cost": Cost(levels=3, seconds=300.0, operations=1000),
    }
    (folder / "plan.toml").write_text(plan.to_toml(), "utf-8")
    (folder / "levels.json").write_text(Levels(levels=levels).model_dump_json(), "utf-8")
    if changes.pop("answered", True):
        verdict = Verdict(**values | changes)
        (folder / "verdict.json").write_text(verdict.model_dump_json(), "utf-8")
    return folder


IBM_330 = costs.Cost(amount=Decimal(29_581), currency="USD")
