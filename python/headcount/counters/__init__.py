"""Counters: figures of the resources of the system under test and of the load generator.

:mod:`~headcount.counters.source` is the seam every origin of counters fills,
:mod:`~headcount.counters.proc` reads this machine, :mod:`~headcount.counters.generator` watches
Headcount itself, :mod:`~headcount.counters.catalogue` says what each counter means,
:mod:`~headcount.counters.summary` condenses a level's samples, and
:mod:`~headcount.counters.environment` describes the machine for the disclosure.
"""

from headcount.counters.generator import GeneratorSource
from headcount.counters.proc.source import HostSource
from headcount.counters.source import Sample, Source
from headcount.counters.summary import Summary, summarise

__all__ = ["GeneratorSource", "HostSource", "Sample", "Source", "Summary", "summarise"]
