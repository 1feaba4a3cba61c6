"""Realistic contents of reports: a file server of about 920 users, by a queueing formula."""

import math

from headcount.bundle.environment import EnvironmentFile, Side
from headcount.bundle.level import (
    CounterSummary,
    CriterionResult,
    FaultResult,
    GeneratorResult,
    LevelResult,
    ScenarioResult,
    Steadiness,
    StepResult,
    Times,
)
from headcount.bundle.verdict import Capacity, Cost, Score, Verdict
from headcount.report.content import ReportContent
from headcount.report.figures.timeline import Point

KNEE = 1010
THINK_S = 5.0
LIMIT_MS = 1000.0


def times(p50_ms: float, count: int = 20000) -> Times:
    return Times(
        count=count,
        mean_ms=p50_ms * 1.2,
        p50_ms=p50_ms,
        p90_ms=p50_ms * 2.2,
        p95_ms=p50_ms * 3.1,
        p99_ms=p50_ms * 5.4,
        p999_ms=p50_ms * 8.9,
        max_ms=p50_ms * 12,
    )


def p50_at(users: int) -> float:
    """Grow like a queue below the knee and like a saturated server beyond it."""
    return 40 + 40 / (1 - min(users / KNEE, 0.85)) + max(0.0, users / KNEE - 0.91) * 4500


def scenario(name: str, users: int, part: float, steady_s: float) -> ScenarioResult:
    p50 = p50_at(users)
    rate = users / (THINK_S + p50 * 1.2 / 1000) * part
    due = int(rate * steady_s)
    slow = int(due * max(0.0, min(1.0, (p50 * 3.1 / LIMIT_MS) ** 4 * 0.05)))
    return ScenarioResult(
        name=name,
        due=due,
        completed=due - 3,
        failed=3,
        slow=slow,
        late=1,
        overloaded=min(due, slow + 4),
        overload=min(due, slow + 4) / due if due else None,
        unanswered=0,
        rate_per_s=rate,
        read_bytes_per_s=rate * 310e3,
        written_bytes_per_s=rate * 92e3,
        response=times(p50, due),
        service=times(p50 * 0.98, due),
        p95_interval_ms=(p50 * 3.1 * 0.94, p50 * 3.1 * 1.07),
    )


def counters(users: int) -> dict[str, dict[str, CounterSummary]]:
    load = min(users / KNEE, 1.0)
    means = {
        "system.cpu.utilization": 0.84 * load,
        "system.cpu.utilization.busiest": 0.97 * load,
        "system.memory.utilization": 0.31 + 0.12 * load,
        "system.memory.limit": 32.0 * 1024**3,
        "system.disk.io{disk.io.direction=read}": 41e6 * load,
        "system.disk.io{disk.io.direction=write}": 17.4e6 * load,
        "system.disk.io{disk.io.direction=read,system.device=vda}": 41e6 * load,
        "system.network.io{network.io.direction=receive}": 19e6 * load,
        "system.network.io{network.io.direction=transmit}": 63e6 * load,
        "system.network.io{network.io.direction=receive,network.interface.name=eth0}": 19e6 * load,
        "system.network.io{network.io.direction=receive,network.interface.name=lo}": 82.5e6 * load,
        "system.network.io{network.io.direction=transmit,network.interface.name=lo}": 82.5e6 * load,
        "system.disk.queue_length": 0.4 + 3 * load**4,
        "vendor.special": 12.0,
    }
    return {
        "sut": {
            name: CounterSummary(mean=mean, max=mean * 1.1, p95=mean * 1.05, samples=300)
            for name, mean in means.items()
        },
        "generator": {
            "process.cpu.utilization": CounterSummary(
                mean=0.6 * load, max=0.9, p95=0.8, samples=300
            )
        },
    }


REQUESTS = {
    "NEGOTIATE": 0.15,
    "SESSION_SETUP": 0.45,
    "TREE_CONNECT": 0.3,
    "CREATE": 2.86,
    "CLOSE": 2.5,
    "READ": 1.9,
    "QUERY_INFO": 2.0,
    "QUERY_DIRECTORY": 1.3,
    "WRITE": 0.98,
    "IOCTL": 0.57,
    "SET_INFO": 0.51,
    "FLUSH": 0.06,
}
"""Requests in each scenario of a file server's user."""


