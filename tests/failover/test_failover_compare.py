"""Two set-ups compared by what users felt: figures, records, the command."""

import json
import statistics
from collections.abc import Sequence
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from scipy import stats
from typer.testing import CliRunner

from command_line import app
from failover_file import WRITES, failover, outage
from headcount.analyse.compare.subject import Side
from headcount.analyse.outage.compare import FIGURES_COMPARED, compare
from headcount.analyse.outage.outage_shift import LEVEL, Felt, values
from headcount.analyse.outage.unlike import OWN
from headcount.bundle import failover as record
from headcount.bundle import reader
from headcount.bundle.failover import Failover, Outage
from headcount.bundle.files import replace
from headcount.bundle.level import Levels
from headcount.errors import InputError
from headcount.failover.kinds import KINDS
from headcount.report.failover import FIGURES
from headcount.schemas import SCHEMAS
from versus_levels import level, plan

SLOW_S = (8.4, 8.5, 8.6, 8.65, 8.7, 8.8)
FAST_S = (4.1, 4.3, 4.4, 4.42, 4.5, 4.9)


def test_figures_are_read_from_the_outages_that_have_them() -> None:
    found = [
        outage(1, None, answered_s=None, silent_s=19.0, restored_s=None, writes=WRITES),
        outage(2, 3.0, taken_over_s=1.5),
    ]
    assert values("served_s", found) == [Felt(None, 20.0), Felt(3.0, 20.0)]
    assert values("silent_s", found) == [Felt(None, 19.0), Felt(0.8, 0.8)]
    assert values("taken_over_s", found) == [Felt(None, 20.0), Felt(1.5, 20.0)]
    assert values("noticed_s", found) == []  # nobody was asked
    assert [one.value for one in values("gone", found)] == [12]
    assert set(FIGURES_COMPARED) == set(FIGURES) - {"log_ons"}
    assert set(KINDS) == OWN
    assert LEVEL == 0.05


def bundle(
    folder: Path, found: Failover, at_s: float = 0.0, edit: tuple[str, str] = ("", "")
) -> Path:
    """A bundle on disk, as far as a comparison reads it; `edit` replaces a text of its plan."""
    folder.mkdir()
    text = plan().to_toml()
    assert edit[0] in text
    replace(folder / "plan.toml", text.replace(*edit) if edit[0] else text)
    levels = [level(one.level, found.users, at_s=at_s + one.level) for one in found.outages]
    replace(folder / "levels.json", Levels(levels=levels).model_dump_json())
    record.write(found, folder)
    return folder


def outages(times_s: Sequence[float | None], **changed: object) -> list[Outage]:
    return [outage(place, one, **changed) for place, one in enumerate(times_s, 1)]


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    first = failover(*outages(SLOW_S, lost=100))
    second = failover(*outages(FAST_S, lost=0, silent_s=0.0, answered_s=0.0))
    return bundle(tmp_path / "one", first), bundle(tmp_path / "two", second, 500.0)


def output(*arguments: object, width: int = 110) -> str:
    ended = CliRunner().invoke(app, [str(one) for one in arguments], env={"COLUMNS": f"{width}"})
    assert ended.exit_code == 0, ended.exception
    return ended.output


def mistake(*arguments: object) -> str:
    error = CliRunner().invoke(app, [str(one) for one in arguments]).exception
    assert isinstance(error, InputError), error
    return str(error)


SENTENCE = (
    "B is better than A: users were served within their limits again after 4.41 s instead of "
    "8.62 s (median); shift -4.20 s, 95% interval -4.40 to -3.90 s."
)


def test_the_command_says_what_differs(pair: tuple[Path, Path]) -> None:
    text = output("compare", *pair)
    assert " ".join(text.split()).startswith(SENTENCE)
    lines = {line[:24].strip(): line[24:].split() for line in text.splitlines()}
    assert lines["Nobody got an answer for"][:6] == ["800", "ms", "0", "ms", "-800", "ms"]
    assert lines["Scenarios failed"] == ["100", "0", *("-100", "-100", "to", "-100", "better")]
    assert "one after the other" in " ".join(text.split())


