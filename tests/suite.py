"""Runs Python's tests, five at a time; what failed once more, alone.

Many of them wait for real servers, so more of them run than there are CPUs. No test may need a
quiet machine: what fails beside others and passes alone is named at the end, and must be fixed.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

COMMAND = (sys.executable, "-m", "pytest")
BESIDE = ("-n", "5", "--dist", "loadfile", "--no-loadscope-reorder", "--durations", "20")
"""A file by one worker, for servers are started by file; in the order of `conftest.py`."""
ALONE = ("-n", "0", "--last-failed")
FAILED = Path("v/cache/lastfailed")
TESTS_FAILED = 1
"""pytest's exit code where tests failed, and nothing else went wrong."""
MOST = 10
"""Failures in more files than these are no stalls. A server that could not be started, or a run
that was disturbed, fails all tests of its file."""


def failed(cache: Path) -> list[str]:
    """The tests that pytest remembers as failed, sorted."""
    path = cache / FAILED
    return sorted(json.loads(path.read_text("utf-8"))) if path.exists() else []


def main(arguments: Sequence[str], cache: Path = Path(".pytest_cache")) -> int:
    """Run all of them; returns the exit code."""
    folder = ("-o", f"cache_dir={cache.absolute()}")
    first = [*COMMAND, *BESIDE, "--cache-clear", *folder, *arguments]
    code = subprocess.run(first, check=False).returncode
    before = failed(cache)
    files = {name.partition("::")[0] for name in before}
    are_tests = all("::" in name for name in before)  # not workers that could not begin
    if code != TESTS_FAILED or not are_tests or not 0 < len(files) <= MOST:
        return code
    print(f"\nonce more, alone: {', '.join(before)}", flush=True)
    code = subprocess.run([*COMMAND, *ALONE, *folder, *arguments], check=False).returncode
    after = failed(cache)
    for name in before:
        if name not in after:
            print(f"passed alone, failed beside other tests (its failure is above): {name}")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