def level(
    index: int,
    users: int,
    purpose: str = "ladder",
    outcome: str | None = None,
    *,
    steady_s: float = 300.0,
) -> LevelResult:
    total = scenario("all", users, 1.0, steady_s)
    assert total.response is not None
    p95 = total.response.p95_ms
    judged = outcome or ("passed" if p95 <= LIMIT_MS else "failed")
    sentence = f"p95 is {p95:.0f} ms; the limit is 1 s."
    limited = judged == "invalid"
    reasons = {
        "passed": [],
        "failed": [sentence],
        "invalid": ["The load generator was the limit: its busiest worker used 97 % of a core."],
    }[judged]
    return LevelResult(
        index=index,
        purpose=purpose,
        users=users,
        outcome=judged,
        reasons=reasons,
        started_at="2025-11-20T14:03:00Z",
        ramp_s=20.0,
        settle_s=30.0,
        steady_s=steady_s,
        offered_per_s=total.rate_per_s * (1.06 if judged == "failed" else 1.0),
        achieved_per_s=total.rate_per_s,
        think_mean_s=THINK_S,
        little_error=0.0031,
        steadiness=Steadiness(steady=True, settled_after_s=12.0, reasons=[]),
        total=total,
        scenarios=[
            scenario("Open a Word document", users, 0.42, steady_s),
            scenario("Save a Word document", users, 0.18, steady_s),
            scenario("Browse a folder", users, 0.4, steady_s),
        ],
        steps=[
            StepResult(
                name=name,
                completed=int(total.completed * part),
                failed=2,
                rate_per_s=total.rate_per_s * part,
                read_bytes_per_s=31e6 * part,
                written_bytes_per_s=9e6 * part,
                service=times(p50_at(users) * part / 2),
            )
            for name, part in (("open", 1.0), ("read", 2.3), ("write", 0.6), ("close", 1.0))
        ],
        faults=[
            FaultResult(
                step="read",
                kind="timeout",
                count=3,
                examples=["no answer within 30 s to READ of \\\\files01\\home\\u0231\\report.docx"],
            )
        ]
        if judged == "failed"
        else [],
        criteria=[
            CriterionResult(
                criterion="p95<=1s",
                passed=p95 <= LIMIT_MS,
                value=p95,
                limit=LIMIT_MS,
                unit="ms",
                bad=None,
                total=None,
                allowed_share=None,
                sentence=sentence,
            ),
            CriterionResult(
                criterion="errors<=1%",
                passed=True,
                value=0.0001,
                limit=0.01,
                unit="share",
                bad=3,
                total=total.due,
                allowed_share=0.01,
                sentence="0.01 % failed; the limit is 1 %.",
            ),
        ],
        generator=GeneratorResult(
            workers=4,
            cpu_cores=0.62,
            busiest_worker_share=0.97 if limited else 0.19,
            timer_lateness_p50_ms=0.06,
            timer_lateness_p99_ms=0.4,
            timer_lateness_max_ms=2.2,
            limited=limited,
            reasons=["The busiest worker used 97 % of a core."] if limited else [],
        ),
        requests={name: round(total.due * part) for name, part in REQUESTS.items()},
        counters=counters(users),
    )


def empty_level(index: int, users: int) -> LevelResult:
    """A level at which nothing was completed and no counter was sampled."""
    full = level(index, users, outcome="failed")
    nothing = {
        "completed": 0,
        "rate_per_s": 0.0,
        "response": None,
        "service": None,
        "p95_interval_ms": None,
    }
    return full.model_copy(
        update={
            "achieved_per_s": 0.0,
            "think_mean_s": None,
            "little_error": None,
            "total": full.total.model_copy(update=nothing),
            "scenarios": [part.model_copy(update=nothing) for part in full.scenarios],
            "steps": [
                step.model_copy(update={"completed": 0, "service": None}) for step in full.steps
            ],
            "requests": {},
            "counters": {},
        }
    )


