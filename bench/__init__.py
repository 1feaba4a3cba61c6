"""What Headcount costs and how accurate its figures are, measured on this machine, beside peers.

`make bench`, or `python -m bench [SUBJECT ...] [--json FILE]`. These are measurements, not tests:
each figure is printed with its target and the ratio of the two, and nothing fails. Only
`python -m bench gate` fails, where a ratio is worse than another version's. See docs/benchmarks.md.
"""
