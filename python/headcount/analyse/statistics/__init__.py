"""Statistics of measurements: pure functions, each with its source and what it assumes.

The run is the unit of replication everywhere. Requests of one run are correlated, so tests over
requests "find" differences between two runs of the same configuration nine times out of ten.
"""
