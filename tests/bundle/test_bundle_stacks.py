"""Files of stacks: what is written is read back, and sums never change."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.bundle import stacks
from headcount.bundle.stacks import OTHER, LevelStacks, bounded, folded_text, parse_folded
from headcount.errors import InputError

FRAME = st.text(st.characters(exclude_categories=("C", "Z"), exclude_characters=";"), min_size=1)
FOLDED = st.dictionaries(
    st.lists(FRAME, min_size=1, max_size=5).map(tuple), st.integers(1, 10**9), max_size=20
)


@given(FOLDED)
def test_folded_text_is_read_back(folded: dict[tuple[str, ...], int]) -> None:
    assert parse_folded(folded_text(folded)) == folded


@given(st.lists(st.text(), min_size=1, max_size=4).map(tuple), st.integers(1, 99))
def test_any_frame_makes_one_line(stack: tuple[str, ...], number: int) -> None:
    (found,) = parse_folded(folded_text({stack: number})).items()
    assert found[1] == number
    assert len(found[0]) == len(stack)


@given(FOLDED, st.integers(0, 20))
def test_rare_stacks_are_merged_and_the_sum_stays(
    folded: dict[tuple[str, ...], int], most: int
) -> None:
    kept = bounded(folded, most)
    assert sum(kept.values()) == sum(folded.values())
    processes = {stack[0] for stack in folded}
    assert len(kept) <= most + len(processes)
    assert all(stack in folded or stack[1:] == (OTHER,) for stack in kept)


def test_a_bundle_gives_back_its_levels_tools_and_kinds(tmp_path: Path) -> None:
    wanted = [
        LevelStacks(1, "off", "proc", {("a", "b c"): 3}),
        LevelStacks(2, "off", "py-spy", {("a",): 1}),
        LevelStacks(2, "on", "proc", {("a", "x"): 7}),
        LevelStacks(1000, "on", "perf", {("a", "y"): 2}),
    ]
    for one in wanted:
        stacks.write(tmp_path, one)
    (tmp_path / "stacks-none.folded.gz").write_bytes(b"")
    found = sorted(stacks.read(tmp_path), key=lambda one: (one.level, one.kind))
    assert found == wanted
    first = (tmp_path / stacks.write(tmp_path, wanted[0])).read_bytes()
    assert (tmp_path / stacks.write(tmp_path, wanted[0])).read_bytes() == first
    assert gzip.decompress(first) == b"a;b c 3\n"


@pytest.mark.parametrize(
    "content",
    [b"", b"no gzip", gzip.compress(b"a;b\n"), gzip.compress(b"a;b x\n")[:-9]],
    ids=["empty", "no gzip", "no count", "cut"],  # gzip's have the time in them
)
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "stacks-001-off-proc.folded.gz").write_bytes(content)
    if content:
        with pytest.raises(InputError, match=r"stacks-001-off-proc\.folded\.gz is damaged"):
            stacks.read(tmp_path)
    else:
        assert stacks.read(tmp_path)[0].stacks == {}


def test_an_older_bundle_has_no_stacks(tmp_path: Path) -> None:
    assert stacks.read(tmp_path) == []
