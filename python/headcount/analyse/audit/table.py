"""Whether `series.parquet` matches `series.ndjson`."""

import math
from collections.abc import Mapping

from headcount.analyse.audit.evidence import Evidence
from headcount.analyse.audit.result import Place, Result, result, unknown
from headcount.bundle.series import TABLE
from headcount.text import plural

CHECK = "table"
TITLE = f"{TABLE} has the figures of the lines"

Totals = Mapping[tuple[str, str, str], tuple[int, float]]
"""Number of rows and the sum of their values, by side, thing and name."""


def check(evidence: Evidence, lines: Totals, table: Totals | str | None) -> Result:
    """Sums of both, by figure; `table` is a text if it cannot be read."""
    if table is None:
        return unknown(CHECK, TITLE, f"there is no {TABLE}: the run was not closed")
    if isinstance(table, str):
        return result(CHECK, TITLE, [Place(file=TABLE, at="the file", text=table)], "")
    places = []
    for key in sorted({*lines, *table}):
        wanted, found = lines.get(key, (0, 0.0)), table.get(key, (0, 0.0))
        if wanted[0] != found[0]:
            text = f"{found[0]:,} rows where the lines have {wanted[0]:,}"
        elif not math.isclose(wanted[1], found[1], rel_tol=1e-9, abs_tol=1e-6):
            text = f"its values come to {found[1]:g}, those of the lines to {wanted[1]:g}"
        else:
            continue
        places.append(Place(file=TABLE, at=" ".join(part for part in key if part), text=text))
    rows = sum(number for number, _ in lines.values())
    good = f"{plural('figure', rows)} of {plural('second', len(evidence.seconds))}"
    return result(CHECK, TITLE, places, good, {"rows": rows})
