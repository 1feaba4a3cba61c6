"""Numbers and foreign text as people read them."""

import doctest
import math
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount import text
from headcount.report import markup

NOTHING = [None, math.nan, math.inf, -math.inf]


@pytest.mark.parametrize("module", [text, markup])
def test_the_examples_in_the_docstrings(module) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("value", NOTHING)
@pytest.mark.parametrize(
    "written",
    [
        text.significant,
        text.count,
        text.duration,
        text.share,
        text.percent,
        text.megabytes_per_s,
        text.storage,
        text.memory,
        text.span,
    ],
)
def test_a_missing_value_is_an_en_dash_and_never_a_zero(written, value) -> None:
    assert written(value) == "\N{EN DASH}"


@pytest.mark.parametrize(
    ("value_ms", "written"),
    [
        (0, "0 ms"),
        (0.0004, "0.400 µs"),
        (0.01, "10.0 µs"),
        (0.9994, "999 µs"),
        (0.9996, "1.00 ms"),
        (9.996, "10.0 ms"),
        (228.4, "228 ms"),
        (999.4, "999 ms"),
        (999.6, "1.00 s"),
        (1210, "1.21 s"),
        (100_000, "100 s"),
        (3_600_000, "3,600 s"),
    ],
)
def test_duration(value_ms: float, written: str) -> None:
    assert text.duration(value_ms) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0%"),
        (0.00004, "<0.01%"),
        (0.00005, "0.01%"),
        (0.0042, "0.42%"),
        (0.00996, "1.0%"),
        (0.284, "28.4%"),
        (0.9999, "100.0%"),
        (1, "100%"),
        (3.2, "320.0%"),
        (-0.02, "-2.0%"),
    ],
)
def test_share(value: float, written: str) -> None:
    assert text.share(value) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0 MB/s"),
        (4_000, "<0.01 MB/s"),
        (520_000, "0.52 MB/s"),
        (998_000, "0.998 MB/s"),
        (1_000_000, "1.00 MB/s"),
        (106e6, "106 MB/s"),
        (12.5e9, "12,500 MB/s"),
    ],
)
def test_megabytes_per_s_are_decimal(value: float, written: str) -> None:
    assert text.megabytes_per_s(value) == written


def test_counts_and_rates() -> None:
    assert text.count(23_000) == "23,000"
    assert text.count(938.6) == "939"
    assert text.significant(0) == "0"
    assert text.significant(999.6) == "1,000"
    assert text.significant(-1.234) == "-1.23"


def test_amounts_of_bytes() -> None:
    assert text.storage(960_197_124_096) == "960 GB"
    assert text.memory(16 * 1024**3) == "16.0 GiB"
    assert text.memory(512) == "512 B"
    assert text.memory(1023.7) == text.memory(1024) == "1.00 KiB"
    assert text.storage(999_600) == "1.00 MB"
    assert text.storage(2e18) == "2,000 PB"


def test_nouns_are_singular_only_after_one() -> None:
    assert text.plural("user", 1) == "1 user"
    assert text.plural("user", 1.4) == "1 user"
    assert text.plural("user", 0) == "0 users"
    assert text.plural("more day", 2) == "2 more days"
    assert text.plural("process", 3) == "3 processes"


def test_an_interval_gives_a_common_unit_once() -> None:
    assert text.interval(302, 489) == "302 to 489"
    assert text.interval(220, 236, text.duration) == "220 to 236 ms"
    assert text.interval(950, 1210, text.duration) == "950 ms to 1.21 s"
    assert text.interval(0.28, 0.31, text.share) == "28.0% to 31.0%"


def test_percentages_have_no_space_and_other_units_have_one() -> None:
    assert text.percent(0.123) == "12%"
    assert text.unit(38.74, "scenarios/s") == "38.7 scenarios/s"


def test_spans_of_time_carry_over() -> None:
    assert [text.span(value) for value in (0.2, 59.6, 3599.7, 3630, 7199)] == [
        "0 s",
        "1 min",
        "1 h",
        "1 h",
        "2 h",
    ]


@given(st.floats(min_value=1e-6, max_value=1e9))
def test_durations_keep_three_significant_digits(value_ms: float) -> None:
    figure, unit = text.duration(value_ms).replace(",", "").split(" ")
    back_ms = float(figure) * {"µs": 1e-3, "ms": 1, "s": 1e3}[unit]
    assert back_ms == pytest.approx(value_ms, rel=0.00501)


@given(st.text(alphabet=st.characters()))
def test_clean_text_can_be_written_and_holds_no_control_character(raw: str) -> None:
    cleaned = text.clean(raw)
    assert cleaned.encode("utf-8").decode("utf-8") == cleaned
    categories = {unicodedata.category(letter) for letter in cleaned if letter not in "\t\n"}
    assert categories.isdisjoint({"Cc", "Cs"})
    bidirectional = {unicodedata.bidirectional(letter) for letter in cleaned}
    assert bidirectional.isdisjoint({"RLO", "LRO", "RLE", "LRE", "PDF", "RLI", "LRI", "FSI", "PDI"})


def test_clean_keeps_what_people_write() -> None:
    assert text.clean("Größe\t5 µs\r\n文書") == "Größe\t5 µs\n文書"
