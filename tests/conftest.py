"""What several folders of tests share; being here puts this folder on the path of their imports."""

import gc
import importlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import stolen
from headcount import secret_text
from processes import Headcount

# Examples of properties take as long as a busy machine lets them. They are the same every time, so
# that a change is held to what it did; `--hypothesis-profile=new` looks for others.
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("new", deadline=None, print_blob=True)
settings.load_profile("same")


def pytest_configure() -> None:
    """Forget the size of the terminal, which consoles would keep from their import on.

    Workers of several are given one; tests give their own.
    """
    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)
    importlib.import_module("headcount.cli.console")
    gc.disable()  # until all tests are collected, for they stay to the end


def pytest_collection_finish() -> None:
    """Have the garbage collector look only at objects made from now on."""
    gc.freeze()
    gc.enable()


def pytest_unconfigure() -> None:
    """Have it free all of it, or DuckDB complains."""
    gc.unfreeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--proof",
        action="store_true",
        help="run all cases of the long tests: before a release, on a quiet machine",
    )


@pytest.fixture(scope="session")
def proof(pytestconfig: pytest.Config) -> bool:
    """Whether to run more cases, as `make proof` does; without, a few of the same."""
    return bool(pytestconfig.getoption("proof"))


@pytest.fixture
def headcount(tmp_path: Path) -> Iterator[Headcount]:
    """The command line in a home of its own."""
    command = Headcount(tmp_path / "home")
    yield command
    command.close()


@pytest.fixture(autouse=True)
def _no_secrets() -> Iterator[None]:
    """Secrets that a test made known must not be replaced in the texts of the next."""
    yield
    secret_text.forget()


ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def _kept_handlers() -> Iterator[None]:
    """A test that leaves a handler behind fails, not a later one in its worker."""
    before = {name: signal.getsignal(name) for name in ENDS}
    yield
    after = {name: signal.getsignal(name) for name in ENDS}
    for name in ENDS:
        if after[name] != before[name]:
            signal.signal(name, before[name])
    assert after == before


FIRST = ("e2e", "lying", "wire", "cli", "sort", "disk", "lab", "report")
"""Rooms whose files take long, so that no worker is left with one when the others have finished."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest; otherwise in the order of their names."""
    order = {name: place for place, name in enumerate(FIRST)}
    items.sort(key=lambda item: order.get(item.path.parent.name, len(FIRST)))


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Repeat what failed while the hypervisor had the CPUs."""
    return stolen.repeated(item, nextitem)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List what was repeated, so that no test hides that fails now and then."""
    if lines := stolen.repetitions(terminalreporter):
        terminalreporter.section("repeated")
        for line in lines:
            terminalreporter.line(line)
