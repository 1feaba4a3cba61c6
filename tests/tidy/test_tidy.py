"""The house rules, executed: which way imports point, how large rooms are, what nobody writes."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / "python" / "headcount"

ARROWS = {
    "secret_text": set(),
    "errors": {"secret_text"},
    "foreign": {"errors"},
    "text": {"secret_text"},
    "installed": {"errors"},
    "output": {"foreign", "errors", "text"},
    "fields": {"errors"},
    "protocols": {"installed", "fields", "lab", "errors", "foreign", "secret_text"},
    "plan": {"counters", "protocols", "fields", "errors", "foreign", "secret_text"},
    "workloads": {"installed", "plan", "fields", "errors", "foreign"},
    "importers": {"errors", "foreign"},
    "lab": {"errors"},
    "storage": {"errors", "text"},
    "sort": {"storage", "errors", "text"},
    "counters": {"installed", "output", "errors", "foreign", "secret_text", "text"},
    "bundle": {"plan", "output", "foreign", "errors", "secret_text"},
    "analyse": {"bundle", "counters", "plan", "fields", "foreign", "errors", "text"},
    "disk": {"analyse", "fields", "errors", "text"},
    "doctor": {"analyse", "bundle", "counters", "generator", "lab", "errors", "output", "text"},
    "report": {
        "analyse",
        "bundle",
        "doctor",
        "plan",
        "fields",
        "counters",
        "sort",
        "output",
        "errors",
        "text",
        "foreign",
    },
    "live": {"analyse", "counters", "report", "output", "errors", "text", "foreign"},
    "schemas": {"analyse", "bundle", "counters", "doctor", "plan", "report"},
    "generator": {"counters", "plan", "protocols", "errors"},
    "cluster": {
        "generator",
        "counters",
        "plan",
        "fields",
        "output",
        "foreign",
        "errors",
        "secret_text",
    },
    "controller": {
        "generator",
        "protocols",
        "plan",
        "fields",
        "lab",
        "counters",
        "bundle",
        "analyse",
        "errors",
        "secret_text",
    },
    "tune": {
        "installed",
        "controller",
        "output",
        "analyse",
        "bundle",
        "counters",
        "lab",
        "plan",
        "fields",
        "errors",
        "text",
    },
    "failover": {
        "analyse",
        "bundle",
        "controller",
        "counters",
        "errors",
        "fields",
        "generator",
        "lab",
        "plan",
        "protocols",
        "text",
    },
    "pilot": {"tune", "controller", "analyse", "counters", "errors", "text"},
    "cli": {
        "installed",
        "cluster",
        "controller",
        "pilot",
        "failover",
        "tune",
        "analyse",
        "report",
        "bundle",
        "counters",
        "disk",
        "doctor",
        "live",
        "output",
        "importers",
        "own_server",
        "schemas",
        "sort",
        "storage",
        "protocols",
        "plan",
        "fields",
        "workloads",
        "errors",
        "secret_text",
        "text",
        "foreign",
    },
}
"""Who may import whom inside the package; the engine (`_engine`) is for the rooms in ENGINE."""

ENGINE = {
    "generator",
    "plan",
    "bundle",
    "analyse",
    "controller",
    "counters",
    "cli",
    "disk",
    "failover",
    "doctor",
    "lab",
    "sort",
}
FILE_LINES = 400
FUNCTION_LINES = 70
UNSAFE_ALLOWED = {ROOT / "crates" / crate / "src" for crate in ("bind", "line", "ring")}
"""The places for unsafe code: what they wrap hands memory to the kernel. Clippy holds each use of
it to an `#[expect]` with a reason and a SAFETY comment."""
SIZE_ALLOWED: dict[str, str] = {}
"""Files and functions over the limit, each with its reason. Only ever shrinks."""


def tracked(*patterns: str) -> list[Path]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [path for line in listed.splitlines() if (path := ROOT / line).is_file()]


def rooms_imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "headcount" and len(parts) > 1 and parts[1] != "__version__":
                found.add(parts[1])
    return found


@pytest.mark.parametrize("room", sorted(ARROWS))
def test_arrows_point_downwards(room: str) -> None:
    files = [PYTHON / f"{room}.py"] if (PYTHON / f"{room}.py").exists() else []
    files += sorted((PYTHON / room).rglob("*.py"))
    assert files, f"{room} is in the rules but not in the package"
    allowed = ARROWS[room] | {room} | ({"_engine"} if room in ENGINE else set())
    for path in files:
        wrong = rooms_imported(path) - allowed
        assert not wrong, f"{path.relative_to(ROOT)} imports {wrong}; {room} may import {allowed}"


def test_every_room_has_a_rule() -> None:
    rooms = {path.name for path in PYTHON.iterdir() if path.is_dir() and path.name[0] != "_"}
    assert rooms == {room for room in ARROWS if (PYTHON / room).is_dir()}


def test_the_engine_names_no_protocol_and_protocols_no_other() -> None:
    crates = {path.name for path in (ROOT / "crates").iterdir() if path.is_dir()}
    shared = {"load", "net", "tree", "ring", "bind", "script"}  # what several of them stand on
    for crate in crates - {"python", "fuzz", "threads"}:  # those stand on all of them
        text = (ROOT / "crates" / crate / "Cargo.toml").read_text("utf-8")
        dependencies = text.split("[dev-dependencies]")[0]
        for other in crates - {crate} - ({"script"} if crate == "load" else shared):
            assert f"headcount-{other}" not in dependencies, f"{crate} depends on {other}"


def test_files_are_small() -> None:
    for path in tracked("*.py", "*.rs"):
        name = str(path.relative_to(ROOT))
        lines = len(path.read_text("utf-8").splitlines())
        assert lines <= FILE_LINES or name in SIZE_ALLOWED, f"{name} has {lines} lines"


def test_functions_are_small() -> None:
    for path in tracked("python/*.py", "bench/*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                name = f"{path.relative_to(ROOT)}:{node.name}"
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                assert lines <= FUNCTION_LINES or name in SIZE_ALLOWED, f"{name}: {lines} lines"


RUST_FUNCTION = re.compile(
    r"^( *)(?:pub(?:\([^)]*\))? )?(?:const |async |unsafe )*fn (\w+)[^{;]*\{\n(.*?)^\1\}$",
    re.MULTILINE | re.DOTALL,
)
"""As rustfmt writes them: the brace that ends one stands below its `fn`."""


def test_functions_in_rust_are_small() -> None:
    seen = 0
    for path in tracked("crates/*.rs"):
        if "src" not in path.parts:
            continue
        for found in RUST_FUNCTION.finditer(path.read_text("utf-8")):
            seen += 1
            name = f"{path.relative_to(ROOT)}:{found[2]}"
            lines = found[0].count("\n") + 1
            assert lines <= FUNCTION_LINES or name in SIZE_ALLOWED, f"{name}: {lines} lines"
    assert seen > 2000


BANNED = {
    r"\bTODO\b|\bFIXME\b|\bXXX\b": "finish it, or leave it out",
    r"pytest\.mark\.skip|pytest\.skip\(|#\[ignore": "a test that is skipped tests nothing",
    r"time\.sleep\(0\)": "wait for something",
    r"/work/(main|shared)": "no path of a particular machine",
    r"shell=True": "no shell between Headcount and a program",
    r"unsafe ": "the workspace forbids unsafe code outside crates/ring and crates/bind",
}


@pytest.mark.parametrize("pattern", sorted(BANNED))
def test_nobody_writes(pattern: str) -> None:
    for path in tracked("*.py", "*.rs", "*.toml", "*.md", "Makefile"):
        if path == Path(__file__) or path.suffix == ".lock":
            continue
        if pattern == "unsafe " and (path.suffix != ".rs" or UNSAFE_ALLOWED & set(path.parents)):
            continue
        text = path.read_text("utf-8")
        if not re.search(pattern, text):  # as in nearly all files, whose lines need no look then
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            if pattern == "unsafe " and line.lstrip().startswith("//"):
                continue
            place = f"{path.relative_to(ROOT)}:{number}"
            assert not re.search(pattern, line), f"{place}: {line.strip()} ({BANNED[pattern]})"


def test_the_stub_of_the_engine_is_there() -> None:
    # With no stub at all, mypy.stubtest reports success.
    stub = (PYTHON / "_engine.pyi").read_text("utf-8")
    for name in ("class Engine", "class Histogram", "class Interval", "class AppServer"):
        assert name in stub


def test_the_wheel_is_what_the_lock_files_pin() -> None:
    assert (ROOT / "uv.lock").is_file()
    assert (ROOT / "Cargo.lock").is_file()
