"""The pages of the documentation, taken apart."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def pages() -> list[Path]:
    """Every page that users read, those not committed yet too."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.md"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted(path for line in listed.splitlines() if (path := ROOT / line).is_file())


def text(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def prose(page: str) -> str:
    """A page without its code blocks."""
    return re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)


def codes(page: str) -> list[str]:
    """What stands between single backticks, on one line or over two."""
    return [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", prose(page))]


def sections(page: str) -> dict[str, str]:
    """Headings of any depth, each with the text up to the next heading."""
    parts = re.split(r"^#+ (.+)$", prose(page), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def anchors(page: str) -> set[str]:
    """The anchors that a page's headings have on GitHub."""
    found = set()
    for heading in sections(page):
        kept = re.sub(r"[^\w\- ]", "", heading.lower())
        found.add(kept.replace(" ", "-"))
    return found


def rows(section: str) -> list[list[str]]:
    """The rows of all tables, cell by cell, with their heads."""
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in section.splitlines()
        if line.startswith("| ")
    ]
