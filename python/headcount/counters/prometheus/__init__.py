"""Counters from Prometheus exporters: node_exporter (Linux) and windows_exporter.

:mod:`~headcount.counters.prometheus.exposition` reads exposition text,
:mod:`~headcount.counters.prometheus.mapping` maps an exporter's metrics to our counters
(data: a file per exporter in ``exporters/``),
:mod:`~headcount.counters.prometheus.values` computes them from two pages, and
:mod:`~headcount.counters.prometheus.source` asks for the pages over HTTP.
"""
