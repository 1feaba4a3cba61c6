"""Comparisons of bundles: what is compared, by which figures, and in which words."""

import json
import math
import statistics
from pathlib import Path

import pytest
from runs_made import Server, make, refuse

from headcount.analyse.compare.compare import compare
from headcount.analyse.compare.comparison import Comparison, Difference
from headcount.analyse.compare.subject import side
from headcount.bundle import reader
from headcount.cli import subjects
from headcount.errors import InputError
from headcount.plan.resolve import Overrides

SLOWER = Server(speed=1 / 1.28)


def found(first: list[Path] | Path, second: list[Path] | Path) -> Comparison:
    a, b = (one if isinstance(one, list) else [one] for one in (first, second))
    return compare([side("A", a), side("B", b)])


def one(comparison: Comparison, metric: str, users: int | None = None) -> Difference:
    return next(d for d in comparison.differences if (d.metric, d.users) == (metric, users))


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    """A slower server, then one that is 28 % faster."""
    folder = tmp_path_factory.mktemp("pair")
    slow = make(folder / "slow", (10, 40), SLOWER, seed=1)
    fast = make(folder / "fast", (10, 20, 40), Server(), seed=2, begun_s=600)
    return found(slow, fast)


def test_both_directions_of_a_percentage_are_reported(pair: Comparison) -> None:
    p50 = one(pair, "response.p50", 40)
    assert p50.finding == "better"
    assert 0.70 < p50.ratio < 0.86  # 1 / 1.28 is 0.781
    assert p50.change == pytest.approx(p50.ratio - 1)
    assert p50.reverse == pytest.approx(1 / p50.ratio - 1)
    less, speed = f"{1 - p50.ratio:.1%} less time", f"{1 / p50.ratio:.2f} times the speed"
    assert p50.words.startswith(less)
    assert speed in p50.words
    assert f"({1 / p50.ratio - 1:.1%} more)" in p50.words


def test_levels_with_equal_users_are_compared_and_nothing_is_interpolated(
    pair: Comparison,
) -> None:
    assert {d.users for d in pair.differences} == {10, 40}
    assert any(
        "only at 10, 40 users" in doubt and "B alone at 20" in doubt for doubt in pair.doubts
    )


def test_users_who_think_are_compared_by_p95_at_the_most_users(pair: Comparison) -> None:
    p95 = one(pair, "response.p95", 40)
    assert (p95.finding, pair.finding) == ("better", "better")
    assert pair.sentence.startswith("B is better than A (indicative): p95 response time at 40")
    assert p95.words[:10] in pair.sentence


def test_the_figures_are_those_of_the_bundles(pair: Comparison) -> None:
    loaded = [reader.load(Path(subject.bundles[0])) for subject in pair.subjects]
    for users in (10, 40):
        levels = [next(x for x in bundle.levels if x.users == users) for bundle in loaded]
        throughput = one(pair, "throughput", users)
        rates = [level.achieved_per_s for level in levels]
        assert (throughput.a.value, throughput.b.value) == tuple(rates)
        assert throughput.ratio == rates[1] / rates[0]
        for name in ("p50", "p95", "p99"):
            values = [getattr(level.total.response, f"{name}_ms") for level in levels]
            assert one(pair, f"response.{name}", users).ratio == values[1] / values[0]


def test_a_single_run_of_each_is_indicative_and_did_not_alternate(pair: Comparison) -> None:
    assert not pair.interleaved
    assert all(d.indicative and d.method == "sections" for d in pair.differences)
    assert any(doubt.startswith("runs did not alternate (within 10 min)") for doubt in pair.doubts)
    assert any(doubt.startswith("indicative: too few runs") for doubt in pair.doubts)


def test_what_a_scenario_costs_is_read_from_the_servers_own_counters(pair: Comparison) -> None:
    cpu = one(pair, "cpu.each", 40)
    assert cpu.a.value == pytest.approx(0.004)
    assert cpu.ratio == pytest.approx(1.0)
    assert cpu.finding == "no difference shown"


