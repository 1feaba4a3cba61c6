"""`headcount export`: what it writes, and what it refuses."""

from pathlib import Path

import pytest

from processes import Headcount


def test_the_file_extension_selects_the_format(
    headcount: Headcount, finished_run: Path, tmp_path: Path
) -> None:
    names = ["run.xlsx", "run-levels.csv", "seconds.csv", "run.md", "run.json", "run.prom"]
    paths = [tmp_path / name for name in [*names, "run.otlp"]]
    ended = headcount.run("export", str(finished_run), *map(str, paths))
    assert ended.code == 0
    assert all(path.stat().st_size > 200 for path in paths)
    assert ended.err.count("wrote ") == len(paths)
    assert paths[5].read_text().endswith("# EOF\n")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("run.ods", '".ods" is not a format; the formats are .xlsx'),
        ("run.csv", "which table? Call it levels.csv"),
        ("run", '"" is not a format'),
    ],
)
def test_unknown_extensions_are_refused_before_anything_is_written(
    headcount: Headcount, finished_run: Path, tmp_path: Path, name: str, message: str
) -> None:
    first = tmp_path / "run.md"
    ended = headcount.run("export", str(finished_run), str(first), str(tmp_path / name))
    assert ended.code == 2
    assert message in " ".join(ended.err.split())
    assert not first.exists()


def test_a_folder_that_cannot_be_written_is_named(
    headcount: Headcount, finished_run: Path, tmp_path: Path
) -> None:
    path = tmp_path / "none" / "run.md"
    ended = headcount.run("export", str(finished_run), str(path))
    assert ended.code == 2
    assert f"there is no folder {path.parent}" in " ".join(ended.err.split())
