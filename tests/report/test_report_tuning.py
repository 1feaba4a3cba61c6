"""A tuning in the report: its numbers, its words, and nothing that a search alone could say."""

import json
import math
import statistics
from pathlib import Path

import pytest
from report_bundle import bundle_of
from report_factory import content as run_content
from report_factory import verdict
from report_page import Page
from report_tuning import ALL, bundle_with, content_of, hostile, of_times, race, tuned
from scipy import stats
from typer.testing import CliRunner

from command_line import app
from failover_file import complete_failover
from headcount.bundle import failover, reader
from headcount.bundle.tuning import Ratio, Tuning
from headcount.errors import InputError
from headcount.report import assemble
from headcount.report.document import build
from headcount.report.document.blocks import Code, Document, Section, Table
from headcount.report.document.tuned import of_content
from headcount.report.html import render
from headcount.report.pdf.render import pdf
from headcount.report.tuning import gain_of, gain_text

CLAIMS = (
    "capacity with more hardware",
    "throughput, cpu and overload",
    "confidence interval 9",
    "every level",
    "resources at capacity",
    "holds",
    "918",
    "users pass",
    "ladder",
    "a search chose",
    "price",
    "next limit",
)
"""What the report of a run says of its capacity, and of what follows from one."""


def words(found: Tuning) -> str:
    return " ".join(Page(render(content_of(found))).texts).replace("\N{NO-BREAK SPACE}", " ")


def ratio(value: float, low: float, high: float) -> Ratio:
    return Ratio(value=value, low=low, high=high, confidence=0.99, pairs=6)


@pytest.mark.parametrize("name", ALL)
def test_the_report_of_a_tuning_claims_no_capacity(name: str) -> None:
    found = ALL[name]()
    text = words(found)
    for claim in (*CLAIMS, verdict().sentence):
        # Prices are a group of the disclosure: there they are not stated.
        assert claim.lower() not in text.replace("Pricing", "").lower(), claim
    headings = Page(render(content_of(found))).headings
    assert headings[0] == "Tuning"
    assert headings[-5:] == [
        "The workload",
        "Environment",
        "Disclosure",
        "How to repeat it",
        "How to read this",
    ]
    assert found.sentence in text


def test_a_throughput_ratio_is_given_as_a_factor_and_in_percent() -> None:
    assert gain_text(tuned(), ratio(1.63, 1.41, 1.88)) == (
        "1.63 times the throughput (1.41 to 1.88), +63% (41% to 88%)"
    )
    assert gain_text(tuned(), ratio(1.05, 0.94, 1.17)) == (
        "1.05 times the throughput (0.94 to 1.17), +5% (-6% to +17%)"
    )


def test_a_ratio_of_times_is_given_as_a_reduction() -> None:
    claim = ratio(1.45, 1.37, 1.54)
    assert gain_text(of_times(), claim) == (
        "time reduced by 31% (27% to 35%), 1.45 times as fast (1.37 to 1.54)"
    )
    # Independently: a time that is 1.45 times shorter is 1 - 1/1.45 shorter.
    assert [round(100 * (1 - 1 / one)) for one in (1.45, 1.37, 1.54)] == [31, 27, 35]
    assert gain_text(of_times(), ratio(1.25, 0.8, 1.6)).startswith(
        "time changed by -20% (-38% to +25%)"
    )
    of_cpu = of_times("CPU time of the server per scenario")
    assert gain_text(of_cpu, claim) == (
        "CPU time reduced by 31% (27% to 35%), 1.45 times the scenarios for the same CPU time "
        "(1.37 to 1.54)"
    )


def test_figures_before_and_after_have_their_unit() -> None:
    assert "1,000 scenarios/s" in words(tuned())
    assert "1,400 scenarios/s" in words(tuned())
    assert "290 ms" in words(of_times())
    assert "2.00 ms of CPU time" in words(of_times("CPU time of the server per scenario"))


@pytest.mark.parametrize("pairs", [2, 3, 8])
def test_the_interval_of_a_race_is_students_t(pairs: int) -> None:
    made = race(7, pairs)
    gains = [one.log_gain for one in made.pairs if one.log_gain is not None]
    error = statistics.stdev(gains) / math.sqrt(pairs)
    low, high = stats.t.interval(0.95, pairs - 1, statistics.mean(gains), error)
    found = gain_of(made)
    assert found is not None
    assert found.interval == pytest.approx((math.exp(low), math.exp(high)))
    assert found.value == pytest.approx(math.exp(statistics.mean(gains)))
    shown = words(tuned().model_copy(update={"races": [made]}))
    assert f"{math.exp(low):.2f} to {math.exp(high):.2f}" in shown
    assert f"{math.exp(statistics.mean(gains)) - 1:+.0%}" in shown


def test_pairs_that_do_not_count_are_left_out() -> None:
    made = race(7, 3)
    spoiled = made.pairs[0].model_copy(update={"log_gain": None})
    alone = made.model_copy(update={"pairs": [spoiled, made.pairs[1]]})
    found = gain_of(alone)
    assert found is not None
    assert (found.pairs, found.interval) == (1, None)
    assert found.value == pytest.approx(math.exp(made.pairs[1].log_gain or 0))
    assert gain_of(made.model_copy(update={"pairs": [spoiled]})) is None


def test_all_attempts_and_all_skipped_knobs_are_named() -> None:
    text = words(tuned())
    for number in range(1, 6):
        assert f"{number}. worker_processes {number}" in text
    assert "2.0% of scenarios failed, 0.0% without it." in text
    assert "invalid value" in text
    assert "it risks security; allow it with --allow ssl_protocols" in text
    assert "4.0% (standard deviation" in text
    assert "9%, four times out of five" in text
    assert "--- a\n+++ b" in text


