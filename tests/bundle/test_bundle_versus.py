"""The record of a pairing: which bundles are its sides, and what a damaged one says."""

from pathlib import Path

import pytest

from headcount.bundle import versus
from headcount.bundle.versus import SideName, Versus, VersusPair, VersusSide, VersusTurn
from headcount.errors import InputError


def record(here: SideName, identity: str = "a" * 32) -> Versus:
    turns = [
        VersusTurn(side="A", level=1, users=20, began_s=1.0, ended_s=9.0),
        VersusTurn(side="B", level=1, users=20, began_s=10.0, ended_s=18.0),
    ]
    return Versus(
        id=identity,
        here=here,
        kind="levels",
        order="abba",
        seed=7,
        wanted_pairs=1,
        sides=[
            VersusSide(name="A", target="lab:app", bundle="one"),
            VersusSide(name="B", target="lab:app", bundle="two"),
        ],
        pairs=[VersusPair(number=1, round=1, order="AB", turns=turns)],
    )


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    folders = tmp_path / "one", tmp_path / "two"
    for folder, here in zip(folders, versus.SIDES, strict=True):
        folder.mkdir()
        versus.write(record(here), folder)
    return folders


def test_it_reads_what_it_wrote(sides: tuple[Path, Path]) -> None:
    assert versus.read(sides[0]) == record("A")
    assert versus.read(sides[1]) == record("B")
    assert record("A").pairs[0].whole
    assert record("A").pairs[0].equal


def test_the_sides_of_a_pairing_know_each_other_in_either_order(sides: tuple[Path, Path]) -> None:
    one, two = sides
    assert versus.matching(one, two) == record("A")
    assert versus.matching(two, one) == record("B")
    assert versus.matching(one, one) is None
    assert record("A").other_folder(one) == two
    assert record("B").other_folder(two) == one


def test_bundles_may_be_renamed(sides: tuple[Path, Path], tmp_path: Path) -> None:
    one, two = sides
    moved = two.rename(tmp_path / "after")
    assert versus.matching(one, moved) == record("A")
    assert record("A").other_folder(one) is None


def test_a_bundle_of_another_pairing_is_not_a_side(sides: tuple[Path, Path]) -> None:
    one, two = sides
    versus.write(record("B", "b" * 32), two)
    assert versus.matching(one, two) is None
    assert record("A").other_folder(one) is None


def test_a_bundle_of_a_single_run_has_no_pairing(tmp_path: Path) -> None:
    assert versus.read(tmp_path) is None
    assert versus.matching(tmp_path, tmp_path) is None


def test_a_damaged_file_is_named(sides: tuple[Path, Path]) -> None:
    (sides[0] / versus.FILE).write_text('{"schema_version": 1, "id": "x"}')
    with pytest.raises(InputError, match=r"versus.json is damaged at id"):
        versus.read(sides[0])
