"""What a latency costs a connection, against a real nginx behind a real line."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from headcount.bundle import reader
from headcount.schemas import SCHEMAS
from processes import Headcount, processes_with

LATENCY = ("shares", "--target", "lab:nginx", "--latency", "0,50ms")
SMALL = ("--connections", "1,5", "--repeats", "2", "--duration", "2s", "--json")
NAMESPACES = Path("/run/netns")

pytestmark = pytest.mark.e2e


def namespaces() -> set[str]:
    """Namespaces that exist, including those of other tests that run now."""
    return {one.name for one in NAMESPACES.iterdir()} if NAMESPACES.is_dir() else set()


def test_each_latency_is_played_and_nothing_is_left(headcount: Headcount) -> None:
    command = headcount.start(*LATENCY, *SMALL)
    pid = command.process.pid
    ended = command.ended()
    assert ended.code == 0, ended
    found = ended.json
    folder = Path(found.pop("folder"))
    Draft202012Validator(SCHEMAS["latency"]()).validate(found)
    assert json.loads((folder / "latency.json").read_text("utf-8")) == found
    points = found["points"]
    played = sorted((point["repeat"], point["latency_s"]) for point in points)
    assert played == [(0, 0.0), (0, 0.05), (1, 0.0), (1, 0.05)]
    for point in points:
        limit = "50ms" if point["latency_s"] else "0.1ms"
        assert reader.load(Path(point["bundle"])).plan.limits == {"latency": limit}
        assert point["users"] == 5
        assert point["samples"] >= 1
        assert point["socket_samples"] > point["samples"]
        assert point["before"]["sockets"] == 0
        # Each user has one; those that check whether the server is there come and go.
        assert 4.5 < point["during"]["sockets"] < 6
        if point["latency_s"]:
            assert point["round_trip_s"] > 0.045
    assert {(cost["latency_s"], cost["of"]) for cost in found["costs"]} == {
        (latency_s, of) for latency_s in (0.0, 0.05) for of in ("processes", "sockets", "kernel")
    }
    assert len(found["sentences"]) == 1
    assert headcount.leftovers() == []
    assert headcount.servers() == []
    assert not [name for name in namespaces() if name.startswith(f"headcount-{pid}-")]
    assert processes_with(f"hc{pid}-") == []
