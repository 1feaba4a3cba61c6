"""The page of published results, made from the data.

`python -m headcount.analyse.published.page > docs/published.md` rewrites it.
"""

import sys
from collections import Counter

from headcount.analyse.published.check import VERDICTS, Finding, recompute
from headcount.analyse.published.library import documents
from headcount.analyse.published.model import Document
from headcount.analyse.published.rows import rows
from headcount.text import plural

_INTRODUCTION = """\
# Published results

This reference lists what five documents say about servers from 1997 to 2010. `headcount published`
lists the systems and `headcount published NAME` shows one; `--workload`, `--figure` and `--source`
filter, `--json` and `--csv` export. Charts and comparisons show these points as reference lines,
labelled **published, on different hardware**. They are not scores of Headcount's workloads, and
nothing is interpolated.

Numbers are as printed. Rows that repeat another table of the same document are marked.

## Recomputed

`headcount audit --published` recomputes the figures that the documents derive from their own, and
prints the right value for each. A check is a claim with its possible *readings*, each a formula
over the printed figures. The claim **matches** if all readings hold, **does not match** if none
does, and is **ambiguous** if some do. It is **not recomputable** if a formula needs a figure that
is not printed.

Prices are compared by the range they imply: $13.45 per user at 2,200 users means a price of $29,579
to $29,601, and all ranges of one system must overlap.
"""

_END = """\
## Add a document

Add a file to `python/headcount/analyse/published/data` and name it in `NAMES` of `library.py`:

- `id`, `title`, `publisher`, `year`
- `[tests]`: the workloads that re-create them
- `[figures]`: the printed unit and, if Headcount has the figure, its name (`as`) and the `factor`
  to its unit
- `[[systems]]`: the figures of each test, and where they are printed, with all printed digits
- `[facts]`: figures from the text; `[known]`: general knowledge for formulas; `[absent]`: figures
  that a formula needs but that are not printed

A file of the same name in `checks` has the claims. `let` lists formulas in order, `shows` the right
value and `readings` the formulas that decide. `rounds(x, printed)` compares to half a unit of the
last printed digit.

This page is generated: `python -m headcount.analyse.published.page > docs/published.md`.
"""


def page() -> str:
    """The whole page."""
    found = recompute()
    parts = [_INTRODUCTION, _counts(found)]
    parts += [_checks(one, [f for f in found if f.source == one.id]) for one in documents()]
    parts.append("## The results\n")
    parts += [_results(one) for one in documents()]
    parts.append(_END)
    return "\n".join(parts)


def _counts(found: list[Finding]) -> str:
    numbers = Counter(one.verdict for one in found)
    text = ", ".join(f"{numbers[verdict]} {_verdict_text(verdict)}" for verdict in VERDICTS)
    return f"Of {plural('check', len(found))} {text}.\n"


def _verdict_text(verdict: str) -> str:
    plural = {
        "matches": "match",
        "does not match": "do not match",
        "ambiguous": "are ambiguous",
        "not recomputable": "cannot be recomputed",
    }
    return plural[verdict]


def _head(found: Document) -> str:
    return f"### {found.title}\n\n{found.publisher}, {found.when}. `{found.id}`\n"


def _checks(found: Document, checked: list[Finding]) -> str:
    lines = [
        _head(found),
        "| check | where | claim | verdict | right | remark |",
        "|---|---|---|---|---|---|",
    ]
    for one in checked:
        verdict = one.verdict if one.verdict == "matches" else f"**{one.verdict}**"
        if one.verdict == "ambiguous":
            verdict += ": " + "; ".join(
                f"{'holds' if held else 'does not hold'} ({text})"
                for text, held in one.held.items()
            )
        check = one.check
        cells = [f"`{check.id}`", check.place, check.claim, verdict, one.correct, check.note]
        lines.append(_row(cells))
    return "\n".join(lines) + "\n"


def _results(found: Document) -> str:
    lines = [
        f"### Results: {found.title}\n",
        "| system | hardware | test | users | figure | value | where |",
        "|---|---|---|---|---|---|---|",
    ]
    seen = ""
    for row in (row for row in rows() if row.source == found.id):
        system = "" if row.system == seen else f"`{row.system}` {row.label}"
        if system and row.remark:
            system += f" ({row.remark})"
        hardware = "" if row.system == seen else row.hardware
        seen = row.system
        users = "" if row.users is None else f"{row.users:,}"
        value = f"{row.value:,}" + (row.unit if row.unit == "%" else f" {row.unit}")
        lines.append(_row([system, hardware, row.test, users, row.meaning, value, row.place]))
    return "\n".join(lines) + "\n"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    sys.stdout.write(page())
