"""Folders of this machine as targets: how they are written, and which workloads run on them."""

from typing import Any

import pytest

from headcount import workloads
from headcount._engine import Engine
from headcount.controller.access.files import FilesAccess
from headcount.errors import InputError
from headcount.plan.plan import Plan, engine_plan
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.target import is_here, parse
from headcount.protocols.files import files_client
from headcount.protocols.registry import plays


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("file:///mnt/share", "/mnt/share"),
        ("file:///mnt/share/", "/mnt/share"),
        ("file:///", "/"),
        ("file://localhost/srv", "/srv"),
        ("file:///mnt/my%20share", "/mnt/my share"),
        ("file:///mnt/k%C3%A4se", "/mnt/käse"),
    ],
)
def test_folders(text: str, folder: str) -> None:
    target = parse(text)
    assert (target.protocol, target.folder) == ("files", folder)
    assert (target.lab, target.host, target.port, target.share) == (None, None, None, None)
    assert parse(target.text) == target
    assert is_here(target)


@pytest.mark.parametrize(
    "text",
    ["file://mnt/share", "file:mnt", "file:/mnt", "file://", "file:///a?b", "file:///a#b", "file:"],
)
def test_an_invalid_folder_is_refused_with_the_form(text: str) -> None:
    with pytest.raises(InputError, match=r"with three slashes.*file:///mnt/my%20share") as caught:
        parse(text)
    assert text in str(caught.value)


def test_protocols_of_file_servers_play_each_others_workloads_and_no_others() -> None:
    assert plays("files", "smb")
    assert plays("smb", "files")
    assert plays("app", "app")
    assert not plays("files", "app")
    assert not plays("app", "files")


def plan_of(target: str, **client: str) -> Plan:
    return resolve(workloads.load("home-folders"), target, Overrides(users=1, client=client))


def test_a_workload_of_file_servers_runs_on_a_folder() -> None:
    plan = plan_of("file:///srv")
    assert plan.workload.protocol == "smb"
    assert plan.protocol == "files"
    assert plan.scale == 1.0
    assert plan_of("lab:files").scale == 0.02
    with pytest.raises(InputError, match=r"its targets look like smb://host/share or file:///"):
        plan_of("app://127.0.0.1:1")


def test_the_client_has_keys_of_its_own() -> None:
    client = files_client({"mode": "direct", "threads": "7", "verify": "off"})
    assert (client.mode, client.threads, client.verify) == ("direct", 7, False)
    assert (client.engine, client.folder) == ("auto", "headcount\\user{n:05}")
    assert plan_of("file:///srv", engine="threads").client == {"engine": "threads"}


@pytest.mark.parametrize(
    ("client", "part"),
    [
        ({"mode": "fast"}, "'buffered', 'direct' or 'dsync'"),
        ({"engine": "uring"}, "'auto', 'io_uring' or 'threads'"),
        ({"threads": "0"}, "greater than or equal to 1"),
        ({"folder": "user{n}"}, "it must be inside a folder"),
        ({"signing": "off"}, "signing"),
        ({"user": "ada"}, "user"),
    ],
)
def test_mistakes_in_the_client_are_named(client: dict[str, str], part: str) -> None:
    with pytest.raises(InputError) as caught:
        plan_of("file:///srv", **client)
    assert part in str(caught.value)
    assert str(caught.value).startswith("[client] has a mistake")


def test_shares_are_not_for_folders() -> None:
    with pytest.raises(InputError, match=r"file:///srv has no shares"):
        resolve(workloads.load("home-folders"), "file:///srv", Overrides(users=1, shares=2))


@pytest.mark.parametrize(
    "client", [{}, {"engine": "threads", "mode": "direct", "first_user": "3", "verify": "off"}]
)
def test_the_engine_takes_the_described_settings(tmp_path: Any, client: dict[str, str]) -> None:
    plan = plan_of(f"file://{tmp_path}", **client)
    access = FilesAccess(plan, str(tmp_path))
    engine = Engine(engine_plan(plan), plan.protocol, access.engine_target())
    assert {"openat2", "pread", "pwrite", "fsync", "getdents"} <= set(engine.request_names)
    engine.close()
    wanted = client.get("mode", "buffered")
    assert access.settings["files opened"].startswith(wanted)
    expected = "up to 128 threads" if client else "io_uring for reads, writes and fsync"
    assert access.settings["system calls"].startswith(expected)
