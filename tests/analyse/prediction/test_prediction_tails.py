"""Why large steps are predicted too low: a percentile comes nearer to the mean in a larger server.

A CPU quota as a queue of one place with exponential service, and users who think, has its
percentile in closed form: a user who arrives finds the queue that one user fewer would leave.
"""

import math
from pathlib import Path

import pytest
from diagnosis_levels import QUIET, level, queue
from repairman import plan
from scipy import optimize, stats

from headcount.analyse.prediction import Asked, change, predict
from headcount.bundle.level import LevelResult
from headcount.bundle.reader import Bundle

CPU_S, THINK_S, LIMIT_MS = 0.003, 2.0, 600
CORES = 0.2


def p95_s(users: int, service_s: float) -> float:
    """The 95th percentile of the response times of N users."""
    ratio = math.log(service_s / THINK_S)
    logs = [math.lgamma(users) - math.lgamma(users - n) + n * ratio for n in range(users)]
    weights = [math.exp(each - max(logs)) for each in logs]
    terms = [(n + 1, w / sum(weights)) for n, w in enumerate(weights) if w > 1e-15]

    def over(limit_s: float) -> float:
        return sum(w * stats.gamma.sf(limit_s, n, scale=service_s) for n, w in terms) - 0.05

    return float(optimize.brentq(over, 1e-6, users * service_s * 3))


def most_users(service_s: float) -> int:
    """The most users whose 95th percentile is within the limit."""
    low, high = 1, round(3 * THINK_S / service_s)
    while high - low > 1:
        middle = (low + high) // 2
        within = p95_s(middle, service_s) <= LIMIT_MS / 1000
        low, high = (middle, high) if within else (low, middle)
    return low


def measured(index: int, users: int) -> LevelResult:
    service_s = CPU_S / CORES
    found = queue(users, 1, service_s, THINK_S)
    counters = QUIET | {
        "cgroup.cpu.utilization": found.per_s * CPU_S,
        "cgroup.cpu.limit": CORES,
        "system.memory.limit": 64e9,
    }
    made = level(index, users, found.per_s, found.response_s, THINK_S, counters)
    assert made.total.response is not None
    p95_ms = 1000 * p95_s(users, service_s)
    times = made.total.response.model_copy(update={"p95_ms": p95_ms})
    total = made.total.model_copy(update={"response": times})
    return made.model_copy(update={"total": total, "scenarios": [total]})


@pytest.mark.parametrize(("factor", "low", "high"), [(1.0, -0.02, 0.02), (3.0, -0.06, -0.02)])
def test_three_times_the_cpu_is_predicted_a_few_percent_too_low(
    tmp_path: Path, factor: float, low: float, high: float
) -> None:
    knee = most_users(CPU_S / CORES)
    users = [round(knee * part) for part in (0.4, 0.6, 0.8, 0.95, 1.1, 1.3)]
    levels = [measured(index, each) for index, each in enumerate(users, 1)]
    bundle = Bundle(tmp_path, plan(f"p95<={LIMIT_MS}ms", users), None, levels, None)
    changes = [] if factor == 1 else [change.parse("cpu", f"{factor:g}x")]
    found = predict(bundle, Asked(changes))
    assert found.capacity is not None
    assert found.capacity.low is not None
    assert found.capacity.high is not None
    truth = most_users(CPU_S / CORES / factor)
    assert low <= found.capacity.users / truth - 1 <= high
    assert found.capacity.low <= truth <= found.capacity.high
