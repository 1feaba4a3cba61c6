"""Two set-ups compared by what users felt: statistics against brute force, records, the command."""

import json
import math
import statistics
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from scipy import stats
from typer.testing import CliRunner

from command_line import app
from failover_file import WRITES, failover, outage
from headcount.analyse.compare.subject import Side
from headcount.analyse.outage import outage_shift
from headcount.analyse.outage.compare import FIGURES_COMPARED, compare
from headcount.analyse.outage.outage_shift import Felt, interval, shift, values
from headcount.analyse.outage.unlike import OWN
from headcount.analyse.statistics.rank_sum import p_value
from headcount.analyse.statistics.shift import between, end_of
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


def felt(known: Sequence[float], longer_than: Sequence[float] = ()) -> list[Felt]:
    return [*(Felt(one) for one in known), *(Felt(None, one) for one in longer_than)]


def brute_p(one: Sequence[float], two: Sequence[float]) -> float:
    """Twice the share of all divisions with a rank sum as far out, each counted one by one."""
    ranks = stats.rankdata([*one, *two])
    sums = [sum(chosen) for chosen in combinations(ranks, len(one))]
    seen = sum(ranks[: len(one)])
    below = sum(each <= seen + 1e-9 for each in sums)
    above = sum(each >= seen - 1e-9 for each in sums)
    return min(1.0, 2 * min(below, above) / len(sums))


