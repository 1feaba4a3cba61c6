"""A site whose visits are recorded and replayed, and what it holds afterwards."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Page


@dataclass(frozen=True)
class Site:
    """A site that is served."""

    url: str
    plays: Callable[[], int]
    """How many visits it has proof of, seen on the server, not in replies."""
    secrets: dict[str, str] = field(default_factory=dict)
    """What users of the workload file export: the end of the variable's name, and its value."""
    log_on: tuple[str, str] | None = None
    """Name and password for HTTP Basic authentication."""


@dataclass(frozen=True)
class Flow:
    """What a user does there."""

    serve: Callable[[Path], AbstractContextManager[Site]]
    """Starts the site with its files in a new folder."""
    visit: Callable[[Page, str], None]
    """Does it in a browser, given the address of the site."""
