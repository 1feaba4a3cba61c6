"""How to read the report: the words it uses."""

from collections.abc import Sequence

from headcount.report.html.table import folded as make_section
from headcount.report.html.table import pairs
from headcount.report.markup import Html

_WORDS = (
    ("User", "One simulated person with its own connection and think time."),
    ("Scenario", "One thing a user does, made of steps. Response times are quoted for it."),
    (
        "Response time",
        "From when a scenario was due to its end, so a server that stalls cannot hide it.",
    ),
    ("Service time", "From its actual start to its end."),
    ("Overload", "The share of scenarios that failed, were slow or started late."),
    (
        "Capacity",
        "The number of users at a level that was run and that met every criterion.",
    ),
)


def section(words: Sequence[tuple[str, str]] = _WORDS) -> Html:
    """Define the words."""
    return make_section("How to read this", pairs(words), style="guide")
