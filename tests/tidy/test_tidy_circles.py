"""Modules of a crate import each other in one direction."""

import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
USE = re.compile(r"^\s*(?:pub )?use (crate|super(?:::super)*)::([^;]+);", re.MULTILINE)


def paths(before: list[str], text: str) -> Iterator[list[str]]:
    """What a `use` names: `a::{b, c::d}` are `a::b` and `a::c::d`."""
    head, brace, body = text.partition("{")
    if not brace:
        yield [*before, *text.split("::")]
        return
    depth, start = 0, 0
    body = body.rpartition("}")[0] + ","
    for at, letter in enumerate(body):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            if part := body[start:at]:
                yield from paths([*before, *filter(None, head.split("::"))], part)
            start = at + 1


def imports(source: Path) -> dict[str, set[str]]:
    """For each module of a crate, the others that it uses; `lib.rs` and tests are left out."""
    files = {}
    for path in source.rglob("*.rs"):
        parts = tuple(part for part in path.relative_to(source).with_suffix("").parts)
        parts = tuple(part for part in parts if part != "mod")
        if parts not in (("lib",), ("main",)):
            files[parts] = path.read_text("utf-8").split("#[cfg(test)]")[0]
    found = {}
    for parts, text in files.items():
        used = set()
        for where, named in USE.findall(text):
            base = [] if where == "crate" else list(parts[: -where.count("super")])
            for path in paths(base, "".join(named.split())):
                whole = next((n for n in range(len(path), 0, -1) if tuple(path[:n]) in files), 0)
                used.add(tuple(path[:whole]))
        found["::".join(parts)] = {"::".join(one) for one in used - {(), parts}}
    return found


@pytest.mark.parametrize("crate", sorted(path.name for path in (ROOT / "crates").iterdir()))
def test_modules_of_a_crate_import_in_one_direction(crate: str) -> None:
    graph = imports(ROOT / "crates" / crate / "src")
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"a circle of modules in {crate}: {' - '.join(error.args[1])}")


def test_imports_are_read_as_the_compiler_reads_them(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/mod.rs").write_text("use crate::b::{C, d::{E, F}};\nuse std::x;\n")
    (tmp_path / "a/part.rs").write_text(
        "use super::Own;\nuse super::super::b;\n#[cfg(test)]\nuse crate::t;\n"
    )
    (tmp_path / "b.rs").write_text("pub use crate::a::part::G;\n")
    (tmp_path / "t.rs").write_text("")
    assert imports(tmp_path) == {"a": {"b"}, "a::part": {"a", "b"}, "b": {"a::part"}, "t": set()}
