"""A bundle whose bytes were changed anywhere: an audit finds it, and no verb crashes."""

import contextlib
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from headcount.bundle import reader
from headcount.cli import run_line
from headcount.errors import ExitCode, HeadcountError

SEEDS = range(4)
FILES = (
    "plan.toml",
    "environment.json",
    "events.ndjson",
    "series.ndjson",
    "histograms.hlog",
    "levels.json",
    "verdict.json",
    "manifest.json",
)
VALUES = (b"null", b"-1", b"0", b"1e99", b"1e400", b"[]", b"{}", b'"x"', b"NaN", b"9" * 24, b"true")
NUMBER = re.compile(rb"(?<=[:\[, ])-?\d+(\.\d+)?(?=[,\]}\n])")

Change = Callable[[random.Random, bytes], bytes]


def flipped(chance: random.Random, content: bytes) -> bytes:
    """Some bytes are changed."""
    altered = bytearray(content)
    for _ in range(chance.randint(1, 5)):
        altered[chance.randrange(len(altered))] = chance.randrange(256)
    return bytes(altered)


def cut(chance: random.Random, content: bytes) -> bytes:
    """A part is missing."""
    start = chance.randrange(len(content))
    return content[:start] + content[start + chance.randint(1, 400) :]


def doubled(chance: random.Random, content: bytes) -> bytes:
    """A part is there twice."""
    start = chance.randrange(len(content))
    return content[: start + chance.randint(1, 400)] + content[start:]


def revalued(chance: random.Random, content: bytes) -> bytes:
    """A number is something else."""
    places = list(NUMBER.finditer(content))
    if not places:
        return flipped(chance, content)
    found = chance.choice(places)
    return content[: found.start()] + chance.choice(VALUES) + content[found.end() :]


def zeroed(chance: random.Random, content: bytes) -> bytes:
    """Every number of one name is a value that nobody can compute with."""
    names = sorted(set(re.findall(rb'"(\w+)": ?-?\d', content)))
    if not names:
        return cut(chance, content)
    value = chance.choice(VALUES)
    pattern = rb'("' + chance.choice(names) + rb'": ?)-?\d+(\.\d+)?'
    return re.sub(pattern, lambda found: found[1] + value, content)


CHANGES: tuple[Change, ...] = (flipped, cut, doubled, revalued, revalued, zeroed, zeroed)


def changed(bundle: Path, seed: int) -> Iterator[str]:
    """Change one file of a bundle at a time and restore it; what was done, each time."""
    chance = random.Random(seed)
    for _ in range(2):
        name = chance.choice(FILES)
        change = chance.choice(CHANGES)
        path = bundle / name
        altered = whole = path.read_bytes()
        while altered == whole:
            altered = change(chance, whole)
        path.write_bytes(altered)
        yield f"seed {seed}: {change.__name__} {name}"
        path.write_bytes(whole)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_change_of_a_bundle_crashes_headcount(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    report = str(tmp_path / "report.html")
    for what in changed(bundle, seed):
        with contextlib.suppress(HeadcountError):
            reader.load(bundle)
        for line in (
            ("show", str(bundle)),
            ("diagnose", str(bundle)),
            ("report", str(bundle), "-o", report),
        ):
            code = run_line(line)
            shown = capsys.readouterr()
            assert code in (ExitCode.PASSED, ExitCode.BAD_INPUT), f"{what}: {line} {shown.err}"
            assert "Traceback" not in shown.err, what
        code = run_line(("audit", str(bundle), "--json"))
        shown = capsys.readouterr()
        assert code == ExitCode.FAILED, f"{what}: {shown.err}"
        assert json.loads(shown.out)["outcome"] == "failed"
