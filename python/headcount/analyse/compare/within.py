"""Whether two subjects are equal within a margin: an equivalence test.

Two one-sided tests (Schuirmann 1987) by the 95% interval of the ratio: equality within the margin
is shown if the whole interval lies inside. Each side is then shown with 97.5% confidence.
"""

from headcount.analyse.compare.comparison import Comparison, Difference, Equality


def within(found: Comparison, margin: float) -> Comparison:
    """The comparison, extended by whether each difference is at most `margin`, such as 0.02."""
    equal = [equality(one, margin) for one in found.differences]
    return found.model_copy(update={"margin": margin, "equalities": equal})


def equality(one: Difference, margin: float) -> Equality:
    """What the interval of a difference shows about a margin.

    The margin is the same both ways: from 1 / (1 + margin) to 1 + margin.
    """
    low, high = 1 / (1 + margin), 1 + margin
    if one.interval is None:
        result = "not shown"
    elif low <= one.interval[0] and one.interval[1] <= high:
        result = "equal"
    elif one.interval[0] > high or one.interval[1] < low:
        result = "different"
    else:
        result = "not shown"
    return Equality.model_validate(
        {
            "metric": one.metric,
            "label": one.label,
            "users": one.users,
            "first": one.first,
            "second": one.second,
            "ratio": one.ratio,
            "interval": one.interval,
            "result": result,
        }
    )
