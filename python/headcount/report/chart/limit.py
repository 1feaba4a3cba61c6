"""The limit that a criterion sets, across a panel."""

from headcount.report.chart.panel import Panel
from headcount.report.markup import Html, element, joined


def limit_rule(panel: Panel, criterion: str, limit_ms: float) -> Html:
    """Draw the limit that a criterion sets, with the criterion beside it."""
    y = panel.y.at(limit_ms)
    rule = f"M{panel.left:.1f} {y:.1f}H{panel.right:.1f}"
    return joined(
        [
            element("path", d=rule, class_="line limit"),
            element(
                "text",
                f"limit {_cut(criterion, int((panel.right - panel.left) / 10))}",
                x=panel.left + 8,
                y=y - 7 if y > panel.top + 20 else y + 16,
                class_="tag limit",
            ),
        ]
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "\N{HORIZONTAL ELLIPSIS}"
