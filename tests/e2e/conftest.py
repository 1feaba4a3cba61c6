"""What several end-to-end tests of file servers share."""

from collections.abc import Iterator

import pytest

from file_server import FileServer, serving


@pytest.fixture(scope="module")
def file_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FileServer]:
    """A real Samba with an empty share, for the tests of one file."""
    with serving(tmp_path_factory.mktemp("samba")) as server:
        yield server
