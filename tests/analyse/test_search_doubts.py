"""Doubts about a capacity: the server holds fewer users at times, or drops requests."""

from typing import Any

import pytest
from diagnosis_levels import QUIET, level
from null_run import plan_of, serve, workload

from headcount.analyse.search import Flag, Outcome
from headcount.analyse.search.moments import BadMoments, Moment
from headcount.analyse.search_doubts import resent, search_doubts

PLAN = plan_of(workload("closed", "20ms", serve(0.001), criteria=["p95<=200ms"]), [], mode="search")
LEVELS = [level(1, 700, 100.0, 0.1, 5.0, QUIET), level(2, 800, 110.0, 0.1, 5.0, QUIET)]
MOMENTS = (
    Moment(index=0, users=700, after_s=25.0, seconds=5.0, first=5, end=6, held=640.2),
    Moment(index=1, users=800, after_s=10.0, seconds=15.0, first=2, end=5, held=655.7),
)


def outcome(**more: Any) -> Outcome:
    values: dict[str, Any] = {
        "estimate": 820.0,
        "low": 640.2,
        "high": 960.0,
        "published": 800,
        "confirmed": True,
        "binding": "p95<=200ms",
        "widened_by": (),
        "flags": (Flag.UNEVEN,),
        "levels": 2,
        "seconds": 100.0,
        "otherwise": 943.7,
    }
    return Outcome(**(values | more))


def test_bad_moments_are_reported_with_both_capacities_and_the_worst_time() -> None:
    found = search_doubts(
        PLAN, LEVELS, outcome(moments=BadMoments(MOMENTS, 0.0625)), is_finished=True
    )
    # The level began at midnight; its ramp and settling took a second each.
    assert found == [
        "the server holds fewer users at times: no one number is the whole answer",
        (
            "2 bad moments, 6.2% of the time: fewer than 656 users in them, about 943 otherwise; "
            "the worst began at 00:00:27 UTC and lasted 5 s (700 users): look for what ran then"
        ),
    ]


def test_a_single_bad_moment_is_not_a_doubt() -> None:
    single = outcome(moments=BadMoments(MOMENTS[:1], 0.03), flags=())
    assert search_doubts(PLAN, LEVELS, single, is_finished=True) == []


@pytest.mark.parametrize(("again", "shown"), [(0, None), (9, None), (10, "1%"), (70, "7%")])
def test_requests_sent_again_are_a_doubt_from_one_percent_on(again: int, shown: str | None) -> None:
    requests = {"GET": 990, "OTHER": 10, "CONNECT": 5000, "RESENT": again}
    calm = LEVELS[0].model_copy(update={"requests": {"GET": 1000, "RESENT": 0}})
    hasty = LEVELS[1].model_copy(update={"requests": requests})
    text = (
        f"with 800 users, the server closed kept connections instead of answering {shown} of the "
        "requests; users sent these again, as browsers do, so they did not fail: see the "
        "server's error log"
    )
    assert resent([calm, hasty], set()) == ([] if shown is None else [text])
    assert resent([calm, hasty], {hasty.index}) == []
