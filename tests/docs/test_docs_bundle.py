"""docs/bundle.md against bundles of real runs: its files, names, queries and programs."""

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
from pages import blocks, codes, rows, sections, text

from headcount.bundle import hlog
from processes import Headcount

PAGE = text("bundle.md")
LEVELS = (2, 5)
STACKS = re.compile(r"^stacks-\d{3}-(on|off)-proc")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Headcount]:
    """Two runs of two short levels each, at the same time: their figures need not be good."""
    headcount = Headcount(tmp_path_factory.mktemp("home"))
    try:
        commands = [
            headcount.start(
                *("run", "app-server", "--target", "lab:app", "--scale", "0.001", "--seed", seed),
                *("--levels", ",".join(map(str, LEVELS)), "--duration", "2s", "--ramp", "0s"),
                *("--settle", "1s", "--think", "50ms", "--json"),
            )
            for seed in ("1", "2")
        ]
        for ended in [command.ended() for command in commands]:
            assert ended.code in (0, 1, 4), ended.err  # on a busy machine a level may fail
        yield headcount
    finally:
        headcount.close()


def test_every_file_is_described(home: Headcount) -> None:
    described = {row[0].strip("`") for row in rows(sections(PAGE)["The bundle"])[1:]}
    for bundle in home.bundles():
        # No run signs itself: `headcount audit --sign` does.
        files = {STACKS.sub("stacks-LEVEL-KIND-TOOL", path.name) for path in bundle.iterdir()}
        assert files == described - {"manifest.json.sig"}


def test_every_figure_of_the_series_is_described(home: Headcount) -> None:
    table = sections(PAGE)["`series.parquet`"]
    described = {row[0]: set(codes(row[-1])) for row in rows(table)}
    found = duckdb.sql(
        f"SELECT DISTINCT side, name FROM '{home.runs}/*/series.parquet' "  # noqa: S608
        "WHERE side IN ('run', 'scenarios', 'steps')"
    ).fetchall()
    for side in ("run", "scenarios", "steps"):
        names = {name for of, name in found if of == side}
        assert names == described[f"`{side}`"], side
    columns = [row[0] for row in duckdb.sql(f"DESCRIBE '{home.runs}/*/series.parquet'").fetchall()]
    assert columns == [row[0].strip("`") for row in rows(table)[1 : len(columns) + 1]]


def test_phases_are_described(home: Headcount) -> None:
    query = f"SELECT DISTINCT phase FROM '{home.runs}/*/series.parquet'"  # noqa: S608
    found = {phase for (phase,) in duckdb.sql(query).fetchall()}
    assert {"ramp", "settle", "steady"} <= found <= set(codes(sections(PAGE)["`series.parquet`"]))


def test_tags_of_the_histogram_log_are_described(home: Headcount) -> None:
    section = sections(PAGE)["`histograms.hlog`"]
    described = {row[0].strip("`").partition("/")[0] for row in rows(section)[1:]}
    log = (home.bundles()[0] / "histograms.hlog").read_text("ascii")
    tags = {line[4:].partition(",")[0] for line in log.splitlines() if line.startswith("Tag=")}
    assert {tag.partition("/")[0] for tag in tags} <= described


@pytest.mark.parametrize("query", blocks(PAGE, "sql"), ids=["series", "levels", "verdicts"])
def test_the_queries_read_many_bundles(
    home: Headcount, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    monkeypatch.chdir(home.home)
    answer = duckdb.sql(query)
    found = [dict(zip(answer.columns, row, strict=True)) for row in answer.fetchall()]
    assert {row["bundle"] for row in found} == {path.name for path in home.bundles()}
    if "users" in answer.columns:
        assert [row["users"] for row in found] == [*LEVELS, *LEVELS]
    if "sentence" in answer.columns:
        assert all(row["sentence"].endswith(".") for row in found)


def test_the_query_of_the_series_agrees_with_the_levels(
    home: Headcount, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home.home)
    by_second, by_level = (duckdb.sql(query) for query in blocks(PAGE, "sql")[:2])
    per_s = [row[by_second.columns.index("per_s")] for row in by_second.fetchall()]
    achieved = [row[by_level.columns.index("achieved_per_s")] for row in by_level.fetchall()]
    assert per_s == pytest.approx(achieved, rel=1e-4)


@pytest.mark.parametrize("program", blocks(PAGE, "python"), ids=["headcount"])
def test_the_program_reads_the_histograms(
    home: Headcount,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    program: str,
) -> None:
    monkeypatch.chdir(home.home)
    exec(compile(program, "docs/bundle.md", "exec"), {})  # noqa: S102
    printed = capsys.readouterr().out.split()
    assert printed[-1] == "ms"
    assert 0 < float(printed[-2]) < 5000


def test_the_package_hdrhistogram_agrees(home: Headcount) -> None:
    path: Path = home.bundles()[0] / "histograms.hlog"
    tag = "response/random-read"
    ours = sum(histogram.count for _, _, histogram in hlog.read(path)[tag])
    reader = HistogramLogReader(str(path), HdrHistogram(1, 3_600_000_000, 3))
    theirs = 0
    while (second := reader.get_next_interval_histogram()) is not None:
        theirs += second.get_total_count() if second.get_tag() == tag else 0
    reader.close()
    assert ours == theirs > 0
