"""A bundle of a long run keeps its large files compressed, and is read as if it did not."""

import gzip
import shutil
from pathlib import Path

import pytest
from made_bundle import make

from headcount.analyse import answers
from headcount.bundle import hlog, packed, series
from headcount.bundle.files import Lines
from headcount.bundle.reader import load
from headcount.bundle.writer import BundleWriter
from headcount.cli.audit import audited
from headcount.errors import InputError
from headcount.foreign.file import PACKED
from headcount.live.run import RunFeed, Tail
from headcount.output.folder import Folder


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle whose files count as long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed, "LEAST_BYTES", 0)
        return make(tmp_path_factory.mktemp("packed") / "bundle")


@pytest.fixture
def bundle(long: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(long, tmp_path / "bundle"))


def text_of(folder: Path, name: str) -> bytes:
    return gzip.decompress((folder / f"{name}{PACKED}").read_bytes())


def test_a_compressed_bundle_reads_the_same(long: Path, bundle: Path) -> None:
    for name in packed.NAMES:
        assert not (long / name).exists()
        (bundle / name).write_bytes(text_of(long, name))
        (bundle / f"{name}{PACKED}").unlink()
    assert load(long).seconds == load(bundle).seconds
    found = answers.seconds(load(long))
    assert found
    same = answers.seconds(load(bundle))
    for one, other in zip(found, same, strict=True):
        assert (one.from_s, one.times.buckets()) == (other.from_s, other.times.buckets())
    feeds = [RunFeed(folder, lambda: False) for folder in (long, bundle)]
    seen = [feed.poll() for feed in feeds]
    assert len(seen[0]) > len(found)
    assert seen[0] == seen[1]


def test_a_compressed_bundle_passes_its_audit(long: Path) -> None:
    found = audited(long)
    for one in found.results:
        if one.check not in ("signature", "little", "offered", "steady", "generator"):
            assert one.outcome == "passed", one.places
    assert {path.suffix for path in long.iterdir()} >= {PACKED, ".parquet"}


@pytest.mark.parametrize("name", packed.NAMES)
@pytest.mark.parametrize("damage", ["cut off", "altered"])
def test_damage_is_found(bundle: Path, name: str, damage: str) -> None:
    path = bundle / f"{name}{PACKED}"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x10
    path.write_bytes(content if damage == "altered" else content[: len(content) // 2])
    found = {one.check: one for one in audited(bundle).results}
    assert found["readable"].outcome == found["files"].outcome == "failed"
    assert any(place.file.startswith(name) for place in found["readable"].places)
    with pytest.raises(InputError, match=r"is damaged|cannot be read"):
        list(hlog.lines(bundle / name) if name == hlog.FILE else load(bundle).seconds)


def test_a_file_that_unpacks_to_too_much_is_refused(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headcount.bundle.files.MOST_BYTES", 1 << 20)
    text = text_of(bundle, series.LINES)
    (bundle / f"{series.LINES}{PACKED}").write_bytes(
        gzip.compress(text * (1 + (1 << 20) // len(text)))
    )
    with pytest.raises(InputError, match="unpacks to more than 1,048,576 bytes"):
        load(bundle).seconds  # noqa: B018 - reads them


def test_resuming_a_small_bundle_cannot_fill_the_disk(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headcount.foreign.file._LEAST_UNPACKED_BYTES", 1 << 20)
    path = bundle / f"{series.LINES}{PACKED}"
    path.write_bytes(gzip.compress((b" " * 999 + b"\n") * 10_000))
    size = path.stat().st_size
    with pytest.raises(InputError, match=f"unpacks to more than {max(100 * size, 1 << 20):,}"):
        BundleWriter(bundle, finished=2)
    assert not (bundle / series.LINES).exists()


def test_resuming_a_run_unpacks_its_text(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {name: text_of(bundle, name) for name in packed.NAMES}
    writer = BundleWriter(bundle, finished=2)
    for name, text in texts.items():
        assert (bundle / name).read_bytes() == text
        assert not (bundle / f"{name}{PACKED}").exists()
    monkeypatch.setattr(packed, "LEAST_BYTES", 0)
    writer.close()
    assert {name: text_of(bundle, name) for name in packed.NAMES} == texts
    # A process that was killed between the two left both: the text is what was compressed.
    (bundle / hlog.FILE).write_bytes(texts[hlog.FILE])
    (bundle / f"{hlog.FILE}{PACKED}").write_bytes(b"half of it")
    BundleWriter(bundle, finished=2).close()
    assert text_of(bundle, hlog.FILE) == texts[hlog.FILE]


def test_the_text_stays_where_there_is_no_room_for_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    lines = Lines(tmp_path / series.LINES)
    lines.append("text")
    lines.close()
    monkeypatch.setattr(packed, "LEAST_BYTES", 0)
    monkeypatch.setattr(Folder, "replacing", full)
    packed.pack(tmp_path)
    assert (tmp_path / series.LINES).read_text() == "text\n"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_follower_sees_the_last_seconds_after_the_run_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "LEAST_BYTES", 0)
    lines = Lines(tmp_path / series.LINES)
    tail = Tail(tmp_path / series.LINES, ["n"])
    lines.append('{"n":1}')
    assert tail.new() == [{"n": 1}]
    lines.append('{"n":2}')
    lines.close()
    packed.pack(tmp_path)
    assert (tail.new(), tail.new()) == ([{"n": 2}], [])
