"""file-copy on a real Samba: the files on its disk, the figures of a level, damage, stuck users."""

import json
import re
import struct
import time
import zlib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from typing import Any

import pytest
from recomputed import Steady

from file_server import FileServer, damage, events, signal_all
from headcount import workloads
from processes import Command, Ended, Headcount, phase

pytestmark = pytest.mark.e2e

KIB, MIB = 1024, 1 << 20
USERS = 6
SCALE = ("--scale", "0.02")
"""11 files of each 64 KB class, and one of the special set."""
QUICK = ("--ramp", "1s", "--settle", "1s", "--duration", "8s", "--seed", "3", "--think", "100ms")
RATIOS = {"text": 4.1, "data": 2.0, "image": 1.04, "office": 2.5, "compressed": 1.0}
"""How many times smaller zlib makes files of each kind, as the documentation says."""
ENDINGS = {"text": "txt", "data": "dat", "image": "jpg", "office": "doc", "compressed": "zip"}
NOBODY = 2**32 - 1


@pytest.fixture(scope="module")
def headcount(
    tmp_path_factory: pytest.TempPathFactory, file_server: FileServer
) -> Iterator[Headcount]:
    command = Headcount(tmp_path_factory.mktemp("copy"))
    command.environment["HEADCOUNT_PASSWORD"] = file_server.password
    (file_server.shares / "letter.txt").write_bytes(b"Dear Sir or Madam")
    yield command
    command.close()


@pytest.fixture(scope="module")
def prepared(headcount: Headcount, file_server: FileServer) -> dict[str, Any]:
    ended = headcount.run(
        *("prepare", "file-copy", "--target", file_server.target, "--users", str(USERS)),
        *(*SCALE, "--json"),
    )
    assert ended.code == 0, ended
    document = ended.json
    assert isinstance(document, dict)
    return document


def run(headcount: Headcount, server: FileServer, *options: str) -> Ended:
    return headcount.run(
        *("run", "file-copy", "--target", server.target, "--users", str(USERS)),
        *(*SCALE, *QUICK, *options, "--json"),
    )


@pytest.fixture(scope="module")
def ended(headcount: Headcount, file_server: FileServer, prepared: dict[str, Any]) -> Ended:
    """A level, run again if a busy machine made it invalid."""
    assert prepared["created_users"] == USERS
    for _ in range(3):
        ended = run(headcount, file_server)
        if ended.code != 4:
            break
    return ended


@pytest.fixture(scope="module")
def level(ended: Ended) -> dict[str, Any]:
    assert ended.code == 0, ended
    (level,) = json.loads((Path(ended.json["bundle"]) / "levels.json").read_bytes())["levels"]
    assert isinstance(level, dict)
    return level


@pytest.fixture(scope="module")
def steady(ended: Ended) -> Steady:
    return Steady(Path(ended.json["bundle"]), 1)


def library(server: FileServer) -> dict[tuple[str, str], bytes]:
    """The files of the library by class and name."""
    folder = server.shares / "headcount" / "library"
    return {(path.parent.name, path.name): path.read_bytes() for path in folder.rglob("*.*")}


def uploads(server: FileServer) -> dict[tuple[int, str, str], bytes]:
    """What users have uploaded, by user, class and name."""
    found = {}
    for path in (server.shares / "headcount").glob("user*/u*"):
        (class_,) = re.findall(r"^u\d{4}-([a-z-]+)\.", path.name)
        found[int(path.parent.name[4:]), class_, path.name] = path.read_bytes()
    return found


def kind_of(class_: str) -> str:
    return "compressed" if class_.endswith("-compressed") else class_


def blocks(content: bytes) -> Iterator[tuple[int, int, int]]:
    """The user, file and offset that each block states; its checksum must be right."""
    for at in range(0, len(content), 4096):
        block = content[at : at + 4096]
        assert block[:4] == b"HCSB"
        assert zlib.crc32(block[8:]) == int.from_bytes(block[4:8], "little")
        user, file, offset, _seed = struct.unpack_from("<IIQQ", block, 8)
        yield user, file, offset


