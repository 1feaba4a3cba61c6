"""Two real servers in turn: one has users at a time, and each leaves a whole bundle."""

import json
from itertools import pairwise
from pathlib import Path
from signal import SIGINT
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from recomputed import read_series

from headcount.bundle import reader, versus
from headcount.schemas import SCHEMAS
from processes import Headcount, lines, phase

pytestmark = pytest.mark.e2e

LIGHT = str(Path(__file__).with_name("light.toml"))
PROCESSOR = str(Path(__file__).with_name("processor.toml"))
PATIENT = ("--criteria", "p95<=60s")
"""No lateness of a busy machine's generator could change that verdict."""


@pytest.fixture(scope="module")
def headcount(tmp_path_factory: pytest.TempPathFactory):
    command = Headcount(tmp_path_factory.mktemp("versus"))
    yield command
    command.close()


@pytest.fixture(scope="module")
def ended(headcount: Headcount) -> Any:
    """A server with a twentieth of a core against one with what there is."""
    return headcount.run(
        *("run", PROCESSOR, "--target", "lab:app", "--limit", "cpu=0.05"),
        *("--versus-limit", "cpu=none", "--users", "3", "--think", "10ms", "--pairs", "3"),
        *("--duration", "3s", "--ramp", "200ms", "--settle", "500ms", "--seed", "4", "--json"),
        *PATIENT,
    )


@pytest.fixture(scope="module")
def sides(ended: Any) -> dict[str, Path]:
    assert ended.code == 0, ended
    return {name: Path(side["bundle"]) for name, side in ended.json["sides"].items()}


def test_the_difference_is_shown_with_its_interval(ended: Any, sides: dict[str, Path]) -> None:
    found = ended.json["comparison"]
    assert found["interleaved"]
    by_metric = {each["metric"]: each for each in found["differences"]}
    one = by_metric["throughput"]
    assert (one["method"], one["pairs"], one["finding"]) == ("pairs", 3, "better")
    # The sentence is about the p95. Of a dozen scenarios each on a busy machine, three pairs may
    # leave it open which is faster, but not by how much they differed here.
    p95 = by_metric["response.p95"]
    assert found["finding"] == p95["finding"] != "worse"
    assert p95["ratio"] < 0.6
    # The same from the levels themselves: the geometric mean over the pairs.
    levels = {name: reader.load(folder).levels for name, folder in sides.items()}
    product = 1.0
    for a, b in zip(levels["A"], levels["B"], strict=True):
        product *= b.achieved_per_s / a.achieved_per_s
    assert one["ratio"] == pytest.approx(product ** (1 / 3))


def test_both_bundles_are_whole_and_know_their_pairs(sides: dict[str, Path]) -> None:
    found = versus.matching(sides["A"], sides["B"])
    assert found is not None
    assert found.ending == "finished"
    assert [pair.order for pair in found.pairs] == ["AB", "BA", "AB"]
    assert all(pair.whole and pair.equal for pair in found.pairs)
    for name, folder in sides.items():
        bundle = reader.load(folder)
        assert bundle.plan.mode == "ladder"
        assert [level.index for level in bundle.levels] == [1, 2, 3]
        assert bundle.verdict is not None
        assert (folder / "report.html").exists()
        assert (folder / "series.parquet").exists()
        file = json.loads((folder / versus.FILE).read_bytes())
        assert file["here"] == name
        Draft202012Validator(SCHEMAS["versus"]()).validate(file)


def test_only_one_side_has_users_at_a_time(sides: dict[str, Path]) -> None:
    busy: list[tuple[float, float, str]] = [
        (second["t_s"] - second["seconds"], second["t_s"], name)
        for name, folder in sides.items()
        for second in read_series(folder)
        if second["users"] > 0
    ]
    assert {name for _, _, name in busy} == {"A", "B"}
    for one, two in pairwise(sorted(busy)):
        # Seconds begin again when a side gets users; both clocks are those of one run.
        assert one[2] == two[2] or two[0] >= one[1] - 1.05, (one, two)
    turns = [
        (turn.began_s, turn.ended_s)
        for pair in versus.matching(sides["A"], sides["B"]).pairs  # type: ignore[union-attr]
        for turn in pair.turns
    ]
    assert all(one[1] <= two[0] for one, two in pairwise(turns))


