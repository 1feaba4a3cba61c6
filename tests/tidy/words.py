"""The texts that users read and the names in the code, each with its place, for test_words.py."""

import ast
import gc
import re
import subprocess
import sys
import tomllib
from bisect import bisect
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = Path(__file__).with_name("words.toml")
ALLOWED = Path(__file__).with_name("words_allowed.toml")
PAGES = ("docs/*.md", "README.md", "CHANGELOG.md", "CONTRIBUTING.md")
TEMPLATES = ("python/headcount/**/*.html", "python/headcount/**/*.typ", "python/headcount/**/*.js")
VENDORED = "/vendor/"
QUOTING = {"docs/style.md", "docs/glossary.md"}
"""Pages that name the words nobody should use."""
APART = "\n\0\n"
"""Between two texts that are searched as one: no pattern reaches over it."""
FILLED_IN = "{}"
"""What stands for a figure or a name in a text that the code completes."""


@dataclass(frozen=True)
class Word:
    """A word nobody should use, with a text it is found in and one it is not."""

    pattern: re.Pattern[str]
    instead: str
    example: str
    fine: str


@dataclass(frozen=True)
class Text:
    """A text, and where it begins."""

    path: str
    line: int
    content: str


def table(kind: str) -> list[Word]:
    """The words banned from texts (`text`) or from names (`name`)."""
    entries = tomllib.loads(TABLE.read_text("utf-8"))[kind]
    # A phrase may be wrapped, in a page or in a literal of several lines.
    return [
        Word(
            re.compile(entry["pattern"].replace(" ", r"\s+"), re.IGNORECASE | re.MULTILINE),
            entry["instead"],
            entry["example"],
            entry.get("fine", ""),
        )
        for entry in entries
    ]


def tracked(*patterns: str) -> list[str]:
    """The files of the repository that fit, those not committed yet too."""
    globs = [f":(glob){pattern}" for pattern in patterns]
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *globs]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted({line for line in listed.splitlines() if (ROOT / line).is_file()})


@cache
def texts() -> tuple[Text, ...]:
    """Every text a user may read: pages, templates, literals of the code, data."""
    found: list[Text] = []
    found += (
        Text(path, 1, (ROOT / path).read_text("utf-8"))
        for path in tracked(*PAGES, *TEMPLATES)
        if path not in QUOTING and VENDORED not in path
    )
    for path in tracked("python/headcount/**/*.py"):
        found += (Text(path, line, content) for line, content in _python(path))
    for path in tracked("crates/*/src/**/*.rs"):
        found += (Text(path, line, content) for line, content in _rust(path))
    for path in tracked("python/headcount/**/*.toml"):
        loaded = tomllib.loads((ROOT / path).read_text("utf-8"))
        found += (Text(path, 1, content) for content in _strings(loaded))
    return tuple(found)


@cache
def names() -> tuple[Text, ...]:
    """Every name the Python code gives: to modules, definitions, parameters, variables, attributes.

    The names of tests are sentences, so they and their modules are left out.
    """
    found: list[Text] = []
    for path in tracked("python/headcount/**/*.py", "bench/**/*.py", "tests/**/*.py"):
        stem = Path(path).stem
        given = [(1, stem), *(named for node in _nodes(path) for named in names_given(node))]
        found += (Text(path, line, name) for line, name in given if not name.startswith("test_"))
    return tuple(found)


def names_given(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The names that a node of the syntax tree introduces, each with its line; uses give none."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield node.lineno, name
        case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
            yield node.lineno, name
        case ast.Attribute(attr=name, ctx=ast.Store()):
            yield node.lineno, name
        case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)):
            yield node.lineno, name
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield node.lineno, name
        case ast.MatchMapping(rest=str(name)):
            yield node.lineno, name


@contextmanager
def _without_collector() -> Iterator[None]:
    """Syntax trees have millions of parts, none of which is garbage before the end."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@cache
def _nodes(path: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse((ROOT / path).read_text("utf-8"))))


def _python(path: str) -> Iterator[tuple[int, str]]:
    silent = set()  # docstrings, and the parts of f-strings, which are read with the whole
    for node in _nodes(path):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            silent.add(node.value)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "AliasChoices":
            silent.update(node.args)  # keys of older files, which nobody writes any more
        elif isinstance(node, ast.JoinedStr):
            silent.update(part for part in node.values if isinstance(part, ast.Constant))
            silent.update(
                part.format_spec
                for part in node.values
                if isinstance(part, ast.FormattedValue) and part.format_spec
            )
    for node in _nodes(path):
        if node in silent:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            parts = (
                str(p.value) if isinstance(p, ast.Constant) else FILLED_IN for p in node.values
            )
            yield node.lineno, "".join(parts)


def _rust(path: str) -> Iterator[tuple[int, str]]:
    text = (ROOT / path).read_text("utf-8").split("#[cfg(test)]\nmod tests {")[0]
    code = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
    for found in re.finditer(r'"((?:[^"\\\n]|\\.|\\\n|\n)*)"', code):
        yield code.count("\n", 0, found.start()) + 1, found[1].replace("\\\n", " ")


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def misuses() -> dict[str, list[str]]:
    """For each file what it should not say, a line each with the place and the word to use."""
    found: dict[str, list[str]] = {}
    with _without_collector():
        every = (("text", texts()), ("name", names()))
    for kind, where in every:
        joined = APART.join(text.content for text in where)
        starts = list(accumulate((len(text.content) + len(APART) for text in where), initial=0))
        for word in table(kind):
            for match in word.pattern.finditer(joined):
                place = bisect(starts, match.start()) - 1
                text = where[place]
                line = text.line + joined.count("\n", starts[place], match.start())
                misuse = " ".join(match[0].split())
                found.setdefault(text.path, []).append(
                    f'{text.path}:{line}: "{misuse}" in a {kind}: {word.instead}'
                )
    return found


def allowed() -> dict[str, int]:
    """How many misuses a file may still have; a file that is not listed none."""
    if not ALLOWED.exists():
        return {}  # as it should be
    return dict(tomllib.loads(ALLOWED.read_text("utf-8")))


def shrink() -> None:
    """Write down what is left, never more than was allowed before."""
    before = allowed()
    now = Counter({path: len(lines) for path, lines in misuses().items()})
    left = {path: min(now[path], before[path]) for path in sorted(before) if now[path]}
    if not left:
        ALLOWED.unlink(missing_ok=True)
        return
    head = "# Misuses to fix, by file. It only shrinks: `python tests/tidy/words.py shrink`.\n"
    lines = [f'"{path}" = {count}' for path, count in left.items()]
    ALLOWED.write_text(head + "\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["shrink"]:
        shrink()
    else:
        print("\n".join(line for lines in misuses().values() for line in lines))
