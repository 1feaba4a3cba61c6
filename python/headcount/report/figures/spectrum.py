"""The percentile spectrum of a few levels, as HdrHistogram plots it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from headcount.analyse.answers import Second, of_level
from headcount.analyse.spectrum import Spectrum, spectrum
from headcount.bundle.level import LevelResult
from headcount.report.chart.figure import NARROW, WIDE, Room
from headcount.report.chart.limit import limit_rule
from headcount.report.chart.scale import Nines, for_times
from headcount.report.chart.tick import nines_tick, time_tick
from headcount.report.figures.figure_types import Figure, Run, Table
from headcount.report.figures.lines import Extra, Frame, Line, chart
from headcount.report.figures.plot import Axis, Plot, Rule, Series
from headcount.report.figures.response import limits
from headcount.report.markup import Html
from headcount.report.selection import broken, published, shown
from headcount.text import DASH, count, duration, plural

TITLE = "Percentile spectrum of response times"
HEADING = "Response time"
BELOW = "Percentile (each step: ten times as rare)"
READ_AT = (0.0, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9999, 0.99999)
"""Percentiles of the table."""
_STYLES = ("five", "one", "four")
"""Classes of the levels with the fewest users, at the answer, and that broke."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """One level's spectrum."""

    name: str
    users: int
    spectrum: Spectrum


def of_run(run: Run, seconds: Sequence[Second]) -> list[Drawn]:
    """Return the spectra to show: with the fewest users, at the answer, and of what broke."""
    found = []
    for name, level in _levels(run).items():
        times = of_level(seconds, level.index)
        made = spectrum(times) if times is not None else None
        if made is not None:
            found.append(Drawn(name, level.users, made))
    return found


def _levels(run: Run) -> Mapping[str, LevelResult]:
    valid = [level for level in run.levels if level.outcome != "invalid"]
    if run.verdict is None or not valid:
        return {}
    wanted = [
        min(valid, key=lambda level: level.users),
        published(run.verdict, run.levels) or shown(run.verdict, valid),
        broken(run.verdict, valid),
    ]
    different = {level.index: level for level in wanted if level is not None}
    return {
        f"{plural('user', level.users)}, {level.outcome}": level
        for level in sorted(different.values(), key=lambda level: level.users)
    }


def figure(spectra: Sequence[Drawn], run: Run) -> Figure | None:
    """Draw it; None if the distribution was not kept."""
    if not spectra:
        return None
    alt = _in_words(spectra)
    return Figure(
        name="spectrum",
        title=TITLE,
        alt=alt,
        caption=(
            "All response times of a level's measured part. A line that bends upwards on the "
            "right has a tail that an average or a single percentile would hide. Each line ends "
            "at the longest response time."
        ),
        svg=_drawing(spectra, run, WIDE, alt),
        narrow=_drawing(spectra, run, NARROW, alt),
        table=_table(spectra),
        plot=_plot(spectra, run),
    )


def rarity(share: float) -> float:
    """How rare it is to exceed a percentile: 1 / (1 - share), so 100 for the 99th."""
    return 1 / (1 - share)


def _drawing(spectra: Sequence[Drawn], run: Run, room: Room, alt: str) -> Html:
    longest = max(rarity(one.spectrum.points[-1][0]) for one in spectra)
    every = [ms for one in spectra for _, ms in one.spectrum.points]
    limit_lines = limits(run)
    frame = Frame(
        heading=HEADING,
        below=BELOW,
        x=lambda start, end: Nines(1.0, longest, start, end),
        y=lambda start, end: for_times([*every, *(ms for _, ms in limit_lines)], start, end),
        x_written=nines_tick,
        y_written=time_tick,
    )
    return chart(
        room,
        frame,
        _lines(spectra),
        TITLE,
        alt,
        behind=[_limit(text, ms) for text, ms in limit_lines],
    )


def _limit(text: str, limit_ms: float) -> Extra:
    return lambda panel: limit_rule(panel, text, limit_ms)


def _lines(spectra: Sequence[Drawn]) -> list[Line]:
    return [
        Line(one.name, style, [(rarity(share), ms) for share, ms in one.spectrum.points])
        for one, style in zip(spectra, _STYLES, strict=False)
    ]


def at(one: Spectrum, share: float) -> float | None:
    """Read a percentile off a spectrum, in ms; None beyond its end."""
    if share > one.points[-1][0]:
        return None
    below = list(takewhile(lambda point: point[0] < share - 1e-12, one.points))
    return one.points[len(below)][1]


def _in_words(spectra: Sequence[Drawn]) -> str:
    parts = [
        f"at {plural('user', one.users)} p50 is {duration(at(one.spectrum, 0.5))}, p99 "
        f"{duration(at(one.spectrum, 0.99))} and the longest "
        f"{duration(one.spectrum.points[-1][1])}"
        for one in spectra
    ]
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _table(spectra: Sequence[Drawn]) -> Table:
    rows = [
        [f"{share * 100:.5g}%" if share else "shortest"]
        + [duration(ms) if (ms := at(one.spectrum, share)) is not None else DASH for one in spectra]
        for share in READ_AT
        if any(at(one.spectrum, share) is not None for one in spectra)
    ]
    rows.append(["longest", *(duration(one.spectrum.points[-1][1]) for one in spectra)])
    rows.append(["response times", *(count(one.spectrum.count) for one in spectra)])
    return Table(("Percentile", *(one.name for one in spectra)), rows)


def _plot(spectra: Sequence[Drawn], run: Run) -> Plot:
    return Plot(
        x=Axis(BELOW, "nines", log=True),
        left=Axis(HEADING, "ms", log=True),
        series=[Series(line.name, line.colour, line.points) for line in _lines(spectra)],
        rules=[Rule(f"limit {text}", "limit", ms) for text, ms in limits(run)],
    )
