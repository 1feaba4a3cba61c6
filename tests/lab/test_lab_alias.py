"""Short names of folders."""

from pathlib import Path

import pytest

from headcount.lab.alias import LONGEST, Alias


@pytest.mark.parametrize("name", ["x" * 100, "a folder", "100%U", "größer", "a;b"])
def test_another_name_leads_to_the_same_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    alias = Alias(folder)
    assert len(str(alias.path)) <= LONGEST
    assert " " not in str(alias.path)
    (alias.path / "file").write_text("1")
    assert (folder / "file").read_text() == "1"
    alias.close()
    assert not alias.path.exists()
    alias.close()


def test_a_short_plain_folder_keeps_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    alias = Alias(Path("tmp"))
    assert alias.path == Path("/tmp")  # noqa: S108 - only named
    alias.close()
