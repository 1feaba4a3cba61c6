"""The cells of a comparison's table, the same in every report."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from headcount.analyse.compare.comparison import Comparison, Difference, Equality, Subject
from headcount.analyse.compare.metrics import BY_ID
from headcount.analyse.compare.words import directions, reach, signed, value
from headcount.text import DASH, plural

MARKS = {"better": "better", "worse": "WORSE", "no difference shown": "no difference shown"}


@dataclass(frozen=True, slots=True)
class Row:
    """One difference in cells.

    Attributes:
        metric: Its short name.
        a, b: Both figures.
        there: The change from a to b.
        interval: 95% interval of that change.
        back: The same difference in the other direction.
        finding: The verdict.
        change, bounds: The change and its interval as signed shares, for narrow tables.

    """

    metric: str
    a: str
    b: str
    there: str
    interval: str
    back: str
    finding: str
    change: str
    bounds: str


@dataclass(frozen=True, slots=True)
class Group:
    """Differences at one place of one pair of subjects.

    Attributes:
        title: Where: `At 120 users`, or `Answers`.
        first, second: The subjects' names.
        rows: The rows of the table.
        differences: The same differences as in the record.

    """

    title: str
    first: str
    second: str
    rows: Sequence[Row]
    differences: Sequence[Difference]


def groups(found: Comparison) -> list[Group]:
    """All differences in groups, in the order of the record."""
    made = []
    for (first, second, users), some in groupby(
        found.differences, key=lambda one: (one.first, one.second, one.users)
    ):
        here = list(some)
        title = "Answers" if users is None else f"At {plural('user', users)}"
        made.append(Group(title, first, second, [row(one) for one in here], here))
    return made


def row(one: Difference) -> Row:
    """One difference in cells."""
    there, back = directions(one)
    return Row(
        metric=BY_ID[one.metric].short,
        a=value(one.a.value, one.unit),
        b=value(one.b.value, one.unit),
        there=there,
        interval=reach(one),
        back=back,
        finding=one.finding,
        change=signed(one.ratio),
        bounds=" to ".join(signed(end) for end in one.interval) if one.interval else DASH,
    )


def published_sentences(found: Comparison) -> list[str]:
    """Published results as sentences, one for each line of points."""
    lines: dict[tuple[str, str, str], list[str]] = {}
    for one in found.references:
        at = "" if one.users is None else f" at {plural('user', one.users)}"
        called = BY_ID[one.metric].label if one.metric in BY_ID else one.metric
        figures = lines.setdefault((one.label, called, f"{one.remark} ({one.source})"), [])
        figures.append(f"{value(one.value, one.unit)}{at}")
    return [
        f"{label}: {called} {', '.join(figures)}. {remark}"
        for (label, called, remark), figures in lines.items()
    ]


def within_title(found: Comparison) -> str:
    """The heading of `within_sentences`."""
    return f"Within {_margin(found)}"


def within_sentences(found: Comparison) -> list[str]:
    """Whether the subjects are equal within the margin, a sentence for each metric."""
    many = len(found.subjects) > 2
    return [_within_sentence(one, _margin(found), many) for one in found.equalities]


def _margin(found: Comparison) -> str:
    return f"{100 * (found.margin or 0.0):g}%"


def _within_sentence(one: Equality, margin: str, many: bool) -> str:
    what = f"{one.second}, {one.label}" if many else one.label
    at = "" if one.users is None else f" at {plural('user', one.users)}"
    text = {
        "equal": f"equal within {margin}",
        "different": f"differs by more than {margin}",
        "not shown": f"not shown to be equal within {margin}",
    }[one.result]
    ratio = f"ratio {one.ratio:.3f}"
    if one.interval is not None:
        ratio += f", 95% interval {one.interval[0]:.3f} to {one.interval[1]:.3f}"
    return f"{what}{at}: {text} ({ratio})"


def subject_text(subject: Subject) -> str:
    """A subject in one line."""
    runs = f"{plural('run', len(subject.bundles))}, first " if len(subject.bundles) > 1 else ""
    program = f", {subject.program}" if subject.program else ""
    return f"{subject.title}{program} ({runs}{subject.bundles[0]})"


def finding_class(finding: str) -> str:
    """The class of a verdict: good, bad, or neither."""
    return {"better": "passed", "worse": "failed"}.get(finding, "")
