"""What several end-to-end tests of file servers share."""

from collections.abc import Iterator

import pytest
from freezing import Freezing

from file_server import FileServer, serving
from processes import Headcount


@pytest.fixture(scope="module")
def file_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FileServer]:
    """A real Samba with an empty share, for the tests of one file."""
    with serving(tmp_path_factory.mktemp("samba")) as server:
        yield server


@pytest.fixture(scope="session")
def freezing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Freezing]:
    """A run whose server has just been stopped."""
    run = Freezing(Headcount(tmp_path_factory.mktemp("frozen")))
    yield run
    run.close()
