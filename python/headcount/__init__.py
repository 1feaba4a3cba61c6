"""Headcount: how many users will this server hold, and what stops it there."""

from importlib.metadata import version

__version__ = version("headcount")