def test_the_library_has_the_files_of_each_class_once(
    prepared: dict[str, Any], file_server: FileServer
) -> None:
    found = library(file_server)
    kinds = ["text", "image", "data"]
    small = {class_ for kind in kinds for class_ in (kind, f"{kind}-compressed")}
    assert {class_ for class_, _ in found} == small | {"office"}
    for class_ in small:
        assert sum(each == class_ for each, _ in found) == 11
    for (class_, name), content in found.items():
        assert len(content) == (MIB if class_ == "office" else 64 * KIB)
        assert name.endswith(f".{ENDINGS[kind_of(class_)]}")
    assert prepared["written_bytes"] == sum(map(len, found.values())) == 66 * 64 * KIB + MIB
    # All of it belongs to nobody, and no two blocks are alike.
    headers = [block for content in found.values() for block in blocks(content)]
    assert {user for user, _, _ in headers} == {NOBODY}
    assert len(set(headers)) == len(headers)


def test_files_compress_as_their_kind_does(
    prepared: dict[str, Any], file_server: FileServer
) -> None:
    assert prepared["created_users"] == USERS
    for (class_, name), content in library(file_server).items():
        ratio = len(content) / len(zlib.compress(content, 6))
        assert ratio == pytest.approx(RATIOS[kind_of(class_)], rel=0.06), f"{class_}/{name}"


def test_the_level_passes_and_everybody_reports(ended: Ended, level: dict[str, Any]) -> None:
    assert ended.err == ""
    assert level["outcome"] == "passed"
    assert level["faults"] == []
    assert level["users_reported"] == USERS
    criteria = {criterion["criterion"]: criterion for criterion in level["criteria"]}
    assert set(criteria) == {"files-64k:mean<=1s", "files-1m:mean<=5s", "errors<1%"}


def test_groups_have_the_figures_of_their_scenarios_together(
    level: dict[str, Any], steady: Steady
) -> None:
    groups = {group["name"]: group for group in level["groups"]}
    assert set(groups) == {"files-64k", "files-1m"}
    criteria = {
        criterion["criterion"].partition(":")[0]: criterion for criterion in level["criteria"]
    }
    for name, group in groups.items():
        members = [each for each in steady.names if each.endswith(name.removeprefix("files"))]
        assert len(members) == {"files-64k": 16, "files-1m": 2}[name]
        completed = steady.sum("completed", members)
        assert group["completed"] == completed
        assert group["rate_per_s"] == pytest.approx(completed / steady.length_s)
        waited_s = steady.sum("response_s", members) + steady.at_ends("pending_s", members)
        assert group["mean_ms"] == pytest.approx(waited_s * 1000 / completed, rel=0.02)
        assert criteria[name]["value"] == group["mean_ms"]


def test_bytes_are_those_of_the_copies(level: dict[str, Any]) -> None:
    sizes = {"64k": 64 * KIB, "1m": MIB}
    total = {"get": 0, "put": 0}
    for scenario in level["scenarios"]:
        way, size = scenario["name"].split("-")[0], sizes[scenario["name"].rsplit("-", 1)[1]]
        read, written = (
            scenario[key] * level["steady_s"] for key in ("read_bytes_per_s", "written_bytes_per_s")
        )
        moved, other = (read, written) if way == "get" else (written, read)
        assert other == 0
        # Copies under way at the ends moved bytes without being completed, or the other way round.
        assert abs(moved - scenario["completed"] * size) <= USERS * size
        total[way] += moved
    whole = level["total"]
    assert total["get"] == pytest.approx(whole["read_bytes_per_s"] * level["steady_s"])
    assert total["put"] == pytest.approx(whole["written_bytes_per_s"] * level["steady_s"])


def test_the_report_shows_the_throughput(ended: Ended, level: dict[str, Any]) -> None:
    report = (Path(ended.json["bundle"]) / "report.html").read_text("utf-8")
    assert "Throughput and mean response times" in report
    total = level["total"]
    share = total["read_bytes_per_s"] / (total["read_bytes_per_s"] + total["written_bytes_per_s"])
    assert f"{share * 100:.1f}%" in report


def test_uploads_are_whole_and_compress_as_their_kind(
    level: dict[str, Any], file_server: FileServer
) -> None:
    assert level["outcome"] == "passed"
    found = uploads(file_server)
    assert len({user for user, _, _ in found}) == USERS
    assert len(found) > USERS
    whole = 0
    for (user, class_, _), content in found.items():
        size = MIB if class_ == "office" else 64 * KIB
        headers = list(blocks(content))
        assert {block[0] for block in headers} == {user}
        assert [block[2] for block in headers] == list(range(0, len(content), 4096))
        # The end of the run may have cut one short for each user.
        whole += len(content) == size
        if len(content) == size:
            ratio = size / len(zlib.compress(content, 6))
            assert ratio == pytest.approx(RATIOS[kind_of(class_)], rel=0.06)
    assert whole >= len(found) - USERS


