"""The executive overview: the answer, what it means, what stops the server, what to do."""

from collections.abc import Iterator

from headcount.bundle.confirmation import Confirmation
from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.price import Price
from headcount.bundle.verdict import Verdict
from headcount.report.answer_sentences import confidence, flattening, judged, price_text, priced
from headcount.report.content import ReportContent
from headcount.report.diagnosis import LEAST_RIVAL, bottleneck
from headcount.report.document.blocks import (
    Block,
    Bullets,
    Column,
    Heading,
    KeyFigures,
    Note,
    Paragraph,
    Row,
    Section,
    Table,
    cells,
    prose,
    strong,
)
from headcount.report.document.meaning import meaning
from headcount.report.document.prose import moment, sentence
from headcount.report.failures import failure_text, telling
from headcount.report.key_figures import key_figures
from headcount.report.prices.items import items
from headcount.text import plural, span

TITLE = "Executive overview"


def section(content: ReportContent) -> Section:
    """The section for readers who read only one page."""
    verdict = content.verdict
    blocks: list[Block] = [
        Paragraph(prose(verdict.sentence), "lead"),
        *(Paragraph(prose(each)) for each in _confidence(verdict)),
        *(Paragraph(prose(each)) for each in meaning(content)),
        KeyFigures(key_figures(content)),
        *_price(verdict),
        *_failed(verdict),
        *_stops(verdict.diagnosis, content.confirmation),
        *_doubts(verdict),
        Heading("What was done"),
        Paragraph(prose(*_done(content))),
    ]
    return Section(TITLE, blocks)


def _confidence(verdict: Verdict) -> Iterator[str]:
    for each in (confidence(verdict.capacity), judged(verdict)):
        if each:
            yield each
    yield from flattening(verdict)


def _price(verdict: Verdict) -> Iterator[Block]:
    if verdict.price is None:
        return
    yield Heading("What it costs")
    prices = priced(verdict)
    if not prices:
        stated = f"The price is that of {price_text(verdict)}."
        yield Paragraph(prose(f"{stated} Without a number of users there is no price per user."))
        return
    yield Bullets([prose(sentence(each)) for each in prices])
    yield Paragraph(prose(f"For {price_text(verdict)}."), "note")
    if verdict.price.items:
        yield _items(verdict.price)


def _items(price: Price) -> Table:
    """The lines of the price, and their sums."""
    found = items(price)
    first_sum = len(found.rows) - found.sums
    columns = [Column(head, text=at < found.texts) for at, head in enumerate(found.heads)]
    rows = [Row(cells(*one), total=at >= first_sum) for at, one in enumerate(found.rows)]
    return Table("The price, as stated", columns, rows, found.note)


def _failed(verdict: Verdict) -> Iterator[Block]:
    """What went wrong, in the server's words."""
    found = telling(verdict)
    if found:
        yield Heading("What failed")
        yield Bullets([prose(sentence(failure_text(one))) for one in found])


def _stops(found: Diagnosis | None, tested: Confirmation | None) -> Iterator[Block]:
    """What limits the server and what to do about it, in the words of the diagnosis."""
    yield Heading("Bottleneck")
    if found is None:
        yield Paragraph(prose("This run has no diagnosis."))
        return
    yield Paragraph(prose(strong(bottleneck(found, tested))))
    rival = found.runner_up
    if rival is not None and (rival.score or 0.0) >= LEAST_RIVAL:
        yield Paragraph(prose(f"Second candidate: {sentence(rival.sentence)}"))
    if found.next is not None:
        yield Paragraph(prose(f"Next limit: {sentence(found.next.sentence)}"))
    if found.advice:
        yield Heading("Suggestions")
        yield Bullets([prose(sentence(one.sentence)) for one in found.advice])


def _doubts(verdict: Verdict) -> Iterator[Block]:
    if verdict.flags:
        yield Note("Known doubts", [prose(sentence(flag)) for flag in verdict.flags])


def _done(content: ReportContent) -> Iterator[str]:
    cost = content.verdict.cost
    yield (
        f"The workload “{content.title}” was played against {content.target} on "
        f"{moment(content.started_at)}. "
    )
    yield (
        f"{sentence(plural('level', cost.levels))[:-1]} took {span(cost.seconds)} and "
        f"{plural('operation', cost.operations)}. "
        if cost.levels
        else "No level was finished. "
    )
    if content.recreates:
        yield (
            f"The workload re-creates {content.recreates}; no result is a score of the original. "
        )
    yield (
        f"All figures were measured by Headcount {content.environment.headcount} and can be "
        "recomputed from the run's files."
    )
