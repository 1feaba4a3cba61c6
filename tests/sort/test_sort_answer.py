"""What is computed from measured sorts: standings, the cliff, sentences and the page."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from sort_cases import HERE, NEED, SUBJECT, setting, trials

from headcount.report.sorting import page, sort_sentences
from headcount.sort import ladder, placement, setting_figures
from headcount.sort.experiment import Measured
from headcount.sort.layout import OBSERVATIONS, record_layout
from headcount.sort.place import Place

SMALL, MIDDLE, LARGE = setting(2_000_000), setting(64_000_000), setting(171_000_000)
PAPER = [
    *trials(SMALL, 57.8, 57.9, 57.7, 57.8),
    *trials(MIDDLE, 70.0, 70.2, 69.9, 70.1),
    *trials(LARGE, 39.7, 39.8, 39.6, 39.7),
]


def test_the_paper_s_discovery_is_found() -> None:  # S-06, S-07
    found = setting_figures.figures(PAPER)
    assert [one.standing for one in found] == ["slower", "slower", "best"]
    assert [one.fits for one in found] == [False, False, True]
    (cliff,) = setting_figures.cliffs(found)
    assert cliff.best_spill.setting == SMALL
    assert cliff.spills.setting == MIDDLE
    assert cliff.fits.setting == LARGE
    assert cliff.saved.value == pytest.approx(0.313, abs=0.001)
    sentence = sort_sentences.cliff(cliff)
    assert "From 171 MB on everything fits" in sentence
    assert "31.3% of the time saved" in sentence


def test_what_is_within_the_noise_is_not_ranked() -> None:  # S-11
    found = setting_figures.figures([*trials(SMALL, 1.0, 1.2, 0.9), *trials(MIDDLE, 1.1, 1.0, 1.1)])
    assert {one.standing for one in found} == {"best", "no different"}
    assert "no different within the noise: 64.0 MB" in sort_sentences.best(found)
    once = setting_figures.figures([*trials(SMALL, 1.0), *trials(MIDDLE, 9.0)])
    assert {one.standing for one in once} == {"best", "unknown"}
    assert "give --repeat" in sort_sentences.best(once)


def test_a_round_that_was_not_finished_is_no_pair() -> None:
    found = setting_figures.figures([*trials(SMALL, 1.0, 1.0, 1.0), *trials(MIDDLE, 2.0, 2.1)])
    assert [len(one.trials) for one in found] == [3, 2]
    assert setting_figures.pairs(found[0].trials, found[1].trials) == ([1.0, 1.0], [2.0, 2.1])


def test_each_limit_of_memory_has_its_cliff() -> None:
    settings = [setting(size, memory) for memory in (1, None) for size in (8_000_000, NEED)]
    measured = [trial for one in settings for trial in trials(one, 1.0, 1.1)]
    assert [
        one.memory_bytes for one in setting_figures.cliffs(setting_figures.figures(measured))
    ] == [1, None]


def test_another_disk_saves_as_much_as_in_the_paper() -> None:  # S-09
    away = Place(Path("/work"), 2, frozenset({"sdb"}))
    elsewhere = setting(16_000_000, where=away)
    beside = setting(16_000_000)
    measured = [*trials(beside, 86.4, 86.5, 86.3), *trials(elsewhere, 59.5, 59.6, 59.4)]
    found = placement.judge(HERE, (away,), measured)
    assert found.same is None
    assert found.gain is not None
    assert found.gain.value == pytest.approx(0.311, abs=0.001)
    (line,) = sort_sentences.placement(found)
    assert "31.1% of the time saved" in line
    assert "(sdb)" in line


def test_the_ladder_reaches_beyond_what_fits() -> None:
    need = OBSERVATIONS.need_bytes(694_444, 1)
    sizes = ladder.sizes(need, OBSERVATIONS.least_bytes(1))
    assert sizes[:6] == [2_000_000 * 2**step for step in range(6)]
    assert sizes[-2:] == [need, 128_000_000]
    kept, left_out = ladder.settings(sizes, [128_000_000, None], need, (HERE,))
    assert [one.sortsize_bytes for one in left_out] == sizes[-2:]
    assert len(kept) == 2 * len(sizes) - 2


def test_benchmark_records_need_the_formula_without_its_tenth() -> None:  # S-02
    layout = record_layout(100, 10)
    formula = layout.formula(3_000_000).value
    assert formula == 382_800_000
    assert formula / layout.need_bytes(3_000_000, 1) == pytest.approx(1.1, abs=0.001)


class Tags(HTMLParser):
    """What a page is made of."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_the_page_loads_nothing_and_shows_every_figure() -> None:
    found = setting_figures.figures(PAPER)
    content = page.SortContent(
        SUBJECT, Measured(PAPER, {"crc_sum": 1}), found, setting_figures.cliffs(found), "now"
    )
    html = page.render(content)
    parser = Tags()
    parser.feed(html)
    names = {tag for tag, _ in parser.tags}
    assert "script" not in names
    assert not [attributes for _, attributes in parser.tags if attributes.get("src")]
    links = [attributes.get("href") for _, attributes in parser.tags if "href" in attributes]
    assert links == ["data:,"]
    policies = [attributes.get("content") or "" for _, attributes in parser.tags]
    assert [one for one in policies if one.startswith("default-src 'none'")]
    assert len([tag for tag, _ in parser.tags if tag == "svg"]) == 2
    shown = re.sub(r"<[^>]+>", " ", html)
    for figure in ("57.8 s", "39.7 s", "70.0 s", "171 MB", "64.0 MB", "2.00 MB", "31.3%"):
        assert figure.replace(" ", "\N{NO-BREAK SPACE}") in shown or figure in shown


def test_the_line_goes_through_the_times() -> None:
    found = setting_figures.figures(PAPER)
    content = page.SortContent(SUBJECT, Measured(PAPER, {"crc_sum": 1}), found, (), "now")
    html = page.render(content)
    (path, *_) = re.findall(r'<path d="M([^"]+)" class="line throughput"/>', html)
    points = [tuple(map(float, point.split())) for point in path.split("L")]
    (x0, y0), (x1, y1), (x2, y2) = points
    # Equal ratios of sizes take equal room; heights are as the times, from the axis up.
    assert (x1 - x0) / (x2 - x0) == pytest.approx(0.7788, abs=0.002)  # log 32 / log 85.5
    assert (y0 - y1) / (y2 - y0) == pytest.approx((70.05 - 57.8) / (57.8 - 39.7), abs=0.01)
