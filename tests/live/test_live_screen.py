"""Every key of the screen, pressed by Textual's pilot on a scripted watch."""

import asyncio
import csv
import io
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from live_feeds import BUSY, USED, ListFeed, readings
from textual.pilot import Pilot
from textual.widgets import ContentSwitcher, Input, Static

from headcount.counters.log import read
from headcount.counters.log.own_record import Watched
from headcount.live.alert import Alerts, parse
from headcount.live.monitor import Monitor
from headcount.live.reading import Back, Lost, News
from headcount.live.screen import keys
from headcount.live.screen.add import matching_keys
from headcount.live.screen.app import WatchApp
from headcount.live.screen.chart import BOOKMARK, Chart
from headcount.live.screen.legend import Legend
from headcount.live.screen.tables import Report
from headcount.live.wall import Wall
from headcount.live.watch import Watch

STORY = readings(
    "local",
    [{BUSY: 0.1 * n, USED: n * 1e9, "system.memory.utilization": 0.5} for n in range(10)],
    1000.0,
)
Steps = Callable[[Pilot[None], Watch], Awaitable[None]]


def play(
    steps: Steps, *news: News, size: tuple[int, int] = (80, 24), alerts: tuple[str, ...] = ()
) -> Watch:
    """Show a watch of past readings, press keys, and end."""
    monitor = Monitor(alerts=Alerts([parse(text) for text in alerts]))
    names = dict.fromkeys(getattr(one, "source", "local") for one in news or STORY)
    sources = [Watched(name=name, address=name, host=name, system="linux") for name in names]
    clock = Wall(lambda: 0.0, lambda: 1009.0)
    watch = Watch(monitor, [ListFeed(news or STORY)], sources, 1.0, "0", clock)
    app = WatchApp(watch, for_s=None, replayed=False)

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            while not watch.over:
                await pilot.pause(0.02)
            app.tick()
            await pilot.pause()
            await steps(pilot, watch)

    handler = signal.getsignal(signal.SIGHUP)
    try:
        asyncio.run(run())
    finally:
        signal.signal(signal.SIGHUP, handler)  # a hang-up would end this worker
        watch.end()
    return watch


def seen(pilot: Pilot[None], widget: type[Chart | Legend]) -> str:
    found = pilot.app.screen_stack[1].query_one(widget)
    return "\n".join(found.render_line(y).text for y in range(found.size.height))


def status(pilot: Pilot[None]) -> str:
    return str(pilot.app.screen_stack[1].query_one("#status", Static).content)


async def submit(pilot: Pilot[None], text: str) -> None:
    """Replace what is in the line of a dialog, and press Enter."""
    pilot.app.screen.query_one(Input).value = text
    await pilot.press("enter")
    await pilot.pause()


def test_the_chart_draws_lines_and_the_legend_their_figures() -> None:
    async def steps(pilot: Pilot[None], _: Watch) -> None:
        chart, legend = seen(pilot, Chart), seen(pilot, Legend)
        assert any(0x2800 < ord(letter) <= 0x28FF for letter in chart)
        busy = next(line for line in legend.splitlines() if "CPU busy" in line)
        assert busy.split() == ["█", "CPU", "busy", "100", "90.0%", "45.0%", "0%", "90.0%"]

    play(steps)


@pytest.mark.parametrize("size", [(80, 24), (40, 10), (200, 60), (12, 5)])
def test_every_view_can_be_drawn_in_every_size(size: tuple[int, int]) -> None:
    async def steps(pilot: Pilot[None], _: Watch) -> None:
        for key, view in (
            ("2", keys.ALERTS),
            ("3", keys.LOG),
            ("4", keys.REPORT),
            ("1", keys.CHART),
        ):
            await pilot.press(key)
            await pilot.pause()
            assert pilot.app.screen.query_one(ContentSwitcher).current == view

    play(steps, size=size, alerts=("CPU busy>50%",))


def test_plus_minus_and_0_set_the_scale_of_the_chosen_line() -> None:
    async def steps(pilot: Pilot[None], watch: Watch) -> None:
        async def press(key: str) -> int | None:
            await pilot.press(key)
            return watch.monitor.lines[0].power

        assert watch.monitor.lines[0].name == BUSY
        assert await press("minus") == 1
        assert "=10" in seen(pilot, Legend)
        assert await press("plus") == 2
        assert await press("plus") == 3
        assert await press("0") is None

    play(steps)


def test_up_and_down_choose_and_d_removes() -> None:
    async def steps(pilot: Pilot[None], watch: Watch) -> None:
        assert [line.name for line in watch.monitor.lines] == [BUSY, "system.memory.utilization"]
        await pilot.press("down")
        await pilot.press("d")
        assert [line.name for line in watch.monitor.lines] == [BUSY]
        await pilot.press("up", "delete", "d", "e", "plus", "h")
        assert watch.monitor.lines == []

    play(steps)