@pytest.mark.parametrize("seed", range(60))
def test_the_p_value_is_that_of_counting_with_ties_and_what_never_came(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, m = random.integers(1, 7, 2)
    draws = [float(one) for one in random.integers(0, 6, n + m)]
    known = [math.inf if one == 5 else one for one in draws]
    assert p_value(known[:n], known[n:]) == pytest.approx(brute_p(known[:n], known[n:]), rel=1e-12)


@pytest.mark.parametrize(("n", "m"), [(4, 4), (3, 9), (6, 6), (20, 31), (49, 51)])
def test_without_ties_it_is_the_exact_mann_whitney(n: int, m: int) -> None:
    random = np.random.default_rng(n)
    a, b = random.normal(0, 1, n).tolist(), random.normal(0.7, 1, m).tolist()
    known = stats.mannwhitneyu(a, b, method="exact").pvalue
    assert p_value(a, b) == pytest.approx(known, rel=1e-9)
    assert p_value(b, a) == pytest.approx(known, rel=1e-9)


def test_of_many_values_it_is_the_normal_one() -> None:
    random = np.random.default_rng(5)
    a, b = random.integers(0, 30, 70).tolist(), random.integers(3, 33, 61).tolist()
    known = stats.mannwhitneyu(a, b, method="asymptotic").pvalue
    assert p_value(a, b) == pytest.approx(known, rel=1e-9)


@pytest.mark.parametrize(("n", "m"), [(4, 4), (5, 7), (6, 6), (3, 8)])
def test_the_interval_is_all_shifts_that_the_test_does_not_reject(n: int, m: int) -> None:
    random = np.random.default_rng(n * m)
    a, b = random.exponential(3, n), random.exponential(3, m) + 1
    apart = np.sort(np.subtract.outer(b, a).ravel())
    between_them = (apart[1:] + apart[:-1]) / 2
    kept = [
        place
        for place, move in enumerate(between_them)
        if stats.mannwhitneyu(a + move, b, method="exact").pvalue > 0.05
    ]
    found = shift("served_s", ("A", "B"), felt(a), felt(b))
    assert (found.low, found.high) == pytest.approx((apart[kept[0]], apart[kept[-1] + 1]))
    assert found.shift == pytest.approx(statistics.median(apart))
    assert found.a.median == pytest.approx(float(np.median(a)))
    assert (found.a.number, found.b.number) == (n, m)


def test_too_few_have_no_interval_and_no_verdict() -> None:
    for n, m, bounded in ((3, 3, False), (3, 4, False), (4, 4, True), (2, 9, True), (1, 9, False)):
        least_p = 2 / math.comb(n + m, n)
        assert bounded == (least_p <= 0.05) == (end_of(n, m) is not None)
        a, b = [float(one) for one in range(n)], [100.0 + one for one in range(m)]
        found = shift("served_s", ("A", "B"), felt(a), felt(b))
        assert (found.low is not None) == bounded
        assert found.finding == ("worse" if bounded else "no difference shown")
    assert end_of(0, 5) is None


DRAWS: Sequence[Callable[[np.random.Generator, int], np.ndarray]] = (
    lambda random, n: random.exponential(2.0, n),
    lambda random, n: 30.0 * (random.random(n) < 0.15) + random.normal(5, 0.4, n),
    lambda random, n: np.round(random.exponential(2.0, n), 0),
)


@pytest.mark.parametrize("draw", DRAWS, ids=["skewed", "outliers", "tied"])
@pytest.mark.parametrize("watched_s", [math.inf, 5.5])
def test_the_interval_holds_the_true_shift_in_95_of_100(
    draw: Callable[[np.random.Generator, int], np.ndarray], watched_s: float
) -> None:
    """Also where users were not watched for long enough to see all of them."""
    random = np.random.default_rng(20261128)
    rounds, true, held = 1500, 1.0, 0
    for _ in range(rounds):
        a, b = draw(random, 6), draw(random, 7) + true
        low, high = interval(*(_watched(one, watched_s) for one in (a, b)))
        held += (low is None or low <= true + 1e-9) and (high is None or high >= true - 1e-9)
    assert held / rounds > 0.95 - 3 * math.sqrt(0.05 * 0.95 / rounds)


@pytest.mark.parametrize("draw", DRAWS, ids=["skewed", "outliers", "tied"])
@pytest.mark.parametrize("watched_s", [math.inf, 5.5])
def test_equal_set_ups_differ_in_5_of_100_at_most(
    draw: Callable[[np.random.Generator, int], np.ndarray], watched_s: float
) -> None:
    random = np.random.default_rng(20261128)
    rounds = 1500
    shown = sum(
        shift(
            "served_s",
            ("A", "B"),
            _watched(draw(random, 6), watched_s),
            _watched(draw(random, 7), watched_s),
        ).finding
        != "no difference shown"
        for _ in range(rounds)
    )
    assert shown / rounds < 0.05 + 3 * math.sqrt(0.05 * 0.95 / rounds)


def _watched(true: Sequence[float], watched_s: float) -> list[Felt]:
    return [Felt(float(one)) if one <= watched_s else Felt(None, watched_s) for one in true]


@pytest.mark.parametrize("seed", range(20))
def test_the_interval_holds_that_of_whatever_was_not_seen(seed: int) -> None:
    """What did not come may have come at any time after it was watched."""
    random = np.random.default_rng(seed)
    a, b = random.exponential(4, 6), random.exponential(4, 5)
    low, high = interval(_watched(a, 6.0), _watched(b, 5.0))
    for _ in range(30):
        guess_a = [one if one <= 6 else 6 + random.exponential(20) for one in a]
        guess_b = [one if one <= 5 else 5 + random.exponential(20) for one in b]
        full = between(guess_a, guess_b)
        assert full is not None
        assert low is None or low <= full.low
        assert high is None or high >= full.high


def test_what_never_came_is_longer_than_all_others() -> None:
    served, away = felt([2.0, 2.1, 2.2, 2.3, 2.5]), felt([], [60.0] * 5)
    worse = shift("served_s", ("A", "B"), served, away)
    assert worse.finding == "worse"
    assert worse.b.model_dump() == {"number": 5, "missing": 5, "median": None}
    assert worse.shift is None
    assert worse.low == pytest.approx(60 - 2.5)  # the third smallest of 25: five are at least that
    assert worse.high is None
    assert worse.p == pytest.approx(2 / math.comb(10, 5))
    better = shift("served_s", ("A", "B"), away, served)
    assert (better.finding, better.low, better.high) == ("better", None, pytest.approx(2.5 - 60))
    same = shift("served_s", ("A", "B"), away, away)
    assert (same.finding, same.shift, same.low, same.high, same.p) == (
        *("no difference shown", 0.0, None, None),
        1.0,
    )


def test_what_was_watched_too_shortly_shows_nothing() -> None:
    """Not back after 1 s is no proof of being slower than 5 s, whatever the ranks say."""
    found = shift("served_s", ("A", "B"), felt([5.0, 5.1, 5.2, 5.3, 5.4]), felt([], [1.0] * 5))
    assert found.p < 0.05
    assert found.low is not None
    assert found.low < 0
    assert found.finding == "no difference shown"


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
    assert outage_shift.LEVEL == 0.05


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


def of(times_s: Sequence[float | None], **changed: object) -> list[Outage]:
    return [outage(place, one, **changed) for place, one in enumerate(times_s, 1)]


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    first = failover(*of(SLOW_S, lost=100))
    second = failover(*of(FAST_S, lost=0, silent_s=0.0, answered_s=0.0))
    return bundle(tmp_path / "one", first), bundle(tmp_path / "two", second, 500.0)


def say(*arguments: object, width: int = 110) -> str:
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
    text = say("compare", *pair)
    assert " ".join(text.split()).startswith(SENTENCE)
    lines = {line[:24].strip(): line[24:].split() for line in text.splitlines()}
    assert lines["Nobody got an answer for"][:6] == ["800", "ms", "0", "ms", "-800", "ms"]
    assert lines["Scenarios failed"] == ["100", "0", *("-100", "-100", "to", "-100", "better")]
    assert "one after the other" in " ".join(text.split())


def test_the_numbers_are_those_of_an_independent_computation(pair: tuple[Path, Path]) -> None:
    found = json.loads(say("compare", *pair, "--json"))
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


def test_other_forms_say_the_same(pair: tuple[Path, Path], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    text = say("compare", f"old={pair[0]}", f"new={pair[1]}", "--markdown", "--html", page)
    assert text.startswith("**new is better than old: users were served")
    assert (
        "| Scenarios failed | 100 | 0 | -100 | -100 to -100 | \N{WHITE HEAVY CHECK MARK} b" in text
    )
    html = page.read_text("utf-8").replace("\N{NO-BREAK SPACE}", " ")
    assert html.startswith("<!doctype html>")
    assert "95% interval -4.40 to -3.90 s" in html
    assert "<td>-100 to -100</td>" in html
    assert str(page) in say("compare", *pair, "--html", page)


def test_bundles_of_a_side_are_pooled_in_turns(tmp_path: Path) -> None:
    parts = {
        name: bundle(tmp_path / name, failover(*of(times)), at_s)
        for name, times, at_s in (
            ("a", SLOW_S[:3], 0.0),
            ("b", FAST_S[:3], 100.0),
            ("c", FAST_S[3:], 200.0),
            ("d", SLOW_S[3:], 300.0),
        )
    }
    a, b = f"A={parts['a']},{parts['d']}", f"B={parts['b']},{parts['c']}"
    found = json.loads(say("compare", a, b, "--json"))
    assert found["sentence"] == SENTENCE
    assert [one["repetitions"] for one in found["subjects"]] == [6, 6]
    assert found["doubts"] == []
    unequal = bundle(
        tmp_path / "e", failover(*of(FAST_S)), 400.0, ("[server]", '[server]\nworkers = "2"')
    )
    mixed = json.loads(say("compare", a, f"{b},{unequal}", "--json"))
    assert mixed["doubts"] == ["B: its bundles are pooled, but their server settings differ"]
    few = json.loads(say("compare", parts["a"], parts["b"], "--json"))
    assert few["finding"] == "no difference shown"
    assert few["sentence"].endswith("(median); there is no interval of the shift.")
    assert any("too few repetitions" in one for one in few["doubts"])


def test_what_makes_them_incomparable_is_said(pair: tuple[Path, Path], tmp_path: Path) -> None:
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
        found = json.loads(say("compare", pair[0], folder, "--json"))
        assert found["finding"] == "not comparable"
        differ = "differ" if name in ("users", "criteria") else "differs"
        assert found["sentence"] == f"Not comparable: {name} {differ}."
        assert [one["what"] for one in found["unlike"] if one["spoils"]] == [name]
        error = mistake("compare", f"{pair[0]},{folder}", pair[1])
        assert f"the bundles of A are not of one set-up: {name} differ" in error


def test_what_may_differ_is_said_and_does_not_spoil(
    pair: tuple[Path, Path], tmp_path: Path
) -> None:
    base = record.read(pair[1])
    assert base is not None
    changed = {"fault": "kill the active node (SIGKILL)", "recover": None, "slot_s": 0.02}
    other = bundle(
        tmp_path / "other", base.model_copy(update=changed), 0.0, ("seed = 5", "seed = 6")
    )
    found = json.loads(say("compare", pair[0], other, "--json"))
    assert found["finding"] == "better"
    assert [one["what"] for one in found["unlike"]] == [
        *("place of the fault", "recovery", "watching", "seed"),
    ]


def test_repetitions_that_do_not_count_are_in_no_figure(
    pair: tuple[Path, Path], tmp_path: Path
) -> None:
    bad = outage(7, 99.0, outcome="invalid", reasons=["users were not served before the fault"])
    doubtful = outage(8, 4.6, lost=0, doubts=["the generator was full"])
    early = failover(*of(FAST_S), bad, doubtful).model_copy(
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
    third = bundle(tmp_path / "third", failover(*of([None] * 6, restored_s=None)))
    found = json.loads(say("compare", *pair, third, "--json"))
    assert found["finding"] == "mixed"
    assert found["sentence"] == (
        f"{SENTENCE} C is worse than A: users were served within their limits never again in the "
        "time that was watched instead of again after 8.62 s (median); 95% interval at least "
        "+11.2 s."
    )
    text = say("compare", *pair, third)
    assert "C against A" in text
    assert "never" in text


def test_mistakes_are_named(pair: tuple[Path, Path], tmp_path: Path) -> None:
    run = bundle(tmp_path / "run", failover(*of(FAST_S)))
    (run / record.FILE).unlink()
    assert f"{pair[0]} is of headcount failover, and {run} is not" in mistake(
        "compare", pair[0], run
    )
    assert "two bundles or more" in mistake("compare", pair[0])
    assert "--html FILE makes a page" in mistake("compare", *pair, "--pdf", tmp_path / "x.pdf")
    assert "are for runs" in mistake("compare", *pair, "--within", "2%")
    assert 'called "x"' in mistake("compare", f"x={pair[0]}", f"x={pair[1]}")
    assert "is of headcount failover: compare it" in mistake("gate", pair[1], "--baseline", pair[0])
