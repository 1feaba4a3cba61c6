"""Counters of this machine, read from ``/proc`` and ``/sys``: one file for each noun.

Each noun has a pure ``parse`` of the kernel's text, ``gauges`` for what one reading shows, and a
pure ``delta`` of two readings for rates and shares. :mod:`~headcount.counters.proc.source`
composes them.
"""
