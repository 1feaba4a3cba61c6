"""What the command line's tests share: one short run, made once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from processes import Headcount

RUN = (
    *("run", "app-processor", "--target", "lab:app", "--levels", "1,2", "--duration", "1s"),
    *("--ramp", "0s", "--settle", "0s", "--think", "10ms", "--scale", "0.001", "--json"),
    *("--criteria", "p95<=10s"),
)


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A bundle that no test changes: tests that write take a copy."""
    made = Headcount(tmp_path_factory.mktemp("finished"))
    try:
        ended = made.run(*RUN)
        assert ended.code in (0, 4), ended.err  # a busy machine may make a level invalid
        yield made.bundle
    finally:
        made.close()
