"""The tables of a tuning, for the page and the document."""

from headcount.bundle.tuning import Cell as Played
from headcount.bundle.tuning import ChangeKept, Piloted, Race, Ratio, Rung, Tuning
from headcount.report.document.blocks import Cell, Column, Mark, Row, Table, cells
from headcount.report.document.prose import ended
from headcount.report.tuning import (
    OUTCOMES,
    against_text,
    change_text,
    compared_text,
    gain_of,
    measure_of,
    pilot_text,
    times,
    tried_text,
    users_text,
)
from headcount.text import DASH, count, duration, interval

CHANGES = "Changes"
RACES, KNOBS = "What was tried", "Knobs left alone"
_MARKS: dict[str, Mark] = {"better": "passed", "worse": "passed", "refused": "invalid"}


def changes(found: Tuning) -> Table | None:
    """What to change, and what each change gains; None without a claim."""
    if not found.changes:
        return None
    return Table(
        CHANGES,
        [
            Column("Knob", text=True),
            Column("Server", text=True),
            Column("Before", text=True),
            Column("After", text=True),
            Column("Ratio"),
        ],
        [_change(one) for one in found.changes],
        _note(found),
        widths=[3, 1.6, 2.2, 3, 1.8],
    )


def _note(found: Tuning) -> str:
    measured = [one.ratio for one in found.changes if one.ratio is not None]
    note = "Ratio: what a change gains with the others, above 1 where it helps."
    if measured:
        note += f" Below it: its {measured[0].confidence:.0%} confidence interval."
    if len(measured) < len(found.changes):
        note += f" {DASH}: not measured by itself."
    return note


def _change(one: ChangeKept) -> Row:
    before = DASH if one.before is None else one.before
    return Row([*cells(one.knob, one.server, before, one.after), _ratio(one.ratio)])


def ladder(found: Tuning) -> Table | None:
    """Response times before and with the changes, load by load; None if no load was played."""
    if not found.ladder:
        return None
    after = compared_text(found)
    return Table(
        f"As it was and {after}, load by load",
        [
            Column("Users"),
            Column("p95 as it was"),
            Column(f"p95 {after}"),
            Column("Response time"),
            Column("Speed"),
            Column("Throughput"),
        ],
        [_rung(one) for one in found.ladder],
        "p95: of a turn, the geometric mean of the turns. Response time: by how much it changed. "
        "Speed: how many times as fast. Below each: its 95% confidence interval by Student's t.",
        widths=[1, 2, 2, 2, 1.8, 1.8],
    )


def _rung(one: Rung) -> Row:
    return Row(
        [
            Cell(count(one.users)),
            _time(one.before),
            _time(one.after),
            _change_of_time(one.time),
            _ratio(one.time),
            _ratio(one.rate),
        ]
    )


def piloted(found: Tuning) -> Table | None:
    """Response times also with the pilot, load by load; None if it helped nothing."""
    rows = [_piloted(one.users, one.after, one.pilot) for one in found.ladder if one.pilot]
    if not rows or not found.pilot:
        return None
    after = compared_text(found)
    return Table(
        "With the pilot, too, load by load",
        [
            Column("Users"),
            Column(f"p95 {after}"),
            Column("p95 with the pilot"),
            Column("Response time"),
            Column("Speed"),
            Column("Time over as it was"),
            Column("Speed over as it was"),
        ],
        rows,
        f"{pilot_text(found)} Response time and speed: what the pilot adds. Below each: its 95% "
        "confidence interval by Student's t.",
        widths=[1, 2, 2, 2, 1.8, 2, 1.8],
    )


def _piloted(users: int, after: Played, pilot: Piloted) -> Row:
    return Row(
        [
            Cell(count(users)),
            _time(after),
            _time(pilot.cell),
            _change_of_time(pilot.time_over_after),
            _ratio(pilot.time_over_after),
            _change_of_time(pilot.time),
            _ratio(pilot.time),
        ]
    )


def _change_of_time(ratio: Ratio | None) -> Cell:
    if ratio is None:
        return Cell(DASH)
    text, _, below = change_text("p95", ratio.value, (ratio.low, ratio.high)).partition(" (")
    return Cell(text, below.rstrip(")"))


def _time(cell: Played) -> Cell:
    if cell.p95_ms is None:
        return Cell(DASH)
    ends = cell.p95_interval_ms
    return Cell(duration(cell.p95_ms), interval(*ends, duration) if ends is not None else "")


def _ratio(ratio: Ratio | None) -> Cell:
    if ratio is None:
        return Cell(DASH)
    return Cell(times(ratio.value), f"{times(ratio.low)} to {times(ratio.high)}")


def races(found: Tuning) -> Table | None:
    """Every configuration that was tried, in order; None without any."""
    if not found.races:
        return None
    return Table(
        RACES,
        [
            Column("Tried", text=True),
            Column("Against", text=True),
            Column("Ratio"),
            Column("Change"),
            Column("Pairs"),
            Column("Users"),
            Column("Outcome", text=True),
        ],
        [_race(found, number, one) for number, one in enumerate(found.races, 1)],
        f"Ratio: above 1 where it became better. Change: of the {found.measure}. Both with a 95% "
        "confidence interval by Student's t from the race's own pairs. A race is decided by the "
        "spread of all races, and the claim by turns of its own.",
        widths=[3.4, 2.4, 1.5, 1.8, 0.8, 1, 1.9],
    )


def _race(found: Tuning, number: int, race: Race) -> Row:
    gain = gain_of(race)
    ratio = change = Cell(DASH)
    if gain is not None:
        ends = gain.interval
        ratio = Cell(times(gain.value), f"{times(ends[0])} to {times(ends[1])}" if ends else "")
        text, _, below = change_text(measure_of(found), gain.value, ends).partition(" (")
        change = Cell(text, below.rstrip(")"))
    return Row(
        [
            Cell(f"{number}. {tried_text(race)}", race.origin),
            Cell(against_text(race)),
            ratio,
            change,
            Cell(count(gain.pairs if gain is not None else 0)),
            Cell(users_text([one.users for one in race.pairs])),
            Cell(OUTCOMES[race.outcome], mark=_MARKS.get(race.outcome)),
        ],
        why=ended(race.why) if race.why else "",
    )


def knobs(found: Tuning) -> Table | None:
    """The knobs that were left alone, and why; None if all were tried."""
    left = [one for one in found.knobs if not one.tried]
    if not left:
        return None
    return Table(
        KNOBS,
        [Column(name, text=True) for name in ("Knob", "Server", "Value", "Set in", "Why")],
        [
            Row(
                cells(
                    one.name,
                    one.server,
                    DASH if one.value is None else one.value,
                    one.place or "not set",
                    one.obstacle or DASH,
                )
            )
            for one in left
        ],
        widths=[2.2, 1.4, 1.4, 3, 3],
    )
