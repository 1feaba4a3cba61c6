"""`headcount audit --published`: what published results derive, recomputed."""

from collections import Counter
from typing import Any

from rich.table import Table

from headcount.cli.console import out, print_json
from headcount.text import plural

MARKS = {
    "matches": "[green]matches[/]",
    "does not match": "[bold red]does not match[/]",
    "ambiguous": "[yellow]ambiguous[/]",
    "not recomputable": "[dim]not recomputable[/]",
}


def audit_published(*, json: bool) -> None:
    """Print every check with the right value."""
    from headcount.analyse.published.check import VERDICTS, recompute

    found = recompute()
    counts = Counter(one.verdict for one in found)
    if json:
        print_json(
            {
                "counts": {verdict: counts[verdict] for verdict in VERDICTS},
                "checks": [_plain(one) for one in found],
            }
        )
        return
    source = ""
    for one in found:
        if one.source != source:
            source = one.source
            table = Table(box=None, title=f"\n{source}", title_justify="left", show_header=False)
            table.add_column(no_wrap=True)
            table.add_column(overflow="fold")
            table.add_column(overflow="fold")
            own = [each for each in found if each.source == source]
            for each in own:
                note = f" ({each.check.note})" if each.check.note else ""
                table.add_row(MARKS[each.verdict], each.check.claim, f"{each.correct}{note}")
            out.print(table)
    text = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS)
    out.print(f"\n{plural('check', len(found))}: {text}. Formulas and sources: docs/published.md")


def _plain(one: Any) -> dict[str, Any]:
    return {
        "source": one.source,
        "id": one.check.id,
        "place": one.check.place,
        "claim": one.check.claim,
        "verdict": one.verdict,
        "correct": one.correct,
        "note": one.check.note,
        "formulas": {**one.check.let, **one.check.readings},
        "readings": dict(one.held),
    }
