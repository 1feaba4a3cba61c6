"""The experiment with shares, sessions and open files, against real file servers."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from file_server import FileServer
from headcount.analyse.costs import Holding, fit
from headcount.schemas import SCHEMAS
from processes import Ended, Headcount

SMALL = (
    *("--shares", "1,50", "--connections", "1,5"),
    *("--net-uses", "1,3", "--open-files", "0,5"),
)
LEVEL = ("--levels", "2", "--duration", "1s")


@pytest.fixture
def headcount(tmp_path: Path) -> Iterator[Headcount]:
    runner = Headcount(tmp_path / "home")
    yield runner
    runner.close()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Ended, Headcount]]:
    """A small experiment in the lab."""
    runner = Headcount(tmp_path_factory.mktemp("shares"))
    yield runner.run("shares", "--target", "lab:samba", *SMALL, "--json"), runner
    runner.close()


def holding(point: dict[str, Any]) -> Holding:
    return Holding(point["shares"], point["connections"], point["net_uses"], point["open_files"])


@pytest.mark.e2e
def test_every_point_is_held_and_nothing_is_left(small: tuple[Ended, Headcount]) -> None:
    ended, runner = small
    assert ended.code == 0, ended
    found = ended.json
    folder = Path(found.pop("folder"))
    Draft202012Validator(SCHEMAS["shares"]()).validate(found)
    assert json.loads((folder / "shares.json").read_text("utf-8")) == found
    assert json.loads((folder / "environment.json").read_text("utf-8"))["target"] == "lab:samba"
    expected = sorted(
        (shares, connections, uses, files)
        for shares in (1, 50)
        for held_ in (1, 5)
        for connections, uses, files in (
            *((0, 1, 0), (held_, 1, 0), (held_, 1, 5)),
            *((0, 1, 0), (held_, 1, 0), (held_, 3, 0)),
        )
    )
    points = found["points"]
    assert sorted(numbers(holding(point)) for point in points) == expected
    assert found["left_out"] == []
    assert found["outcome"] == "finished"
    assert runner.leftovers() == []
    assert runner.servers() == []


def numbers(point: Holding) -> tuple[int, int, int, int]:
    return (point.shares, point.connections, point.net_uses, point.open_files)


@pytest.mark.e2e
def test_each_connection_is_a_process_of_smbd_that_costs_memory(
    small: tuple[Ended, Headcount],
) -> None:
    points = small[0].json["points"]
    for start in range(8):
        mine = [point for point in points if point["start"] == start]
        nothing, bare, more = mine
        assert bare["processes"] == nothing["processes"] + bare["connections"]
        assert more["processes"] == bare["processes"]
        # A process of its own has a stack, a heap and page tables: some dozen pages at least.
        least = bare["connections"] * 64 * 4096
        assert bare["process_bytes"] - nothing["process_bytes"] > least
        assert more["process_bytes"] > bare["process_bytes"]
        assert bare["logon_cpu_s"] > 0
        assert nothing["logon_cpu_s"] is None
        assert more["logon_cpu_s"] is None


@pytest.mark.e2e
def test_the_fit_is_that_of_the_points(small: tuple[Ended, Headcount]) -> None:
    found = small[0].json
    fits = {one["of"]: one for one in found["fits"]}
    assert set(fits) == {"processes", "kernel", "logon-cpu", "net-use-cpu"}
    points = found["points"]
    starts = [point["start"] for point in points]
    again = fit([holding(point) for point in points], [p["process_bytes"] for p in points], starts)
    assert again is not None
    fitted = fits["processes"]
    assert [(c["name"], c["value"], c["low"], c["high"]) for c in fitted["costs"]] == [
        (cost.name, pytest.approx(cost.value), pytest.approx(cost.low), pytest.approx(cost.high))
        for cost in again.costs
    ]
    names = ["base", "share", "connection", "share_of_connection", "net_use", "open_file"]
    assert [cost["name"] for cost in fitted["costs"]] == names
    by = {cost["name"]: cost for cost in fitted["costs"]}
    assert by["connection"]["measurable"]
    assert by["connection"]["original"] == "about 500 bytes paged and 500 nonpaged"
    assert any("about 250 bytes paged" in sentence for sentence in found["sentences"])


@pytest.mark.e2e
def test_ctrl_c_keeps_what_was_measured(headcount: Headcount) -> None:
    command = headcount.start("shares", "--target", "lab:samba", *SMALL, "--repeats", "10")
    command.reach(lambda: "  2/80  " in command.err)
    command.send(signal.SIGINT)
    ended = command.ended()
    assert ended.code == 130, ended
    assert "Traceback" not in ended.err
    assert "Results: " in ended.out
    (folder,) = headcount.bundles()
    found = json.loads((folder / "shares.json").read_text("utf-8"))
    assert found["outcome"] == "interrupted"
    assert len(found["points"]) >= 6
    assert headcount.servers() == []
    assert headcount.leftovers() == []


@pytest.mark.e2e
def test_a_server_on_this_machine_is_measured_by_its_process(
    headcount: Headcount, file_server: FileServer
) -> None:
    ended = headcount.run(
        *("shares", "--target", file_server.target, "--pid", str(file_server.pid)),
        *("--connections", "1,3", "--net-uses", "1,2", "--open-files", "0,4", "--json"),
        HEADCOUNT_PASSWORD=file_server.password,
    )
    assert ended.code == 0, ended
    found = ended.json
    (memory,) = [one for one in found["fits"] if one["of"] == "processes"]
    assert [cost["name"] for cost in memory["costs"]] == [
        *("base", "connection", "net_use", "open_file"),
    ]
    assert any("not restarted" in doubt for doubt in found["doubts"])
    assert file_server.files() == {}
    assert file_server.password not in json.dumps(found)


@pytest.mark.e2e
def test_connections_that_the_server_refuses_are_left_out(
    headcount: Headcount, tmp_path: Path
) -> None:
    server = FileServer(tmp_path / "samba")
    try:
        server.know_only("user00000", "user00001")
        ended = headcount.run(
            *("shares", "--target", server.target, "--pid", str(server.pid), "--json"),
            *("--connections", "1,2,3", "--net-uses", "1", "--open-files", "0,2"),
            HEADCOUNT_PASSWORD=server.password,
        )
    finally:
        server.stop()
    assert ended.code == 0, ended
    found = ended.json
    assert {point["connections"] for point in found["left_out"]} == {3}
    assert "user00002" in found["left_out"][0]["reason"]
    assert any("2 of the points could not be held" in doubt for doubt in found["doubts"])
    assert {point["connections"] for point in found["points"]} == {0, 1, 2}
    assert found["fits"]


@pytest.mark.e2e
def test_only_the_capacity_of_a_server_elsewhere_is_measured(
    headcount: Headcount, file_server: FileServer
) -> None:
    ended = headcount.run(
        *("shares", "--target", file_server.target, *LEVEL),
        HEADCOUNT_PASSWORD=file_server.password,
    )
    assert ended.code == 0, ended
    assert "visible only on its own machine" in ended.err
    assert "1 share: no capacity was found" in ended.out


@pytest.mark.e2e
def test_the_capacity_is_searched_with_each_number_of_shares(headcount: Headcount) -> None:
    ended = headcount.run(
        *("shares", "--target", "lab:samba", "--shares", "1,3", "--connections", "1"),
        *("--net-uses", "1", "--open-files", "0", "--capacity", *LEVEL, "--json"),
    )
    assert ended.code == 0, ended
    found = ended.json
    assert [one["shares"] for one in found["capacities"]] == [1, 3]
    for one in found["capacities"]:
        plan = Path(one["bundle"], "plan.toml").read_text("utf-8")
        assert f'shares = "{one["shares"]}"' in plan
        assert one["sentence"].startswith("2 users passed")


@pytest.mark.e2e
def test_the_workload_is_played_on_many_shares(headcount: Headcount) -> None:
    ended = headcount.run(
        *("run", "shares", "--target", "lab:samba", "--shares", "5", "--users", "8"),
        *("--duration", "2s", "--settle", "1s", "--json"),
    )
    assert ended.code == 0, ended
    (level,) = json.loads((headcount.bundle / "levels.json").read_text("utf-8"))["levels"]
    done = {one["name"]: one["completed"] for one in level["scenarios"]}
    assert done["copy-from-share"] > done["copy-to-share"] > 0
    asked = level["requests"]
    copies = level["total"]["completed"]
    # Four reads or writes of 16 KB a copy, and a share connected to and left for some.
    assert asked["READ"] + asked["WRITE"] == pytest.approx(4 * copies, rel=0.1)
    assert asked["TREE_CONNECT"] == pytest.approx(done["connect-and-copy"], abs=2)
    assert asked["TREE_DISCONNECT"] == pytest.approx(done["connect-and-copy"], abs=2)
    assert "SESSION_SETUP" not in asked


MISTAKES = [
    ([], "name the file server", 2),
    (["--target", "lab:app"], "name the file server", 2),
    (["--target", "lab:samba", "--shares", "0"], "from 1 to 100,000", 2),
    (["--target", "lab:samba", "--shares", "1,x"], "numbers with commas", 2),
    (["--target", "lab:samba", "--connections", "-1"], "numbers with commas", 2),
    (["--target", "lab:samba", "--connections", "20000"], "from 1 to 10,000", 2),
    (["--target", "lab:samba", "--open-files", "10000", "--connections", "500"], "5,000,000", 2),
    (["--target", "lab:samba", "--pid", "1"], "outside the lab", 2),
    (["--target", "lab:samba", "--set", "shares=4"], "what --shares is for", 2),
    (["--target", "lab:samba", "--set", "colour=red"], "no setting colour", 2),
    (["--target", "smb://127.0.0.1:9/data", "--shares", "1,2"], "one number", 2),
    (["--target", "smb://127.0.0.1:9/data", "--pid", "1"], "file server is running there", 3),
]


@pytest.mark.parametrize(
    ("arguments", "message", "code"), MISTAKES, ids=lambda value: str(value)[:60]
)
def test_mistakes_are_named(
    headcount: Headcount, arguments: list[str], message: str, code: int
) -> None:
    ended = headcount.run("shares", "--json", *arguments, HEADCOUNT_PASSWORD="secret")  # noqa: S106
    assert ended.code == code, ended
    assert message in ended.message
    assert headcount.bundles() == []


@pytest.mark.e2e
def test_limits_of_this_machine_are_checked_first(headcount: Headcount) -> None:
    ended = headcount.run(
        "shares", "--target", "lab:samba", "--connections", "300", ulimit="-n 200"
    )
    assert ended.code == 5, ended
    assert "file handles" in ended.message
    assert headcount.bundles() == []


@pytest.mark.e2e
def test_a_process_that_cannot_be_read_is_named(
    headcount: Headcount, file_server: FileServer
) -> None:
    ended = headcount.run(
        *("shares", "--target", file_server.target, "--pid", str(2**22 + 1), "--json"),
        HEADCOUNT_PASSWORD=file_server.password,
    )
    assert ended.code == 5, ended
    assert f"of process {2**22 + 1} and its children" in ended.message