def search_levels() -> list[LevelResult]:
    """The levels of a search, as it runs them."""
    plan = [
        (50, "probe"),
        (100, "probe"),
        (200, "probe"),
        (400, "probe"),
        (800, "probe"),
        (1200, "probe"),
        (1000, "bracket"),
        (900, "straddle"),
        (960, "straddle"),
        (935, "straddle"),
        (950, "straddle"),
        (928, "straddle"),
        (918, "official"),
    ]
    levels = [level(index, users, purpose) for index, (users, purpose) in enumerate(plan, 1)]
    levels[7] = level(8, 900, "straddle", "invalid")
    return levels


def verdict() -> Verdict:
    return Verdict(
        kind="capacity",
        outcome="passed",
        sentence="files01 holds 918 users of home folders with p95 under 1 s.",
        broke_first="At 950 users the 95th percentile of response times went over 1 s (p95<=1s).",
        capacity=Capacity(
            users=918,
            estimate=939.2,
            low=918.4,
            high=957.0,
            at_least=False,
            official_passed=True,
            binding="p95<=1s",
        ),
        score=None,
        flags=["The load generator ran on the same machine as the server and took its CPU."],
        cost=Cost(levels=13, seconds=3315.0, operations=1_204_551),
    )


def score() -> Score:
    return Score(
        name="Weighted harmonic mean",
        value=231.4,
        unit="transactions per second",
        formula="sum of weights / sum of weights over rates",
        zero_level=None,
    )


def host() -> dict[str, object]:
    return {
        "hostname": "files01",
        "operating_system": "Debian GNU/Linux 12 (bookworm)",
        "architecture": "x86_64",
        "cpu": {"model": "Xeon Gold 6338", "logical": 16, "vulnerabilities": {"meltdown": "PTI"}},
        "memory_bytes": 34_359_738_368,
        "disks": [{"name": "nvme0n1", "model": "Samsung PM9A3", "size_bytes": 960_000_000_000}],
        "interfaces": [{"name": "lo"}, {"name": "eth0", "speed_mbit_s": 10000}],
        "kernel": {"release": "6.1.0-28-amd64", "settings": {"vm.swappiness": "60"}},
        "virtual": {"hypervisor_flag": True, "product": "KVM", "container": None},
    }


def environment() -> EnvironmentFile:
    return EnvironmentFile(
        headcount="0.1.0",
        build="release",
        started_at="2025-11-20T14:03:00Z",
        target="smb://files01/home",
        sides=[
            Side(
                role="sut",
                host=host(),
                programs={"smbd": "4.17.12"},
                settings={"server multi channel support": "yes", "aio read size": "1"},
            ),
            Side(
                role="generator",
                host={**host(), "hostname": "load01"},
                programs={"Python": "3.11.7"},
                settings={},
            ),
        ],
    )


def timeline(seconds: int = 350) -> list[Point]:
    return [
        Point(
            t_s=float(t),
            users=min(918, t * 46),
            achieved_per_s=min(1, t / 20) * (156 + 9 * math.sin(t * 1.7) + 5 * math.sin(t * 0.31)),
            p95_ms=None if t < 2 else 700 + 120 * math.sin(t * 0.9) + (900 if t == 200 else 0),
            cpu_share=min(1, t / 20) * (0.76 + 0.04 * math.sin(t * 0.5)),
        )
        for t in range(seconds)
    ]


PLAN = """[target]
url = "smb://files01/home"

[workload]
name = "home-folders"

[criteria]
passes = ["p95<=1s", "errors<=1%"]
"""


def content() -> ReportContent:
    return ReportContent(
        title="Home folders (re-creates FSCT's HomeFolders)",
        workload="home-folders",
        recreates="Microsoft's File Server Capacity Tool (FSCT), HomeFolders",
        description="Office documents opened, saved and browsed on a share of home folders, by "
        "users who think five seconds between two things.",
        sources=["https://example.org/fsct", "File Server Capacity Tool 1.0, user's guide"],
        deviations=["Think time is ours: the original's is not public."],
        target="smb://files01/home",
        started_at="2025-11-20T14:03:00Z",
        verdict=verdict(),
        levels=search_levels(),
        environment=environment(),
        plan_toml=PLAN,
        repeat_command="headcount capacity smb://files01/home --workload home-folders --seed 7",
        criteria=["p95<=1s", "errors<=1%"],
        timeline=timeline(),
    )
