"""The rule that ends levels far from the limit."""

import pytest

from headcount.analyse.search import Share, Value, wide_rule


def share(bad: float, total: float, allowed: float = 0.05) -> Share:
    return Share("p95", bad, total, allowed)


@pytest.mark.parametrize(
    ("results", "measured_s", "verdict"),
    [
        ((share(0, 5_000),), 25, "pass"),
        ((share(0, 5_000),), 15, None),  # too short
        ((share(0, 500),), 25, None),  # too few to know
        ((share(4_000, 5_000),), 25, "fail"),
        ((share(250, 5_000),), 25, None),  # at the limit
        ((share(1_300, 5_000),), 25, None),  # 26 % is beyond 25 %, but not surely
        ((share(0, 5_000), share(4_000, 5_000)), 25, "fail"),
        ((share(0, 5_000), share(250, 5_000)), 25, None),
        ((Value("mean", 0.1, 1.0),), 25, "pass"),
        ((Value("mean", 11.0, 1.0),), 25, "fail"),
        ((Value("mean", 2.0, 1.0),), 25, None),
        ((share(0, 0),), 25, None),
        ((share(200, 200, 0.0),), 25, "fail"),
        ((share(90, 100, 0.5),), 25, None),
        ((share(9_990, 10_000, 0.5),), 25, "fail"),
        ((), 25, None),
    ],
)
def test_wide_rule(results, measured_s, verdict):
    assert wide_rule(results, measured_s) == verdict


def test_the_thresholds_are_five_times_and_a_fifth_of_the_allowed_share():
    # With a million requests the margin of 6 sqrt(0.01 / n) is 0.06 %.
    margin = 0.0006
    assert wide_rule((share(1e6 * (0.01 - margin) - 1, 1e6),), 25) == "pass"
    assert wide_rule((share(1e6 * (0.01 - margin) + 1, 1e6),), 25) is None
    exact = 6 * (0.253 * 0.747 / 1e6) ** 0.5
    assert 0.253 - exact > 0.25
    assert wide_rule((share(253_000, 1e6),), 25) == "fail"
    assert wide_rule((share(251_000, 1e6),), 25) is None
