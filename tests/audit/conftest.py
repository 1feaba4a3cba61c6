"""A bundle for all tests of audits, and copies of it to damage."""

import shutil
import sys
from pathlib import Path

import pytest

# The engine's runs against a server of known behaviour are shared with the tests of analyses.
sys.path.append(str(Path(__file__).parents[1] / "analyse"))

from made_bundle import make


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle that no test may change."""
    return make(tmp_path_factory.mktemp("audit") / "bundle")


@pytest.fixture
def bundle(whole: Path, tmp_path: Path) -> Path:
    """A copy of the whole bundle, to damage."""
    return Path(shutil.copytree(whole, tmp_path / "bundle"))
