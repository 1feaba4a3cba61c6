"""Signs of each limit at a level: one file per limit, pure functions of an observation.

A function returns None if no counter shows its limit: not observed is not the same as a score of 0.
"""
