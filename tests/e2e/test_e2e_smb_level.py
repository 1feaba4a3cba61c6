"""One level of home-folders on a real Samba of the lab: what is sent is what the workload says."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from recomputed import Steady, read_series

from file_server import events
from headcount.bundle import reader
from home_folders import CHUNK_BYTES, PUBLISHED, Sent, chunks, mix, scenarios, sizes
from processes import Ended, Headcount

pytestmark = pytest.mark.e2e

USERS = 20
SENT = scenarios()
MOVED = ("READ", "WRITE")
OPENING = ("NEGOTIATE", "SESSION_SETUP", "TREE_CONNECT", "TREE_DISCONNECT")
"""Sent when a session is opened as well; what leaving takes depends on what was connected."""
LARGEST_CHUNKS = chunks(max(sizes()))


@pytest.fixture(scope="module")
def headcount(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Headcount]:
    command = Headcount(tmp_path_factory.mktemp("smb"))
    yield command
    command.close()


@pytest.fixture(scope="module")
def ended(headcount: Headcount) -> Ended:
    """The run, repeated if a busy machine made its level invalid."""
    for _ in range(3):
        ended = headcount.run(
            *("run", "home-folders", "--target", "lab:samba", "--users", str(USERS)),
            *("--pace", "uniform:200ms..600ms", "--ramp", "1s", "--settle", "2s"),
            *("--duration", "10s", "--scale", "0.01", "--seed", "11", "--json"),
            *("--criteria", "overload<20%", "errors<1%"),
        )
        if ended.code != 4:
            break
    return ended


@pytest.fixture(scope="module")
def bundle(ended: Ended, headcount: Headcount) -> Path:
    assert ended.code == 0, ended
    return headcount.bundles()[-1]


@pytest.fixture(scope="module")
def level(bundle: Path) -> dict[str, Any]:
    (level,) = json.loads((bundle / "levels.json").read_bytes())["levels"]
    assert isinstance(level, dict)
    return level


@pytest.fixture(scope="module")
def steady(bundle: Path) -> Steady:
    return Steady(bundle, 1)


def test_it_passes_without_a_fault(ended: Ended, level: dict[str, Any], bundle: Path) -> None:
    assert ended.err == ""
    assert ended.json["outcome"] == level["outcome"] == "passed"
    assert level["faults"] == []
    assert level["total"]["failed"] == 0
    assert level["total"]["completed"] > 200
    assert all(scenario["completed"] > 0 for scenario in level["scenarios"])
    assert ended.json["report"] == str(bundle / "report.html")
    assert "QUERY_DIRECTORY" in (bundle / "report.html").read_text("utf-8")


def test_server_and_folder_are_gone(bundle: Path, headcount: Headcount) -> None:
    assert bundle.exists()
    assert headcount.servers() == []
    assert headcount.leftovers() == []


def test_the_server_is_disclosed(bundle: Path) -> None:
    (side,) = json.loads((bundle / "environment.json").read_bytes())["sides"]
    assert side["role"] == "both"
    assert {"samba", "headcount"} <= set(side["programs"])
    assert {"SMB dialect": "3.1.1", "encryption": "off"}.items() <= side["settings"].items()


def test_prepared_files_are_recorded(bundle: Path) -> None:
    (prepared,) = events(bundle, "prepared")
    assert (prepared["created_users"], prepared["kept_users"]) == (USERS, 0)
    tree = reader.load(bundle).plan.tree
    assert tree is not None
    # Twenty users' files are few, and the largest weigh most.
    own = USERS * tree.user_bytes + tree.shared_files * tree.mean_bytes
    assert prepared["written_bytes"] == pytest.approx(own, rel=0.5)


def pending(second: dict[str, Any], of: Sent, command: str, name: str) -> int:
    """The most requests that scenarios under way at the end of a second can have sent."""
    largest = of.fixed[command] + of.whole[command] * LARGEST_CHUNKS
    return int(second["scenarios"][name]["pending"] * largest)


def straddling(steady: Steady, command: str) -> tuple[int, int]:
    """How many requests may be missing at the beginning, or too many at the end."""
    return (
        sum(pending(steady.before, of, command, name) for name, of in SENT.items()),
        sum(pending(steady.seconds[-1], of, command, name) for name, of in SENT.items()),
    )


def completed(level: dict[str, Any]) -> dict[str, int]:
    return {scenario["name"]: scenario["completed"] for scenario in level["scenarios"]}


def expected(level: dict[str, Any]) -> Counter[str]:
    """The requests of the scenarios that were completed, without those of whole files."""
    total: Counter[str] = Counter()
    for name, number in completed(level).items():
        for command, times in SENT[name].fixed.items():
            total[command] += number * times
    return total


@pytest.mark.parametrize(
    "command", sorted({c for of in SENT.values() for c in of.fixed} - {*MOVED, *OPENING})
)
def test_requests_are_those_of_the_steps(
    command: str, level: dict[str, Any], steady: Steady
) -> None:
    missing, more = straddling(steady, command)
    found = level["requests"][command]
    assert expected(level)[command] - missing <= found <= expected(level)[command] + more
    # The bounds are narrow: with so little load hardly a scenario is under way at any moment.
    assert missing + more <= 0.2 * found


@pytest.mark.parametrize("command", OPENING)
def test_sessions_are_opened_and_left(command: str, level: dict[str, Any], steady: Steady) -> None:
    missing, more = straddling(steady, command)
    opened = sum(second["sessions_opened"] for second in steady.seconds)
    least = most = expected(level)[command]
    if command == "TREE_DISCONNECT":
        # The share for questions has not been connected before a user's first logon.
        least -= completed(level)["logon"]
    else:
        # A user who opens a session connects the share with the first operation there.
        least += opened * {"NEGOTIATE": 1, "SESSION_SETUP": 2, "TREE_CONNECT": 0}[command]
        most += opened * {"NEGOTIATE": 1, "SESSION_SETUP": 2, "TREE_CONNECT": 1}[command]
    assert least - missing <= level["requests"][command] <= most + more


@pytest.mark.parametrize("command", MOVED)
def test_reads_and_writes_are_those_that_the_bytes_need(
    command: str, level: dict[str, Any], steady: Steady
) -> None:
    missing, more = straddling(steady, command)
    whole = sum(SENT[name].whole[command] * number for name, number in completed(level).items())
    key = {"READ": "read_bytes", "WRITE": "written_bytes"}[command]
    moved = steady.sum(key, steady.names)
    fixed_bytes = sum(
        SENT[name].bytes[command] * number for name, number in completed(level).items()
    )
    # Each file takes its bytes by 64 KiB, rounded up.
    least = expected(level)[command] + (moved - fixed_bytes) / CHUNK_BYTES
    assert least - missing <= level["requests"][command] <= least + whole + more


def test_no_other_requests_are_sent(level: dict[str, Any]) -> None:
    known = {command for of in SENT.values() for command in (*of.fixed, *of.whole)}
    assert set(level["requests"]) == known


@pytest.mark.parametrize("command", PUBLISHED)
def test_the_mix_of_requests_is_the_published_one(command: str, level: dict[str, Any]) -> None:
    requests = level["requests"]
    share = requests[command] / sum(requests.values())
    long_run = mix()
    # Two points for the workload itself; four standard deviations for which scenarios were drawn.
    drawn = 4 * long_run.deviation(command, level["total"]["completed"])
    assert share == pytest.approx(long_run.shares[command], abs=drawn)
    assert share == pytest.approx(PUBLISHED[command], abs=0.02 + drawn)


def test_every_user_opened_one_session(bundle: Path) -> None:
    assert sum(second["sessions_opened"] for second in read_series(bundle)) == USERS
