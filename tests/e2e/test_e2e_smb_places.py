"""A file server with few places: levels beyond them are played, and the diagnosis names them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from file_server import FileServer, serving
from processes import Headcount

PACE = ("--pace", "500ms", "--ramp", "1s", "--settle", "1s", "--duration", "6s", "--seed", "5")
PLACES = 10
"""Processes of smbd, two or three of them its own."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FileServer]:
    with serving(tmp_path / "server", max_processes=str(PLACES)) as server:
        yield server


def test_users_are_prepared_although_the_last_levels_hold_all_places(
    headcount: Headcount, server: FileServer
) -> None:
    headcount.environment["HEADCOUNT_PASSWORD"] = server.password
    line = ("run", "home-folders", "--target", server.target, "--pid", str(server.pid))
    done = headcount.run(*line, "--levels", "2,10,24", "--scale", "0.02", *PACE, "--json")
    assert done.json["outcome"] == "failed", done.out + done.err
    bundle = Path(done.json["bundle"])
    levels = json.loads((bundle / "levels.json").read_bytes())["levels"]
    assert [one["users"] for one in levels] == [2, 10, 24]
    assert levels[0]["outcome"] == "passed"
    assert levels[-1]["outcome"] == "failed"
    assert sum(one["completed"] for one in levels[-1]["scenarios"]) > 0
    diagnosis = done.json["diagnosis"]
    assert diagnosis["limit"] == "refusal", diagnosis
