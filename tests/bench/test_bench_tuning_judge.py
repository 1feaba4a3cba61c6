"""The judge of `python -m bench.tuning`, against results made by hand."""

from pathlib import Path

import pytest
from bench.tuning.case import cases
from bench.tuning.judge import bars, is_kept, judged, latest, medians, spread
from bench.tuning.log import Log, records
from bench.tuning.table import bar_lines, stock_table, table

CASES = cases()[:4]


def steps(number: int, tuned: float | None = 1.95, *, found: bool = True, low: float = 1.9):
    case = cases()[number]
    ratios = {"oracle": 2.0, "tune": tuned, "default": 1.0, "rules": None}
    ratios |= {"random": 1.5, "optuna": 0.9}
    gains = {name: {"ratio": one, "low": low, "high": 2.1} for name, one in ratios.items()}
    changes = {case.undo[0]: "1"} if found else {"other": "1"}
    return [
        {"name": case.name, "step": "tune", "changes": changes},
        {"name": case.name, "step": "gains", "users": 10, "gains": gains},
    ]


def test_a_fault_is_found_with_most_of_the_gain() -> None:
    right, poor, other, unfinished = (
        steps(0),
        steps(1, 1.8),
        steps(2, found=False),
        steps(3)[:1],
    )
    found = judged(CASES, [*right, *poor, *other, *unfinished])
    assert [one.name for one in found] == [one.name for one in CASES[:3]]
    assert [one.is_right for one in found] == [True, False, False]
    assert [one.found for one in found] == [True, True, False]
    # ln 1.95 / ln 2 and ln 1.8 / ln 2
    assert found[0].share("tune") == pytest.approx(0.96347, abs=1e-4)
    assert found[1].share("tune") == pytest.approx(0.84800, abs=1e-4)
    assert found[0].share("optuna") == pytest.approx(-0.15200, abs=1e-4)
    assert found[0].share("default") == found[0].share("rules") == 0


def test_one_fault_of_a_dozen_may_be_missed() -> None:
    dozen = cases()[:12]
    right = [one for number in range(2, 12) for one in steps(number)]
    (bar,) = bars(judged(dozen, [*steps(0), *steps(1, 1.2), *right]), [])
    assert bar.is_met
    assert bar.text.endswith(f"11 of 12; missed: {dozen[1].name}")
    (bar,) = bars(judged(dozen, [*steps(0, None), *steps(1, 1.2), *right]), [])
    assert not bar.is_met
    (bar,) = bars(judged(dozen, [*steps(0), *right]), [])
    assert not bar.is_met
    assert bar.text.endswith("11 of 11; 12 are needed")


def test_what_the_oracle_cannot_gain_is_not_a_fault() -> None:
    found = judged(CASES, [*steps(0), *steps(1, 1.0, found=False, low=0.99)])
    assert [one.is_fault for one in found] == [True, False]
    (bar,) = bars(found, [])
    assert "1 of 1" in bar.text
    assert "no fault" in table(found)


def test_rivals_that_were_not_played_are_left_out() -> None:
    lines = steps(1)
    for name in ("random", "optuna"):
        del lines[1]["gains"][name]
    found = judged(CASES, [*steps(0), *lines])
    assert medians(found)["random"].most == 1.5
    assert table(found).splitlines()[2].split()[:6] == ["2.00", "1.95", "1.00", "refused", "-", "-"]
    assert "optuna" not in medians(judged(CASES, lines))


def test_a_fault_that_was_played_again_counts_once() -> None:
    missed, other = judged(CASES, [*steps(0, found=False), *steps(1)])
    again = judged(CASES, steps(0))
    found = latest([[missed, other], again])
    assert [one.name for one in found] == [missed.name, other.name]
    assert all(one.is_right for one in found)


def test_each_false_claim_counts() -> None:
    good = [{"name": "a", "step": f"equal {at}", "changes": {}, "trials": 1} for at in range(3)]
    (bar,) = bars([], good)
    assert bar.is_met
    assert bar.text == "false claims: 0 of 3"
    (bar,) = bars([], [*good, {**good[0], "name": "b", "step": "equal 3", "changes": {"x": "1"}}])
    assert not bar.is_met
    assert bar.text == "false claims: 1 of 4: b (equal 3)"
    for nothing in ({"code": 2}, {"trials": 0}):
        (bar,) = bars([], [*good, {**good[0], "step": "equal 3", **nothing}])
        assert not bar.is_met
        assert bar.text == "false claims: 0 of 4; 1 tried nothing"


def test_a_restarted_winner_keeps_its_gain() -> None:
    claimed = {"name": "a", "step": "redeploy 0", "claimed": 1.5}
    # 0.9 ln 1.5 is ln 1.4404.
    assert is_kept({**claimed, "kept": 1.441})
    assert not is_kept({**claimed, "kept": 1.440})
    assert not is_kept({**claimed, "kept": None})
    good, bad = {**claimed, "kept": 1.5}, {**claimed, "kept": 1.1}
    assert bars([], [good] * 19 + [bad])[0].is_met
    assert not bars([], [good] * 18 + [bad] * 2)[0].is_met


def test_the_table_has_least_median_and_most() -> None:
    found = judged(CASES, [*steps(0, 1.2), *steps(1, 1.4), *steps(2, 1.9)])
    assert (spread([3, 1, 2]).least, spread([3, 1, 2]).median, spread([3, 1, 2]).most) == (1, 2, 3)
    assert medians(found)["tune"].median == 1.4
    assert medians(found)["rules"].median == 1.0
    lines = table(found).splitlines()
    assert lines[0].split()[:6] == ["oracle", "tune", "default", "rules", "random", "optuna"]
    assert lines[1].split()[:7] == ["2.00", "1.20", "1.00", "refused", "1.50", "0.90", "26%"]
    assert lines[-2].split() == ["2.00", "1.40", "1.00", "1.00", "1.50", "0.90", "49%", "median"]
    assert bar_lines(bars(found, [])).startswith("MISSED faults found")


def test_stock_servers_have_a_line_each() -> None:
    ratio = {"value": 1.25, "low": 1.1, "high": 1.4}
    one = {"name": "nginx", "step": "stock", "changes": {"a": "b"}, "ratio": ratio}
    other = {"name": "mail", "step": "stock", "changes": {}, "ratio": None, "sentence": "No gain."}
    text = stock_table([{**one, "sentence": "a b: 1.25 times."}, other, {**one, "step": "tune"}])
    assert [" ".join(line.split()) for line in text.splitlines()] == [
        "nginx 1.25 (1.10 to 1.40) a b: 1.25 times.",
        "mail no claim No gain.",
    ]


def test_a_proof_goes_on_where_it_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = {"seed": 1, "turn": "5s"}
    log = Log(tmp_path / "out")
    assert log.relative(log.runs / "one") == "runs/one"
    assert log.is_empty
    assert log.same_run(options)
    assert log.step("a", "oracle", lambda: {"users": 5})["users"] == 5
    with (tmp_path / "out" / "steps.ndjson").open("a") as file:
        file.write('{"name": "a", "step": "tu')
    again = Log(tmp_path / "out")
    assert not again.is_empty
    assert again.same_run(options)
    assert not again.same_run({**options, "seed": 2})
    assert again.step("a", "oracle", dict)["users"] == 5
    assert again.step("a", "tune", lambda: {"users": 6})["users"] == 6
    assert [one["step"] for one in records(tmp_path / "out")] == ["options", "oracle", "tune"]
    assert "a: oracle:" in capsys.readouterr().out
