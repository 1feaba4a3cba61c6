"""Disposable real servers on this machine, for `lab:NAME` targets and for tests."""

from headcount.lab.server import Server

__all__ = ["Server"]
