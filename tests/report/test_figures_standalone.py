"""Figures as files: complete without the page, and drawn by a program that knows no variables."""

import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import typst
from chart_reading import pixels
from report_factory import content

from headcount.report import palette
from headcount.report.figures import response, throughput, timeline, transfer, utilisation
from headcount.report.figures.figure_types import Figure
from headcount.report.figures.standalone import standalone, style
from headcount.report.html import script
from headcount.report.html.drawn import drawn


def figures() -> list[Figure]:
    made = content()
    found = [draw.figure(made) for draw in (throughput, response, utilisation, transfer)]
    return [one for one in found if one is not None]


@pytest.mark.parametrize("figure", figures(), ids=lambda one: one.name)
def test_a_file_has_its_title_its_words_and_its_colours(figure: Figure) -> None:
    text = standalone(figure.svg, figure.title)
    root = ET.fromstring(text)  # noqa: S314  our own drawing
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root[0].text == figure.title
    assert "var(" not in text
    assert root.find("{http://www.w3.org/2000/svg}desc") is not None
    assert "href" not in text


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_every_class_that_is_drawn_has_a_colour_in_a_file(scheme: palette.Scheme) -> None:
    rules = style(scheme)
    for figure in figures():
        for tag, classes in re.findall(r'<(path|rect|text)[^>]* class="([^"]*)"', figure.svg):
            names = set(classes.split())
            coloured = names & palette.drawn(scheme).keys()
            for name in coloured - {"end", "mid"}:
                assert f"text.{name}{{" in rules if tag == "text" else f".{name}" in rules


def test_areas_are_never_left_black() -> None:
    made = content()
    found = [*figures(), timeline.figure(made.timeline, made.levels[-1])]
    rules = style("print")
    for figure in found:
        assert figure is not None
        areas = re.findall(r'<rect[^>]* class="([^"]*)"', figure.svg.split('class="at"')[0])
        for classes in areas:
            filled = [name for name in classes.split() if re.search(rf"\.{name}\{{fill:", rules)]
            assert filled, classes


def test_a_typesetter_draws_a_file_in_its_colours(tmp_path: Path) -> None:
    figure = figures()[0]
    (tmp_path / "figure.svg").write_text(standalone(figure.svg, figure.title), encoding="utf-8")
    (tmp_path / "page.typ").write_text(
        '#set page(width: 880pt, height: auto, margin: 0pt)\n#image("figure.svg", width: 100%)\n',
        encoding="utf-8",
    )
    typst.compile(str(tmp_path / "page.typ"), output=str(tmp_path / "page.pdf"))
    command = [
        "pdftoppm",
        "-r",
        "72",
        "-singlefile",
        str(tmp_path / "page.pdf"),
        str(tmp_path / "page"),
    ]
    subprocess.run(command, check=True)
    seen = pixels(tmp_path / "page.ppm")
    for name in ("throughput", "cpu", "overload"):
        wanted = palette.drawn("print")[name]
        # Inside of marks: enough of exactly this colour.
        assert seen[wanted] > 50, wanted
    text = subprocess.run(
        ["pdftotext", str(tmp_path / "page.pdf"), "-"], check=True, capture_output=True, text=True
    ).stdout
    assert "capacity 918 users" in text
    assert "CPU of the server" in text


def test_the_library_has_its_licence_and_makes_no_requests() -> None:
    text = script.text()
    assert "uPlot (v1.6.32)" in text
    assert "Copyright (c) 2022 Leon Sorokin" in text
    assert "The MIT License" in text
    assert "</script" not in text.lower()
    # It loads nothing and evaluates no text.
    for word in ("fetch(", "XMLHttpRequest", "WebSocket", "import(", "eval(", "new Function"):
        assert word not in text


def test_numbers_behind_a_figure_are_a_table_that_opens() -> None:
    figure = figures()[0]
    html = drawn(figure)
    assert html.count("<details") == 1
    assert "<summary>The numbers behind it</summary>" in html
    for heading in figure.table.columns:
        assert f">{heading}</th>" in html


def test_only_a_short_level_is_called_second_by_second() -> None:
    made = content()
    short, long = (
        timeline.figure(made.timeline, made.levels[-1].model_copy(update={"stretch_s": length_s}))
        for length_s in (1.0, 30.0)
    )
    assert short is not None
    assert long is not None
    assert short.title.endswith(", second by second")
    assert long.title.endswith(" over time")
    assert "the mean of the seconds in 30 s" in long.caption
    assert "mean" not in short.caption
