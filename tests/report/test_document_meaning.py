"""What an answer means, for every form of it."""

from dataclasses import replace
from typing import Any

import pytest
from report_cases import at_least, cases, no_levels, one_level, saturated
from report_factory import content, level, verdict

from headcount.bundle.price import Price, PriceEach
from headcount.report.content import ReportContent
from headcount.report.document import overview
from headcount.report.document.blocks import Bullets, Note, Paragraph
from headcount.report.document.meaning import meaning
from headcount.report.document.summary import summary


def prose(run: ReportContent) -> str:
    return " ".join(meaning(run))


def with_capacity(**changes: Any) -> ReportContent:
    plain = verdict()
    assert plain.capacity is not None
    capacity = plain.capacity.model_copy(update=changes)
    return replace(content(), verdict=plain.model_copy(update={"capacity": capacity}))


def test_a_capacity_is_a_level_that_was_run() -> None:
    text = prose(content())
    assert "a level that was run and that met every criterion" in text
    assert "What broke first: At 950 users" in text


def test_at_least_is_not_a_capacity() -> None:
    text = prose(at_least())
    assert "The server holds 800 users and may hold more" in text
    assert "What broke first" not in text


def test_at_least_does_not_say_that_no_level_failed() -> None:
    """A level may have failed too narrowly for an upper end, as the answer then says."""
    sure = dict(summary(with_capacity(high=None, at_least=True)))["How sure"]
    assert sure.startswith("No level failed clearly: the server may hold more.")


def test_without_a_capacity_there_is_no_number_to_quote() -> None:
    text = prose(with_capacity(users=None, estimate=None, low=None, high=None))
    assert "There is no number to quote" in text


@pytest.mark.parametrize(("outcomes", "part"), [
    (("passed", "failed"), "The capacity lies between 100 and 200 users; a search"),
    (("passed", "passed"), "No larger level than 200 users failed, so this run does not show"),
    (("failed", "failed"), ""),
])  # fmt: skip
def test_a_ladder_says_between_which_levels_it_lies(outcomes: tuple[str, str], part: str) -> None:
    levels = [level(n, 100 * n, outcome=one) for n, one in enumerate(outcomes, 1)]
    found = verdict().model_copy(update={"kind": "ladder", "capacity": None, "broke_first": None})
    text = prose(replace(content(), levels=levels, verdict=found))
    assert part in text
    assert bool(part) == bool(text)


def test_one_level_does_not_show_the_capacity() -> None:
    assert "not how many it can hold" in prose(one_level())


def test_a_saturation_point_is_explained_where_it_is_the_answer() -> None:
    run = saturated()
    first = run.verdict.plateaus[0]
    answer = run.verdict.model_copy(update={"sentence": first.sentence})
    assert "no larger level measurably exceeded" in prose(replace(run, verdict=answer))
    assert "no larger level measurably exceeded" not in prose(run)


def test_invalid_levels_must_not_be_quoted() -> None:
    levels = [level(1, 100, outcome="invalid"), level(2, 200, outcome="invalid")]
    text = prose(replace(content(), levels=levels))
    assert "No level is valid" in text
    assert "Do not quote them" in text
    assert "met every criterion" not in text


@pytest.mark.parametrize("outcome", ["interrupted", "unfinished"])
def test_an_unfinished_run_says_so(outcome: str) -> None:
    ended = verdict().model_copy(update={"outcome": outcome})
    text = prose(replace(content(), verdict=ended))
    assert text.startswith("The run did not finish")
    assert ("it was interrupted" in text) == (outcome == "interrupted")
    assert "headcount resume" in prose(no_levels())


def paragraphs(run: ReportContent) -> str:
    parts = []
    for block in overview.section(run).blocks:
        if isinstance(block, Paragraph):
            parts.append("".join(span.text for span in block.text))
        if isinstance(block, Bullets | Note):
            parts += ["".join(span.text for span in item) for item in block.items]
    return " ".join(parts).replace("\N{NO-BREAK SPACE}", " ")


def test_without_a_diagnosis_nothing_is_claimed() -> None:
    assert "This run has no diagnosis" in paragraphs(content())


def test_the_diagnosis_has_its_confidence_and_suggestion() -> None:
    run = next(case.content for case in cases() if case.name == "diagnosed")
    found = run.verdict.diagnosis
    assert found is not None
    text = paragraphs(run)
    assert found.advice[0].sentence.rstrip(".") in text
    assert f"({found.confidence_word} confidence, {found.confidence:.0%})." in text


def test_without_users_there_is_no_price_per_user() -> None:
    alone = verdict().model_copy(update={"price": Price(amount=29581.0, currency="USD", each=[])})
    text = paragraphs(replace(content(), verdict=alone))
    assert (
        "The price is that of a system of 29,581.00 USD, as stated. Without a number of users"
        in text
    )
    each = PriceEach(of="user", figure=2200, value=29581 / 2200, interval=(13.0, 14.0))
    priced = alone.model_copy(update={"price": Price(amount=29581.0, currency="USD", each=[each])})
    # 29,581 / 2,200 = 13.4459: seed report of 1997 rounds to 13.45.
    text = paragraphs(replace(content(), verdict=priced))
    assert "13.45 USD per user (95% interval 13.00 to 14.00)." in text
    assert "What it costs" in [
        getattr(block, "text", "")
        for block in overview.section(replace(content(), verdict=priced)).blocks
    ]


def test_only_a_re_creation_names_its_original() -> None:
    assert "re-creates Microsoft's File Server Capacity Tool" in paragraphs(content())
    own = paragraphs(replace(content(), recreates=None))
    assert "The workload re-creates" not in own
    assert "All figures were measured by Headcount" in own
