"""Looks for inputs that break a reader, and shares the time between all of them.

`make fuzz MINUTES=60` for those in Rust; `--python` for those in Python, which need Atheris
(`uv sync --group fuzz`). An input that breaks one is kept in `fuzz/work/finds`; it belongs in
`fuzz/found/TARGET` once the reader is right.
"""

import argparse
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
FUZZ = ROOT / "fuzz"
WORK = FUZZ / "work"
TRIPLE = "x86_64-unknown-linux-gnu"
"""Named, or the flags would instrument build scripts, too, which have no libFuzzer to link with."""
FUZZER = FUZZ / "target" / TRIPLE / "release" / "fuzzer"
PYTHON = Path(__file__).with_name("python_fuzzer.py")
FLAGS = (
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
)
"""What libFuzzer needs to see which code an input reaches; a stable compiler has all of it."""
MOST_INPUT_BYTES = 4096
MOST_INPUT_S = 1
TRIES = 3
"""Times that an input which seems to hang is tried again, until it does not."""
MOST_ALLOCATION_MB = 64
MOST_MEMORY_MB = 1024
"""Of a whole process: the fuzzer keeps its corpus and its coverage in memory."""
SEED = 20_260_101

EXECUTIONS = re.compile(r"stat::number_of_executed_units:\s+(\d+)")
COVERAGE = re.compile(r"\bcov: (\d+)")
FOUND = re.compile(r"Test unit written to (\S+)")


@dataclass
class Fuzzed:
    """What came of one target."""

    target: str
    executions: int = 0
    seconds: float = 0.0
    coverage: int = 0
    new: int = 0
    finds: list[Path] = field(default_factory=list)
    failure: str = ""


def targets() -> list[str]:
    """The targets in Rust, in the order of their table."""
    text = (ROOT / "crates" / "fuzz" / "src" / "lib.rs").read_text("utf-8")
    return re.findall(r'^    \("([a-z0-9-]+)", ', text, re.MULTILINE)


def python_targets() -> list[str]:
    """The targets in Python."""
    shown = subprocess.run(
        [sys.executable, str(PYTHON), "--targets"], check=True, capture_output=True, text=True
    )
    return shown.stdout.split()


def command(target: str) -> list[str]:
    """The fuzzer of a target, without its options."""
    return [sys.executable, str(PYTHON), target] if target.startswith("py-") else [str(FUZZER)]


def environment(target: str) -> dict[str, str]:
    """What the fuzzer of a target runs with."""
    return os.environ | {"HEADCOUNT_FUZZ_TARGET": target}


def build() -> None:
    """Build the fuzzer of the targets in Rust."""
    flags = " ".join((*FLAGS, os.environ.get("RUSTFLAGS", ""))).strip()
    subprocess.run(
        ["cargo", "build", "--quiet", "--release", "--locked", "--target", TRIPLE],
        cwd=FUZZ,
        env=os.environ | {"RUSTFLAGS": flags},
        check=True,
    )


