"""The definition of the number stands word for word wherever it is given."""

from pathlib import Path

import pytest
from pages import DOCS, ROOT

WHERE = [ROOT / "README.md", DOCS / "reading-the-answer.md", DOCS / "glossary.md"]


def definition() -> str:
    """The glossary's, in bold, on one line."""
    _, _, rest = (DOCS / "glossary.md").read_text("utf-8").partition("## The answer\n\n")
    return " ".join(rest.partition("\n\n")[0].split())


def test_the_glossary_has_a_definition() -> None:
    found = definition()
    assert found.startswith("**The capacity is ")
    assert found.endswith("**")


@pytest.mark.parametrize("page", WHERE, ids=lambda page: page.name)
def test_the_definition_is_the_same_everywhere(page: Path) -> None:
    assert definition() in " ".join(page.read_text("utf-8").split())
