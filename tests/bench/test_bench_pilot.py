"""The judge of `python -m bench.pilot`, its file, and its disturbers, which end with it."""

import math
import os
import time
from pathlib import Path
from typing import Any

import pytest
from bench.pilot.__main__ import main
from bench.pilot.disturbers import disturbers
from bench.pilot.judge import CHECKS, bars, calm_text, log_ratio, pair_text, ratio
from bench.pilot.log import append, of_kind, records
from bench.pilot.play import Piloted
from bench.pilot.quiet import QUIET, others_cpus
from scipy import stats

from headcount.errors import SystemLimitError
from headcount.pilot.work import lives
from processes import wait_for


def turn(p95_ms: float | None, failed: int = 0, outcome: str = "passed") -> dict[str, Any]:
    figures = {"p95_ms": p95_ms, "completed": 1000 - failed, "failed": failed, "outcome": outcome}
    return {**figures, "kept": ["priority"], "trials": [], "still_trying": False}


def pair(number: int, without: float, with_it: float) -> dict[str, Any]:
    return {"kind": "pair", "number": number, "without": turn(without), "with": turn(with_it)}


def calm(
    number: int,
    kept: list[str],
    looked: str = "nginx uses 0.60 CPUs",
    others: float = 0.05,
) -> dict[str, Any]:
    trial = {"module": "affinity", "helps": bool(kept), "value": 1.04, "pairs": 6}
    found = {"kept": kept, "trials": [trial], "looked": looked, "others_cpus": others}
    return {"kind": "calm", "number": number, **found}


def test_the_ratio_is_that_of_students_interval_on_logs() -> None:
    pairs = [pair(0, 100, 50), pair(1, 80, 48), pair(2, 120, 54), pair(3, 100, 55)]
    found = ratio(pairs)
    assert found is not None
    logs = [math.log(one) for one in (0.5, 0.6, 0.45, 0.55)]
    mean = sum(logs) / 4
    low, high = stats.t.interval(0.95, 3, mean, stats.sem(logs))
    assert found.value == pytest.approx(math.exp(mean))
    assert (found.low, found.high) == pytest.approx((math.exp(low), math.exp(high)))
    bar = bars(pairs)[0]
    assert bar.is_met
    assert "0.52 times (0.43 to 0.64), 4 of 4 pairs" in bar.text
    assert "p95 100.0 ms without the pilot, 55.0 ms with it (priority on): 0.55" in pair_text(
        pairs[3], pairs
    )


@pytest.mark.parametrize(
    "ratios",
    [
        (0.72, 0.72, 0.71, 0.71),  # sure, and too little
        (0.1, 1.5, 0.3, 1.2),  # much, and not sure
        (0.5, 0.5, 0.51),  # too few
        (),
    ],
)
def test_a_bar_that_is_missed(ratios: tuple[float, ...]) -> None:
    pairs = [pair(number, 100, 100 * one) for number, one in enumerate(ratios)]
    assert not bars(pairs)[0].is_met


def test_turns_that_hide_slow_requests_do_not_count() -> None:
    good = pair(0, 100, 50)
    assert log_ratio(good) == pytest.approx(math.log(0.5))
    assert log_ratio({**good, "with": turn(50, failed=11)}) is None
    assert log_ratio({**good, "with": turn(50, failed=10)}) is not None
    assert log_ratio({**good, "without": turn(100, failed=500)}) is not None
    assert log_ratio({**good, "without": turn(100, outcome="invalid")}) is None
    assert log_ratio({**good, "without": turn(None)}) is None
    assert log_ratio({**good, "with": {**turn(50), "still_trying": True}}) is None
    bad = {**good, "with": turn(50, failed=500)}
    bar = bars([*[pair(number, 100, 50 + number) for number in range(3)], bad])[0]
    assert not bar.is_met
    assert "3 of 4 pairs" in bar.text
    assert "does not count" in pair_text(bad, [bad])


def test_only_what_was_played_is_judged() -> None:
    pairs, checks = [pair(0, 100, 50)], [calm(0, [])]
    found = [[one.text.partition(":")[0] for one in bars(played)] for played in (pairs, checks)]
    assert found == [["disturbed"], ["undisturbed"]]
    assert len(bars([*pairs, *checks])) == 2
    assert [one.is_met for one in bars([])] == [False]


