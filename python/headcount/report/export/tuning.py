"""A tuning as tables of plain values: what changes, what was tried, and every knob."""

from collections.abc import Sequence

from headcount.bundle.reader import Bundle
from headcount.bundle.tuning import Cell, Race, Ratio, Rung, Tuning
from headcount.errors import InputError
from headcount.report.export.table import Column, Table, Value
from headcount.report.tuning import (
    OUTCOMES,
    TITLE,
    UNITS,
    against_text,
    compared_text,
    figure_text,
    findings,
    gain_of,
    gain_text,
    interval_text,
    measure_of,
    noise_text,
    starts_text,
    state,
    tried_text,
)

_RATIO = (
    Column("ratio", "Ratio", "Above 1 where it became better"),
    Column("ratio_low", "Ratio, low", "Of its confidence interval"),
    Column("ratio_high", "Ratio, high", "Of its confidence interval"),
)


def tuning_lines(found: Tuning) -> list[tuple[str, Value]]:
    """What a reader must know before any figure: names and texts."""
    lines: list[tuple[str, Value]] = [("Answer", found.sentence)]
    if found.ratio is not None:
        gain = gain_text(found, found.ratio)
        lines += [("Gain", gain), ("How sure", interval_text(found.ratio))]
    lines += [
        ("What decides", found.measure),
        ("Before", figure_text(found, found.before)),
        ("After", figure_text(found, found.after)),
        ("Users of the turns", found.users),
        ("Goal", found.goal),
        ("Server", found.server),
        *findings(found),
        *((f"Noise: {name.lower()}", text) for name, text in noise_text(found)),
        *((("Starts", starts),) if (starts := starts_text(found)) is not None else ()),
        ("State", state(found)),
    ]
    return lines


def changes(bundle: Bundle) -> Table:
    """What to change; raises InputError if the run is not a tuning."""
    return changes_of(_tuning(bundle))


def ladder(bundle: Bundle) -> Table:
    """Both configurations, load by load; raises InputError if the run is not a tuning."""
    return ladder_of(_tuning(bundle))


def races(bundle: Bundle) -> Table:
    """Everything that was tried; raises InputError if the run is not a tuning."""
    return races_of(_tuning(bundle))


def knobs(bundle: Bundle) -> Table:
    """Every knob related to the limit; raises InputError if the run is not a tuning."""
    return knobs_of(_tuning(bundle))


def tables(found: Tuning) -> list[Table]:
    """All tables of a tuning, in the order of reading."""
    parts = (proof_of, changes_of, ladder_of, races_of, knobs_of)
    return [part(found) for part in parts]


def proof_of(found: Tuning) -> Table:
    """The claim as numbers: one row."""
    columns = [
        Column("unit", "Unit", "Of before and after"),
        Column("before", "Before", "What decides, of the server as it was: mean of its turns"),
        Column("after", "After", "That of all changes together"),
        *_RATIO,
        Column("confidence_share", "Confidence", "Of the interval"),
        Column("pairs", "Pairs", "Of turns"),
        Column("users", "Users", "In the turns at the end"),
    ]
    ratio = found.ratio
    sure: Sequence[Value] = (None, None) if ratio is None else (ratio.confidence, ratio.pairs)
    unit = UNITS[measure_of(found)]
    row = [unit, found.before, found.after, *_of_ratio(ratio), *sure, found.users]
    return Table("proof", "The proof", columns, [row])


def changes_of(found: Tuning) -> Table:
    """What to change, and what each change gains."""
    columns = [
        Column("knob", "Knob", "Which setting"),
        Column("server", "Server", "Whose setting it is"),
        Column("before", "Before", "Its value before; empty where that is not known"),
        Column("after", "After", "Its value in the proof"),
        *_RATIO,
    ]
    rows = [
        [one.knob, one.server, one.before, one.after, *_of_ratio(one.ratio)]
        for one in found.changes
    ]
    return Table("changes", "Changes", columns, rows)


