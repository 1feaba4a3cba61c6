"""`headcount audit`: a whole bundle passes, and what was altered fails at its place."""

import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import made_bundle
import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from command_line import app
from headcount.analyse import level
from headcount.analyse.audit.audit import CHECKS
from headcount.analyse.audit.result import Audit, Result
from headcount.analyse.level import Measured
from headcount.analyse.times import doubted_interval_ms
from headcount.bundle import tuning
from headcount.bundle.reader import load
from headcount.bundle.versus import SIDES, Versus, VersusRest, VersusSide, write
from headcount.bundle.writer import BundleWriter
from headcount.cli.audit import audited
from headcount.errors import InputError
from headcount.report import assemble
from headcount.schemas import SCHEMAS
from tuning_file import complete_tuning


def pick(found: Audit, check: str) -> Result:
    return next(one for one in found.results if one.check == check)


def without_manifest(bundle: Path) -> Path:
    (bundle / "manifest.json").unlink()
    return bundle


def change(path: Path, pattern: str, new: Callable[[re.Match[str]], str], nth: int = 0) -> None:
    """Change what matches in a file, at the n-th place."""
    content = path.read_text("utf-8")
    found = list(re.finditer(pattern, content))[nth]
    path.write_text(content[: found.start()] + new(found) + content[found.end() :], "utf-8")


def bump(found: re.Match[str]) -> str:
    return f"{found[1]}{int(found[2]) + 1}"


def test_a_whole_bundle_passes_every_check(whole: Path) -> None:
    found = audited(whole)
    assert [one.check for one in found.results] == list(CHECKS)
    outcomes = {one.check: (one.outcome, one.sentence) for one in found.results}
    for check, (outcome, sentence) in outcomes.items():
        if check == "signature":
            assert outcome == "unknown"
        elif check not in ("little", "offered", "steady", "generator"):  # of a busy machine
            assert outcome == "passed", sentence
    assert pick(found, "files").figures["files"] == 9
    assert (pick(found, "figures").figures["compared"] or 0) > 200


def test_a_bundle_that_does_not_know_the_generators_own_delay_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = partial(Measured, with_own_delay=False)
    monkeypatch.setattr(made_bundle, "Measured", older)
    bundle = made_bundle.make(tmp_path / "bundle")
    assert '"own_delay": null' in (bundle / "levels.json").read_text("utf-8")
    found = pick(audited(bundle), "figures")
    assert found.outcome == "passed", found.places


def test_without_a_manifest_checksums_cannot_be_checked(bundle: Path) -> None:
    found = audited(without_manifest(bundle))
    assert pick(found, "files").outcome == "unknown"
    assert "no manifest.json" in pick(found, "files").sentence
    assert pick(found, "figures").outcome == "passed"


@pytest.mark.parametrize(
    ("name", "pattern", "check", "place"),
    [
        ("series.ndjson", r'("completed":)(\d+)', "totals", r"line 1\b"),
        ("series.ndjson", r'("phase":"steady".*?"started":)(\d+)', "totals", r"line \d+"),
        ("levels.json", r'("completed": ?)(\d+)', "figures", r"total\.completed"),
        ("levels.json", r'("users": ?)(\d+)', "figures", r"users|little_error|reasons"),
        ("levels.json", r'("samples": ?)(\d+)', "figures", r"counters\.\w+"),
        ("verdict.json", r'("levels": ?)(\d+)', "answer", r"cost\.levels"),
        ("verdict.json", r'("operations": ?)(\d+)', "answer", r"cost\.operations"),
    ],
)
def test_an_altered_figure_is_found_without_checksums(
    bundle: Path, name: str, pattern: str, check: str, place: str
) -> None:
    change(without_manifest(bundle) / name, pattern, bump)
    found = pick(audited(bundle), check)
    assert found.outcome == "failed"
    assert any(re.search(place, one.at) for one in found.places), found.places


def test_a_percentile_that_does_not_follow_from_the_histograms_is_named(bundle: Path) -> None:
    change(
        without_manifest(bundle) / "levels.json", r'("p95_ms": ?)([\d.]+)', lambda m: f"{m[1]}0.1"
    )
    found = pick(audited(bundle), "figures")
    assert [(one.file, one.level, one.at) for one in found.places] == [
        ("levels.json", 1, "total.response.p95_ms")
    ]
    assert found.places[0].text.startswith("0.1 is stored, ")


