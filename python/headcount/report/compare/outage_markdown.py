"""A comparison of failovers for a pull request, in GitHub's Markdown."""

from headcount.analyse.outage.comparison import FailoverComparison
from headcount.report.compare.markdown import bullets, escape, marked, table
from headcount.report.compare.outage_cells import groups, set_up_text


def render(found: FailoverComparison) -> str:
    """The whole text, the verdict first; what is from servers and plans is escaped."""
    lines = [f"**{escape(found.sentence)}**", ""]
    lines += [f"- **{escape(one.name)}**: {escape(set_up_text(one))}" for one in found.subjects]
    for group in groups(found):
        rows = [[*cells, marked(finding)] for *cells, finding in group.rows]
        lines += ["", *table(group.heads, rows)]
    lines += bullets("What differs", [one.sentence for one in found.unlike])
    lines += bullets("To know", found.doubts)
    return "\n".join(lines) + "\n"
