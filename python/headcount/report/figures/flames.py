"""Flame graphs of the server's threads: where they wait, and where its CPU goes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeGuard

from headcount.analyse.flame import FlameFrame, files_together, flame, leaves
from headcount.bundle.stacks import PROC, Kind, LevelStacks, Stacks
from headcount.bundle.verdict import Verdict
from headcount.report.chart.figure import NARROW, WIDE, Room, drawing
from headcount.report.figures.figure_types import Figure, Table
from headcount.report.markup import Html, element
from headcount.text import DASH, plural, share

TITLES: dict[Kind, str] = {
    "off": "What the server's threads wait for",
    "on": "Where the server's CPU time goes",
}
ROWS = 10
"""Innermost frames in the table."""
LEAST_STACKS = 2
"""Fewest different stacks to draw without a tool; one stack is just a running thread."""
LEAST_SEEN = 50
"""Fewest samples of stacks to draw: a share of one half is then known to 0.14 (two standard
errors)."""
MOST, MOST_NARROW = 90, 36
"""Frames of a drawing: with both figures in both widths, a page grows by 60 KB at most."""
NARROW_LEAST = 0.02
_ROW = 18.0
_LETTER = 6.1
"""Mean width of a letter of 11 px."""
_STEPS = (0.02, 0.08, 0.2)
"""Differences of shares from which a frame is a little, clearly and strongly more or less. Below
the first it counts as the same, and also within two standard errors of the difference."""
_ORDER: dict[Kind, tuple[str, ...]] = {
    "off": ("jstack", "py-spy", "go", PROC),
    "on": ("perf", "py-spy", "jstack", "go", PROC),
}
"""Sources of stacks, the preferred first: it names more of the program than later ones."""
Change = Literal["more", "less", "same"]


@dataclass(frozen=True, slots=True)
class Flame:
    """Stacks of one kind at the limit, and with few users."""

    kind: Kind
    tool: str
    users: int
    stacks: Stacks
    few_users: int | None = None
    few: Stacks | None = None

    @property
    def seen(self) -> int:
        """How often stacks were seen at the limit."""
        return sum(self.stacks.values())

    @property
    def seen_before(self) -> int:
        """How often stacks were seen with few users."""
        return sum((self.few or {}).values())


def flames(stacks: Sequence[LevelStacks], verdict: Verdict | None) -> list[Flame]:
    """The flame graphs of a run, from the levels that its diagnosis compares."""
    found = verdict.diagnosis.waits if verdict is not None and verdict.diagnosis else None
    if found is None:
        return []
    drawn = []
    for kind, order in _ORDER.items():
        for tool in order:
            at = {one.level: one.stacks for one in stacks if (one.kind, one.tool) == (kind, tool)}
            there = at.get(found.level)
            if not _is_enough(there) or (tool == PROC and len(there) < LEAST_STACKS):
                continue
            few = at.get(found.few_level) if found.few_level is not None else None
            few = few if _is_enough(few) else None
            few_users = found.few_users if few else None
            both = (files_together(there), files_together(few) if few else None)
            drawn.append(Flame(kind, tool, found.users, both[0], few_users, both[1]))
            break
    return drawn


def _is_enough(stacks: Stacks | None) -> TypeGuard[Stacks]:
    return stacks is not None and sum(stacks.values()) >= LEAST_SEEN


def figure(found: Flame) -> Figure:
    """Draw one."""
    alt = _in_words(found)
    compared = found.few_users is not None
    source = "the kernel's files of each thread" if found.tool == PROC else found.tool
    caption = (
        f"Each frame is as wide as the share of stacks it is part of, at "
        f"{plural('user', found.users)}; below it is what it called. From {source}."
    )
    if compared:
        caption += (
            f" Red and + : a larger share than with {plural('user', found.few_users)}; blue and "
            "- : a smaller one. Shares, not times: one that shrinks need not have become faster."
        )
    return Figure(
        name=f"flame-{found.kind}",
        title=TITLES[found.kind],
        alt=alt,
        caption=caption,
        svg=_drawing(found, flame(found.stacks, found.few, most=MOST), WIDE, alt),
        narrow=_drawing(
            found,
            flame(found.stacks, found.few, least=NARROW_LEAST, most=MOST_NARROW),
            NARROW,
            alt,
        ),
        table=_table(found),
    )


def change(frame: FlameFrame, seen: int, seen_before: int) -> tuple[Change, int]:
    """Whether a frame's share is larger or smaller than before, and how clearly, from 0 to 3.

    The standard error is that of a difference of two shares of independent stacks. Stacks of one
    thread in consecutive snapshots are not quite independent, so it is the least that it can be.

    Args:
        frame: The frame.
        seen: How many stacks its share is of.
        seen_before: The same of the share before.

    >>> change(FlameFrame("read", 1, 0.0, 0.30, 0.05), 500, 500)
    ('more', 3)
    >>> change(FlameFrame("read", 1, 0.0, 0.30, 0.20), 50, 50)
    ('same', 0)

    """
    if frame.before is None:
        return "same", 0
    difference = frame.share - frame.before
    variance = frame.share * (1 - frame.share) / seen
    variance += frame.before * (1 - frame.before) / seen_before
    if abs(difference) < 2 * math.sqrt(max(variance, 0.0)):
        return "same", 0
    step = sum(abs(difference) >= one for one in _STEPS)
    if not step:
        return "same", 0
    return ("more" if difference > 0 else "less"), step


def _drawing(found: Flame, frames: Sequence[FlameFrame], room: Room, alt: str) -> Html:
    left, right = 8.0, room.width - 8.0
    rows = 1 + max((one.depth for one in frames), default=0)
    return drawing(
        room,
        rows * _ROW + 16,
        TITLES[found.kind],
        alt,
        *(_drawn(found, one, room, left, right - left) for one in frames),
    )


def _drawn(found: Flame, frame: FlameFrame, room: Room, left: float, width: float) -> Html:
    which, step = change(frame, found.seen, found.seen_before)
    style = {"more": "limit", "less": "one", "same": "users"}[which]
    x, y = left + frame.left * width, 8 + frame.depth * _ROW
    wide = frame.share * width
    sign = {"more": "+", "less": "-", "same": ""}[which]
    text = _label(sign + frame.name, wide)
    return element(
        "g",
        element("title", _hover_text(found, frame)) if room.hover else None,
        element(
            "rect",
            x=x,
            y=y,
            width=max(wide - 0.6, 0.4),
            height=_ROW - 1.4,
            class_=f"bar {style} flame{step}",
        ),
        element("text", text, x=x + 3, y=y + 12, class_="frame") if text else None,
    )


def _label(name: str, wide: float) -> str:
    """As much of a name as fits; nothing if that is less than three letters."""
    letters = int((wide - 6) / _LETTER)
    name = name.removesuffix("_[k]")
    if letters < 3:
        return ""
    return name if len(name) <= letters else f"{name[: letters - 1]}…"


def _hover_text(found: Flame, frame: FlameFrame) -> str:
    before = ""
    if frame.before is not None:
        before = f" ({share(frame.before)} with {found.few_users})"
    return f"{frame.name}: {share(frame.share)}{before}"


def _in_words(found: Flame) -> str:
    first = leaves(found.stacks, found.few, 3)
    named = ", ".join(f"{one.name} {share(one.share)}" for one in first)
    compared = (
        f", compared with {plural('user', found.few_users)}" if found.few_users is not None else ""
    )
    return (
        f"Flame graph at {plural('user', found.users)}{compared}. The largest shares of the "
        f"innermost frames: {named}."
    )


def _table(found: Flame) -> Table:
    few = "few users" if found.few_users is None else plural("user", found.few_users)
    rows = [
        (
            one.name,
            share(one.share),
            DASH if one.before is None else share(one.before),
            DASH if one.before is None else f"{(one.share - one.before) * 100:+.1f} points",
        )
        for one in leaves(found.stacks, found.few, ROWS)
    ]
    return Table(
        ("Innermost frame", f"Share at {plural('user', found.users)}", f"With {few}", "Change"),
        rows,
    )