def test_a_version_that_doubts_more_intervals_says_so(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    levels = len(json.loads((bundle / "levels.json").read_text("utf-8")))
    known = doubted_interval_ms
    monkeypatch.setattr(level, "doubted_interval_ms", lambda *given: (known(*given)[0], True))
    found = pick(audited(bundle), "figures")
    assert found.outcome == "passed", found.places
    assert (found.figures["doubted"] or 0) >= levels
    assert 'this version says "or wider" of' in found.sentence


def test_a_doubt_that_does_not_follow_fails(bundle: Path) -> None:
    pattern = r'("p95_interval_unreliable": ?)(false)'
    change(without_manifest(bundle) / "levels.json", pattern, lambda m: f"{m[1]}true")
    (place,) = pick(audited(bundle), "figures").places
    assert place.at == "total.p95_interval_unreliable"


def test_a_removed_histogram_is_reported_at_its_second(bundle: Path) -> None:
    path = without_manifest(bundle) / "histograms.hlog"
    lines = path.read_text("ascii").splitlines(keepends=True)
    gone = next(line for line in lines if line.startswith("Tag=response/work-0"))
    path.write_text("".join(line for line in lines if line != gone), "ascii")
    found = pick(audited(bundle), "totals")
    assert found.outcome == "failed"
    assert "histogram response/work-0" in found.places[0].text


def test_a_histogram_without_a_second_is_found(bundle: Path) -> None:
    path = without_manifest(bundle) / "histograms.hlog"
    lines = path.read_text("ascii").splitlines()
    tag, _, rest = lines[5].split(",", 2)
    path.write_text("\n".join([*lines, f"{tag},99.000,{rest}", ""]), "ascii")
    found = pick(audited(bundle), "totals")
    assert found.places[0].at == f"line {len(lines) + 1}"
    assert "no second" in found.places[0].text


def test_removed_seconds_are_a_gap_and_shorten_their_level(bundle: Path) -> None:
    path = without_manifest(bundle) / "series.ndjson"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join([*lines[:10], *lines[12:]]), "utf-8")
    found = pick(audited(bundle), "clocks")
    assert found.places[0].at == "line 11"
    assert "later than the second before it ended" in found.places[0].text
    assert found.places[1].at == "steady_s"


def test_the_turn_of_another_target_is_not_a_gap(bundle: Path) -> None:
    path = without_manifest(bundle) / "series.ndjson"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    first = next(i for i, line in enumerate(lines) if line["level"] == 2)
    gap_s = (lines[first - 1]["t_s"], lines[first - 1]["t_s"] + 20)
    for line in lines[first:]:
        line["t_s"] = round(line["t_s"] + 20, 6)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    assert pick(audited(bundle), "clocks").places[0].at == f"line {first + 1}"
    sides = [VersusSide(name=name, target="lab:app", bundle="x") for name in SIDES]
    rest = VersusRest(side="B", began_s=gap_s[0] + 0.3, ended_s=gap_s[1], cpu_cores=None)
    kind = {"kind": "levels", "order": "abba", "seed": 1, "wanted_pairs": 1}
    pairing = Versus(id="0" * 32, here="B", sides=sides, rests=[rest], **kind)
    write(pairing, bundle)
    assert f"line {first + 1}" not in [one.at for one in pick(audited(bundle), "clocks").places]
    write(pairing.model_copy(update={"here": "A"}), bundle)
    assert f"line {first + 1}" in [one.at for one in pick(audited(bundle), "clocks").places]


def test_a_clock_that_steps_is_found(bundle: Path) -> None:
    path = without_manifest(bundle) / "events.ndjson"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    lines[2]["at"] = lines[2]["at"][:11] + "03:14:15.926+00:00"
    lines[3]["at"] = lines[2]["at"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    found = pick(audited(bundle), "clocks")
    assert found.outcome == "failed"
    assert found.places[0].file == "events.ndjson"
    assert found.places[0].at == "line 3"


def test_a_long_preparation_is_not_a_clock_step(bundle: Path) -> None:
    path = without_manifest(bundle) / "events.ndjson"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    first = datetime.fromisoformat(lines[0]["at"])
    kinds = enumerate(("prepared", "before", "trial", "view"))
    before = [
        {"at": (first - timedelta(seconds=20 - 4 * number)).isoformat(), "t_s": 0.0, "event": kind}
        for number, kind in kinds
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in [*before, *lines]), "utf-8")
    assert pick(audited(bundle), "clocks").outcome == "passed"