def test_the_numbers_are_those_of_an_independent_computation(pair: tuple[Path, Path]) -> None:
    found = json.loads(output("compare", *pair, "--json"))
    Draft202012Validator(SCHEMAS["failover-comparison"]()).validate(found)
    assert found["sentence"] == SENTENCE
    served = next(one for one in found["shifts"] if one["figure"] == "served_s")
    apart = sorted(b - a for a in SLOW_S for b in FAST_S)
    # The table of Wilcoxon's rank sum: of 6 and 6 values, the 6th smallest and largest of 36.
    assert (served["low"], served["high"]) == pytest.approx((apart[5], apart[-6]))
    assert served["shift"] == pytest.approx(statistics.median(apart))
    assert served["p"] == pytest.approx(stats.mannwhitneyu(SLOW_S, FAST_S).pvalue)
    assert served["a"] == {"number": 6, "missing": 0, "median": pytest.approx(8.625)}
    assert found["finding"] == served["finding"] == "better"
    assert [one["fault"] for one in found["subjects"]] == ["kill the first node (SIGKILL)"] * 2


def test_markdown_and_html_say_the_same(pair: tuple[Path, Path], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    text = output("compare", f"old={pair[0]}", f"new={pair[1]}", "--markdown", "--html", page)
    assert text.startswith("**new is better than old: users were served")
    assert (
        "| Scenarios failed | 100 | 0 | -100 | -100 to -100 | \N{WHITE HEAVY CHECK MARK} b" in text
    )
    html = page.read_text("utf-8").replace("\N{NO-BREAK SPACE}", " ")
    assert html.startswith("<!doctype html>")
    assert "95% interval -4.40 to -3.90 s" in html
    assert "<td>-100 to -100</td>" in html
    assert str(page) in output("compare", *pair, "--html", page)


def test_bundles_of_a_side_are_pooled_in_turns(tmp_path: Path) -> None:
    parts = {
        name: bundle(tmp_path / name, failover(*outages(times)), at_s)
        for name, times, at_s in (
            ("a", SLOW_S[:3], 0.0),
            ("b", FAST_S[:3], 100.0),
            ("c", FAST_S[3:], 200.0),
            ("d", SLOW_S[3:], 300.0),
        )
    }
    a, b = f"A={parts['a']},{parts['d']}", f"B={parts['b']},{parts['c']}"
    found = json.loads(output("compare", a, b, "--json"))
    assert found["sentence"] == SENTENCE
    assert [one["repetitions"] for one in found["subjects"]] == [6, 6]
    assert found["doubts"] == []
    unequal = bundle(
        tmp_path / "e", failover(*outages(FAST_S)), 400.0, ("[server]", '[server]\nworkers = "2"')
    )
    mixed = json.loads(output("compare", a, f"{b},{unequal}", "--json"))
    assert mixed["doubts"] == ["B: its bundles are pooled, but their server settings differ"]
    few = json.loads(output("compare", parts["a"], parts["b"], "--json"))
    assert few["finding"] == "no difference shown"
    assert few["sentence"].endswith("(median); there is no interval of the shift.")
    assert any("too few repetitions" in one for one in few["doubts"])


def test_differences_that_prevent_a_comparison_are_named(
    pair: tuple[Path, Path], tmp_path: Path
) -> None:
    base = record.read(pair[0])
    assert base is not None
    for place, (name, changed, edit) in enumerate(
        (
            ("users", {"users": 80}, ("", "")),
            ("fault", {"options": ["--fault", "stop"]}, ("", "")),
            ("fault", {"planned": True}, ("", "")),
            ("allowed share", {"allowed": 0.01}, ("", "")),
            ("criteria", {}, ("overload<5%", "overload<7%")),
            ("data set", {}, ("scale = 0.1", "scale = 0.2")),
        )
    ):
        other = base.model_copy(update=changed)
        folder = bundle(tmp_path / f"other{place}", other, 900.0, edit)
        found = json.loads(output("compare", pair[0], folder, "--json"))
        assert found["finding"] == "not comparable"
        differ = "differ" if name in ("users", "criteria") else "differs"
        assert found["sentence"] == f"Not comparable: {name} {differ}."
        assert [one["what"] for one in found["unlike"] if one["spoils"]] == [name]
        error = mistake("compare", f"{pair[0]},{folder}", pair[1])
        assert f"the bundles of A are not of one set-up: {name} differ" in error


def test_differences_that_do_not_matter_are_named(pair: tuple[Path, Path], tmp_path: Path) -> None:
    base = record.read(pair[1])
    assert base is not None
    changed = {"fault": "kill the active node (SIGKILL)", "recover": None, "slot_s": 0.02}
    other = bundle(
        tmp_path / "other", base.model_copy(update=changed), 0.0, ("seed = 5", "seed = 6")
    )
    found = json.loads(output("compare", pair[0], other, "--json"))
    assert found["finding"] == "better"
    assert [one["what"] for one in found["unlike"]] == [
        *("place of the fault", "recovery", "watching", "seed"),
    ]


def test_repetitions_that_do_not_count_are_left_out(
    pair: tuple[Path, Path], tmp_path: Path
) -> None:
    bad = outage(7, 99.0, outcome="invalid", reasons=["users were not served before the fault"])
    doubtful = outage(8, 4.6, lost=0, doubts=["the generator was full"])
    early = failover(*outages(FAST_S), bad, doubtful).model_copy(
        update={"ending": "interrupted", "wanted": 30}
    )
    other = bundle(tmp_path / "other", early)
    side = [Side(name, [reader.load(path)]) for name, path in (("A", pair[0]), ("B", other))]
    found = compare(side)
    assert next(one for one in found.shifts if one.figure == "served_s").b.number == 7
    assert found.doubts[0] == "B: 1 of 8 repetitions do not count, and are left out"
    assert found.doubts[1].startswith("B: in 1 of 8 repetitions the load generator was at its")
    assert found.doubts[2] == "B: it ended early, after 8 of 30 repetitions"
    nothing = bundle(tmp_path / "nothing", failover(bad))
    assert "has no repetition that counts" in mistake("compare", pair[0], nothing)


def test_three_set_ups_are_compared_with_the_first(pair: tuple[Path, Path], tmp_path: Path) -> None:
    third = bundle(tmp_path / "third", failover(*outages([None] * 6, restored_s=None)))
    found = json.loads(output("compare", *pair, third, "--json"))
    assert found["finding"] == "mixed"
    assert found["sentence"] == (
        f"{SENTENCE} C is worse than A: users were served within their limits never again in the "
        "time that was watched instead of again after 8.62 s (median); 95% interval at least "
        "+11.2 s."
    )
    text = output("compare", *pair, third)
    assert "C against A" in text
    assert "never" in text


def test_mistakes_are_named(pair: tuple[Path, Path], tmp_path: Path) -> None:
    run = bundle(tmp_path / "run", failover(*outages(FAST_S)))
    (run / record.FILE).unlink()
    assert f"{pair[0]} is a failover, and {run} is not" in mistake("compare", pair[0], run)
    assert "two bundles or more" in mistake("compare", pair[0])
    assert "--html FILE makes a page" in mistake("compare", *pair, "--pdf", tmp_path / "x.pdf")
    assert "are for runs" in mistake("compare", *pair, "--within", "2%")
    assert 'called "x"' in mistake("compare", f"x={pair[0]}", f"x={pair[1]}")
    assert "is a failover: compare it" in mistake("gate", pair[1], "--baseline", pair[0])