def test_each_claim_of_an_undisturbed_server_counts() -> None:
    good = [calm(number, []) for number in range(CHECKS)]
    assert bars(good)[0].is_met
    assert not bars(good[1:])[0].is_met
    wrong = bars([*good, calm(20, ["affinity"])])[0]
    assert not wrong.is_met
    assert wrong.text.startswith("undisturbed: the pilot claimed something in 1 of 21 (20)")
    idle = bars([*good[1:], calm(19, [], "nginx is idle: nothing to help with")])[0]
    assert not idle.is_met
    beside = bars([*good, calm(20, ["priority"], others=0.9)])[0]
    assert beside.is_met
    assert "0 of 20; not counted: 1" in beside.text
    assert calm_text(good[2]) == (
        "calm 2: kept nothing; tried affinity 1.04; others used 0.05 CPUs before; "
        "nginx uses 0.60 CPUs"
    )


def test_the_output_of_a_pilot_has_its_trials_and_what_it_kept() -> None:
    tried = {"kind": "off", "module": "affinity", "verdict": {"helps": False, "pairs": 0}}
    on = {"kind": "on", "module": "priority", "verdict": {"helps": True, "value": 2.0}}
    look = {"kind": "look", "text": "nginx uses 0.60 CPUs"}
    start = {"kind": "try", "text": "priority: nginx waits"}
    piloted = Piloted([(1.0, look), (2.0, start), (3.0, on), (5.0, tried)])
    assert piloted.reasons == [start["text"]]
    assert piloted.kept == ["priority"]
    assert [one["module"] for one in piloted.trials] == ["priority", "affinity"]
    assert piloted.looked == look["text"]
    assert Piloted().looked == ""


def test_a_pilot_that_has_tried_everything() -> None:
    look, start, end = {"kind": "look", "text": ""}, {"kind": "try"}, {"kind": "off"}
    piloted = Piloted([(1.0, look), (2.0, start), (5.0, end), (6.0, {"kind": "end"})])
    assert piloted.is_done_by(5.0)
    assert not piloted.is_done_by(4.0)
    assert Piloted([(1.0, look)]).is_done_by(1.0)  # there was nothing to try
    assert not Piloted([(1.0, look), (2.0, start), (3.0, {"kind": "end"})]).is_done_by(9.0)
    assert not Piloted([(9.0, {"kind": "end"})]).is_done_by(9.0)  # it never came to look


def test_a_proof_goes_on_where_it_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "out" / "proof.jsonl"
    assert records(file) == []
    append(file, pair(0, 100, 50))
    with file.open("a") as opened:
        opened.write('{"kind": "pa')
    append(file, calm(0, []))
    assert [one["kind"] for one in records(file)] == ["pair", "calm"]
    assert len(of_kind(records(file), "pair")) == 1
    assert main(["judge", "--out", str(file)]) == 1
    assert capsys.readouterr().out.count("MISSED") == 2
    assert main(["--out", str(file)]) == 2
    assert "give --continue" in capsys.readouterr().err
    assert main(["--out", str(file), "--continue"]) == 2
    assert "other options" in capsys.readouterr().err


def test_a_quiet_machine_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    # Two readings a look: 1 s of CPU of a compiler, then a tenth of that.
    readings = iter([0.0, 1.0, 1.0, 1.1])
    asked: list[set[int]] = []

    def read(without: list[int]) -> float:
        asked.append(set(without))
        return next(readings)

    monkeypatch.setattr("bench.pilot.quiet.read", read)
    monkeypatch.setattr("bench.pilot.quiet.used_s", lambda before, after: after - before)
    monkeypatch.setattr("bench.pilot.quiet.LOOK_S", 1.0)
    assert others_cpus([os.getppid()], 60.0) == pytest.approx(0.1, rel=0.3)
    assert len(asked) == 4
    assert all({os.getpid(), os.getppid()} <= one for one in asked)
    readings = iter([0.0, 1.0])
    assert others_cpus([], 0.0) > QUIET


def test_disturbers_work_and_end_with_the_block(tmp_path: Path) -> None:
    pages = tmp_path / "www"
    pages.mkdir()
    (pages / "page").write_text("0000 word\n" * 200_000)
    before = processes(pages)
    with disturbers(pages, 60.0):
        # timeout and what it runs, twice
        wait_for(lambda: len(processes(pages) - before) >= 4)
        running = processes(pages) - before
    end_s = time.monotonic() + 10
    while any(map(lives, running)) and time.monotonic() < end_s:
        time.sleep(0.05)
    assert not any(map(lives, running))
    with pytest.raises(SystemLimitError, match="ended before the turn"), disturbers(pages, 0.2):
        time.sleep(1.0)


def processes(pages: Path) -> set[int]:
    found = set()
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = file.read_bytes()
        except OSError:  # it has gone
            continue
        if str(pages).encode() in text:
            found.add(int(file.parent.name))
    return found
