"""Which lines of a configuration differ from those that Debian ships."""

import difflib
from collections.abc import Mapping
from pathlib import Path

from headcount.lab.stock import Stock


def differing(shipped: str, written: str) -> tuple[list[str], list[str]]:
    """The lines that are gone, and those that are new, without blanks around them."""
    lines = list(
        difflib.unified_diff(shipped.splitlines(), written.splitlines(), "a", "b", n=0, lineterm="")
    )[2:]
    gone = [line[1:].strip() for line in lines if line.startswith("-")]
    new = [line[1:].strip() for line in lines if line.startswith("+")]
    return gone, new


def check_only_declared(
    stock: Stock, shipped: Path, written: Path, fields: Mapping[str, str]
) -> None:
    """Each line that differs is a declared rewrite, each rewrite is there, and no file is new."""
    files = {path.relative_to(written) for path in written.rglob("*") if path.is_file()}
    assert {path for path in files if not (shipped / path).is_file()} == set()
    for path in files:
        rewrites = [one for one in stock.rewrites if (shipped / one.file).samefile(shipped / path)]
        gone, new = differing(
            (shipped / path).read_text("utf-8"), (written / path).read_text("utf-8")
        )
        expected = [line.strip() for one in rewrites for line in one.lines(fields)]
        kept = {one.shipped for one in rewrites if one.shipped in one.lines(fields)}
        assert set(gone) == {one.shipped for one in rewrites if one.shipped} - kept, path
        assert sorted(new) == sorted(line for line in expected if line not in kept), path