def test_response_times_are_listed_by_load_with_their_intervals() -> None:
    found = tuned()
    (rung,) = found.ladder
    assert rung.time is not None
    text = words(found)
    assert "As it was and with the changes, load by load" in text
    value, low, high = (1 / one - 1 for one in (rung.time.value, rung.time.low, rung.time.high))
    assert f"{value:.0%} {high:.0%} to {low:.0%}" in text
    assert "1.59 1.40 to 1.80" in text
    assert "513 µs" in text
    assert "323 µs" in text
    assert "Bottleneck now The disk." in text
    worst = math.exp(min(one.log_gain for one in found.proof if one.log_gain is not None))
    assert f"Measured over 2 starts of the server; in the worst of them, {worst:.2f} times" in text


def test_the_pilot_has_a_table_of_its_own() -> None:
    text = words(tuned())
    assert "With the pilot, too, load by load" in text
    assert "The pilot kept priority." in text
    assert "258 µs" in text
    less = [f"{1 / one - 1:.0%}" for one in (1.25, 1.42, 1.1)]
    assert f"{less[0]} {less[1]} to {less[2]} 1.25 1.10 to 1.42" in text
    nothing = words(tuned().model_copy(update={"pilot": []}))
    assert "With the pilot, too" not in nothing
    assert "The pilot found nothing that helps this server." in nothing


def test_without_a_claim_the_server_is_compared_with_itself() -> None:
    text = words(tuned().model_copy(update={"changes": []}))
    assert "As it was and unchanged, again, load by load" in text
    assert "with the changes" not in text


def test_changes_that_were_not_undone_are_named() -> None:
    assert "headcount tune --restore" in words(ALL["interrupted"]())
    assert "Undo them with: headcount tune --restore" in words(
        tuned().model_copy(update={"kept": True})
    )
    assert "Interrupted" in words(ALL["interrupted"]())
    assert "No claim" in words(ALL["no claim"]())


def test_hostile_values_are_shown_and_never_obeyed() -> None:
    page = render(content_of(hostile()))
    read = Page(page)
    assert not read.scripts
    assert not {"img", "script"} & read.tags
    assert not [name for name, _ in read.attributes if name.startswith("on")]
    assert page.count("&lt;script&gt;window.pwned=1") > 10
    assert pdf(of_content(content_of(hostile()), hostile())).startswith(b"%PDF")


@pytest.mark.parametrize("name", ALL)
def test_the_pdf_begins_with_the_tuning(name: str) -> None:
    found = ALL[name]()
    document = of_content(content_of(found), found)
    titles = [one.title for one in document.sections]
    assert titles[:4] == ["Tuning", "Configuration", "Methodology", "Disclosure"]
    assert document.kind == "Server tuning report"
    assert document.answer == found.sentence
    assert (document.headline is not None) == bool(found.changes)
    assert pdf(document).startswith(b"%PDF")


def part(document: Document) -> Section:
    return document.sections[0]


def test_tables_and_files_are_in_the_pdf() -> None:
    document = of_content(content_of(tuned()), tuned())
    tables = [one for one in part(document).blocks if isinstance(one, Table)]
    assert [one.caption for one in tables] == [
        "Changes",
        "As it was and with the changes, load by load",
        "With the pilot, too, load by load",
        "What was tried",
        "Knobs left alone",
    ]
    assert [len(one.rows) for one in tables] == [1, 1, 1, 5, 1]
    assert [one.text for one in part(document).blocks if isinstance(one, Code)] == ["--- a\n+++ b"]
    assert document.headline == "+40% throughput"


def test_the_command_that_repeats_it_is_tune(tmp_path: Path) -> None:
    found = reader.load(bundle_with(of_times(), tmp_path / "run"))
    content = assemble.assemble(found)
    assert content.repeat_command == (
        "headcount tune --target lab:app --workload app-server --goal p95@400 --seed 1 --scale 0.1"
    )
    assert [name for name, _ in content.recorded][-1] == "Turns"
    assert (content.predictions, content.spectra, content.heat) == ((), (), None)


def test_a_tuning_cannot_be_compared_with_runs(tmp_path: Path) -> None:
    found = reader.load(bundle_with(tuned(), tmp_path / "run"))
    assert build.of_bundle(found).sections[0].title == "Tuning"
    with pytest.raises(InputError, match="is a tuning"):
        build.of_bundle(found, Section("Competitive results", []))


@pytest.mark.parametrize(
    "verb",
    [
        ("compare", "RUN", "TUNING"),
        ("gate", "TUNING", "--baseline", "RUN"),
        ("predict", "TUNING"),
        ("price", "TUNING", "--cost", "100 USD"),
    ],
)
def test_no_verb_takes_a_tuning_for_a_run(tmp_path: Path, verb: tuple[str, ...]) -> None:
    folders = {
        "RUN": str(bundle_of(run_content(), tmp_path / "run")),
        "TUNING": str(bundle_with(tuned(), tmp_path / "tuning")),
    }
    error = CliRunner().invoke(app, [folders.get(one, one) for one in verb]).exception
    assert isinstance(error, InputError)
    assert "is a tuning: its levels do not show what one server holds" in str(error)


def test_a_history_is_without_tunings_and_failovers(tmp_path: Path) -> None:
    run = bundle_of(run_content(), tmp_path / "run")
    bundle_with(tuned(), tmp_path / "tuning")
    failover.write(complete_failover(), bundle_of(run_content(), tmp_path / "failover"))
    ended = CliRunner().invoke(app, ["history", str(tmp_path), "--json"])
    (series,) = json.loads(ended.output)["series"]
    assert [one["bundle"] for one in series["runs"]] == [str(run)]
