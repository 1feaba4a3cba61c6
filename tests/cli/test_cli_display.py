"""The live displays fit a terminal of 80 columns, each of its lines on one row."""

import io
import math

import pytest
from rich.console import Console

from headcount.cli.display import PURPOSES, Display
from headcount.cli.tune_display import TuneDisplay
from headcount.controller.listener import Outlook, Phase, Second
from versus_levels import level

BUSY = Second(users=12_000, rate_per_s=4321.0, p95_ms=1234.0, failed=321, cpu_share=1.0)


def rows(purpose: str, name: str, *, prepared: bool = False) -> list[str]:
    """What a terminal of 80 columns shows."""
    console = Console(width=80, force_terminal=True, file=io.StringIO(), color_system=None)
    display = Display(console)
    display.phase(Phase(name, 12, purpose, 12_000, 5.0))
    display.second(BUSY)
    display.outlook(Outlook(12, 169.0, 10_000, 14_000, 12_345))
    if prepared:
        display.prepared(9_000, 12_000)
    with console.capture() as capture:
        console.print(display._render())
    return capture.get().rstrip().splitlines()


@pytest.mark.parametrize("purpose", PURPOSES)
@pytest.mark.parametrize("name", ["prepare", "ramp", "settle", "steady"])
def test_a_level_takes_three_rows(purpose: str, name: str) -> None:
    title, figures, known = rows(purpose, name)
    assert title == f"level 12: 12,000 users ({PURPOSES[purpose]})"
    assert figures.startswith(name)
    assert figures.endswith("12,000 present  4,321/s  p95 1.23 s  CPU 100%  321 failed")
    assert known == "10,000 users pass, 14,000 do not, estimate 12,345, about 2 min 49 s left"


def test_at_the_end_no_level_has_0_users() -> None:
    title, figures, _ = rows("straddle", "drain")
    assert title == "all levels are done"
    assert figures.startswith("leaving")


def test_a_data_set_under_way_has_no_figures_of_the_level_before() -> None:
    _, figures, _ = rows("climb", "prepare", prepared=True)
    assert figures.startswith("preparing the data set")
    assert "present" not in figures


def test_a_tuning_shows_what_is_tried_and_calls_no_turn_failed() -> None:
    console = Console(width=80, force_terminal=True, file=io.StringIO(), color_system=None)
    display = TuneDisplay(console)
    turn = level(3, 384, bad=500)
    with console.capture() as capture:
        display.level(turn)
        display.outlook(Outlook(12, 0.0, 320, 453, 381))
        display.configured("as it is")
        display.level(turn)
        display.configured("strict locking auto, log level 1" + ", socket options TCP_NODELAY" * 3)
        display.level(turn)
    search, _, before, after = capture.get().splitlines()
    assert search.endswith("failed")
    assert before == "       as it is     50.0/s  p95  10.0 ms  CPU      \N{EN DASH}"
    assert after == before.replace("as it is", "change 1")
    people = turn.criteria[0].model_copy(update={"criterion": "people:p95<=2s", "value": 7.0})
    with console.capture() as capture:
        display.level(turn.model_copy(update={"criteria": [people]}))
        display.level(turn.model_copy(update={"log_on_s": 2.5}))
    judged, slow = capture.get().splitlines()
    assert judged == f"{after}  people p95 7.00 ms"
    assert slow == f"{after}  2.50 s to log on"
    display.phase(Phase("rest", 4, "ladder", 384, 0.0))
    display.outlook(Outlook(0, 720.0, 0, math.inf, None))
    with console.capture() as capture:
        console.print(display._render())
    title, figures, known = capture.get().rstrip().splitlines()
    assert title.startswith("turn 4: 384 users (strict locking auto, log level 1")
    assert title.endswith("…")
    assert figures.startswith("leaving")
    assert known == "about 12 min left"
