"""What more of each resource would hold, in the report and in the document."""

from dataclasses import replace

from report_cases import HOSTILE
from report_factory import content

from headcount.analyse.prediction import sentences
from headcount.analyse.prediction.prediction import Check, Expected, Prediction
from headcount.report import prediction
from headcount.report.document import analysis
from headcount.report.document.blocks import Heading, Paragraph, Table
from headcount.report.html import prediction as section
from headcount.report.html import render

REACH = Check(
    name="reach",
    passed=False,
    value=0.5,
    limit=0.7,
    sentence="the highest level is 50% of the capacity",
    remedy="measure a level of at least 700 users",
)


def prediction_for(
    change: str, users: float, *, binds: str = "cpu", refused: Check | None = None
) -> Prediction:
    return Prediction(
        outcome="not predictive" if refused else "predicted",
        sentence="",
        criterion="p95<=1s",
        changes=[change],
        levels_used=[1, 2, 3, 4],
        levels_left_out=[],
        measured=1000.0,
        now=None,
        capacity=Expected(
            users=users,
            low=0.9 * users,
            high=1.1 * users,
            per_s=10.0,
            response_ms=100.0,
            criterion=1.0,
        ),
        binds=binds,
        bound_now="cpu",
        model="exact",
        candidates=[],
        checks=[refused] if refused else [],
        demands=[],
        for_users=None,
        unknowable=["A cliff of memory.", f"What {change} brings."],
        notes=[],
        curve_now=[],
        curve=[],
    )


CPU = prediction_for("CPU 2.00 cores -> 4.00 cores", 1903.6, binds="network sent")
DISK = prediction_for("1 disk -> 2 disks", 980.0)
REFUSED = prediction_for("1 disk -> 2 disks", 980.0, refused=REACH)


def test_a_row_says_how_many_and_what_is_full_then() -> None:
    first, second = prediction.rows([CPU, DISK])
    assert first.cells() == [
        *("CPU 2.00 cores to 4.00 cores", "1,904", "1,713 to 2,094", "+90%", "network sent"),
    ]
    assert second.cells()[1:] == ["980", "882 to 1,078", "-2%", "CPU"]
    assert prediction.unknowable([CPU, DISK]) == [
        "A cliff of memory.",
        "What CPU 2.00 cores -> 4.00 cores brings.",
        "What 1 disk -> 2 disks brings.",
    ]


def test_an_unsupported_prediction_says_what_to_measure() -> None:
    reason = "the highest level is 50% of the capacity; measure a level of at least 700 users"
    assert prediction.rows([REFUSED]) == []
    assert prediction.refusals([CPU, REFUSED]) == [
        f"No prediction for 1 disk to 2 disks: {reason}."
    ]
    both = [REFUSED, prediction_for("CPU 2.00 cores -> 4.00 cores", 1.0, refused=REACH)]
    assert prediction.refusals(both) == [f"No prediction from this run: {reason}."]
    assert prediction.unknowable(both) == []


def test_the_section_follows_the_diagnosis_and_holds_every_figure() -> None:
    report = replace(content(), predictions=[CPU, REFUSED])
    page = render(report).replace("\N{NO-BREAK SPACE}", " ")
    at = page.index(f"<h2>{prediction.TITLE}</h2>")
    assert page.index("<h2>Throughput") < at < page.index("<h2>Resources at capacity")
    for cell in prediction.rows([CPU])[0].cells():
        assert f">{cell}<" in page[at:]
    assert prediction.refusals([CPU, REFUSED])[0] in page[at:]


def test_without_predictions_there_is_no_section() -> None:
    assert section.section(content()) is None
    assert prediction.TITLE not in render(content())


def test_text_of_servers_is_escaped() -> None:
    hostile = replace(content(), predictions=[prediction_for("CPU", 5.0, binds=HOSTILE)])
    assert HOSTILE not in render(hostile)


def test_the_document_has_the_same_rows() -> None:
    report = replace(content(), predictions=[CPU, REFUSED])
    blocks = list(analysis.section(report, []).blocks)
    assert Heading(prediction.TITLE) in blocks
    table = next(
        block for block in blocks if isinstance(block, Table) and block.caption == prediction.TITLE
    )
    assert [[cell.text for cell in row.cells] for row in table.rows] == [
        prediction.rows([CPU])[0].cells()
    ]
    paragraphs = [part.text for b in blocks if isinstance(b, Paragraph) for part in b.text]
    assert any(part.startswith("No prediction for") for part in paragraphs)
    assert prediction.TITLE not in str(analysis.section(content(), []).blocks)


def test_the_capacity_of_the_run_stands_first_and_its_estimate_second() -> None:
    searched = CPU.model_copy(update={"published": 900})
    assert "(capacity now: 900, estimate 1,000)" in sentences.sentence(searched)
    assert "(measured now: 1,000)" in sentences.sentence(CPU)
    sentence = prediction.introduction([searched])
    assert "The capacity now is 900 users, the estimate 1,000." in sentence