def test_missing_counters_are_found(bundle: Path) -> None:
    path = without_manifest(bundle) / "series.ndjson"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for line in lines[12:20]:
        del line["counters"]["sut"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    found = pick(audited(bundle), "counters")
    assert found.outcome == "failed"
    assert found.places[0].level == 1
    assert found.places[0].text.startswith("sut has no counters in 8 of ")
    for line in lines:
        line["counters"].pop("sut", None)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    assert pick(audited(bundle), "counters").outcome == "unknown"


def test_failures_need_faults(bundle: Path) -> None:
    change(without_manifest(bundle) / "series.ndjson", r'("phase":"steady".*?"failed":)(\d+)', bump)
    found = pick(audited(bundle), "errors")
    assert found.places[0].text == "1 scenario failed, and 0 faults are listed"


def test_a_bundle_may_be_moved(bundle: Path) -> None:
    found = pick(audited(bundle), "report")
    assert found.outcome == "passed"
    assert "follows exactly" in found.sentence


def test_a_table_that_differs_from_the_lines_is_found(bundle: Path) -> None:
    table = without_manifest(bundle) / "series.parquet"
    table.write_bytes(table.read_bytes()[:-9])
    assert pick(audited(bundle), "table").outcome == "failed"
    table.unlink()
    assert pick(audited(bundle), "table").outcome == "unknown"


def test_a_report_with_another_answer_fails(bundle: Path) -> None:
    path = without_manifest(bundle) / "report.html"
    answer = json.loads((bundle / "verdict.json").read_bytes())["sentence"]
    number = re.search(r"\d+", answer)
    assert number
    page = path.read_text("utf-8")
    path.write_text(page.replace(number[0], "77"), "utf-8")
    assert pick(audited(bundle), "report").outcome == "failed"
    path.write_text(page.replace("</body>", "<p>99</p></body>"), "utf-8")
    assert pick(audited(bundle), "report").outcome == "unknown"
    path.write_text(page.replace("<p>", "<p >"), "utf-8")
    assert pick(audited(bundle), "report").outcome == "passed"


def test_a_run_that_was_killed_is_audited_as_far_as_it_goes(bundle: Path) -> None:
    without_manifest(bundle)
    for name in ("verdict.json", "series.parquet", "report.html"):
        (bundle / name).unlink()
    with (bundle / "series.ndjson").open("a") as file:
        file.write('{"t_s":6.1,"seco')
    with (bundle / "histograms.hlog").open("a") as file:
        file.write("Tag=response/wor")
    found = audited(bundle)
    unknown = {one.check for one in found.results if one.outcome == "unknown"}
    assert {"files", "answer", "report", "table", "diagnosis"} <= unknown
    assert {pick(found, name).outcome for name in ("readable", "clocks", "totals", "figures")} == {
        "passed"
    }


@pytest.mark.parametrize("name", ["levels.json", "verdict.json", "environment.json", "plan.toml"])
@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe"])
def test_a_damaged_file_is_named_and_raises_nothing(
    bundle: Path, name: str, content: bytes
) -> None:
    (bundle / name).write_bytes(content)
    found = audited(bundle)
    assert found.outcome == "failed"
    assert name in [one.file for one in pick(found, "readable").places]
    assert name in [one.file for one in pick(found, "files").places]


def test_other_folders_and_bundles_under_way_are_refused(bundle: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a bundle"):
        audited(tmp_path)
    writer = BundleWriter(bundle)
    try:
        with pytest.raises(InputError, match="is being written now"):
            audited(bundle)
    finally:
        writer.close()


def command(*arguments: str | Path) -> Any:
    return CliRunner().invoke(app, ["audit", *map(str, arguments)], env={"COLUMNS": "120"})


def test_the_command_prints_a_table_json_and_exit_codes(bundle: Path) -> None:
    shown = command(bundle, "--json")
    answer = json.loads(shown.stdout)
    Draft202012Validator(SCHEMAS["audit"]()).validate(answer)
    assert shown.exit_code == (1 if answer["outcome"] == "failed" else 0)
    (bundle / "plan.toml").write_text((bundle / "plan.toml").read_text("utf-8") + "#", "utf-8")
    result = command(bundle)
    assert result.exit_code == 1
    assert "plan.toml" in result.stdout
    assert "failed" in result.stdout
    strict = command(bundle, "--strict")
    assert strict.exit_code == 1


def test_published_results_are_recomputed() -> None:
    shown = command("--published", "--json")
    assert shown.exit_code == 0
    answer = json.loads(shown.stdout)
    assert answer["counts"] == {
        "matches": 63,
        "does not match": 24,
        "ambiguous": 16,
        "not recomputable": 6,
    }
    assert len(answer["checks"]) == 109
    result = command("--published")
    assert "109 checks: 63 matches" in result.stdout


def test_the_answer_of_a_tuning_must_be_in_its_report(bundle: Path) -> None:
    found = complete_tuning()
    tuning.write(found, without_manifest(bundle))
    path = assemble.write(load(bundle))
    assert "follows exactly" in pick(audited(bundle), "report").sentence
    page = path.read_text("utf-8")
    path.write_text(page.replace("<p>", "<p >"), "utf-8")
    assert pick(audited(bundle), "report").outcome == "passed"
    path.write_text(page.replace(found.sentence.split(":")[0], "nothing"), "utf-8")
    assert pick(audited(bundle), "report").outcome == "failed"
