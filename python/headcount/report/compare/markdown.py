"""A comparison for a pull request, in GitHub's Markdown."""

import re
from collections.abc import Sequence

from headcount.analyse.compare.comparison import Comparison
from headcount.report.compare.cells import (
    Group,
    groups,
    published_sentences,
    subject_text,
    within_sentences,
    within_title,
)
from headcount.text import clean

_MARKS = {"better": "\N{WHITE HEAVY CHECK MARK}", "worse": "\N{CROSS MARK}"}
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~])")


def render(found: Comparison) -> str:
    """The whole text, the verdict first; what is from servers and plans is escaped."""
    made = groups(found)
    lines = [f"**{escape(found.sentence)}**", ""]
    lines += [f"- **{escape(one.name)}**: {escape(subject_text(one))}" for one in found.subjects]
    for group in made[-1:]:
        lines += ["", *_table(group)]
    others = made[:-1]
    if others:
        lines += ["", "<details><summary>Answers and other levels</summary>", ""]
        for group in others:
            lines += [*_table(group), ""]
        lines += ["</details>"]
    lines += bullets(within_title(found), within_sentences(found))
    lines += bullets("What differs", [one.sentence for one in found.unlike])
    lines += bullets("Published, on different hardware: not compared", published_sentences(found))
    lines += bullets("To know", found.doubts)
    return "\n".join(lines) + "\n"


def _table(group: Group) -> list[str]:
    heads = [
        group.title,
        group.first,
        group.second,
        f"{group.second} against {group.first}",
        "95% interval",
        "the other way",
        "verdict",
    ]
    rows = [
        [one.metric, one.a, one.b, one.there, one.interval, one.back, marked(one.finding)]
        for one in group.rows
    ]
    return table(heads, rows)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table; all but its first and last column are figures."""
    return [
        _row(heads),
        _row(["---", *["---:"] * (len(heads) - 2), "---"], plain=True),
        *(_row(cells) for cells in rows),
    ]


def marked(finding: str) -> str:
    """A verdict with its sign."""
    return f"{_MARKS[finding]} {finding}" if finding in _MARKS else finding


def _row(cells: Sequence[str], *, plain: bool = False) -> str:
    return "| " + " | ".join(cell if plain else escape(cell) for cell in cells) + " |"


def bullets(title: str, lines: Sequence[str]) -> list[str]:
    """A list of sentences under its title; nothing if it is empty."""
    if not lines:
        return []
    return ["", f"{title}:", "", *(f"- {escape(line)}" for line in lines)]


def escape(text: str) -> str:
    """Text in one line, escaped so that Markdown shows it unchanged."""
    return _SPECIAL.sub(r"\\\1", " ".join(clean(text).split()))