def ladder_of(found: Tuning) -> Table:
    """Both configurations, load by load."""
    sides = [("before", "as it was"), ("after", compared_text(found))]
    ratios = [("time", "Speed"), ("rate", "Throughput")]
    if found.pilot:
        sides.append(("pilot", "with the pilot"))
        ratios += [
            ("pilot_time", "Speed with the pilot"),
            ("pilot_rate", "Throughput with the pilot"),
            ("pilot_time_over_after", "Speed with the pilot over without it"),
        ]
    columns = [Column("users", "Users", "Of the load")]
    for key, words in sides:
        columns += [
            Column(f"{key}_p95_ms", f"p95, {words}", "Of a turn; the geometric mean of the turns"),
            Column(f"{key}_p95_low_ms", f"p95, {words}, low", "Of its confidence interval"),
            Column(f"{key}_p95_high_ms", f"p95, {words}, high", "Of its confidence interval"),
            Column(f"{key}_rate_per_s", f"Throughput, {words}", "Scenarios per second; the mean"),
            Column(f"{key}_turns", f"Turns, {words}", "That were played"),
            Column(f"{key}_passed", f"Passed, {words}", "Turns that met the criteria"),
        ]
    for key, words in ratios:
        columns += [
            Column(f"{key}_ratio", f"{words}, ratio", "Above 1 where it became better"),
            Column(f"{key}_ratio_low", f"{words}, ratio, low", "Of its confidence interval"),
            Column(f"{key}_ratio_high", f"{words}, ratio, high", "Of its confidence interval"),
        ]
    rows = [_rung(one, has_pilot=bool(found.pilot)) for one in found.ladder]
    return Table("ladder", "Load by load", columns, rows)


def _rung(one: Rung, *, has_pilot: bool) -> list[Value]:
    row: list[Value] = [one.users, *_of_cell(one.before), *_of_cell(one.after)]
    pilot = one.pilot
    if not has_pilot:
        return [*row, *_of_ratio(one.time), *_of_ratio(one.rate)]
    ratios = (
        (None, None, None) if pilot is None else (pilot.time, pilot.rate, pilot.time_over_after)
    )
    row += _of_cell(None if pilot is None else pilot.cell)
    return [*row, *(value for ratio in (one.time, one.rate, *ratios) for value in _of_ratio(ratio))]


def _of_cell(cell: Cell | None) -> Sequence[Value]:
    if cell is None:
        return [None] * 6
    ends = cell.p95_interval_ms or (None, None)
    return [cell.p95_ms, *ends, cell.rate_per_s, len(cell.turns), cell.passed]


def races_of(found: Tuning) -> Table:
    """Everything that was tried, in the order of time."""
    columns = [
        Column("tried", "Tried", "What differs from the best so far"),
        Column("against", "Against", "The best so far"),
        Column("origin", "Origin", "Where the configuration comes from"),
        Column("outcome", "Outcome", "What came of it"),
        Column("why", "Why refused", "Empty where it was not"),
        *_RATIO,
        Column("pairs", "Pairs", "That count"),
        Column("race", "Race", "In the order of time, from 1"),
    ]
    return Table(
        "races",
        "Races",
        columns,
        [_race(number, one) for number, one in enumerate(found.races, 1)],
    )


def knobs_of(found: Tuning) -> Table:
    """Every knob related to the limit."""
    columns = [
        Column("knob", "Knob", "Which setting"),
        Column("server", "Server", "Whose setting it is"),
        Column("value", "Value", "Its value before; empty where that is not known"),
        Column("place", "Set in", "The file that sets it"),
        Column("obstacle", "Why left alone", "Empty where it was tried"),
        Column("is_set", "Set", "Whether the configuration sets it"),
        Column("tried", "Was tried", "Whether it was tried"),
    ]
    rows = [
        [one.name, one.server, one.value, one.place, one.obstacle, one.is_set, one.tried]
        for one in found.knobs
    ]
    return Table("knobs", "Knobs", columns, rows)


def _race(number: int, race: Race) -> list[Value]:
    gain = gain_of(race)
    ends = gain.interval if gain is not None and gain.interval is not None else (None, None)
    return [
        tried_text(race),
        against_text(race),
        race.origin,
        OUTCOMES[race.outcome],
        race.why,
        gain.value if gain is not None else None,
        *ends,
        gain.pairs if gain is not None else 0,
        number,
    ]


def _of_ratio(ratio: Ratio | None) -> Sequence[Value]:
    return (None, None, None) if ratio is None else (ratio.value, ratio.low, ratio.high)


def _tuning(bundle: Bundle) -> Tuning:
    if bundle.tuning is None:
        raise InputError(f"{bundle.folder} is not a {TITLE.lower()}: it has no tuning.json")
    return bundle.tuning
