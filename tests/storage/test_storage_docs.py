"""docs/storage-formulas.md says what the code does: formulas, levels, advice, and every output."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headcount.cli.storage import app
from headcount.storage import advice, gain, raid
from headcount.storage.advice import Advice
from headcount.storage.catalogue import FORMULAS
from headcount.storage.levels import LEVELS
from headcount.text import DASH

PAGE = (Path(__file__).parents[2] / "docs" / "storage-formulas.md").read_text("utf-8")
PROSE = re.sub(r"^```.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL)


def rows(heading: str) -> list[list[str]]:
    """The rows of the table below a heading, without its head."""
    section = PROSE.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[1:]]


def output(command: str) -> str:
    arguments = shlex.split(command.removeprefix("headcount storage "))
    shown = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    assert shown.exit_code == 0, shown.output
    return shown.output


def test_every_formula_has_a_row_and_no_other() -> None:
    listed = {row[1].strip("`"): row for row in rows("Formulas")}
    assert set(listed) == {formula.name for formula in FORMULAS}
    for formula in FORMULAS:
        row = listed[formula.name]
        assert row[0] == formula.rule
        assert row[2].strip("`") == formula.text
        pages = re.search(r"pp\. ([\d-]+)|(appendix C)", formula.source)
        assert row[4].startswith(pages[1] or pages[2] if pages else "not in the paper")
        assert ("derived" in row[4]) == ("derived" in formula.source or "by D-04" in formula.source)


@pytest.mark.parametrize("row", rows("Formulas"), ids=lambda row: row[1].strip("`"))
def test_the_command_of_a_formula_shows_it(row: list[str]) -> None:
    shown = output(row[3].strip("`"))
    assert f"  {row[2].strip('`')}\n" in shown
    assert f"  {row[0]}: " in shown


EXAMPLES = [
    *re.findall(r"^\$ (headcount storage .+)\n((?:(?!\$ ).*\n)*?)```$", PAGE, re.MULTILINE),
]


@pytest.mark.parametrize(("command", "printed"), EXAMPLES, ids=[one for one, _ in EXAMPLES])
def test_outputs_in_the_page_are_those_of_the_program(command: str, printed: str) -> None:
    assert output(command) == printed


def test_every_output_in_the_page_is_checked() -> None:
    assert len(EXAMPLES) == PAGE.count("```console")


def test_the_levels() -> None:
    described = {row[0]: row[1:5] for row in rows("RAID levels")}
    assert list(described) == [level.name for level in LEVELS]
    for level in LEVELS:
        fewest, space, fail, accesses = described[level.name]
        assert fewest.split()[0] == str(level.minimum_drives)
        assert ("(ours)" in fewest) == (level.name not in {"0", "1", "0/1"})
        parity = f"n - {level.parity_drives}" if level.parity_drives else "n"
        assert space == (f"n / {level.copies}" if level.copies > 1 else parity)
        assert fail == str(level.survives)
        assert accesses == str(level.write_penalty or DASH)


def test_all_advice_is_listed() -> None:
    given = {one.rule for one in vars(advice).values() if isinstance(one, Advice)}
    assert {row[0] for row in rows("Rules that advise")} == given


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_advice_is_listed_with_its_levels(level) -> None:
    listed = set()
    for rule, _, where in rows("Rules that advise"):
        if where == "`raid`" or level.name in re.split(
            "[, ]+", where.partition("`raid`, level")[2]
        ):
            listed.add(rule)
    assert listed == {one.rule for one in advice.level_advice(level)}


def test_figures_of_the_page_that_no_command_prints() -> None:
    assert "4 bytes x 33 MHz = 132 MB/s" in PROSE
    assert round(4 / 33e-9 / 1e6) == 121
    assert "1.79 times as long" in PROSE
    assert round(gain.speed_up(1 / (1 - 0.44), 1), 2) == 1.79
    assert gain.time_saved(1 / (1 - 0.44), 1) == pytest.approx(0.44, rel=1e-12)
    assert "316 I/Os, not 465" in PROSE
    assert round(raid.functional_iops(4, 150, 0.7, 4)) == 316
    assert round(600 * (0.7 + 0.3 / 4)) == 465
    assert "comes to 47%" in " ".join(PROSE.split())
    assert round(gain.time_saved(215, 215 * (1 - 0.598) / (1 - 0.241)), 2) == 0.47
    assert "leave 86.4 s" in " ".join(PROSE.split())
    assert round(215 * (1 - 0.598), 1) == 86.4
