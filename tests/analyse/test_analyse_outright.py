"""What breaks a level whatever the load generator did."""

import pytest

from headcount.analyse.outright import has_failed_outright
from headcount.bundle.level import FaultResult
from headcount.plan.criteria import parse


def fault(kind: str, count: int) -> FaultResult:
    return FaultResult(step="step-0", kind=kind, count=count, examples=[])


@pytest.mark.parametrize(
    ("criteria", "faults", "broke"),
    [
        (["errors<1%"], [fault("refused", 11)], True),
        (["errors<1%"], [fault("refused", 10)], False),  # as many as are allowed
        (["errors<1%"], [fault("refused", 6), fault("disconnected", 5)], True),
        (["errors<1%"], [fault("timeout", 900), fault("refused", 10)], False),
        (["errors<5%", "errors<1%"], [fault("connect", 20)], True),  # the strictest counts
        (["work:errors<1%"], [fault("refused", 900)], False),  # whose they were is not known
        (["p95<=1s"], [fault("refused", 900)], False),
        (["errors<1%"], [], False),
        (["errors<90%"], [fault("timeout", 9), fault("wrong-data", 1)], True),
        (["p95<=1s"], [fault("wrong-data", 1)], True),
    ],
)
def test_faults_that_late_timers_cannot_cause(
    criteria: list[str], faults: list[FaultResult], broke: bool
) -> None:
    assert has_failed_outright([parse(text) for text in criteria], faults, 900, 100) is broke
