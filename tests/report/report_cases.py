"""Contents that reports must cope with, from the usual to the hostile."""

from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel
from report_agents import agent, agents, level_of_agents
from report_factory import content, empty_level, level, score, timeline, times, verdict
from report_tasks import tasked

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.analyse.price import price
from headcount.bundle.agents import Fleet, Moment
from headcount.bundle.verdict import Capacity, Plateau
from headcount.plan.cost import Cost
from headcount.report.content import ReportContent

HOSTILE = (
    "</script></style><script>window.pwned=1</script><img src=x onerror=pwned=1>\"'&\x1b[31m\u202e"
)
"""What a server or a plan might say; it must be shown and never obeyed."""


@dataclass(frozen=True)
class Case:
    """A content that reports must cope with."""

    name: str
    content: ReportContent


def one_level() -> ReportContent:
    return replace(
        content(),
        levels=[level(1, 200, "only")],
        verdict=verdict().model_copy(update={"kind": "level", "capacity": None, "flags": []}),
    )


def nothing_completed() -> ReportContent:
    failed = verdict().model_copy(
        update={"outcome": "failed", "capacity": None, "sentence": "No level passed."}
    )
    return replace(content(), levels=[empty_level(1, 100)], verdict=failed, timeline=[])


def no_levels() -> ReportContent:
    stopped = verdict().model_copy(
        update={"outcome": "interrupted", "capacity": None, "sentence": "Interrupted.", "flags": []}
    )
    return replace(content(), levels=[], verdict=stopped, timeline=[])


def many_levels() -> ReportContent:
    ladder = [level(index, 20 * index) for index in range(1, 61)]
    return replace(content(), levels=ladder, timeline=timeline(3600))


def wide_times() -> ReportContent:
    """Times from 0.01 ms to 100 s."""
    levels = []
    for index, p50_ms in enumerate((0.01, 0.3, 12.0, 900.0, 18_500.0), 1):
        plain = level(index, 200 * index)
        total = plain.total.model_copy(
            update={"response": times(p50_ms), "p95_interval_ms": (p50_ms * 2.8, p50_ms * 3.4)}
        )
        levels.append(plain.model_copy(update={"total": total}))
    return replace(content(), levels=levels)


def at_least() -> ReportContent:
    levels = [level(index, 100 * index) for index in range(1, 9)]
    unbroken = Capacity(
        users=800,
        estimate=None,
        low=800.0,
        high=None,
        at_least=True,
        official_passed=True,
        binding=None,
    )
    shown = verdict().model_copy(update={"capacity": unbroken, "broke_first": None})
    return replace(content(), levels=levels, verdict=shown)


def cases() -> list[Case]:
    return [
        Case("search", content()),
        Case("one level", one_level()),
        Case("nothing completed", nothing_completed()),
        Case("no levels", no_levels()),
        Case("sixty levels", many_levels()),
        Case("times of seven decades", wide_times()),
        Case("nothing broke", at_least()),
        Case("score", scored()),
        Case("diagnosed", diagnosed()),
        Case("saturated", saturated()),
        Case("grouped", grouped()),
        Case("tasks", tasked()),
        Case("priced", priced()),
        Case("on one machine", on_one_machine()),
        Case("large figures", large_figures()),
        Case("three agents", agents()),
        Case("a hundred agents", agents(100)),
        Case("hostile", hostile()),
    ]


def diagnosed() -> ReportContent:
    """A search with its diagnosis; the server's log holds text that no report may obey."""
    plain = content()
    lines = [{"event": "server-log", "t_s": 9.0, "log": "httpd", "line": f"AH00484 {HOSTILE}"}]
    lines += [{"event": "server-log", "line": f"server reached MaxRequestWorkers {HOSTILE}"}]
    found = of_levels(plain.levels, events=lines)
    assert found is not None
    return replace(plain, verdict=plain.verdict.model_copy(update={"diagnosis": found}))


def priced() -> ReportContent:
    """A price of items, one with a name that no report may obey."""
    plain = content()
    items = [
        {"name": "server", "kind": "hardware", "unit_price": "7999.99", "discount": "12.5%"},
        {"name": f"disk {HOSTILE}", "quantity": 9, "unit_price": "649.95", "currency": "EUR"},
        {"name": "rack", "kind": "rental", "unit_price": "0.1375", "period": "hour"},
    ]
    cost = Cost.model_validate(
        {"currency": "USD", "years": 3, "rates": {"EUR": "1.08"}, "items": items}
    )
    capacity = plain.verdict.capacity
    assert capacity is not None
    found = price(cost, capacity.users, capacity, None, plain.levels[0])
    return replace(plain, verdict=plain.verdict.model_copy(update={"price": found}))


def scored() -> ReportContent:
    """A score, unsteady levels, and levels that repeat a number of users."""
    unsteady = level(1, 300).steadiness.model_copy(
        update={"steady": False, "reasons": ["Throughput was still rising."]}
    )
    levels = [
        level(1, 300).model_copy(update={"steadiness": unsteady}),
        level(2, 300),
        level(3, 600),
        level(4, 1000),
    ]
    shown = verdict().model_copy(update={"kind": "ladder", "capacity": None, "score": score()})
    return replace(content(), levels=levels, verdict=shown)