def test_the_interval_of_throughput_is_that_of_ten_sections_and_the_usual_spread(
    pair: Comparison,
) -> None:
    # Computed again from the seconds on disk, with none of the code under test.
    errors, waits = [], []
    for subject in pair.subjects:
        folder = Path(subject.bundles[0])
        lines = (folder / "series.ndjson").read_text("utf-8").splitlines()
        seconds = [json.loads(line) for line in lines]
        done = [s["scenarios"]["ask"]["completed"] for s in seconds if s["users"] == 10]
        parts = [sum(done[at : at + 3]) / 3 for at in range(0, 30, 3)]
        whole = sum(done) / 30
        squares = sum(math.log(part / whole) ** 2 for part in parts)
        errors.append(math.sqrt(squares / 9 / 10))
        level = reader.load(folder).levels[0]
        waits.append(level.total.mean_ms / (level.total.mean_ms + 1000))
    throughput = one(pair, "throughput", 10)
    assert throughput.interval is not None
    low, high = (math.log(end / throughput.ratio) for end in throughput.interval)
    assert low == pytest.approx(-high)
    within = math.hypot(*errors)
    # 2 % from run to run, of which throughput feels the share that users wait, or how flat it is.
    most = math.hypot(within, 0.02 * math.sqrt(2))
    least = math.hypot(within, 0.02 * math.hypot(*waits))
    assert 1.96 * least * 0.999 < high < 2.3 * most


def test_an_invalid_level_is_left_out_and_reported(tmp_path: Path) -> None:
    good = make(tmp_path / "good", (10, 20), seed=1)
    bad = make(tmp_path / "bad", (10, 20), seed=2, begun_s=100)
    levels = json.loads((bad / "levels.json").read_text("utf-8"))
    levels["levels"][1]["outcome"] = "invalid"
    (bad / "levels.json").write_text(json.dumps(levels), "utf-8")
    comparison = found(good, bad)
    assert {d.users for d in comparison.differences} == {10}
    assert "B: invalid levels are left out (20 users)" in comparison.doubts


def test_a_server_that_refuses_everything_is_not_faster(tmp_path: Path) -> None:
    works = make(tmp_path / "works", (10, 20))
    refuses = refuse(make(tmp_path / "refuses", (10, 20), begun_s=60), 20)
    comparison = found(works, refuses)
    assert comparison.finding == "worse"
    assert comparison.sentence.startswith("B is worse than A: at 20 users B completed nothing, ")
    assert {one.users for one in comparison.differences} == {10}
    assert found(refuses, works).finding == "better"
    both = found(refuses, refuse(make(tmp_path / "too", (10, 20), begun_s=120), 20))
    assert "completed nothing" not in both.sentence


def test_runs_with_nothing_in_common_say_so(tmp_path: Path) -> None:
    comparison = found(make(tmp_path / "a", (10,)), make(tmp_path / "b", (20,), begun_s=60))
    assert comparison.differences == []
    assert comparison.finding == "not comparable"
    assert "nothing in common" in comparison.sentence
    assert any("no level with the same number of users" in doubt for doubt in comparison.doubts)


def test_capacities_of_two_searches_are_compared(tmp_path: Path) -> None:
    # Standard errors of the logs 1 % and 2 %: together 2.236 %, of which 1.96 make 4.38 %.
    ends = [math.exp(1.959964 * error) for error in (0.01, 0.02)]
    a = make(tmp_path / "a", (10,), capacity=(1000, 1000 / ends[0], 1000 * ends[0]))
    b = make(tmp_path / "b", (10,), capacity=(900, 900 / ends[1], 900 * ends[1]), begun_s=60)
    comparison = found(a, b)
    capacity = one(comparison, "capacity")
    assert capacity.interval == pytest.approx((0.9 * math.exp(-0.043826), 0.9 * math.exp(0.043826)))
    assert (capacity.finding, comparison.finding) == ("worse", "worse")
    # The interval is that of the estimates; the numbers and their ratio are the published ones.
    published = math.floor(1000 / ends[0]), math.floor(900 / ends[1])
    assert capacity.ratio == pytest.approx(published[1] / published[0])
    assert capacity.words == "B has 11.7% less than A; A has 13.3% more than B"
    assert comparison.subjects[0].capacity is not None
    assert comparison.subjects[0].capacity.value == published[0]