def test_servers_rest_while_the_other_is_measured(sides: dict[str, Path]) -> None:
    found = versus.matching(sides["A"], sides["B"])
    assert found is not None
    assert {rest.side for rest in found.rests} == {"A", "B"}
    assert all(rest.cpu_cores is not None and rest.cpu_cores < 0.5 for rest in found.rests)


def test_the_sides_differ_only_in_what_is_compared(sides: dict[str, Path]) -> None:
    a, b = (reader.load(sides[name]).plan for name in ("A", "B"))
    assert a.limits == {"cpu": "0.05"}
    assert b == a.model_copy(update={"limits": {}})


def test_other_verbs_read_both(headcount: Headcount, sides: dict[str, Path]) -> None:
    again = headcount.run("compare", str(sides["A"]), str(sides["B"]), "--json")
    (one,) = [each for each in again.json["differences"] if each["metric"] == "throughput"]
    assert one["method"] == "pairs"
    assert headcount.run("show", str(sides["B"])).code == 0


def test_a_part_of_a_comparison_is_not_resumed(
    headcount: Headcount, sides: dict[str, Path]
) -> None:
    refused = headcount.run("resume", str(sides["A"]))
    assert refused.code == 2
    assert "one of two that were measured in turn (lab:app and lab:app)" in refused.message


def second_turn(home: Headcount) -> bool:
    """Whether the second side is being measured."""
    found = [path for path in home.bundles() if (path / versus.FILE).exists()]
    return bool(found) and any("-B-" in path.name and phase(path) == "steady" for path in found)


@pytest.fixture
def home(tmp_path: Path):
    command = Headcount(tmp_path / "own")
    yield command
    command.close()


def test_an_interrupted_comparison_keeps_both_bundles(home: Headcount) -> None:
    run = home.start(
        *("run", LIGHT, "--target", "lab:app", "--versus-set", "threads=2", "--users", "2"),
        *("--duration", "3s", "--json"),
    )
    run.reach(lambda: second_turn(home))
    run.send(SIGINT)
    ended = run.ended()
    assert ended.code == 130, ended
    assert "Traceback" not in ended.err
    assert home.servers() == []
    assert home.leftovers() == []
    assert ended.json["versus"]["ending"] == "interrupted"
    assert ended.json["comparison"] is None
    for folder in home.bundles():
        found = reader.load(folder)
        assert found.verdict is not None
        assert found.verdict.outcome == "interrupted"
        assert [event["event"] for event in found.events][-1] in {"interrupted", "counters"}
    assert versus.read(home.bundles()[0]) is not None


def test_a_dead_second_server_is_an_error_before_anything_is_measured(home: Headcount) -> None:
    ended = home.run("run", LIGHT, "--target", "lab:app", "--versus", "app://127.0.0.1:9")
    assert ended.code == 3
    assert ended.message.startswith("B (app://127.0.0.1:9): ")
    assert home.bundles() == []
    assert home.servers() == []


def test_what_was_measured_is_kept_when_the_second_server_dies(
    home: Headcount, tmp_path: Path
) -> None:
    server, target = home.serve(tmp_path / "data")
    run = home.start(
        *("run", LIGHT, "--target", "lab:app", "--versus", target, "--users", "2"),
        *("--duration", "4s", "--pairs", "3"),
    )
    run.reach(lambda: second_turn(home))
    server.kill()
    ended = run.ended()
    assert ended.code == 3, ended
    assert ended.message.startswith(f"B ({target}): ")
    assert home.servers() == []
    one, two = home.bundles()
    found = versus.matching(one, two)
    assert found is not None
    assert found.ending == "unfinished"
    assert [level.users for level in reader.load(one).levels] == [2]
    assert any(event["event"] == "error" for event in lines(one / "events.ndjson"))
