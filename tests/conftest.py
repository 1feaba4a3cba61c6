"""What several rooms of tests share; being here puts this folder on the path of their imports."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from processes import Headcount


@pytest.fixture
def headcount(tmp_path: Path) -> Iterator[Headcount]:
    """The command line in a home of its own."""
    command = Headcount(tmp_path / "home")
    yield command
    command.close()