def test_a_search_without_an_upper_end_has_no_capacity_to_compare(tmp_path: Path) -> None:
    a = make(tmp_path / "a", (10,), capacity=(1000, 980, 1020))
    b = make(tmp_path / "b", (10,), capacity=(900, 880, 920), begun_s=60)
    verdict = json.loads((b / "verdict.json").read_text("utf-8"))
    verdict["capacity"] |= {"at_least": True, "high": None}
    (b / "verdict.json").write_text(json.dumps(verdict), "utf-8")
    assert not [d for d in found(a, b).differences if d.metric == "capacity"]


def test_capacities_under_other_criteria_are_not_compared(tmp_path: Path) -> None:
    a = make(tmp_path / "a", (10,), capacity=(1000, 980, 1020))
    other = Overrides(seed=7, criteria=["p95<=2s"])
    b = make(tmp_path / "b", (10,), capacity=(900, 880, 920), overrides=other, begun_s=60)
    comparison = found(a, b)
    assert not [d for d in comparison.differences if d.users is None]
    criteria = next(u for u in comparison.unlike if u.what == "criteria")
    assert not criteria.spoils
    assert "capacities are not compared" in criteria.sentence


@pytest.mark.parametrize(
    ("overrides", "what"),
    [
        (Overrides(seed=7, scale=0.5), "data set"),
        (Overrides(seed=7, think="3s"), "pace"),
    ],
)
def test_other_work_cannot_be_compared(tmp_path: Path, overrides: Overrides, what: str) -> None:
    a = make(tmp_path / "a", (10,))
    b = make(tmp_path / "b", (10,), overrides=overrides, begun_s=60)
    comparison = found(a, b)
    assert comparison.finding == "not comparable"
    assert comparison.sentence.startswith(f"Not comparable: {what} differs")
    assert [u.what for u in comparison.unlike if u.spoils] == [what]


def test_another_seed_or_number_of_workers_is_only_reported(tmp_path: Path) -> None:
    a = make(tmp_path / "a", (10,), overrides=Overrides(seed=7, workers=1))
    b = make(tmp_path / "b", (10,), overrides=Overrides(seed=8, workers=2), begun_s=60)
    comparison = found(a, b)
    differences = {u.what: u for u in comparison.unlike}
    assert set(differences) == {"seed", "generator"}
    assert differences["seed"].values == {"A": "7", "B": "8"}
    assert differences["generator"].values == {"A": "workers 1", "B": "workers 2"}
    assert not any(u.spoils for u in comparison.unlike)


def test_runs_in_turns_are_paired_so_that_drift_cancels(tmp_path: Path) -> None:
    # The machine gets 3 % slower with each run; B is 10 % faster. ABBAABBA.
    drift = [0.97**number for number in range(8)]
    order = "ABBAABBA"
    made: dict[str, list[Path]] = {"A": [], "B": []}
    for number, (name, speed) in enumerate(zip(order, drift, strict=True)):
        own = speed * (1.10 if name == "B" else 1.0)
        path = tmp_path / f"{name}{number}"
        made[name].append(
            make(path, (20,), Server(speed=own, noise=0.02), seed=number, begun_s=60 * number)
        )
    comparison = found(made["A"], made["B"])
    assert comparison.interleaved
    p50 = one(comparison, "response.p50", 20)
    assert (p50.method, p50.pairs) == ("pairs", 4)
    assert p50.indicative
    logs = []
    for first, second in zip(made["A"], made["B"], strict=True):
        values = [reader.load(path).levels[0].total.response.p50_ms for path in (first, second)]
        logs.append(math.log(values[1] / values[0]))
    assert math.log(p50.ratio) == pytest.approx(statistics.mean(logs))
    half = 3.182446 * statistics.stdev(logs) / 2  # t of 3 degrees of freedom, 4 pairs
    assert p50.interval == pytest.approx(
        (p50.ratio * math.exp(-half), p50.ratio * math.exp(half)), rel=1e-6
    )
    assert p50.interval[0] < 1 / 1.10 < p50.interval[1]


