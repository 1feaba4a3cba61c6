"""A shop to import from and to play against, on a port of its own."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from flask import Flask
from shop import shop

import wsgi_site


@pytest.fixture
def served() -> Iterator[Callable[[Flask], str]]:
    """Serves an application until the test is over, and gives its address."""
    with ExitStack() as sites:
        yield lambda app: sites.enter_context(wsgi_site.served(app)).rstrip("/")


@pytest.fixture
def shop_address(served: Callable[[Flask], str]) -> str:
    return served(shop())
