"""Counters: figures of the resources of the system under test and of the load generator.

:mod:`~headcount.counters.source` is the seam every origin of counters fills,
:mod:`~headcount.counters.proc` reads this machine, :mod:`~headcount.counters.generator` watches
Headcount itself, :mod:`~headcount.counters.catalogue` says what each counter means,
:mod:`~headcount.counters.summary` condenses a level's samples, and
:mod:`~headcount.counters.environment` describes the machine for the disclosure.
"""