class Fuzzers:
    """Processes under way, and what came of those that have ended."""

    def __init__(self, names: list[str], seconds: float, jobs: int) -> None:
        """Share `seconds` between targets, `jobs` at a time."""
        self.each_s = max(1, round(seconds * jobs / len(names)))
        self.jobs = jobs
        self.left: queue.SimpleQueue[str] = queue.SimpleQueue()
        for name in names:
            self.left.put(name)
        self.under_way: dict[str, subprocess.Popen[str]] = {}
        self.done: list[Fuzzed] = []
        self.is_over = False

    def run(self) -> None:
        """Fuzz all of them; Ctrl-C ends what is under way, and counts it."""
        threads = [threading.Thread(target=self._work) for _ in range(self.jobs)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except KeyboardInterrupt:
            self.is_over = True
            for process in list(self.under_way.values()):
                process.terminate()
            for thread in threads:
                thread.join()

    def _work(self) -> None:
        while not self.is_over:
            try:
                target = self.left.get_nowait()
            except queue.Empty:
                return
            self.done.append(self._fuzz(target))
            print(row(self.done[-1]), flush=True)

    def _fuzz(self, target: str) -> Fuzzed:
        grown, finds, seeds = WORK / "corpus" / target, WORK / "finds" / target, seeds_of(target)
        for folder in (grown, finds):
            folder.mkdir(parents=True, exist_ok=True)
        before = len(list(grown.iterdir()))
        fuzzed, begun = Fuzzed(target), time.monotonic()
        options = [
            f"-max_total_time={self.each_s}",
            f"-timeout={MOST_INPUT_S}",
            f"-rss_limit_mb={MOST_MEMORY_MB}",
            f"-malloc_limit_mb={MOST_ALLOCATION_MB}",
            f"-max_len={MOST_INPUT_BYTES}",
            f"-seed={SEED}",
            f"-artifact_prefix={finds}/",
            "-print_final_stats=1",
        ]
        with subprocess.Popen(
            [*command(target), *options, str(grown), *map(str, seeds)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
            env=environment(target),
        ) as process:
            self.under_way[target] = process
            log = list(_read(process, fuzzed))
        del self.under_way[target]
        fuzzed.seconds = time.monotonic() - begun
        fuzzed.finds = [find for find in fuzzed.finds if not _was_chance(target, find)]
        fuzzed.new = len(list(grown.iterdir())) - before
        if process.returncode and not FOUND.search("".join(log)) and not self.is_over:
            fuzzed.failure = "".join(log[-20:])
        return fuzzed


def _was_chance(target: str, find: Path) -> bool:
    """Whether an input took its time because the machine was busy; it is deleted then.

    The fuzzer measures time, not CPU: one that had to wait for a second seems to hang.
    """
    if not find.name.startswith("timeout-"):
        return False
    for _ in range(TRIES):
        again = subprocess.run(
            [*command(target), f"-timeout={MOST_INPUT_S}", str(find)],
            check=False,
            capture_output=True,
            env=environment(target),
        )
        if again.returncode == 0:
            find.unlink()
            return True
    return False


def _read(process: subprocess.Popen[str], fuzzed: Fuzzed) -> Iterator[str]:
    assert process.stderr is not None
    for line in process.stderr:
        if found := COVERAGE.search(line):
            fuzzed.coverage = int(found[1])
        if found := EXECUTIONS.search(line):
            fuzzed.executions = int(found[1])
        if found := FOUND.search(line):
            fuzzed.finds.append(Path(found[1]))
        yield line


def seeds_of(target: str) -> list[Path]:
    """The folders of known inputs of a target."""
    folders = [FUZZ / kind / target for kind in ("corpus", "found")]
    return [folder for folder in folders if folder.is_dir()]


HEAD = f"{'target':20} {'executions':>12} {'per s':>9} {'coverage':>9} {'new':>6} {'finds':>6}"


def row(one: Fuzzed) -> str:
    """A line of the table."""
    rate = one.executions / one.seconds if one.seconds else 0
    return (
        f"{one.target:20} {one.executions:12,} {rate:9,.0f} {one.coverage:9,} {one.new:6,} "
        f"{len(one.finds):6,}"
    )


def report(done: list[Fuzzed]) -> int:
    """Print the sum and every find; returns the exit code."""
    total = sum(one.executions for one in done)
    finds = sum(len(one.finds) for one in done)
    print(f"{'total':20} {total:12,} {'':9} {'':9} {sum(one.new for one in done):6,} {finds:6,}")
    for one in done:
        for path in one.finds:
            shown = path.relative_to(ROOT)
            print(
                f"\n{one.target} breaks on {shown}; replay it with\n"
                f"  .venv/bin/python tests/fuzz/run.py --replay {one.target} {shown}"
            )
        if one.failure:
            print(f"\nthe fuzzer of {one.target} failed:\n{one.failure}")
    return int(any(one.finds or one.failure for one in done))


def minimise(names: list[str]) -> None:
    """Leave of known and new inputs those that are needed for their coverage."""
    for target in names:
        merged, known = WORK / "merged", FUZZ / "corpus" / target
        shutil.rmtree(merged, ignore_errors=True)
        merged.mkdir(parents=True)
        grown = [folder for folder in [WORK / "corpus" / target] if folder.is_dir()]
        subprocess.run(
            [*command(target), "-merge=1", str(merged), str(known), *map(str, grown)],
            check=True,
            stderr=subprocess.DEVNULL,
            env=environment(target),
        )
        size = sum(path.stat().st_size for path in merged.iterdir())
        print(f"{target:20} {len(list(merged.iterdir())):6} files {size:9,} bytes")


def main() -> int:
    """Build, fuzz and report; returns the exit code, 1 for a find."""
    parser = argparse.ArgumentParser(description="Look for inputs that break a reader.")
    parser.add_argument("targets", nargs="*", help="all, without any")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--jobs", type=int, default=1, choices=(1, 2))
    parser.add_argument("--python", action="store_true", help="the readers in Python")
    parser.add_argument("--replay", nargs=2, metavar=("TARGET", "FILE"))
    parser.add_argument("--minimise", action="store_true", help="merge into fuzz/work/merged")
    given = parser.parse_args()
    if given.replay:
        target, path = given.replay
        if not target.startswith("py-"):
            build()
        return subprocess.run(
            [*command(target), path], check=False, env=environment(target)
        ).returncode
    known = python_targets() if given.python else targets()
    if unknown := set(given.targets) - set(known):
        parser.error(f"no target is called {', '.join(sorted(unknown))}; there are {known}")
    if not given.python:
        build()
    chosen = given.targets or known
    if given.minimise:
        minimise(chosen)
        return 0
    fuzzers = Fuzzers(chosen, given.minutes * 60, given.jobs)
    print(HEAD, flush=True)
    fuzzers.run()
    return report(fuzzers.done)


if __name__ == "__main__":
    sys.exit(main())
