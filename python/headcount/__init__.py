"""Headcount: how many users will this server hold, and what stops it there."""

__version__ = "0.1.0"
"""The same as in `pyproject.toml`: reading package metadata takes half the CPU of a start."""