def test_a_searches_the_catalogue_adds_and_takes_away() -> None:
    async def steps(pilot: Pilot[None], watch: Watch) -> None:
        await pilot.press("a")
        await pilot.press(*"memory used")
        meaning = str(pilot.app.screen.query_one("#meaning", Static).content)
        assert "Memory" in meaning
        await pilot.press("enter")
        assert watch.monitor.lines[-1].name == USED
        await pilot.press("enter")
        assert watch.monitor.lines[-1].name != USED
        await pilot.press("enter", "escape")
        await pilot.pause()
        assert "Memory used" in seen(pilot, Legend)

    play(steps)


def test_the_search_takes_words_in_any_order_of_labels_names_and_sources() -> None:
    catalogue = {"a": [BUSY, USED], "b": [USED]}
    assert matching_keys(catalogue, "USED memory") == [("a", USED), ("b", USED)]
    assert matching_keys(catalogue, "used b") == [("b", USED)]
    assert matching_keys(catalogue, "nothing like it") == []
    assert len(matching_keys(catalogue, "")) == 3


def test_h_highlights_the_chosen_line() -> None:
    async def steps(pilot: Pilot[None], _: Watch) -> None:
        assert isinstance(pilot.app, WatchApp)
        await pilot.press("h")
        assert pilot.app.view.highlighted
        await pilot.press("h")
        assert not pilot.app.view.highlighted

    play(steps)


def test_space_freezes_and_the_arrows_and_brackets_move_through_time() -> None:
    async def steps(pilot: Pilot[None], _: Watch) -> None:
        assert isinstance(pilot.app, WatchApp)
        view = pilot.app.view
        assert view.window() == (949.0, 1009.0)
        await pilot.press("left_square_bracket", "left_square_bracket")
        assert view.window() == (999.0, 1009.0)
        await pilot.press("space")
        assert "FROZEN" in status(pilot)
        await pilot.press("left_square_bracket")
        assert view.window() == (999.0, 1009.0)
        await pilot.press("right_square_bracket")
        assert view.window() == (1000.0, 1009.0)
        await pilot.press("left_square_bracket", "space", "right_square_bracket")
        assert view.window() == (979.0, 1009.0)
        assert "FROZEN" not in status(pilot)

    play(steps, *readings("local", [{BUSY: 0.5}] * 10, 1000.0))


def test_left_and_right_go_through_what_is_kept_and_not_beyond() -> None:
    async def steps(pilot: Pilot[None], _: Watch) -> None:
        assert isinstance(pilot.app, WatchApp)
        view = pilot.app.view
        await pilot.press("left")
        assert view.frozen_s == 1069.0
        for _n in range(5):
            await pilot.press("left")
        assert view.window() == (1000.0, 1060.0)
        for _n in range(9):
            await pilot.press("right")
        assert view.frozen_s == 1099.0

    play(steps, *readings("local", [{BUSY: 0.5}] * 100, 1000.0))


def test_b_sets_a_bookmark_that_the_chart_shows() -> None:
    async def steps(pilot: Pilot[None], watch: Watch) -> None:
        await pilot.press("b")
        await submit(pilot, "the batch began")
        assert [mark.text for mark in watch.monitor.bookmarks] == ["the batch began"]
        assert BOOKMARK in seen(pilot, Chart)
        await pilot.press("b", "escape")
        await pilot.press("b", "enter")
        assert len(watch.monitor.bookmarks) == 1

    play(steps)


def test_e_explains_with_thresholds_and_their_sources() -> None:
    async def steps(pilot: Pilot[None], _: Watch) -> None:
        await pilot.press("e")
        await pilot.pause()
        text = " ".join(str(part.content) for part in pilot.app.screen.query(Static))
        assert "neither idle nor waiting" in text
        assert "above 80%" in text
        assert "SAS Institute, 1998" in text
        await pilot.press("e")
        await pilot.press("4", "e")
        await pilot.pause()
        assert pilot.app.screen.query(Static)
        await pilot.press("escape")

    play(steps)


def test_t_sets_an_alert_or_refuses_it_and_d_removes_it() -> None:
    async def steps(pilot: Pilot[None], watch: Watch) -> None:
        await pilot.press("2", "t")
        await submit(pilot, "nonsense")
        assert "the alert" in str(pilot.app.screen.query_one("#wrong", Static).content)
        await submit(pilot, "CPU busy>90%")
        assert [one.text for one in watch.monitor.alerts.conditions] == ["CPU busy>90%"]
        await pilot.press("d")
        assert watch.monitor.alerts.conditions == []
        await pilot.press("d")

    play(steps)


def test_w_writes_a_log_and_ends_it(tmp_path: Path) -> None:
    path = tmp_path / "own.log"

    async def steps(pilot: Pilot[None], watch: Watch) -> None:
        await pilot.press("3", "w")
        await submit(pilot, str(tmp_path / "none" / "own.log"))
        assert "cannot write" in str(pilot.app.screen.query_one("#wrong", Static).content)
        await submit(pilot, str(path))
        assert watch.recorder is not None
        watch._take(readings("local", [{BUSY: 0.5}], 2000.0)[0])
        watch.bookmark("noted", 2001.0)
        await pilot.press("w")
        assert watch.recorder is None

    play(steps)
    (recording,) = read(path)
    assert recording.samples[0].values == {BUSY: 0.5}
    assert recording.bookmarks[0].text == "noted"


