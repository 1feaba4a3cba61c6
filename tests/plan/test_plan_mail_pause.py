"""What compression makes faster in a mail workload."""

import json

from headcount import workloads
from headcount.plan.plan import engine_plan
from headcount.plan.resolve import Overrides, resolve


def steps_at(compress: float) -> dict[str, dict[str, object]]:
    overrides = Overrides(compress=compress, users=1)
    plan = resolve(workloads.load("mail-imap-mix"), "lab:mail", overrides)
    scenarios = json.loads(engine_plan(plan))["scenarios"]
    return {step["name"]: step for scenario in scenarios for step in scenario["steps"]}


def test_a_wait_for_news_is_compressed_like_a_pause() -> None:
    assert steps_at(1)["idle"]["lasting"] == {"draw": "fixed", "s": 5.0}
    faster = steps_at(20)
    assert faster["idle"]["lasting"] == {"draw": "fixed", "s": 0.25}
    assert faster["append"] == steps_at(1)["append"]