def settling(headcount: Headcount, file_server: FileServer) -> tuple[Command, Path]:
    """A run that is settling: its users are there, but not measured yet.

    It is started again if a busy machine gave this test no CPU until that was over.
    """
    for _ in range(3):
        bundles = set(headcount.bundles())
        running = headcount.start(
            *("run", "file-copy", "--target", file_server.target, "--users", str(USERS), *SCALE),
            *("--think", "50ms", "--ramp", "1s", "--settle", "6s", "--duration", "5s"),
            *("--criteria", "errors<90%", "--seed", "4"),
        )
        running.reach(lambda: set(headcount.bundles()) > bundles)  # noqa: B023 - at once
        (bundle,) = set(headcount.bundles()) - bundles
        seen: list[str] = []
        while not seen or seen[-1] != "settle":
            if running.process.poll() is not None:
                break
            seen.append(phase(bundle))
            time.sleep(0.05)
        else:
            return running, bundle
    raise AssertionError(f"no settling was seen: {sorted(set(seen))}")


def test_users_who_are_stuck_do_not_report(
    headcount: Headcount, file_server: FileServer, level: dict[str, Any]
) -> None:
    assert level["outcome"] == "passed"
    before = set(file_server.processes())
    running, bundle = settling(headcount, file_server)
    serving = sorted(set(file_server.processes()) - before)
    assert len(serving) >= USERS
    stopped = serving[-2:]  # the users who came last
    signal_all(stopped, SIGSTOP)
    try:
        running.reach(lambda: bool(events(bundle, "level-end")))
    finally:
        signal_all(stopped, SIGCONT)
    running.ended()
    (stuck,) = json.loads((bundle / "levels.json").read_bytes())["levels"]
    assert stuck["users_reported"] == USERS - 2
    assert stuck["users"] == USERS
    report = (bundle / "report.html").read_text("utf-8")
    assert f"<b>{USERS - 2}</b>" in report


def test_damage_behind_the_servers_back_fails_the_level_and_is_repaired(
    headcount: Headcount, file_server: FileServer, level: dict[str, Any]
) -> None:
    assert level["outcome"] == "passed"
    sound = library(file_server)
    folder = file_server.shares / "headcount" / "library" / "text"
    for path in folder.iterdir():
        damage(path)
    ended = run(headcount, file_server, "--criteria", "errors<90%")
    assert ended.code == 1, ended
    (failed,) = json.loads((Path(ended.json["bundle"]) / "levels.json").read_bytes())["levels"]
    assert failed["outcome"] == "failed"
    (wrong,) = [fault for fault in failed["faults"] if fault["kind"] == "wrong-data"]
    assert wrong["step"] == "read-blocks"
    for example in wrong["examples"]:
        assert re.search(r'"headcount\\library\\text\\f\d{4}\.txt" at offset \d+', example), example
    scenarios = {each["name"]: each["failed"] for each in failed["scenarios"]}
    struck = {name for name, number in scenarios.items() if number}
    assert struck
    assert struck <= {"get-text-64k", "get-mixed-64k"}

    options = ("--target", file_server.target, "--users", str(USERS), *SCALE)
    repaired = headcount.run("prepare", "file-copy", *options, "--verify", "--json")
    assert repaired.code == 0, repaired
    assert repaired.json["written_bytes"] == 11 * 64 * KIB
    assert library(file_server) == sound


def test_cleanup_leaves_only_files_of_others(
    headcount: Headcount, file_server: FileServer, level: dict[str, Any]
) -> None:
    assert level["outcome"] == "passed"
    cleaned = headcount.run("cleanup", "--target", file_server.target, "--json")
    assert cleaned.code == 0, cleaned
    assert f"of {USERS} users" in cleaned.json["cleaned"]
    assert file_server.files() == {"letter.txt": b"Dear Sir or Madam"}


def test_a_class_that_the_library_lacks_is_an_error_before_the_run(
    headcount: Headcount, file_server: FileServer
) -> None:
    text = files(workloads).joinpath("file-copy.toml").read_text("utf-8")
    spoilt = headcount.home / "spoilt.toml"
    spoilt.write_text(text.replace('class = "text" }', 'class = "texts" }', 1), "utf-8")
    ended = headcount.run("run", str(spoilt), "--target", file_server.target, "--users", "1")
    assert ended.code == 2, ended
    assert 'scenario "get-text-64k", step "open-source"' in ended.message
    assert 'the [library] has no class "texts"; did you mean "text"?' in ended.message
