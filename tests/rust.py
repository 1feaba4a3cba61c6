"""Runs the tests of the crates; again, those that failed while the CPUs were stolen.

The same rule as for the tests in Python (`stolen.py`), for each test program of cargo's: only what
the kernel counted as stolen between its begin and its end makes it run again, twice at most.
What still failed is kept in a file, so that `--failed` runs it once more.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from stolen import BURST, EVERY_S, TRIES, Thief

COMMAND = ("cargo", "test", "--quiet", "--profile", "bench", "--no-fail-fast")
"""The profile shares its folder, and so all libraries, with the engine that `uv sync` builds."""
PROGRAMS = ("--workspace", "--lib", "--bins", "--tests")
LINTED = {"RUSTC_WORKSPACE_WRAPPER": "clippy-driver", "CLIPPY_ARGS": "-Dwarnings"}
"""Clippy's driver is a compiler: one pass lints the crates and builds their tests."""
EXAMPLE = re.compile(r"^ *//[/!] ```", re.MULTILINE)
BEGINS = re.compile(r"^running \d+ tests?$")
FAILED = re.compile(r"test failed, to rerun pass `([^`]+)`")
KEPT = Path("target/rust-failed")
"""The test programs that failed last, a line each, as cargo names them."""


def environment() -> dict[str, str]:
    """What cargo runs with. Clippy compiles where it is installed; tests can do without."""
    try:
        found = subprocess.run(["clippy-driver", "--version"], capture_output=True, check=False)
    except OSError:
        return dict(os.environ)
    return os.environ | LINTED if found.returncode == 0 else dict(os.environ)


def build(*more: str) -> int:
    """Build the programs of the tests; returns cargo's exit code."""
    command = [*COMMAND, *PROGRAMS, *more, "--no-run"]
    return subprocess.run(command, env=environment(), check=False).returncode


def run(which: Sequence[str], thief: Thief) -> tuple[int, dict[str, float]]:
    """Run tests and show what they say.

    Returns cargo's exit code and, for each test program that failed, the largest share of half a
    second that was stolen while it ran.
    """
    failed: dict[str, float] = {}
    with subprocess.Popen(
        [*COMMAND, *which],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment(),
    ) as cargo:
        assert cargo.stdout is not None
        for line in cargo.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            if BEGINS.match(line):
                thief.largest()
            elif found := FAILED.search(line):
                time.sleep(EVERY_S)  # until the last half second has been looked at, too
                failed[found[1]] = thief.largest()
    return cargo.returncode, failed


def documented(crates: Path = Path("crates")) -> list[str]:
    """The packages whose documentation has examples, which are tests; it takes seconds to look."""
    sources = {folder.name: (folder / "src").rglob("*.rs") for folder in sorted(crates.iterdir())}
    return [
        f"headcount-{name}"
        for name, paths in sources.items()
        if any(EXAMPLE.search(path.read_text("utf-8")) for path in paths)
    ]


def main(kept: Path = KEPT) -> int:
    """Run all of them, and keep which failed; returns the exit code."""
    thief = Thief()
    code, failed = run(PROGRAMS, thief)
    packages = [word for name in documented() for word in ("--package", name)]
    if packages:
        ended, more = run(["--doc", *packages], thief)
        code, failed = code or ended, failed | more
    for _ in range(TRIES - 1):
        if code == 0 or not failed or min(failed.values()) < BURST:
            break
        again, failed = failed, {}
        code = 0
        for which, away in again.items():
            print(f"\nagain, for {away:.0%} of the CPUs were stolen: cargo test {which}")
            ended, more = run(which.split(), thief)
            code, failed = code or ended, failed | more
    kept.parent.mkdir(exist_ok=True)
    kept.write_text("".join(f"{which}\n" for which in failed), "utf-8")
    return code


def failed_again(kept: Path = KEPT) -> int | None:
    """Run what failed last once more; returns cargo's exit code, None if nothing is to be run."""
    which = kept.read_text("utf-8").splitlines() if kept.exists() else []
    if not which:
        return None
    print(f"\nonce more, alone: cargo test {', '.join(which)}", flush=True)
    thief = Thief()
    codes = {one: run(one.split(), thief)[0] for one in which}
    for one in which:
        if codes[one] == 0:
            print(f"passed alone, failed beside other tests (its failure is above): {one}")
    return max(codes.values())


COMMANDS = {
    (): main,
    ("--build",): lambda: build("--examples"),
    ("--failed",): failed_again,
}

if __name__ == "__main__":
    sys.exit(COMMANDS[tuple(sys.argv[1:])]())
