"""The page of published results, generated from the data.

`python -m headcount.analyse.published.reference > docs/published.md` rewrites it.
"""

import sys
from collections import Counter
from itertools import groupby

from headcount.analyse.published.check import VERDICTS, Finding, recompute
from headcount.analyse.published.library import documents
from headcount.analyse.published.model import Document
from headcount.analyse.published.page_results import results
from headcount.analyse.published.page_tables import shared_place, table
from headcount.text import plural

_INTRODUCTION = """\
# Published results

What five documents say about servers from 1997 to 2010, as printed. `headcount published` lists the
systems, `headcount published NAME` shows one; `--workload`, `--figure` and `--source` filter,
`--json` and `--csv` export. Charts and comparisons show these points as reference lines, labelled
**published, on different hardware**. They are not scores of Headcount's workloads, and nothing is
interpolated.

## Recomputed

`headcount audit --published` recomputes the figures that the documents derive from their own. Each
claim has *readings*: formulas over the printed figures. The claim **matches** if all hold (yes),
**does not match** if none does (no), is **ambiguous** if some do, and **not recomputable** if a
figure that a formula needs is not printed.

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

This page is generated: `python -m headcount.analyse.published.reference > docs/published.md`.
"""


def page() -> str:
    """The whole page."""
    found = recompute()
    parts = [_INTRODUCTION, _counts(found)]
    parts += [_checks(one, [f for f in found if f.source == one.id]) for one in documents()]
    parts.append("## The results\n")
    parts += [
        f"### Results: {one.title}\n\n" + "\n\n".join(results(one)) + "\n" for one in documents()
    ]
    parts.append(_END)
    return "\n".join(parts)


def _counts(found: list[Finding]) -> str:
    numbers = Counter(one.verdict for one in found)
    text = ", ".join(f"{numbers[verdict]} {_verdict_text(verdict)}" for verdict in VERDICTS)
    return f"Of {plural('check', len(found))} {text}. Those that match are left out here.\n"


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
    """A table of each run of checks with one claim, and one of the checks between such runs."""
    wrong = [one for one in _parts(checked) if one[1].verdict != "matches"]
    tables = [
        _check_table(claim, [one for _, one in same])
        for claim, same in groupby(wrong, key=lambda part: part[0])
    ]
    return _head(found) + "\n" + "\n\n".join(tables) + "\n"


def _parts(checked: list[Finding]) -> list[tuple[str, Finding]]:
    """Each check with its claim, if a neighbour has the same claim; else with an empty one."""
    claims = Counter(one.check.claim for one in checked)
    return [(one.check.claim if claims[one.check.claim] > 1 else "", one) for one in checked]


def _check_table(claim: str, checked: list[Finding]) -> str:
    where = shared_place([one.check.place for one in checked]) if claim else ""
    rows = []
    for one in checked:
        check = one.check
        place = check.place[len(where) :].removeprefix(", ")
        row = {"check": f"`{check.id}`", "where": place, "claim": check.claim}
        if claim:
            del row["claim"]
        right = f"{one.correct} ({check.note})" if check.note else one.correct
        rows.append({**row, "verdict": _verdict(one), "right": right})
    lead = f"In {where}: {claim}.\n\n" if claim else ""
    return lead + table(rows)


def _verdict(found: Finding) -> str:
    if found.verdict != "ambiguous":
        return f"**{found.verdict}**"
    readings = (f"{'yes' if held else 'no'} ({text})" for text, held in found.held.items())
    return "**ambiguous**: " + ", ".join(readings)


if __name__ == "__main__":
    sys.stdout.write(page())
