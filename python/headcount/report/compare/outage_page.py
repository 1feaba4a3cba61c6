"""A comparison of failovers as one HTML page that needs nothing from anywhere."""

from headcount.analyse.outage.comparison import FailoverComparison
from headcount.report.compare.cells import finding_class
from headcount.report.compare.outage_cells import Group, groups, set_up_text
from headcount.report.compare.page import differences, document, header, reading, verdict
from headcount.report.html import table
from headcount.report.html.table import Column, row
from headcount.report.markup import Html, element

_READING = (
    (
        "Times count from when the fault began. The columns of the set-ups are medians over their "
        "repetitions; “never” means that at least half of them were not back in the time "
        "watched."
    ),
    (
        "The shift is the median of the differences of all pairs, one repetition of each set-up "
        "(Hodges and Lehmann). Its 95% interval is from ranks: it assumes no distribution."
    ),
    (
        "The verdict at the top compares only when users were served again. The other rows explain "
        "it: of ten figures, one may differ by chance."
    ),
)


def render(found: FailoverComparison, made_at: str) -> str:
    """The whole page. Pure: the same comparison gives the same page."""
    title = " against ".join(one.name for one in found.subjects[::-1])
    main = element(
        "main",
        header(title, [(one.name, set_up_text(one)) for one in found.subjects], made_at),
        verdict(found.finding, found.sentence, found.doubts),
        *(_table(group) for group in groups(found)),
        differences(found.unlike),
        reading(_READING),
    )
    return document(title, main)


def _table(group: Group) -> Html:
    last = len(group.heads) - 1
    columns = [Column(head, text=place in (0, last)) for place, head in enumerate(group.heads)]
    rows = [row(columns, [*cells, _verdict(finding)]) for *cells, finding in group.rows]
    return table.section(group.title, table.table(columns, rows, group.title))


def _verdict(finding: str) -> Html:
    return element("span", finding, class_=f"finding {finding_class(finding)}".strip())
