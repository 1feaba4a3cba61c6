"""`headcount diagnose` of a run's bundle: what it prints, refuses and reads again."""

import json
from pathlib import Path

import pytest

import confirmation_file
from headcount.bundle import confirmation, manifest, reader
from processes import Headcount

RUN = (
    *("run", "app-processor", "--target", "lab:app", "--levels", "1,4,12", "--duration", "2s"),
    *("--ramp", "0s", "--settle", "0s", "--think", "0s", "--scale", "0.001", "--json"),
    *("--set", "threads=1", "--criteria", "p95<=10s"),
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory):
    made = Headcount(tmp_path_factory.mktemp("home"))
    ended = made.run(*RUN)
    assert ended.code in (0, 4), ended.err  # a busy machine may make a level invalid
    yield made
    made.close()


@pytest.fixture(scope="module")
def bundle(home: Headcount) -> Path:
    return home.bundles()[0]


def test_one_service_thread_is_what_stops_the_application_server(
    home: Headcount, bundle: Path
) -> None:
    found = json.loads(home.run("diagnose", str(bundle), "--json").out)["diagnosis"]
    # Its one thread computes; where other programs take the CPU, they are what it waits for.
    named = {found["limit"], *(one["limit"] for one in found["joint"])}
    assert named & {"thread", "cpu", "pool"}, found["sentence"]
    verdict = reader.load(bundle).verdict
    # Throughput is flat with one thread, unless other programs left it more of the CPU in time.
    assert found["saturation"] < 0.6 or any("other programs" in flag for flag in verdict.flags)
    assert found["sentence"] == verdict.diagnosis.sentence


def test_it_says_why_and_what_is_ruled_out(home: Headcount, bundle: Path) -> None:
    text = home.run("diagnose", str(bundle)).out
    assert text.strip().startswith("Bottleneck")
    for name in ("Evidence", "Ruled out", "Suggestion"):
        assert name in text
    shown = home.run("show", str(bundle)).out
    assert "Bottleneck: " in shown


def test_an_old_bundle_is_diagnosed_when_it_is_shown(home: Headcount, bundle: Path) -> None:
    path = bundle / "verdict.json"
    kept = path.read_text("utf-8")
    old = json.loads(kept)
    before = old.pop("diagnosis")
    path.write_text(json.dumps(old), "utf-8")
    try:
        assert reader.load(bundle).verdict.diagnosis is None
        shown = json.loads(home.run("show", str(bundle), "--json").out)
        assert shown["verdict"]["diagnosis"]["sentence"] == before["sentence"]
        assert json.loads(path.read_text("utf-8")) == old  # showing writes nothing
    finally:
        path.write_text(kept, "utf-8")


def test_the_report_shows_the_evidence(home: Headcount, bundle: Path) -> None:
    page = (bundle / "report.html").read_text("utf-8")
    assert page.index('id="answer"') < page.index("<h2>Bottleneck")
    assert "Threshold" in page
    del home


def test_results_of_experiments_are_beside_the_answer(home: Headcount, bundle: Path) -> None:
    verdict = reader.load(bundle).verdict
    assert verdict is not None
    assert verdict.diagnosis is not None
    named = verdict.diagnosis.limit
    proof = confirmation_file.confirmation(named)
    confirmation.write(proof, bundle)
    try:
        beside = 'refuted by experiments "concurrency" and "kinds", which support a lock'
        shown = " ".join(home.run("show", str(bundle)).out.split())
        assert beside in shown
        found = " ".join(home.run("diagnose", str(bundle)).out.split())
        assert beside in found
        assert f"Experiments {proof.sentence}" in found
        for verb in ("show", "diagnose"):
            printed = home.run(verb, str(bundle), "--json").json["confirmation"]
            assert printed == proof.model_dump(mode="json")
        assert home.run("report", str(bundle), "--output", str(bundle.parent / "r.html")).code == 0
        page = (bundle.parent / "r.html").read_text("utf-8")
        (bundle.parent / "r.html").unlink()
        assert page.count(beside) == 1
        assert "Experiments: " in page
        assert home.run("export", str(bundle), str(bundle.parent / "r.md")).code == 0
        assert beside in (bundle.parent / "r.md").read_text("utf-8")
        (bundle.parent / "r.md").unlink()
        checked = home.run("audit", str(bundle), "--json")
        assert confirmation.FILE not in checked.out
        other = proof.model_copy(update={"limit": "errors"})
        confirmation.write(other, bundle)
        assert beside not in " ".join(home.run("show", str(bundle)).out.split())
        (bundle / confirmation.FILE).write_text("{}", "utf-8")
        assert "damaged at" in home.run("diagnose", str(bundle)).message
    finally:
        (bundle / confirmation.FILE).unlink()
        manifest.write(bundle)


def test_unsuitable_arguments_are_refused(home: Headcount, bundle: Path, tmp_path: Path) -> None:
    ended = home.run("diagnose", str(tmp_path))
    assert ended.code == 2
    assert "is not a bundle" in ended.err
    ended = home.run("diagnose", str(bundle), "--profile", "file-server")
    assert ended.code == 2
    assert "logs of counters" in ended.err
    ended = home.run("diagnose", str(bundle), str(bundle))
    assert ended.code == 2
    ended = home.run("diagnose")
    assert ended.code == 2


def test_a_log_cannot_be_confirmed(home: Headcount, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("nothing", "utf-8")
    ended = home.run("diagnose", str(log), "--confirm")
    assert ended.code == 2
    assert "needs the bundle of a run" in ended.err