def test_i_sets_the_interval() -> None:
    async def steps(pilot: Pilot[None], watch: Watch) -> None:
        await pilot.press("i")
        await submit(pilot, "1ms")
        assert "100ms to 1h" in str(pilot.app.screen.query_one("#wrong", Static).content)
        await submit(pilot, "500ms")
        assert watch.interval_s == watch.monitor.sources["local"].interval_s == 0.5

    play(steps)


@pytest.mark.parametrize(
    ("view", "rows", "columns"),
    [("1", 10, ["time", f"local: {BUSY}"]), ("2", 1, ["time", "state"]), ("4", 3, ["counter"])],
)
def test_x_writes_what_is_on_the_screen_as_csv(
    tmp_path: Path, view: str, rows: int, columns: list[str]
) -> None:
    path = tmp_path / "shown.csv"

    async def steps(pilot: Pilot[None], _: Watch) -> None:
        await pilot.press(view, "x")
        await submit(pilot, str(path))

    play(steps, alerts=("CPU busy>85%",))
    head, *body = csv.reader(io.StringIO(path.read_text("utf-8")))
    assert head[: len(columns)] == columns
    assert len(body) == rows
    if view == "1":
        assert [float(row[1]) for row in body] == pytest.approx([0.1 * n for n in range(10)])
        assert body[0][0] == "1970-01-01T00:16:40.000+00:00"


def test_question_mark_lists_every_key() -> None:
    async def steps(pilot: Pilot[None], _: Watch) -> None:
        await pilot.press("question_mark")
        await pilot.pause()
        text = "\n".join(str(part.content) for part in pilot.app.screen.query(Static))
        for _key, _action, name, meaning in keys.KEYS:
            assert name in text
            assert meaning in text
        await pilot.press("escape")

    play(steps)


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
def test_q_and_ctrl_c_end(key: str) -> None:
    async def steps(pilot: Pilot[None], _: Watch) -> None:
        await pilot.press(key)
        await pilot.pause()
        assert pilot.app._exit

    play(steps)


def test_keys_that_were_typed_into_a_dialog_do_nothing_else() -> None:
    async def steps(pilot: Pilot[None], watch: Watch) -> None:
        await pilot.press("b")
        await pilot.press(*"1d q", "left", "x", "enter")
        await pilot.pause()
        assert [mark.text for mark in watch.monitor.bookmarks] == ["1d xq"]
        assert len(watch.monitor.lines) == 2

    play(steps)


def test_a_lost_source_is_named_and_has_no_value_in_legend_and_report() -> None:
    news: list[News] = [*readings("far", [{BUSY: 0.5}] * 3, 1000.0)]
    news.append(Lost("far", 1003.0, "connection refused"))

    async def steps(pilot: Pilot[None], watch: Watch) -> None:
        assert "LOST: far" in status(pilot)
        assert "\N{EN DASH}" in seen(pilot, Legend)
        await pilot.press("4")
        report = pilot.app.screen.query_one(Report)
        assert str(report.get_cell_at((0, 1))) == "\N{EN DASH}"  # type: ignore[arg-type]
        for one in (Back("far", 1009.0), readings("far", [{BUSY: 0.6}], 1009.0)[0]):
            watch.monitor.take(one)
        await pilot.press("1")
        assert "LOST" not in status(pilot)

    play(steps, *news)


def test_the_report_has_a_column_for_a_source_that_comes_later() -> None:
    async def steps(pilot: Pilot[None], watch: Watch) -> None:
        await pilot.press("4")
        watch.monitor.take(readings("agent-1", [{BUSY: 0.4}], 1009.0)[0])
        await pilot.press("1", "4")
        report = pilot.app.screen.query_one(Report)
        assert [str(column.label) for column in report.ordered_columns] == [
            "counter", "local", "agent-1"
        ]  # fmt: skip
        assert str(report.get_cell_at((0, 2))) == "40.0%"  # type: ignore[arg-type]

    play(steps, *readings("local", [{BUSY: 0.5}], 1000.0))


def test_control_characters_of_a_source_do_not_reach_the_terminal() -> None:
    async def steps(pilot: Pilot[None], watch: Watch) -> None:
        watch.monitor.add("local", "evil\x1b[31m")
        await pilot.press("2", "1")
        assert "\x1b" not in seen(pilot, Legend)

    play(steps, *readings("local", [{"evil\x1b[31m": 1.0}], 1000.0))


def test_the_page_has_every_key() -> None:
    page = (Path(__file__).parents[2] / "docs" / "watch.md").read_text("utf-8")
    table = page.partition("| key |")[2].partition("\n\n")[0]
    words = {"left", "right", "q", "d"}
    for key, *_ in keys.KEYS:
        sign = keys.SIGNS.get(key, key)
        first = key.partition(",")[0]
        assert f"`{sign}`" in table or (first in words and first in table), key
