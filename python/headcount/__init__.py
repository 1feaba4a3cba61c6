"""Headcount: how many users will this server hold, and what stops it there."""

__version__ = "0.1.0"
"""As in `pyproject.toml`; to read it from the installed package takes half the CPU of a start."""
