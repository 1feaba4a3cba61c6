"""One byte altered anywhere in a bundle is found, in its file and at its place."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bundle_files import FILES
from headcount.analyse.audit import checksums
from headcount.analyse.audit.evidence import gather
from headcount.analyse.audit.result import Place
from headcount.bundle import manifest
from headcount.bundle.altered import differences
from headcount.bundle.json_path import path_at
from headcount.bundle.writer import BundleWriter
from headcount.cli.audit import audited
from headcount.errors import InputError


@pytest.fixture(scope="module")
def victim(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy whose files are damaged and restored."""
    return Path(shutil.copytree(whole, tmp_path_factory.mktemp("altered") / "bundle"))


def places(bundle: Path) -> list[Place]:
    return checksums.check(gather(bundle)).places


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(name=st.sampled_from(FILES), where=st.floats(0, 1), flip=st.integers(1, 255))
def test_a_byte_altered_is_found_with_its_place(
    victim: Path, name: str, where: float, flip: int
) -> None:
    path = victim / name
    content = path.read_bytes()
    at = min(int(where * len(content)), len(content) - 1)
    try:
        path.write_bytes(content[:at] + bytes([content[at] ^ flip]) + content[at + 1 :])
        (found,) = places(victim)
    finally:
        path.write_bytes(content)
    assert found.file == name
    if name == "manifest.json":
        return
    first, last = (int(text.replace(",", "")) for text in re.findall(r"[\d,]+\d|\d", found.at)[:2])
    assert first <= at <= last
    assert last - first < 1024
    lines = re.search(r"lines? ([\d,]+)(?: to ([\d,]+))?", found.at)
    if lines and content[at] != ord("\n") and content[at] ^ flip != ord("\n"):
        line = content.count(b"\n", 0, at) + 1
        assert int(lines[1].replace(",", "")) <= line
        assert line <= int((lines[2] or lines[1]).replace(",", ""))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(name=st.sampled_from(FILES), where=st.floats(0, 1), more=st.binary(max_size=40))
def test_inserted_or_removed_bytes_are_found(
    victim: Path, name: str, where: float, more: bytes
) -> None:
    path = victim / name
    content = path.read_bytes()
    at = int(where * len(content))
    altered = content[:at] + more + content[at:] if more else content[: max(at - 1, 0)]
    try:
        path.write_bytes(altered)
        found = places(victim)
    finally:
        path.write_bytes(content)
    assert [place.file for place in found] == [name]


@pytest.mark.parametrize("name", FILES)
def test_the_whole_audit_survives_any_damage(victim: Path, name: str) -> None:
    path = victim / name
    content = path.read_bytes()
    try:
        for at in (0, len(content) // 3, len(content) - 1):
            path.write_bytes(content[:at] + bytes([content[at] ^ 0x15]) + content[at + 1 :])
            assert audited(victim).outcome == "failed"
    finally:
        path.write_bytes(content)


def test_the_fields_around_a_change_in_json_are_named(bundle: Path) -> None:
    path = bundle / "levels.json"
    content = path.read_text("utf-8")
    at = content.index('"p99_ms"')
    other = "8" if content[at + 12] == "9" else "9"
    path.write_text(content[: at + 12] + other + content[at + 13 :], "utf-8")
    (found,) = places(bundle)
    assert re.search(r"\(levels\[0\]\S* to levels\[0\]\S*\)$", found.at), found.at
    lines = content[:at].count("\n") + 1
    assert path_at(content, lines) == "levels[0].total.response.p99_ms"
    second = content.index('"index": 2') if '"index": 2' in content else content.index('"index":2')
    assert path_at(content, content[:second].count("\n") + 1) == "levels[1].index"
    assert path_at(content, 1) == ""


@given(name=st.sampled_from(["levels.json", "verdict.json", "manifest.json"]), cut=st.floats(0, 1))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_paths_are_those_of_the_parsed_file(victim: Path, name: str, cut: float) -> None:
    text = (victim / name).read_text("utf-8")
    lines = text.split("\n")
    line = int(cut * (len(lines) - 1)) + 1
    path = path_at(text, line)
    value: Any = json.loads(text)
    if '"' in path or (name == "manifest.json" and ".toml" in path):
        return
    for part in re.findall(r"\[\d+\]|[^.\[]+", path) if "{" not in path else []:
        known = int(part[1:-1]) if part.startswith("[") else part
        if isinstance(value, dict) and known not in value:
            return  # a counter's name has dots
        value = value[known]
    if isinstance(value, int | float) and not isinstance(value, bool):
        assert json.loads(lines[line - 1].strip().rstrip(",").rpartition(": ")[2]) == value


def test_missing_files_fail_and_new_ones_are_listed(bundle: Path) -> None:
    (bundle / "levels.json").unlink()
    (bundle / "note.txt").write_text("seen", "utf-8")
    found = checksums.check(gather(bundle))
    assert [(place.file, place.text) for place in found.places] == [("levels.json", "is missing")]
    (bundle / "levels.json").write_text("", "utf-8")
    written = manifest.write(bundle)
    assert "note.txt" in written.read_text("utf-8")
    (bundle / "more.txt").write_text("seen", "utf-8")
    assert "added to the folder since: more.txt" in checksums.check(gather(bundle)).sentence


def test_noting_a_file_accepts_no_other_change(bundle: Path) -> None:
    (bundle / "events.ndjson").write_bytes(b"")
    (bundle / "report.html").write_text("another", "utf-8")
    manifest.note(bundle, "report.html")
    known = manifest.read(bundle)
    assert known is not None
    assert [one.name for one in differences(bundle, known)] == ["events.ndjson"]


def test_noting_a_file_does_not_repair_an_altered_manifest(bundle: Path) -> None:
    path = bundle / "manifest.json"
    path.write_text(path.read_text("utf-8").replace('"bytes": ', '"bytes": 1', 1), "utf-8")
    altered = path.read_bytes()
    with pytest.raises(InputError, match="does not match its own digest"):
        manifest.read(bundle)
    manifest.note(bundle, "report.html")
    assert path.read_bytes() == altered


def test_resuming_a_run_removes_manifest_and_signature_until_it_ends(bundle: Path) -> None:
    (bundle / "manifest.json.sig").write_text("stale", "utf-8")
    writer = BundleWriter(bundle, finished=2)
    assert not (bundle / "manifest.json").exists()
    assert not (bundle / "manifest.json.sig").exists()
    writer.event("resumed", 5.0, levels=2)
    writer.close()
    assert places(bundle) == []


def test_long_files_have_longer_pieces(tmp_path: Path) -> None:
    content = bytes(range(256)) * 20_000
    entry = manifest.manifest_entry(content)
    assert entry.piece_bytes == 2048
    assert len(entry.pieces) == -(-len(content) // 2048) * manifest.DIGITS
    (tmp_path / "long.bin").write_bytes(content)
    written = manifest.write(tmp_path)
    known = manifest.read(tmp_path)
    assert known is not None
    assert written.stat().st_size < 60_000
    (tmp_path / "long.bin").write_bytes(content[:3_000_000] + b"x" + content[3_000_001:])
    (found,) = differences(tmp_path, known)
    assert found.start == 3_000_000 // 2048 * 2048
    assert found.end == found.start + 2048
