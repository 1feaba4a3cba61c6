"""Bundles read back: whole, half, damaged, under way."""

import errno
import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from command_line import app
from headcount.bundle import reader
from headcount.bundle.verdict import Verdict
from headcount.bundle.writer import BundleWriter, new_folder
from headcount.errors import InputError, SystemLimitError
from headcount.plan.resolve import Overrides, resolve
from headcount.workloads import load


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    folder = new_folder(tmp_path / "runs", "app-server", "lab:app")
    writer = BundleWriter(folder)
    writer.plan(resolve(load("app-server"), "lab:app", Overrides(users=1, seed=4)).to_toml())
    writer.event("level-start", 0.0, level=1)
    writer.close()
    return folder


def test_missing_files_are_none_or_empty(bundle: Path) -> None:
    found = reader.load(bundle)
    assert found.plan.seed == 4
    assert (found.environment, found.levels, found.verdict) == (None, [], None)
    assert [event["event"] for event in found.events] == ["level-start"]
    assert found.seconds == []


def test_bundles_are_found_oldest_first(bundle: Path) -> None:
    later = new_folder(bundle.parent, "app-server", "lab:app")
    assert later != bundle
    assert reader.find(bundle.parent) == [bundle]  # the later one has no plan yet
    (later / "plan.toml").write_bytes((bundle / "plan.toml").read_bytes())
    assert reader.find(bundle.parent) == [bundle, later]
    assert reader.find(bundle.parent / "nothing") == []


def test_a_folder_of_somebody_else_is_passed_over(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests may run as root, who may read everything: the kernel's refusal is imitated."""
    closed = bundle.parent / "lost+found"
    closed.mkdir()
    real = os.stat

    def stat(path: Any, *arguments: Any, **options: Any) -> os.stat_result:
        if Path(path).parent == closed:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return real(path, *arguments, **options)

    monkeypatch.setattr(os, "stat", stat)
    assert reader.find(bundle.parent) == [bundle]


@pytest.mark.parametrize("name", ["levels.json", "verdict.json", "environment.json"])
@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"schema_version": 9}', b"\xff\xfe"])
def test_a_damaged_file_is_named(bundle: Path, name: str, content: bytes) -> None:
    (bundle / name).write_bytes(content)
    what = "was written by another version" if b"9" in content else "is damaged at "
    with pytest.raises(InputError, match=rf"{name} {what}"):
        reader.load(bundle)


def test_a_bundle_under_way_is_known_and_left_alone(bundle: Path) -> None:
    assert not reader.under_way(bundle)
    writer = BundleWriter(bundle)
    assert reader.under_way(bundle)
    with pytest.raises(InputError, match="another process is writing"):
        BundleWriter(bundle)
    writer.close()
    assert not reader.under_way(bundle)


def test_a_run_is_finished_when_its_bundle_was_closed(bundle: Path) -> None:
    answer = {"kind": "ladder", "outcome": "passed", "sentence": "", "broke_first": None}
    answer |= {"capacity": None, "score": None, "flags": []}
    answer |= {"cost": {"levels": 0, "seconds": 1.0, "operations": 0}}
    text = Verdict.model_validate({"schema_version": 1, **answer}).model_dump_json()
    assert not reader.is_finished(reader.load(bundle))
    (bundle / "verdict.json").write_text(text)
    assert reader.is_finished(reader.load(bundle))
    (bundle / "verdict.json").write_text(text.replace('"passed"', '"interrupted"'))
    assert not reader.is_finished(reader.load(bundle))
    (bundle / "verdict.json").write_text(text)
    (bundle / "manifest.json").unlink()  # killed after the verdict
    assert not reader.is_finished(reader.load(bundle))


def test_a_folder_that_cannot_be_opened_is_explained(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_folder: Path) -> int:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(reader, "lock_folder", fails)
    with pytest.raises(SystemLimitError, match="reports an I/O error"):
        reader.check_idle(bundle)


def test_commands_in_messages_can_be_pasted_into_a_shell(bundle: Path) -> None:
    runs = bundle.parent.rename(bundle.parent.with_name("Ada's runs; true"))
    path = runs / bundle.name
    (path / "events.ndjson").write_text("[]\n", "utf-8")
    with pytest.raises(InputError) as found:
        _ = reader.load(path).events
    command = re.search(r"\((headcount audit .*) lists all damage\)", str(found.value))
    assert command is not None
    assert shlex.split(command[1]) == ["headcount", "audit", str(path)]
    listed = CliRunner().invoke(app, ["runs", "--runs", str(runs), "--json"])
    (row,) = json.loads(listed.output)
    again = row["answer"].removeprefix("killed; go on with ")
    assert shlex.split(again) == ["headcount", "resume", str(path)]


def test_a_target_cannot_choose_another_folder(tmp_path: Path) -> None:
    folder = new_folder(tmp_path, "app-server", "app://../../etc/[::1]:7410/")
    assert folder.parent == tmp_path
    assert "/" not in folder.name


def test_a_long_address_does_not_make_the_folder_name_too_long(tmp_path: Path) -> None:
    target = "http://[::1]:8080/" + "b\u00fcro" * 100
    folders = {new_folder(tmp_path, "web-static", target) for _ in range(3)}
    assert len(folders) == 3
    assert all(folder.is_dir() for folder in folders)
    assert all("web-static-http-1-8080-b\u00fcro" in folder.name for folder in folders)


def test_a_folder_that_cannot_be_made_is_reported() -> None:
    with pytest.raises(SystemLimitError, match=r"cannot write /proc/runs.*--runs"):
        new_folder(Path("/proc/runs"), "app-server", "lab:app")
