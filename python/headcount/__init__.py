"""Headcount: how many users will this server hold, and what stops it there."""

from typing import Any

__version__: str


def __getattr__(name: str) -> Any:
    """The version, looked up when asked for: that takes a third of the CPU of `--help`."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version  # noqa: PLC0415 - see above

    globals()[name] = version("headcount")
    return globals()[name]
