"""The results of a document as tables: one row per system and test, one column per figure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from headcount.analyse.published.model import Document
from headcount.analyse.published.page_tables import shared_place, table
from headcount.analyse.published.rows import Row, rows

Test = Sequence[Row]
"""The figures of one test of one system."""


def results(found: Document) -> list[str]:
    """A table of each run of tests with the same figures."""
    own = (row for row in rows() if row.source == found.id)
    tests = groupby(own, key=lambda row: (row.system, row.test, row.users, row.place))
    tables: list[list[Test]] = []
    for _, grouped in tests:
        test = list(grouped)
        if tables and _same_figures(tables[-1], test):
            tables[-1].append(test)
        else:
            tables.append([test])
    return [_table(one) for one in tables]


def _same_figures(tests: Sequence[Test], other: Test) -> bool:
    """Whether a test has the others' figures; some suffice for one test or the same system."""
    known = {row.figure for test in tests for row in test}
    figures = {row.figure for row in other}
    near = len(tests) == 1 or tests[-1][0].system == other[0].system
    return figures == known or (near and (figures <= known or figures >= known))


def _table(tests: Sequence[Test]) -> str:
    where = shared_place([test[0].place for test in tests])
    heads = [_head(row) for row in max(tests, key=len)]
    lines = []
    for test in tests:
        first = test[0]
        counted = any(row.value == first.users for row in test)
        figures = {_head(row): _value(row) for row in test}
        lines.append(
            {
                "system": _system(first),
                "hardware": first.hardware,
                "test": first.test,
                "where": first.place[len(where) :].removeprefix(", "),
                "users": "" if counted or first.users is None else f"{first.users:,}",
                **{head: figures.get(head, "") for head in heads},
            }
        )
    facts = dict(_common(lines)) | ({"where": where} if where else {})
    lead = "; ".join(f"{name}: {text}" for name, text in facts.items())
    kept = [name for name in lines[0] if name not in facts]
    if any(line["where"] for line in lines):
        kept = [name for name in lines[0] if name in kept or name == "where"]
    short_lines = [{name: line[name] for name in kept} for line in lines]
    cells = table(list(_unrepeated(short_lines)))
    return f"{lead[:1].upper()}{lead[1:]}.\n\n{cells}" if lead else cells


def _common(lines: Sequence[Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    """The columns that are the same in all lines, if there are several lines."""
    for name in ("hardware", "test"):
        cells = {line[name] for line in lines}
        if len(lines) > 1 and len(cells) == 1 and (cell := cells.pop()):
            yield name, cell


def _unrepeated(lines: Sequence[Mapping[str, str]]) -> Iterator[dict[str, str]]:
    """The lines, with each system and its hardware only in its first line."""
    before = ""
    for line in lines:
        again = line["system"] == before
        before = line["system"]
        yield {
            name: "" if again and name in ("system", "hardware") else cell
            for name, cell in line.items()
        }


def _system(row: Row) -> str:
    """Its id and name, without processors that the hardware repeats, and its remark."""
    named = re.sub(r" \(([^)]*)\)$", lambda part: _unless_hardware(part, row.hardware), row.label)
    return f"`{row.system}` {named}" + (f" ({row.remark})" if row.remark else "")


def _unless_hardware(part: re.Match[str], hardware: str) -> str:
    known = set(re.findall(r"[\w.]+", hardware))
    return "" if set(re.findall(r"[\w.]+", part[1])) <= known else part[0]


def _head(row: Row) -> str:
    return row.meaning if row.unit in ("users", "%") else f"{row.meaning}, {row.unit}"


def _value(row: Row) -> str:
    return f"{row.value:,}" + ("%" if row.unit == "%" else "")
