"""Which protocols have a page of their own with all their keys."""

from pages import DOCS, sections

from headcount.protocols.protocol import Protocol
from headcount.protocols.registry import protocols


def page_of(protocol: Protocol) -> str:
    """The name of the page about a protocol."""
    return f"{protocol.name}.md"


def of_own_page() -> list[Protocol]:
    """Protocols whose page has their keys; those of the others are with the keys of plans."""
    return [one for one in protocols().values() if one.parts is None and _has_keys(page_of(one))]


def _has_keys(page: str) -> bool:
    path = DOCS / page
    return path.is_file() and "Client" in sections(path.read_text("utf-8"))
