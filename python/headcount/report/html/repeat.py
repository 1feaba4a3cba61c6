"""How to run the same again."""

from headcount.report.content import ReportContent
from headcount.report.html.table import folded as make_section
from headcount.report.html.table import more
from headcount.report.markup import Html, element


def section(content: ReportContent) -> Html:
    """Give the command and the plan."""
    return make_section(
        "How to repeat it",
        element("pre", element("code", content.repeat_command), tabindex="0"),
        more("The plan, as resolved", element("pre", element("code", content.plan_toml))),
    )
