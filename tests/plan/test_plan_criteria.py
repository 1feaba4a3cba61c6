"""Criteria: what is understood, and what is refused because it means nothing."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.errors import InputError
from headcount.plan.criteria import Criterion, parse, parse_all


@pytest.mark.parametrize(
    ("text", "criterion"),
    [
        ("p95<=1s", Criterion("p95<=1s", "percentile", 1.0, False, 95.0)),
        ("p99.9 < 30 ms", Criterion("p99.9<30ms", "percentile", 0.03, True, 99.9)),
        ("mean<=500ms", Criterion("mean<=500ms", "mean", 0.5, False)),
        ("errors<1%", Criterion("errors<1%", "errors", 0.01, True)),
        ("errors<=0", Criterion("errors<=0", "errors", 0.0, False)),
        ("overload<=0.05", Criterion("overload<=0.05", "overload", 0.05, False)),
        ("achieved>=95%", Criterion("achieved>=95%", "achieved", 0.95, False)),
        ("read:p95<=50ms", Criterion("read:p95<=50ms", "percentile", 0.05, False, 95.0, "read")),
    ],
)
def test_criteria_are_read(text: str, criterion: Criterion) -> None:
    assert parse(text) == criterion


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("fast", "criteria look like: p95<=1s"),
        ("p95", "criteria look like"),
        ("p95=<1s", "criteria look like"),
        ("p95>=1s", "must be written with <="),
        ("achieved<=95%", "must be written with >="),
        ("p100<=1s", "from 1 to below 100"),
        ("p0.5<=1s", "from 1 to below 100"),
        ("p95<=1%", "write it like 200ms"),
        ("p95<=1000", 'has no unit; write it like 200ms or 30s: "p95<=1000ms" or "p95<=1000s"'),
        ("p(95)<500", 'did you mean "p95<500ms"?'),
        ("avg<1s", 'did you mean "mean<1s"?'),
        ("p95=500ms", 'did you mean "p95<=500ms"?'),
        ("error_rate<1%", 'did you mean "errors<1%"?'),
        ("errors<1", '"errors<1%" is 1%; use 0.01% to 99%'),
        ("p95<=1µs", "write it like 200ms"),
        ("mean<=5%", "write it like 200ms"),
        ("errors<1s", "write it like 5%"),
        ("errors<101%", "at most 100%"),
        ("p95<=0s", "never be met or broken"),
        ("p95<=0.5us", "never be met or broken"),
        ("mean<=2h", "never be met or broken"),
        ("errors<0%", "never be met or broken"),
        ("errors<=100%", "never be met or broken"),
        ("overload<100%", "never be met or broken"),
        ("achieved>=0%", "never be met or broken"),
        ("achieved>=100%", "never be met or broken"),
    ],
)
def test_unreadable_or_pointless_criteria_are_refused(text: str, part: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert part in str(caught.value)
    assert text in str(caught.value)


def test_criteria_of_a_plan_name_its_scenarios_once() -> None:
    assert len(parse_all(["p95<=1s", "read:p95<=1s"], ["read"])) == 2
    with pytest.raises(InputError, match=r"does not have; it has: read, write"):
        parse_all(["raed:p95<=1s"], ["read", "write"])
    with pytest.raises(InputError, match="at least one criterion"):
        parse_all([], ["read"])
    with pytest.raises(InputError, match=r'"p95<=1s" is given twice'):
        parse_all(["p95<=1s", "p95 <= 1s"], ["read"])


@given(st.integers(100, 9_999))
def test_the_allowed_share_is_exact(hundredths: int) -> None:
    percentile = f"{hundredths // 100}.{hundredths % 100:02}"
    expected = float(1 - Fraction(hundredths, 10_000))
    assert parse(f"p{percentile}<=1s").allowed_share == expected
    assert parse(f"achieved>={percentile}%").allowed_share == expected


def test_a_mean_has_no_allowed_share() -> None:
    assert parse("mean<=1s").allowed_share is None
    assert parse("errors<2%").allowed_share == 0.02
