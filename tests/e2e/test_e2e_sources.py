"""Counters of other machines in a run: of a real exporter, and over SSH from a real sshd."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from exporter import Exporter, exporting
from headcount.bundle import reader
from headcount.bundle.files import read_lines
from headcount.bundle.reader import Bundle
from headcount.lab.port import free
from processes import Headcount
from ssh_server import ALIAS, SshServer, serving

pytestmark = pytest.mark.e2e

LIGHT = str(Path(__file__).with_name("light.toml"))
RUN = ("run", LIGHT, "--target", "lab:app", "--users", "4", "--ramp", "1s", "--seed", "1")
SHARED = (
    "system.cpu.utilization",
    "system.cpu.utilization.busiest",
    "system.memory.utilization",
    "system.disk.utilization",
    "system.network.tcp.connections",
    "system.linux.pressure{resource=cpu,kind=some}",
)


@pytest.fixture
def exporter() -> Iterator[Exporter]:
    with exporting() as one:
        yield one


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SshServer]:
    folder = tmp_path / "ssh"
    folder.mkdir()
    with serving(folder) as one:
        yield one


def events(bundle: Bundle, side: str) -> list[tuple[str, str | None]]:
    """What became of a side's counters."""
    return [
        (event["state"], event.get("text"))
        for event in bundle.events
        if event["event"] == "counters" and event["side"] == side
    ]


def test_an_exporter_and_ssh_are_read_beside_this_machine(
    headcount: Headcount, exporter: Exporter, server: SshServer
) -> None:
    ended = headcount.run(
        *RUN, "--duration", "4s", "--source", exporter.url, "--source", f"far=ssh://{ALIAS}",
        PATH=server.path,
    )  # fmt: skip
    assert ended.code in {0, 1, 4}, ended
    bundle = reader.load(headcount.bundle)
    place = f"127.0.0.1:{exporter.port}"
    (level,) = bundle.levels
    assert set(level.counters) >= {"sut", "generator", "server", place, "far"}
    for name in SHARED:
        for side in ("sut", place, "far"):
            assert level.counters[side][name].samples >= 2, (side, name)
    memory = [level.counters[side]["system.memory.limit"].mean for side in ("sut", place, "far")]
    assert memory == pytest.approx([memory[0]] * 3)
    # One machine, one clock: the truth is known.
    assert bundle.environment is not None
    origins = {one.side: one for one in bundle.environment.counters}
    assert (origins[place].program, origins[place].address) == ("node_exporter", exporter.url)
    assert origins["far"].address == f"ssh://{ALIAS}"
    for origin in origins.values():
        assert origin.clock_offset_s is not None
        assert origin.clock_error_s is not None
        assert abs(origin.clock_offset_s) <= origin.clock_error_s + 1e-3
    assert events(bundle, "far") == events(bundle, place) == [("ended", None)]
    assert bundle.plan.sources == [exporter.url, f"far=ssh://{ALIAS}"]
    report = (headcount.bundle / "report.html").read_text("utf-8")
    assert f"ssh://{ALIAS}" in report
    assert "that is corrected" in report


def test_a_machine_that_is_lost_and_comes_back_spoils_no_level(
    headcount: Headcount, server: SshServer
) -> None:
    run = headcount.start(
        *RUN, "--duration", "10s", "--source", f"far={server.address}", PATH=server.path
    )

    def seconds() -> int:
        return sum(1 for second in bundle_seconds() if "far" in second["counters"])

    def bundle_seconds() -> list[dict[str, dict[str, object]]]:
        if not headcount.bundles():
            return []
        path = headcount.bundle / "series.ndjson"
        return list(read_lines(path)) if path.exists() else []

    run.reach(lambda: seconds() >= 2)
    server.hang_up()
    run.reach(lambda: "counters of far lost" in run.err)
    server.start_again()
    ended = run.ended()
    assert ended.code in {0, 1, 4}, ended
    bundle = reader.load(headcount.bundle)
    (level,) = bundle.levels
    assert level.outcome != "invalid" or "generator" in " ".join(level.reasons)
    assert [state for state, _ in events(bundle, "far")] == ["lost", "back", "ended"]
    last = next(one for one in reversed(bundle.events) if one["event"] == "counters")
    assert last["missed"] >= 1
    assert last["samples"] >= 3


@pytest.mark.parametrize(
    ("source", "code", "message"),
    [
        ("ssh:/db1", 2, "is not the address of a counter source"),
        ("generator=ssh://db1", 2, 'cannot be called "generator"'),
        ("sut=local", 2, "the system under test is on this machine"),
        ("http://127.0.0.1:{port}", 3, "is the exporter running"),
    ],
)
def test_a_source_that_cannot_be_used_is_refused(
    headcount: Headcount, source: str, code: int, message: str
) -> None:
    ended = headcount.run(*RUN, "--source", source.format(port=free()))
    assert ended.code == code
    assert message in " ".join(ended.message.split())
    assert headcount.bundles() == []
    assert headcount.servers() == []
