"""How often intervals that claim 95% hold the truth, by simulation.

`nice -n 19 python -m bench.statistics [SUBJECT ...] [--part 0.1]`. Takes some minutes;
docs/statistics.md has the table.
"""
# ruff: noqa: A005 - it is bench.statistics, and bench is on nobody's path
