"""`python -m bench gate`: what it writes, prints and ends with, and the page made of it."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from bench.gate import command
from bench.gate import results as files
from bench.gate.change import LEAST_ROUNDS
from bench.gate.item import Item, Metric, Sides
from bench.gate.items import ITEMS
from bench.gate.page import BEGIN, END, page_with, part
from bench.gate.results import BadResultsError, read
from gate_files import measured, results

from bench import __main__ as bench
from headcount import __version__

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"
NEAR = [1.00, 1.02, 1.01, 0.99, 1.03]
LOAD = re.compile(r"load \d+\.\d\d before, \d+\.\d\d after; \d+\.\d s stolen")


class Bench:
    """One item of which the values are given, in a folder of results of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.values: list[float] = NEAR * 2
        self.interrupt_after = 99
        self.calls = 0

    def take(self) -> Mapping[str, float]:
        if self.calls >= self.interrupt_after:
            raise KeyboardInterrupt
        self.calls += 1
        return {"CPU": self.values[(self.calls - 1) % len(self.values)]}

    @contextmanager
    def opened(self) -> Iterator[Sides]:
        yield Sides(
            {"headcount": self.take, "wrk": lambda: {"CPU": 2.0}},
            {"k6": "k6 is not installed (build it)"},
        )

    def gate(self, *arguments: str) -> int:
        return command.main(["--patience", "0", *arguments])

    @property
    def written(self) -> files.Results:
        return read(self.folder / f"{__version__}.json")


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    made = Bench(tmp_path / "results")
    one = Item("one", "The one", (Metric(name="CPU", unit="µs", bar=1.5),), made.opened)
    two = Item("two", "The two", (Metric(name="CPU", unit="µs"),), made.opened)
    monkeypatch.setattr(command, "ITEMS", (one, two))
    monkeypatch.setattr(command, "PART", tmp_path / "part.json")
    monkeypatch.setattr(files, "FOLDER", made.folder)
    return made


