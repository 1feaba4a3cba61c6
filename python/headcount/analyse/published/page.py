"""The page of published results, made from the data.

`python -m headcount.analyse.published.page > docs/published.md` writes it anew.
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

What five documents print of servers of 1997 to 2010, as data: `headcount published` lists the
systems, `headcount published NAME` shows a document or a system, `--workload`, `--figure` and
`--source` choose, `--json` and `--csv` hand it to other programs. Charts and comparisons can show
these points beside your own, as reference lines; their labels always say that they are
**published, on different hardware**, and mostly with another program. They are no scores of
Headcount's workloads, and nothing is interpolated.

Numbers are as printed. Rows that repeat another table of the same document are marked; reference
lines leave them out.

## Recomputed

`headcount audit --published` recomputes what the documents derive from their own figures, and
prints the right value for each. A check is a claim with the *readings* under which it could be
true, each a formula over what is printed. A claim that holds under all of them **matches**, under
none it **does not match**, under some it is **ambiguous**; where a formula needs what is not
printed, it is **not recomputable**. Nothing else decides: change a figure in the data, and the
verdict changes with it.

Prices are compared through what they imply: $13.45 per user at 2,200 users is a price of $29,579
to $29,601, and all such ranges of one system must share a price.
"""

_END = """\
## Add a document

A file in `python/headcount/analyse/published/data`, named in `NAMES` of `library.py`: `id`,
`title`, `publisher`, `year`; `[tests]` with the workloads that re-create them; `[figures]` with
the unit printed and, where Headcount has the figure, its name (`as`) and the `factor` to its
unit; `[[systems]]` with what is printed of each test and where. Numbers are written with the
digits that are printed. `[facts]` are figures of the text, `[known]` is general knowledge that
formulas need, `[absent]` what they would need and is not printed.

A file of the same name in `checks` has the claims: `let` are formulas, in order, `shows` the
right value, `readings` the formulas that decide. `rounds(x, printed)` compares to half a unit of
the last digit printed.

This page is made from the data: `python -m headcount.analyse.published.page > docs/published.md`.
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
    told = ", ".join(f"{numbers[verdict]} {_verdict_text(verdict)}" for verdict in VERDICTS)
    return f"Of {plural('check', len(found))} {told}.\n"


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
        value = f"{row.value:,} {row.unit}"
        lines.append(_row([system, hardware, row.test, users, row.meaning, value, row.place]))
    return "\n".join(lines) + "\n"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    sys.stdout.write(page())
