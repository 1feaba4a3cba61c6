"""How to read the report: the words it uses."""

from headcount.report.html.table import pairs
from headcount.report.html.table import section as make_section
from headcount.report.markup import Html

_WORDS = (
    ("User", "A simulated person with a connection and a think time of their own."),
    ("Scenario", "One thing a person does, made of steps; what response time is quoted for."),
    (
        "Response time",
        "From the moment a scenario was due to its end, so a server that stalls cannot hide it.",
    ),
    ("Service time", "From the moment it was actually begun to its end."),
    ("Overload", "The share of scenarios that failed, took longer than allowed or began late."),
    (
        "Capacity",
        "The most users at which every criterion holds; quote the lower end of its interval.",
    ),
)


def section() -> Html:
    """Define the words."""
    return make_section("How to read this", pairs(_WORDS), style="guide")
