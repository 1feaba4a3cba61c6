r"""What users who do nothing cost in Locust. Runs in an environment of its own, which has Locust.

    uv run --no-project --isolated --with locust \
        python bench/locust_users.py USERS PER_S [--recorded]

Prints one JSON object. Users wait an exponential time between tasks, as Headcount's do. With
--recorded each task also adds one request to Locust's statistics, without which Locust keeps no
response times.
"""

import argparse
import json
import logging
import math
import os
import random
import resource
import time
from pathlib import Path

import gevent  # type: ignore[import-untyped,import-not-found,unused-ignore]
from locust import User, task  # type: ignore[import-not-found,unused-ignore]
from locust.env import Environment  # type: ignore[import-not-found,unused-ignore]

SPAWN_PER_S = 500
SETTLE_S = 5
MEASURE_S = 10
LATENESS_US = 10.0
LATENESS_BUCKETS = 10_000


def resident_bytes() -> int:
    """Memory of this process that is in use."""
    pages = int(Path("/proc/self/statm").read_text("utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def cpu_s() -> float:
    """CPU time of this process so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


class Lateness:
    """How late tasks began after their wait was over, in buckets of LATENESS_US."""

    def __init__(self) -> None:
        """None yet; what it needs is allocated now, so that no user is charged for it."""
        self._counts = [0] * LATENESS_BUCKETS

    def record(self, late_s: float) -> None:
        """One more."""
        self._counts[min(int(late_s * 1e6 / LATENESS_US), LATENESS_BUCKETS - 1)] += 1

    def quantile_us(self, quantile: float) -> float:
        """The lateness that this share does not exceed."""
        left = quantile * sum(self._counts)
        for bucket, count in enumerate(self._counts):
            left -= count
            if left <= 0:
                return (bucket + 1) * LATENESS_US
        return LATENESS_BUCKETS * LATENESS_US


def main() -> None:
    """Measures, and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("users", type=int)
    parser.add_argument("per_s", type=float, help="tasks that a user begins each second")
    parser.add_argument("--recorded", action="store_true", help="record one request a task")
    options = parser.parse_args()
    done = 0
    lateness = Lateness()

    class Nobody(User):  # type: ignore[misc,unused-ignore]
        due_s = math.inf

        def wait_time(self) -> float:
            pause_s = random.expovariate(options.per_s)
            self.due_s = time.perf_counter() + pause_s
            return pause_s

        @task  # type: ignore[untyped-decorator,unused-ignore]
        def nothing(self) -> None:
            nonlocal done
            done += 1
            lateness.record(max(0.0, time.perf_counter() - self.due_s))
            if options.recorded:
                self.environment.events.request.fire(
                    request_type="null",
                    name="nothing",
                    response_time=0.0,
                    response_length=0,
                    exception=None,
                    context={},
                )

    logging.disable(logging.WARNING)  # it warns about that many users per second
    environment = Environment(user_classes=[Nobody])
    runner = environment.create_local_runner()
    before = resident_bytes()
    runner.start(options.users, spawn_rate=SPAWN_PER_S)
    gevent.sleep(options.users / SPAWN_PER_S + SETTLE_S)
    done_before, cpu_before_s = done, cpu_s()
    gevent.sleep(MEASURE_S)
    tasks, used_s = done - done_before, cpu_s() - cpu_before_s
    figures = {
        "users": runner.user_count,
        "tasks_per_s": tasks / MEASURE_S,
        "cpu_us_per_task": used_s * 1e6 / max(tasks, 1),
        "lateness_p50_us": lateness.quantile_us(0.5),
        "lateness_p99_us": lateness.quantile_us(0.99),
        "bytes_per_user": (resident_bytes() - before) / options.users,
    }
    print(json.dumps(figures))
    runner.quit()


if __name__ == "__main__":
    main()
