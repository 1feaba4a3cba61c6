"""Texts made for a pattern match it, whatever the pattern."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.importers.openapi import openapi_journey
from headcount.importers.openapi_sample import Description
from headcount.importers.pattern_sample import LONGEST_TEXT, pattern_sample

ATOMS = st.sampled_from(
    ["a", "[b-d]", r"\d", r"\w", r"\s", "[^a-z]", r"[^\d]", ".", "é", r"\.", r"[\w-]", "(?:xy|z)"]
)
COUNTS = st.sampled_from(["", "?", "*", "+", "{2}", "{1,3}", "{2,}", "+?"])
PATTERNS = st.recursive(
    st.builds(str.__add__, ATOMS, COUNTS),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.builds("({}|{}){}".format, inner, inner, COUNTS),
    ),
    max_leaves=6,
)


@given(PATTERNS, st.booleans())
def test_a_text_matches_its_pattern(pattern: str, is_anchored: bool) -> None:
    pattern = f"^{pattern}$" if is_anchored else pattern
    sample = pattern_sample(pattern)
    assert sample is not None
    assert re.search(pattern, sample)
    assert is_anchored is False or re.fullmatch(pattern, sample)


@given(st.integers(0, 200), st.integers(0, 60))
def test_a_text_has_the_length_asked_for(least: int, more: int) -> None:
    sample = pattern_sample("^[a-z]*$", least, least + more)
    if least <= 64:
        assert sample is not None
    assert sample is None or least <= len(sample) <= least + more


@pytest.mark.parametrize(
    ("pattern", "sample"),
    [
        (r"^\+?[1-9]\d{1,14}$", "11"),
        (r"^(19|20)\d\d-(0[1-9]|1[0-2])$", "1911-01"),
        ("^[0-9a-f]{4}(-[0-9a-f]{2}){2}$", "0000-00-00"),
        ("(?i)abc", "abc"),
        ("x(?!y)|z", "z"),
        ("^$", ""),
    ],
)
def test_the_shortest_text_and_first_characters(pattern: str, sample: str) -> None:
    assert pattern_sample(pattern) == sample


@pytest.mark.parametrize(
    "pattern",
    [
        "(a{1000}){1000}",
        "(){1000000000}",
        f"x{{{LONGEST_TEXT + 1}}}",
        "(" * 900,
        "a" * 2000,
        "(((((a?){9}){9}){9}){9}){9}b{2000}",
        r"(a)\1",
        "(?=a)b",
        r"\p{L}",
        "a$b",
        "a^b",
        r"[^\d\D]",
        r"\bword",
        "[a-",
    ],
)
def test_unsupported_patterns_have_no_sample(pattern: str) -> None:
    assert pattern_sample(pattern) is None


def test_a_description_lists_the_patterns_it_cannot_match(tmp_path: Path) -> None:
    file = tmp_path / "api.yaml"
    file.write_text(r"""
openapi: 3.0.3
info: { title: Codes, version: "1" }
paths:
  /codes:
    post:
      requestBody: { content: { application/json: { schema: { type: object, properties: {
        code: { type: string, pattern: '^[A-Z]{2}-\d{4}$' },
        mark: { type: string, pattern: '^\ue000n\ue001$' },
        word: { type: string, pattern: '(?=a)b', maxLength: 3 } } } } } }
      responses: { "200": { description: fine } }
""")
    journey = openapi_journey(file)
    body = next(journey.scenarios[0].steps()).json
    assert body == {"code": "AA-1111", "mark": "\ufffdn\ufffd", "word": "tex"}
    assert journey.left_out == ["a text for the pattern (?=a)b: give one that it matches"]


def test_lengths_without_a_pattern() -> None:
    description = Description({})
    assert description.sample({"type": "string", "minLength": 6}) == "textxx"
    assert description.sample({"type": "string", "maxLength": 2}) == "te"
    assert description.sample({"type": "string", "minLength": -1, "maxLength": "x"}) == "text"