def saturated() -> ReportContent:
    """A ladder whose scenarios/s flattened out, and whose bytes/s did not."""
    levels = [level(index, users) for index, users in enumerate((300, 900, 1000, 1200), 1)]
    flat = Plateau(
        figure="scenarios",
        flattened=True,
        users=1000,
        above_users=900,
        value_per_s=171.5,
        interval_per_s=(170.0, 173.0),
        most_users=1200,
        most_per_s=172.0,
        stress_users=None,
        sentence="Throughput flattened out at 1,000 users.",
    )
    rising = flat.model_copy(
        update={
            "figure": "bytes",
            "flattened": False,
            "users": None,
            "above_users": None,
            "value_per_s": None,
            "interval_per_s": None,
            "sentence": "Throughput was still rising at 1,200 users.",
        }
    )
    shown = verdict().model_copy(
        update={"kind": "ladder", "capacity": None, "plateaus": [flat, rising]}
    )
    return replace(content(), levels=levels, verdict=shown)


def grouped() -> ReportContent:
    """Scenarios in groups, users who did not report, and a stress point."""
    levels = []
    for index, users in enumerate((300, 900, 1000, 1200), 1):
        plain = level(index, users)
        groups = [
            one.model_copy(update={"name": name, "mean_ms": 1.5 * index * (number + 1)})
            for number, (name, one) in enumerate(
                zip(("files-64k", "files-1m"), plain.scenarios, strict=False)
            )
        ]
        reported = users if index < 4 else users - 7
        levels.append(plain.model_copy(update={"groups": groups, "users_reported": reported}))
    fallen = [
        each.model_copy(update={"stress_users": 1000 if each.flattened else None})
        for each in saturated().verdict.plateaus
    ]
    shown = verdict().model_copy(update={"kind": "ladder", "capacity": None, "plateaus": fallen})
    return replace(content(), levels=levels, verdict=shown)


def on_one_machine() -> ReportContent:
    """The server and the load generator share a machine and speak over its loopback."""
    plain = content()
    shared = plain.environment.sides[0].model_copy(update={"role": "both"})
    shrunk = "the data set was scaled to 2.0% of the original"
    flags = [*plain.verdict.flags, shrunk]
    return replace(
        plain,
        verdict=plain.verdict.model_copy(update={"flags": flags}),
        target="lab:files",
        environment=plain.environment.model_copy(update={"sides": [shared]}),
        shrunk=shrunk,
    )


def large_figures() -> ReportContent:
    """Every figure of a level has many digits, and most levels failed for many reasons."""
    levels = []
    for index, plain in enumerate(content().levels, 1):
        total = plain.total.model_copy(update={"failed": 1_234_567, "completed": 23_456_789})
        used = plain.counters["sut"].items()
        counters = {
            name: one.model_copy(update={"mean": one.mean * (25 if ".io{" in name else 1)})
            for name, one in used
        }
        levels.append(
            plain.model_copy(
                update={
                    "users": plain.users * 25,
                    "index": index + 30,
                    "total": total,
                    "offered_per_s": 104_712.5,
                    "achieved_per_s": 98_765.4,
                    "counters": {"sut": counters},
                    "requests": {name: n * 1000 for name, n in plain.requests.items()},
                }
            )
        )
    return replace(content(), levels=levels)


def hostile() -> ReportContent:
    """Every text that a server, a plan or a machine could choose is hostile."""
    levels = [level(1, 900), level(2, 1000), level(3, 940, "probe", "invalid")]
    flat = {"plateaus": saturated().verdict.plateaus}
    plain = replace(content(), levels=levels, verdict=verdict().model_copy(update=flat))
    return replace(
        plain,
        title=HOSTILE,
        workload=HOSTILE,
        recreates=HOSTILE,
        shrunk=HOSTILE,
        description=HOSTILE,
        sources=[
            HOSTILE,
            "javascript:alert(1)",
            f"https://example.org/{HOSTILE}",
            'https://x"onx=',
        ],
        deviations=[HOSTILE],
        target=HOSTILE,
        started_at=HOSTILE,
        verdict=_hostile_model(plain.verdict),
        levels=[_hostile_model(level_of_agents(one, (1, 2, 3))) for one in plain.levels],
        agents=[Fleet({one: agent(one, f"{one}{HOSTILE}") for one in (1, 2, 3)}, Moment())],
        environment=_hostile_model(plain.environment),
        plan_toml=HOSTILE + "\ud800",
        repeat_command=HOSTILE,
        criteria=[HOSTILE],
    )


_CHOICES = {"figure", "kind", "outcome", "purpose", "role", "unit"}
"""Fields that hold one of a few words; a fault's kind and a score's unit are free all the same."""


def _hostile_model(model: Any) -> Any:
    free = {"FaultResult", "Score"}
    closed = set() if type(model).__name__ in free else _CHOICES
    return model.model_copy(
        update={
            name: _hostile(getattr(model, name))
            for name in type(model).model_fields
            if name not in closed
        }
    )


def _hostile(value: Any) -> Any:
    if isinstance(value, str):
        return HOSTILE
    if isinstance(value, BaseModel):
        return _hostile_model(value)
    if isinstance(value, list | tuple):
        return [_hostile(part) for part in value]
    if isinstance(value, dict):
        # Names are kept beside the hostile ones, so that what is known by name is shown as well.
        named = {name: _hostile(part) for name, part in value.items()}
        return named | {f"{HOSTILE}{name}": part for name, part in named.items()}
    return value