def test_runs_one_after_the_other_are_two_groups(tmp_path: Path) -> None:
    made = [
        [
            make(tmp_path / f"{name}{n}", (20,), seed=10 * place + n, begun_s=60 * (4 * place + n))
            for n in range(3)
        ]
        for place, name in enumerate("AB")
    ]
    comparison = found(made[0], made[1])
    assert not comparison.interleaved
    throughput = one(comparison, "throughput", 20)
    assert (throughput.method, throughput.a.runs, throughput.b.runs) == ("runs", 3, 3)


def test_more_than_two_sides_are_each_compared_with_the_first(tmp_path: Path) -> None:
    folders = [
        make(tmp_path / f"s{n}", (20,), server, seed=n, begun_s=60 * n)
        for n, server in enumerate((Server(), SLOWER, Server(speed=1.5)))
    ]
    sides = [side(name, [path]) for name, path in zip("ABC", folders, strict=True)]
    comparison = compare(sides)
    assert {(d.first, d.second) for d in comparison.differences} == {("A", "B"), ("A", "C")}
    assert comparison.finding == "mixed"


def test_a_bundle_without_its_seconds_still_has_its_values(tmp_path: Path) -> None:
    a, b = make(tmp_path / "a", (10,)), make(tmp_path / "b", (10,), seed=2, begun_s=60)
    for name in ("series.ndjson", "histograms.hlog"):
        (b / name).unlink()
    comparison = found(a, b)
    throughput = one(comparison, "throughput", 10)
    assert throughput.interval is None
    assert throughput.finding == "no difference shown"
    assert any("have no interval" in doubt for doubt in comparison.doubts)


def test_levels_of_a_few_seconds_have_no_interval_of_percentiles(tmp_path: Path) -> None:
    a = make(tmp_path / "a", (10,), seconds=8)
    b = make(tmp_path / "b", (10,), seed=2, begun_s=60, seconds=8)
    comparison = found(a, b)
    assert one(comparison, "response.p95", 10).interval is None
    assert one(comparison, "throughput", 10).interval is not None


def test_levels_of_20_s_have_one_although_seconds_are_not_exact(tmp_path: Path) -> None:
    a, b = (make(tmp_path / name, (20,), seconds=20, begun_s=60) for name in "ab")
    for path in (a / "levels.json", b / "levels.json"):
        text = path.read_text("utf-8")
        assert '"steady_s":20.0' in text
        path.write_text(text.replace('"steady_s":20.0', '"steady_s":19.99995'), "utf-8")
    assert one(found(a, b), "response.p95", 20).interval is not None


def test_a_list_of_many_runs_is_not_a_path(tmp_path: Path) -> None:
    path = make(tmp_path / "night", (10,), seconds=2)
    name, folders = subjects.split(f"nightly={','.join([str(path)] * 200)}")
    assert (name, folders) == ("nightly", [path] * 200)


def test_one_side_alone_and_two_of_one_name_are_refused(tmp_path: Path) -> None:
    a = side("A", [make(tmp_path / "a", (10,))])
    with pytest.raises(InputError, match="two runs or more"):
        compare([a])
    with pytest.raises(InputError, match='called "A"'):
        compare([a, a])