def test_all_items_are_measured_and_written_as_the_version(
    gate: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gate.gate() == 0
    found = gate.written
    assert (found.version, found.is_complete) == (__version__, True)
    assert [(one.name, len(one.rounds)) for one in found.items] == [("one", 5), ("two", 5)]
    assert found.items[0].missing == {"k6": "k6 is not installed (build it)"}
    printed = capsys.readouterr()
    assert "two: round 5 of 5" in printed.err
    assert len(LOAD.findall(printed.out)) == 2
    assert "k6: not measured: k6 is not installed (build it)" in printed.out
    assert re.search(r"CPU +1\.01 µs +wrk +0\.49 +0\.51 +0\.52", printed.out)
    assert re.search(r"CPU +1\.01 µs +bar 1\.5 µs +0\.66 +0\.67 +0\.69", printed.out)


def test_a_chosen_item_leaves_the_file_of_the_version_alone(gate: Bench, tmp_path: Path) -> None:
    assert gate.gate("two", "--rounds", "2") == 0
    assert not gate.folder.exists()
    found = read(tmp_path / "part.json")
    assert [(one.name, len(one.rounds)) for one in found.items] == [("two", 2)]
    assert not found.is_complete
    assert gate.gate("two", "--rounds", "1", "--output", str(tmp_path / "named.json")) == 0
    assert read(tmp_path / "named.json").items[0].name == "two"


def test_ctrl_c_writes_what_was_measured(gate: Bench, tmp_path: Path) -> None:
    gate.interrupt_after = 8
    assert gate.gate() == 130
    assert not gate.folder.exists()
    found = read(tmp_path / "part.json")
    assert [(one.name, len(one.rounds)) for one in found.items] == [("one", 5), ("two", 3)]


def write_older_results(gate: Bench, factor: float) -> None:
    """Write the results of an older version, whose figures were `factor` times these."""
    ours = [factor * value for value in NEAR]
    rounds = [{"headcount": {"CPU": one}, "wrk": {"CPU": 2.0}} for one in ours]
    item = measured("two", ours, rounds=rounds)
    results(item, version="0.0.1").write(gate.folder / "0.0.1.json")


@pytest.mark.parametrize(
    ("factor", "code", "words"),
    [
        (1.0, 0, "no change (-2.9% to +3.0%)"),
        (0.5, 1, "100.0% worse (94.2% to 106.0%); confirmed by a repeat: 100.0% worse"),
        (2.0, 0, "50.0% better (48.5% to 51.5%)"),
    ],
)
def test_the_exit_code_says_whether_anything_is_worse(
    gate: Bench, capsys: pytest.CaptureFixture[str], factor: float, code: int, words: str
) -> None:
    write_older_results(gate, factor)
    assert gate.gate() == code
    printed = " ".join(capsys.readouterr().out.split())
    assert words in printed
    assert "Compared with 0.0.1" in printed
    assert ("worse: two CPU beside wrk" in printed) == (code == 1)
    shown = gate.folder / f"{__version__}.json"
    assert gate.gate("--show", str(shown)) == code
    assert words in " ".join(capsys.readouterr().out.split())


def test_a_regression_that_a_repeat_does_not_confirm_does_not_fail_and_is_kept(
    gate: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    write_older_results(gate, 1.0)
    # The first item, then bad luck, then as ever.
    gate.values = [*NEAR, *(2 * value for value in NEAR), *NEAR]
    assert gate.gate() == 0
    two = gate.written.items[1]
    assert [one["headcount"]["CPU"] for one in two.repeated] == NEAR
    printed = " ".join(capsys.readouterr().out.split())
    assert "not confirmed by a repeat: no change" in printed
    assert "worse: none" in printed


def test_a_missed_bar_fails_only_with_bars(gate: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    gate.values = [1.6]
    assert gate.gate("one") == 0
    assert "above the bar: one CPU" in capsys.readouterr().out
    assert gate.gate("one", "--bars") == 1
    gate.values = [1.4]
    assert gate.gate("one", "--bars") == 0


def test_headcount_failing_is_not_a_pass(gate: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    gate.values = [0.0]
    assert gate.gate("one") == 1
    assert "headcount: not measured: CPU was 0" in capsys.readouterr().out


def test_bad_usage_is_exit_code_2(
    gate: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in (["none"], ["--rounds", "0"], ["--rounds", "x"], ["--what"]):
        with pytest.raises(SystemExit) as ended:
            gate.gate(*arguments)
        assert ended.value.code == 2
    assert 'there is no item "none"; there are: one, two' in capsys.readouterr().err
    bad = tmp_path / "bad.json"
    bad.write_text("{}", "utf-8")
    for arguments in (
        ["--show", str(bad)],
        ["--show", str(tmp_path / "none")],
        ["one", "--against", str(bad)],
        ["--page", str(bad)],
    ):
        assert gate.gate(*arguments) == 2
    assert "does not hold results" in capsys.readouterr().err
    assert gate.calls == 0


def test_the_page_has_what_its_file_has(gate: Bench, tmp_path: Path) -> None:
    gate.gate()
    page = tmp_path / "page.md"
    page.write_text(f"# Before\n\n{BEGIN}\nold\n{END}\n\nAfter\n", "utf-8")
    assert gate.gate("--page", str(page)) == 0
    text = page.read_text("utf-8")
    assert text.startswith(f"# Before\n\n{BEGIN}\nVersion {__version__}, ")
    assert text.endswith(f"{END}\n\nAfter\n")
    ratios = "wrk: 0.51 (0.49 to 0.52); bar of 1.5 µs: 0.67 (0.66 to 0.69)"
    assert f"| The one | CPU 1.01 µs | {ratios} |\n" in text
    assert "old" not in text
    with pytest.raises(BadResultsError, match="has no lines"):
        page_with("# A page without markers", "x", "page")


def test_a_row_of_the_page_that_is_too_long_becomes_two() -> None:
    peers = {name: {"CPU": 2.0} for name in ("first peer", "second peer", "third peer")}
    rounds = [{"headcount": {"CPU": value}, **peers} for value in NEAR]
    made = part(results(measured("one", NEAR, rounds=rounds, title="A title of words" * 3)))
    lines = [line for line in made.splitlines() if "peer: " in line]
    assert [line.count("peer: ") for line in lines] == [1, 2]
    assert lines[1].startswith("| | | second peer: 0.51 (0.49 to 0.52); third peer: ")
    assert all(len(line) <= 120 and line.endswith(" |") for line in lines)


def test_the_page_says_when_the_machine_was_busy() -> None:
    quiet = results(measured("one", NEAR, bar=2.0))
    assert "busy" not in part(quiet)
    busy = results(measured("one", NEAR, bar=2.0, load_before=3.25, load_after=4.0, stolen_s=2.0))
    assert "The load average was 3.2 to 4.0, and 2 s of CPU were stolen." in part(busy)


def test_the_published_page_is_made_of_the_newest_file() -> None:
    newest = files.newest(files.FOLDER)
    assert newest is not None
    text = PAGE.read_text("utf-8")
    assert page_with(text, part(read(newest)), "docs/benchmarks.md") == text, (
        "make it again: python -m bench gate --page docs/benchmarks.md"
    )


def test_items_have_names_of_their_own_and_enough_rounds_to_be_compared() -> None:
    assert len({item.name for item in ITEMS}) == len({item.title for item in ITEMS}) == len(ITEMS)
    for item in ITEMS:
        assert item.most_rounds >= LEAST_ROUNDS
        assert len({metric.name for metric in item.metrics}) == len(item.metrics) > 0


def test_gate_is_a_command_of_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    given = []
    monkeypatch.setattr(bench, "gate", lambda arguments: given.append(arguments) or 1)
    monkeypatch.setattr("sys.argv", ["bench", "gate", "one", "--rounds", "3"])
    with pytest.raises(SystemExit) as ended:
        bench.main()
    assert ended.value.code == 1
    assert given == [["one", "--rounds", "3"]]
    assert "gate" not in bench.SUBJECTS
