"""Users in a branch office, and others beside the server: each group sees its own line."""

import json
from pathlib import Path
from signal import SIGKILL

import pytest

from headcount._engine import Histogram, users_by_line
from headcount.bundle import hlog, reader
from processes import Command, Headcount, phase, processes_with, wait_for

pytestmark = pytest.mark.e2e

LATENCY_MS = 30.0
LINE = ("--line", "branch=40%,latency=30ms")
SHORT = ("--ramp", "200ms", "--settle", "500ms")
NAMESPACES, DEVICES = Path("/run/netns"), Path("/sys/class/net")
# Without pauses the generator could be the limit, and a level would be invalid.
RUN = ("run", "web-static", "--target", "lab:nginx", "--think", "fixed:10ms")


@pytest.mark.parametrize("agents", [(), ("--agents", "2", "--workers", "1")])
def test_each_group_sees_its_own_line(headcount: Headcount, agents: tuple[str, ...]) -> None:
    ended = headcount.run(*RUN, *LINE, "--levels", "5,20", "--duration", "3s", *SHORT, *agents)
    assert ended.code in {0, 1}, ended
    assert "Where users are, at" in ended.out
    bundle = reader.load(headcount.bundle)
    assert [level.users for level in bundle.levels] == [5, 20]
    for level in bundle.levels:
        others, branch = level.lines
        assert (others.name, branch.name) == ("others", "branch")
        assert [others.users, branch.users] == users_by_line(level.users, [0.4])
        assert abs(branch.users - 0.4 * level.users) <= 1
        assert others.completed + branch.completed == level.total.completed
        assert others.failed == branch.failed == 0
        assert others.response
        assert branch.response
        # A packet leaves at most 0.2 ms early each way, to make up for the time of waking up.
        assert branch.response.p50_ms >= LATENCY_MS - 0.4
        assert others.response.p50_ms < LATENCY_MS / 2
        figures = level.counters["line-branch"]
        # Each of its requests has packets both ways, and nobody else's has.
        assert figures["line.packets"].mean > 2 * branch.rate_per_s
        assert figures["line.packets"].mean < 20 * branch.rate_per_s
        assert figures["line.lost"].max == figures["line.dropped"].max == 0
        assert "line" not in level.counters
    assert bundle.environment
    stated = json.dumps([side.settings for side in bundle.environment.sides])
    assert '"line branch": "40% of the users, latency=30ms"' in stated
    page = (headcount.bundle / "report.html").read_text("utf-8")
    assert "Where users are, at" in page
    audit = headcount.run("audit", str(headcount.bundle), "--json")
    assert audit.code == 0, audit


def test_a_plan_repeats_its_lines(headcount: Headcount, tmp_path: Path) -> None:
    printed = headcount.run(*RUN, *LINE, "--users", "5", "--duration", "1s", *SHORT, "--plan")
    assert printed.code == 0, printed
    plan = tmp_path / "plan.toml"
    plan.write_text(printed.out, "utf-8")
    ended = headcount.run("run", str(plan))
    assert ended.code in {0, 1}, ended
    (level,) = reader.load(headcount.bundle).levels
    assert [one.name for one in level.lines] == ["others", "branch"]


def network_of(run: Command) -> list[Path]:
    """The namespace and the devices of a run."""
    pid = run.process.pid
    return [NAMESPACES / f"headcount-{pid}-1", DEVICES / f"hc{pid}-1", DEVICES / f"hc{pid}-1a"]


def test_nothing_is_left_of_a_run_that_is_killed(headcount: Headcount) -> None:
    run = headcount.start(*RUN, *LINE, "--users", "4", "--duration", "60s", *SHORT, "--json")
    run.reach(lambda: headcount.bundles() and phase(headcount.bundle) == "steady")
    network = network_of(run)
    carriers = [Path(f"/proc/{pid}") for pid in processes_with(f"\0hc{run.process.pid}-1a\0")]
    assert carriers
    assert all(one.exists() for one in network)
    run.send(SIGKILL)
    wait_for(lambda: not any(one.exists() for one in (*network, *carriers)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--line", "branch=40%,latencie=30ms"), 'the line branch: there is no "latencie"'),
        (("--line", "a=60%,loss=1%", "--line", "b=60%,loss=1%"), "at most 100%"),
    ],
)
def test_impossible_lines_are_errors(
    headcount: Headcount, options: tuple[str, ...], message: str
) -> None:
    ended = headcount.run(*RUN, *options, "--users", "5")
    assert ended.code == 2, ended
    assert message in " ".join(ended.message.split())


def test_only_lab_servers_have_lines(headcount: Headcount) -> None:
    ended = headcount.run("run", "web-static", "--target", "http://127.0.0.1:1", *LINE)
    assert ended.code == 2, ended
    assert "lines are for lab servers" in " ".join(ended.message.split())


# One scenario each, or their median, waits for at least one answer of the server.
OTHERS = (
    ("home-folders", "lab:samba"),
    ("mail-imap-mix", "lab:mail"),
    ("notes-discussion", "lab:postgresql"),
    ("ycsb-b", "lab:redis"),
    ("app-server", "lab:app"),
)


@pytest.mark.parametrize(("workload", "target"), OTHERS)
def test_every_protocol_takes_the_line(headcount: Headcount, workload: str, target: str) -> None:
    """With all users on a line, nobody is faster than it and no packet bypasses it."""
    ended = headcount.run(
        *("run", workload, "--target", target, "--line", "far=100%,latency=40ms"),
        *("--users", "4", "--duration", "4s", "--compress", "200", "--scale", "0.02", *SHORT),
    )
    assert ended.code in {0, 1}, ended
    (level,) = reader.load(headcount.bundle).levels
    (far,) = level.lines
    assert (far.name, far.users) == ("far", 4)
    assert far.completed == level.total.completed > 0
    times = [one for _, _, _, one in hlog.each(headcount.bundle / hlog.FILE, "service/")]
    assert Histogram.merge(times).quantile_us(0.0) >= 40_000 - 400
    assert level.counters["line-far"]["line.packets"].mean > 0
