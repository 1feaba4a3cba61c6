"""The diagnosis in the report and in the terminal."""

import dataclasses
import io
from html.parser import HTMLParser

import pytest
from report_cases import HOSTILE, diagnosed
from report_factory import content
from rich.console import Console

import confirmation_file
from headcount.bundle.diagnosis import Diagnosis
from headcount.report import diagnosis as report_diagnosis
from headcount.report import terminal
from headcount.report.document import analysis, overview
from headcount.report.html import diagnosis as section
from headcount.report.html import render


def found() -> Diagnosis:
    made = diagnosed().verdict.diagnosis
    assert made is not None
    return made


def printed(width: int, encoding: str = "utf-8") -> str:
    raw = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    terminal.diagnosis(found(), Console(file=raw, width=width, highlight=False, soft_wrap=True))
    raw.seek(0)
    return raw.read()


def test_the_section_follows_the_answer_and_its_charts() -> None:
    page = render(diagnosed())
    assert page.index('id="answer"') < page.index("Throughput, CPU and overload")
    assert page.index("Response time against users") < page.index("<h2>Bottleneck</h2>")
    assert page.index("<h2>Bottleneck</h2>") < page.index("<h2>Resources at capacity</h2>")


def test_without_a_diagnosis_there_is_no_section() -> None:
    assert section.section(content()) is None
    assert "<h2>Bottleneck" not in render(content())


def test_all_evidence_and_all_candidates_are_shown() -> None:
    page = str(section.section(diagnosed()))
    parts: list[str] = []
    parser = HTMLParser()
    parser.handle_data = parts.append  # type: ignore[method-assign]
    parser.feed(page)
    words = "".join(parts).replace("\N{NO-BREAK SPACE}", " ")
    made = found()
    for figure in made.figures:
        assert figure.sentence in words
    for candidate in made.candidates:
        assert report_diagnosis.NAMES[candidate.limit] in words
    for one in (*made.advice, *made.not_observed):
        assert one.sentence in words
    for one in made.ruled_out:
        assert report_diagnosis.ruled_out(one) in words
    assert HOSTILE not in page


def test_only_limits_with_scores_have_a_strip() -> None:
    made = found()
    strips = report_diagnosis.charted(made)
    assert "cpu" in strips
    assert "refusal" not in strips  # no evidence for it
    for limit in strips:
        assert any(limit in level.scores for level in made.levels)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_terminal_output_fits_its_width_and_encoding(width: int) -> None:
    lines = printed(width).splitlines()
    assert max(len(line) for line in lines) <= max(width, 40)
    assert lines[0].strip().startswith("Bottleneck")
    assert "\x1b" not in printed(width)
    assert printed(width, "ascii").isascii()


def test_the_answer_has_it_in_two_to_four_lines() -> None:
    lines = list(report_diagnosis.short(found()))
    assert 2 <= len(lines) <= 4
    assert lines[0][0] == "Bottleneck"
    assert lines[0][1].endswith("%).")


def test_results_of_experiments_are_in_every_report() -> None:
    named = found()
    proof = confirmation_file.confirmation(named.limit)
    tested = dataclasses.replace(diagnosed(), confirmation=proof)
    beside = 'refuted by experiments "concurrency" and "kinds", which support a lock'
    page = unbroken(render(tested))
    assert page.count(beside) == 1
    assert proof.sentence in page
    document = unbroken(repr([overview.section(tested), analysis.section(tested, [])]))
    assert document.count(beside) == 2
    assert proof.sentence in document
    assert beside not in unbroken(render(diagnosed()))
    undecided = proof.model_copy(update={"answer": "undecided", "experiments": []})
    assert "experiments left it undecided" in report_diagnosis.bottleneck(named, undecided)
    other = proof.model_copy(update={"limit": "errors"})
    assert report_diagnosis.bottleneck(named, other) == report_diagnosis.bottleneck(named)


def unbroken(text: str) -> str:
    """A text without the marks that keep figures and units on one line."""
    return text.replace("\N{NO-BREAK SPACE}", " ").replace("\\xa0", " ")
