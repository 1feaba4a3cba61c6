"""The page on reports for customers says what templates and the reports have."""

import tomllib

import pytest
from pages import codes, rows, sections, text

from headcount.fields.model import Strict
from headcount.report.brand import dates, logo, vector
from headcount.report.brand.colour import LEAST_CONTRAST
from headcount.report.brand.template import Colours, Template, Type, Words
from headcount.report.document import (
    analysis,
    competitive,
    configuration,
    disclosure,
    methodology,
    overview,
    repeat,
    results,
)

PAGE = text("reports.md")


@pytest.mark.parametrize(
    ("section", "model"),
    [("Template", Template), ("Colours", Colours), ("Type", Type), ("Text", Words)],
)
def test_every_key_is_described_with_its_default(section: str, model: type[Strict]) -> None:
    table = rows(sections(PAGE)[section])[1:]
    assert [row[0].strip("`") for row in table] == list(model.model_fields)
    for key, _, default, _ in table:
        field = model.model_fields[key.strip("`")]
        if field.is_required():
            assert default == "needed"
        elif isinstance(field.default, str):
            assert default.strip("`") == field.default


def test_every_language_of_dates_is_listed() -> None:
    (row,) = [one for one in rows(sections(PAGE)["Template"]) if one[0] == "`dates`"]
    assert tuple(codes(row[1])) == dates.LANGUAGES


def test_the_limits_of_logos_and_colours_are_stated() -> None:
    section = sections(PAGE)["Logos"]
    for number in (vector.MOST_ELEMENTS, logo.MOST_PIXELS, logo.MOST_BYTES):
        assert f"{number:,}" in section
    assert f"{LEAST_CONTRAST}:1" in sections(PAGE)["Colours"]


def test_the_template_that_is_shown_is_valid() -> None:
    shown = PAGE.partition("```toml\n")[2].partition("```")[0]
    assert Template.model_validate(tomllib.loads(shown)).name == "Example Performance Ltd"


def test_the_sections_are_those_of_the_report() -> None:
    titles = [row[0] for row in rows(PAGE.partition("## What you can rely on")[0])[1:]]
    assert titles == [
        "summary",
        overview.TITLE,
        configuration.TITLE,
        methodology.TITLE,
        results.TITLE,
        competitive.TITLE,
        analysis.TITLE,
        disclosure.TITLE,
        repeat.TITLE,
        repeat.WORDS_TITLE,
        repeat.BEHIND_TITLE,
        configuration.APPENDIX,
    ]
